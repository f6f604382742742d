import numpy as np
import numpy.typing as npt

def sort_words(
    words: npt.NDArray[np.uint64],
    low: int,
    high: int,
    spare: npt.NDArray[np.uint64],
    counts: npt.NDArray[np.int64],
) -> None: ...
def order_by_frequency(
    places: npt.NDArray[np.int32],
    frequency: npt.NDArray[np.int32],
    counts: npt.NDArray[np.int64],
    ordered: npt.NDArray[np.int32],
) -> None: ...
def number_by_frequency(
    places: npt.NDArray[np.int32],
    frequency: npt.NDArray[np.int32],
    next_column: npt.NDArray[np.int32],
    columns: npt.NDArray[np.int32],
) -> None: ...
def pair_keys(
    which: npt.NDArray[np.int32],
    pairs: npt.NDArray[np.uint64],
    position: npt.NDArray[np.int32],
    rank: npt.NDArray[np.int32],
    n_tokens: int,
    token_bits: int,
    place_bits: int,
    words: npt.NDArray[np.uint64],
) -> None: ...
def sort_names(
    offsets: npt.NDArray[np.int64],
    arena: npt.NDArray[np.uint8],
    items: npt.NDArray[np.int32],
    keys: npt.NDArray[np.uint64],
    spare_keys: npt.NDArray[np.uint64],
    spare_items: npt.NDArray[np.int32],
) -> None: ...
