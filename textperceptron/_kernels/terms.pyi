import numpy as np
import numpy.typing as npt

def count_terms(
    text: npt.NDArray[np.uint8],
    starts: npt.NDArray[np.int32],
    stops: npt.NDArray[np.int32],
    lengths: npt.NDArray[np.int32],
    token_starts: npt.NDArray[np.int64],
    row_starts: npt.NDArray[np.int64],
    min_n: int,
    max_n: int,
    token_slots: npt.NDArray[np.uint64],
    token_records: npt.NDArray[np.uint64],
    token_offsets: npt.NDArray[np.int64],
    token_bytes: npt.NDArray[np.uint8],
    pair_slots: npt.NDArray[np.uint64],
    pair_records: npt.NDArray[np.uint64],
    sizes: npt.NDArray[np.int64],
    progress: npt.NDArray[np.int64],
    ids: npt.NDArray[np.int32],
    first: npt.NDArray[np.uint8],
) -> int: ...
def keep_first(
    ids: npt.NDArray[np.int32], first: npt.NDArray[np.uint8], row_starts: npt.NDArray[np.int64]
) -> None: ...
def regrow(old: npt.NDArray[np.uint64], new: npt.NDArray[np.uint64]) -> None: ...
def find_pairs(
    others: npt.NDArray[np.uint64],
    token_numbers: npt.NDArray[np.int32],
    start: int,
    stop: int,
    pair_slots: npt.NDArray[np.uint64],
    pair_records: npt.NDArray[np.uint64],
    numbers: npt.NDArray[np.int32],
) -> None: ...
def append_pairs(
    others: npt.NDArray[np.uint64],
    token_numbers: npt.NDArray[np.int32],
    pair_records: npt.NDArray[np.uint64],
    sizes: npt.NDArray[np.int64],
    numbers: npt.NDArray[np.int32],
) -> None: ...
def insert_pairs(
    pair_records: npt.NDArray[np.uint64], start: int, stop: int, pair_slots: npt.NDArray[np.uint64]
) -> None: ...
