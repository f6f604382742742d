import numpy as np
import numpy.typing as npt

def order_by_frequency(
    places: npt.NDArray[np.int32],
    frequency: npt.NDArray[np.int32],
    next_at: npt.NDArray[np.int64],
    ordered: npt.NDArray[np.int32],
) -> None: ...
def count_frequencies(frequency: npt.NDArray[np.int32], counts: npt.NDArray[np.int64]) -> None: ...
def number_by_frequency(
    terms: npt.NDArray[np.int32],
    next_column: npt.NDArray[np.int32],
    places: npt.NDArray[np.int32],
) -> None: ...
def gram_lengths(pairs: npt.NDArray[np.uint64], lengths: npt.NDArray[np.int32]) -> None: ...
def sort_grams(
    places: npt.NDArray[np.int32],
    ascending: npt.NDArray[np.int32],
    pairs: npt.NDArray[np.uint64],
    levels: npt.NDArray[np.int32],
    level: int,
    position: npt.NDArray[np.int32],
    rank: npt.NDArray[np.int32],
    by_beginning: bool,
    shift: int,
    counts: npt.NDArray[np.int32],
    ordered: npt.NDArray[np.int32],
) -> None: ...
def sort_names(
    offsets: npt.NDArray[np.int64],
    arena: npt.NDArray[np.uint8],
    items: npt.NDArray[np.int32],
    keys: npt.NDArray[np.uint64],
    spare_keys: npt.NDArray[np.uint64],
    spare_items: npt.NDArray[np.int32],
) -> None: ...
