import numpy as np
import numpy.typing as npt

def text_block(texts: list[str], start: int, budget: int, lower: bool) -> tuple[int, int, int, int]: ...
def split_words(
    texts: list[str],
    start: int,
    stop: int,
    lower: bool,
    single: bool,
    marks: int,
    negation: bool,
    stop_offsets: npt.NDArray[np.int64],
    stop_arena: npt.NDArray[np.uint8],
    stop_slots: npt.NDArray[np.uint64],
    negator_offsets: npt.NDArray[np.int64],
    negator_arena: npt.NDArray[np.uint8],
    negator_slots: npt.NDArray[np.uint64],
    folded: npt.NDArray[np.uint8],
    classes: npt.NDArray[np.uint8],
    begins: npt.NDArray[np.int32],
    ends: npt.NDArray[np.int32],
    out: npt.NDArray[np.uint8],
    starts: npt.NDArray[np.int32],
    stops: npt.NDArray[np.int32],
    lengths: npt.NDArray[np.int32],
) -> int: ...
def gram_starts(
    lengths: npt.NDArray[np.int32], min_n: int, max_n: int, row_starts: npt.NDArray[np.int64]
) -> None: ...
