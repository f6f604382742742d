import numpy as np
import numpy.typing as npt

def hash_terms(
    text: npt.NDArray[np.uint8],
    starts: npt.NDArray[np.int32],
    stops: npt.NDArray[np.int32],
    lengths: npt.NDArray[np.int32],
    min_n: int,
    max_n: int,
    n_features: int,
    signs: bool,
    items: npt.NDArray[np.int32],
    row_stops: npt.NDArray[np.int64],
) -> None: ...
def hash_names(
    offsets: npt.NDArray[np.int64],
    arena: npt.NDArray[np.uint8],
    n_features: int,
    columns: npt.NDArray[np.int32],
) -> None: ...
