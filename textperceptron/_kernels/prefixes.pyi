import numpy as np
import numpy.typing as npt

def cut_prefixes(
    text: npt.NDArray[np.uint8],
    starts: npt.NDArray[np.int32],
    stops: npt.NDArray[np.int32],
    lengths: npt.NDArray[np.int32],
    size: int,
    negation: bool,
    out: npt.NDArray[np.uint8],
    out_starts: npt.NDArray[np.int32],
    out_stops: npt.NDArray[np.int32],
    out_lengths: npt.NDArray[np.int32],
) -> int: ...
