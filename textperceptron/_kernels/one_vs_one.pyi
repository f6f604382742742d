from typing import Any

import numpy as np
import numpy.typing as npt

def pair_votes(
    data: npt.NDArray[Any],
    indices: npt.NDArray[Any],
    indptr: npt.NDArray[Any],
    order: npt.NDArray[np.int64],
    starts: npt.NDArray[np.int64],
    block: npt.NDArray[np.int32],
    lines: npt.NDArray[Any],
    intercept: npt.NDArray[np.float64],
    lower: npt.NDArray[np.int32],
    upper: npt.NDArray[np.int32],
    votes: npt.NDArray[np.int64],
    confidence: npt.NDArray[np.float64],
    numbers: npt.NDArray[np.float64],
    places: npt.NDArray[np.int64],
) -> None: ...
def vote_winners(
    votes: npt.NDArray[np.int64], confidence: npt.NDArray[np.float64], winner: npt.NDArray[np.int64]
) -> None: ...
