from typing import Any

import numpy as np
import numpy.typing as npt

def add_class_sums(
    data: npt.NDArray[Any],
    indices: npt.NDArray[Any],
    indptr: npt.NDArray[Any],
    codes: npt.NDArray[np.int64],
    which: npt.NDArray[np.int64],
    sums: npt.NDArray[np.float64],
) -> None: ...
