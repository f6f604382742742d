import numpy as np
import numpy.typing as npt

def classify_text(
    text: str,
    lower: bool,
    single: bool,
    min_n: int,
    max_n: int,
    binary: bool,
    offsets: npt.NDArray[np.int64],
    arena: npt.NDArray[np.uint8],
    slots: npt.NDArray[np.uint64],
    weights: npt.NDArray[np.float32],
    stride: int,
    room: npt.NDArray[np.uint8],
    scores: npt.NDArray[np.float64],
) -> int: ...
