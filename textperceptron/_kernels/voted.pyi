from typing import Any

import numpy as np
import numpy.typing as npt

def kernel_slice(
    data: npt.NDArray[Any],
    indices: npt.NDArray[Any],
    indptr: npt.NDArray[Any],
    y: npt.NDArray[np.int8],
    weight: npt.NDArray[np.float64],
    order: npt.NDArray[np.int64],
    base: npt.NDArray[np.float64],
    alpha: npt.NDArray[np.float64],
    support: npt.NDArray[np.int64],
    dense: npt.NDArray[np.float64],
    log: npt.NDArray[np.int64],
    counts: npt.NDArray[np.int64],
    loss: npt.NDArray[np.float64],
    eta: float,
    margin: float,
    pad: float,
    degree: int,
    coef0: float,
) -> None: ...
def vote_scores(
    data: npt.NDArray[Any],
    indices: npt.NDArray[Any],
    indptr: npt.NDArray[Any],
    order: npt.NDArray[np.int64],
    starts: npt.NDArray[np.int64],
    holders: npt.NDArray[np.int32],
    held: npt.NDArray[np.float64],
    mistaken: npt.NDArray[np.int32],
    steps: npt.NDArray[np.float64],
    survived: npt.NDArray[np.int64],
    products: npt.NDArray[np.float64],
    votes: npt.NDArray[np.float64],
    last: npt.NDArray[np.float64],
    pad: float,
    degree: int,
    coef0: float,
) -> None: ...
