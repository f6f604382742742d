import numpy as np
import numpy.typing as npt

def plan_text(
    offsets: npt.NDArray[np.int64],
    arena: npt.NDArray[np.uint8],
    slots: npt.NDArray[np.uint64],
    weights: npt.NDArray[np.float32],
    lower: bool,
    single: bool,
    marks: int,
    min_n: int,
    max_n: int,
    prefixes: int,
    binary: bool,
    length_one: bool,
    negator_offsets: npt.NDArray[np.int64],
    negator_arena: npt.NDArray[np.uint8],
    negator_slots: npt.NDArray[np.uint64],
    stride: int,
    n_classes: int,
    plan: npt.NDArray[np.int64],
) -> None: ...
def classify_text(text: str, plan: npt.NDArray[np.int64], room: npt.NDArray[np.uint8]) -> int: ...
