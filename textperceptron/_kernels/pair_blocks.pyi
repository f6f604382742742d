from typing import Any

import numpy as np
import numpy.typing as npt

def block_votes(
    data: npt.NDArray[Any],
    indices: npt.NDArray[Any],
    indptr: npt.NDArray[Any],
    order: npt.NDArray[np.int64],
    tables: npt.NDArray[Any],
    slot: npt.NDArray[np.int32],
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
    holds: npt.NDArray[np.uint8],
    n_whole: int,
    heaviest: float,
    intercepts: npt.NDArray[np.float32],
    slot: npt.NDArray[np.int32],
    intercept: npt.NDArray[np.float64],
    lower: npt.NDArray[np.int32],
    upper: npt.NDArray[np.int32],
    scores: npt.NDArray[np.float32],
    guesses: npt.NDArray[np.int32],
    wins: npt.NDArray[np.int32],
    votes: npt.NDArray[np.int32],
    confidence: npt.NDArray[np.float64],
    winner: npt.NDArray[np.int64],
) -> None: ...
