from typing import Any

import numpy as np
import numpy.typing as npt

def row_scores(
    data: npt.NDArray[Any],
    indices: npt.NDArray[Any],
    indptr: npt.NDArray[Any],
    order: npt.NDArray[np.int64],
    w: npt.NDArray[Any],
    out: npt.NDArray[np.float64],
    pad: float,
) -> None: ...
def mean_weights(
    w: npt.NDArray[Any], total: npt.NDArray[np.float64], out: npt.NDArray[Any], seen: float
) -> None: ...
