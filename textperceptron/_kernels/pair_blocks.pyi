from typing import Any

import numpy as np
import numpy.typing as npt

def block_votes(
    data: npt.NDArray[Any],
    indices: npt.NDArray[Any],
    indptr: npt.NDArray[Any],
    order: npt.NDArray[np.int64],
    tables: npt.NDArray[Any],
    intercept: npt.NDArray[np.float64],
    lower: npt.NDArray[np.int32],
    upper: npt.NDArray[np.int32],
    votes: npt.NDArray[np.int64],
    confidence: npt.NDArray[np.float64],
) -> None: ...
def block_winners(
    data: npt.NDArray[np.float32],
    indices: npt.NDArray[Any],
    indptr: npt.NDArray[Any],
    order: npt.NDArray[np.int64],
    tables: npt.NDArray[np.float32],
    heaviest: float,
    intercept: npt.NDArray[np.float64],
    lower: npt.NDArray[np.int32],
    upper: npt.NDArray[np.int32],
    scores: npt.NDArray[np.float32],
    votes: npt.NDArray[np.int64],
    confidence: npt.NDArray[np.float64],
    winner: npt.NDArray[np.int64],
) -> None: ...
