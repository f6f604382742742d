from typing import Any

import numpy as np
import numpy.typing as npt

def rows_of_words(
    words: npt.NDArray[np.int32],
    indptr: npt.NDArray[np.int64],
    at: npt.NDArray[np.int64],
    rows: npt.NDArray[np.int32],
) -> None: ...
def count_pairs(
    words: npt.NDArray[np.int32],
    indptr: npt.NDArray[np.int64],
    starts: npt.NDArray[np.int64],
    rows: npt.NDArray[np.int32],
    codes: npt.NDArray[np.int32],
    class_sizes: npt.NDArray[np.int64],
    xlogx: npt.NDArray[np.float64],
    of_classes: float,
    first: int,
    last: int,
    low: int,
    high: int,
    above: float,
    cursor: npt.NDArray[np.int64],
    counts: npt.NDArray[np.integer[Any]],
    touched: npt.NDArray[np.uint8],
    partners: npt.NDArray[np.int32],
    frequency: npt.NDArray[np.int32],
    scores: npt.NDArray[np.float64],
    n_partners: npt.NDArray[np.int64],
) -> tuple[int, int]: ...
def count_row_pairs(
    words: npt.NDArray[np.int32],
    indptr: npt.NDArray[np.int64],
    starts: npt.NDArray[np.int64],
    rows: npt.NDArray[np.int32],
    pair_starts: npt.NDArray[np.int64],
    partners: npt.NDArray[np.int32],
    cursor: npt.NDArray[np.int64],
    place: npt.NDArray[np.int32],
    lengths: npt.NDArray[np.int64],
) -> None: ...
def write_pairs(
    data: npt.NDArray[Any],
    words: npt.NDArray[np.int32],
    indptr: npt.NDArray[np.int64],
    starts: npt.NDArray[np.int64],
    rows: npt.NDArray[np.int32],
    pair_starts: npt.NDArray[np.int64],
    partners: npt.NDArray[np.int32],
    first_column: int,
    scale: npt.NDArray[Any],
    cursor: npt.NDArray[np.int64],
    place: npt.NDArray[np.int32],
    at: npt.NDArray[np.int64],
    stops: npt.NDArray[np.int64],
    indices: npt.NDArray[np.signedinteger[Any]],
    values: npt.NDArray[Any],
) -> None: ...
