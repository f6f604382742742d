from typing import Any

import numpy as np
import numpy.typing as npt

def mira_slice(
    data: npt.NDArray[Any],
    indices: npt.NDArray[Any],
    indptr: npt.NDArray[Any],
    y: npt.NDArray[np.int8],
    weight: npt.NDArray[np.float64],
    order: npt.NDArray[np.int64],
    metric: npt.NDArray[np.float64],
    w: npt.NDArray[Any],
    total: npt.NDArray[np.float64],
    counts: npt.NDArray[np.int64],
    loss: npt.NDArray[np.float64],
    cap: float,
    ridge: float,
    pad: float,
) -> None: ...
