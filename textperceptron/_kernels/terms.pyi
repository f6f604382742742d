import numpy as np
import numpy.typing as npt

def token_keys(
    seed: npt.NDArray[np.uint64],
    text: npt.NDArray[np.uint8],
    starts: npt.NDArray[np.int32],
    stops: npt.NDArray[np.int32],
    keys: npt.NDArray[np.uint64],
) -> None: ...
def count_tokens(
    seed: npt.NDArray[np.uint64],
    keys: npt.NDArray[np.uint64],
    text: npt.NDArray[np.uint8],
    starts: npt.NDArray[np.int32],
    stops: npt.NDArray[np.int32],
    lengths: npt.NDArray[np.int32],
    token_starts: npt.NDArray[np.int64],
    row_starts: npt.NDArray[np.int64],
    kept: bool,
    n_before: int,
    slots: npt.NDArray[np.uint64],
    records: npt.NDArray[np.uint64],
    offsets: npt.NDArray[np.int64],
    arena: npt.NDArray[np.uint8],
    sizes: npt.NDArray[np.int64],
    progress: npt.NDArray[np.int64],
    ids: npt.NDArray[np.int32],
    first: npt.NDArray[np.uint8],
) -> int: ...
def count_grams(
    seed: npt.NDArray[np.uint64],
    lengths: npt.NDArray[np.int32],
    row_starts: npt.NDArray[np.int64],
    min_n: int,
    max_n: int,
    n_before: int,
    slots: npt.NDArray[np.uint64],
    records: npt.NDArray[np.uint64],
    sizes: npt.NDArray[np.int64],
    progress: npt.NDArray[np.int64],
    ids: npt.NDArray[np.int32],
    first: npt.NDArray[np.uint8],
) -> int: ...
def keep_terms(
    ids: npt.NDArray[np.int32],
    first: npt.NDArray[np.uint8],
    starts: npt.NDArray[np.int64],
    lengths: npt.NDArray[np.int32],
    min_n: int,
    row_starts: npt.NDArray[np.int64],
) -> None: ...
def regrow(old: npt.NDArray[np.uint64], new: npt.NDArray[np.uint64]) -> None: ...
