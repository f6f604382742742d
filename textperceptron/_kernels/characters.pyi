import numpy as np
import numpy.typing as npt

def split_characters(
    texts: list[str],
    start: int,
    stop: int,
    lower: bool,
    within_words: bool,
    min_n: int,
    max_n: int,
    folded: npt.NDArray[np.uint8],
    classes: npt.NDArray[np.uint8],
    at: npt.NDArray[np.int32],
    out: npt.NDArray[np.uint8],
    starts: npt.NDArray[np.int32],
    stops: npt.NDArray[np.int32],
    lengths: npt.NDArray[np.int32],
) -> int: ...
