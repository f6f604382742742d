from typing import Any

import numpy as np
import numpy.typing as npt


def hull_slice(
    data: npt.NDArray[Any],
    indices: npt.NDArray[Any],
    indptr: npt.NDArray[Any],
    y: npt.NDArray[np.int8],
    sqnorm: npt.NDArray[np.float64],
    order: npt.NDArray[np.int64],
    alpha: npt.NDArray[np.float64],
    w: npt.NDArray[np.float64],
    score: npt.NDArray[np.float64],
    pad: float,
) -> None: ...
def add_rows(
    data: npt.NDArray[Any],
    indices: npt.NDArray[Any],
    indptr: npt.NDArray[Any],
    order: npt.NDArray[np.int64],
    step: npt.NDArray[np.float64],
    w: npt.NDArray[np.float64],
    pad: float,
) -> None: ...
def row_norms(data: npt.NDArray[Any], indptr: npt.NDArray[Any], out: npt.NDArray[np.float64], pad: float) -> None: ...
