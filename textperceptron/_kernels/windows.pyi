import numpy as np
import numpy.typing as npt

def find_pivots(
    text: npt.NDArray[np.uint8],
    starts: npt.NDArray[np.int32],
    stops: npt.NDArray[np.int32],
    offsets: npt.NDArray[np.int64],
    arena: npt.NDArray[np.uint8],
    slots: npt.NDArray[np.uint64],
    following: npt.NDArray[np.int64],
) -> None: ...
def join_near(
    text: npt.NDArray[np.uint8],
    starts: npt.NDArray[np.int32],
    stops: npt.NDArray[np.int32],
    lengths: npt.NDArray[np.int32],
    following: npt.NDArray[np.int64],
    window: int,
    out: npt.NDArray[np.uint8],
    out_starts: npt.NDArray[np.int32],
    out_stops: npt.NDArray[np.int32],
    out_lengths: npt.NDArray[np.int32],
) -> tuple[int, int]: ...
