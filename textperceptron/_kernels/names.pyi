import numpy as np
import numpy.typing as npt

def name_offsets(
    places: npt.NDArray[np.int32],
    pairs: npt.NDArray[np.uint64],
    token_offsets: npt.NDArray[np.int64],
    offsets: npt.NDArray[np.int64],
) -> None: ...
def write_names(
    places: npt.NDArray[np.int32],
    pairs: npt.NDArray[np.uint64],
    token_offsets: npt.NDArray[np.int64],
    token_bytes: npt.NDArray[np.uint8],
    offsets: npt.NDArray[np.int64],
    arena: npt.NDArray[np.uint8],
) -> None: ...
def fill_slots(
    offsets: npt.NDArray[np.int64], arena: npt.NDArray[np.uint8], slots: npt.NDArray[np.uint64]
) -> int: ...
def first_descent(offsets: npt.NDArray[np.int64]) -> int: ...
def count_slots(slots: npt.NDArray[np.uint64]) -> tuple[int, int, int]: ...
def first_bad_name(offsets: npt.NDArray[np.int64], arena: npt.NDArray[np.uint8]) -> int: ...
def find_terms(
    text: npt.NDArray[np.uint8],
    starts: npt.NDArray[np.int32],
    stops: npt.NDArray[np.int32],
    lengths: npt.NDArray[np.int32],
    min_n: int,
    max_n: int,
    offsets: npt.NDArray[np.int64],
    arena: npt.NDArray[np.uint8],
    slots: npt.NDArray[np.uint64],
    columns: npt.NDArray[np.int32],
    row_stops: npt.NDArray[np.int64],
) -> None: ...
def find_name(
    name: bytes, offsets: npt.NDArray[np.int64], arena: npt.NDArray[np.uint8], slots: npt.NDArray[np.uint64]
) -> int: ...
