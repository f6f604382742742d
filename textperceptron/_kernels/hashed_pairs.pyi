from typing import Any

import numpy as np
import numpy.typing as npt

def expand_pairs(
    data: npt.NDArray[Any],
    indices: npt.NDArray[Any],
    indptr: npt.NDArray[Any],
    which: npt.NDArray[np.int64],
    n_columns: int,
    bits: int,
    beginnings: npt.NDArray[np.uint32],
    out_data: npt.NDArray[Any],
    out_indices: npt.NDArray[Any],
    out_indptr: npt.NDArray[Any],
) -> None: ...

def pair_places(
    lower: npt.NDArray[np.int64],
    upper: npt.NDArray[np.int64],
    n_columns: int,
    bits: int,
    out: npt.NDArray[np.int64],
) -> None: ...

def survey_pairs(
    columns: npt.NDArray[np.int32],
    indptr: npt.NDArray[np.int64],
    starts: npt.NDArray[np.int64],
    rows: npt.NDArray[np.int32],
    n_columns: int,
    bits: int,
    wanted: npt.NDArray[np.int64],
    cursor: npt.NDArray[np.int64],
    counts: npt.NDArray[np.int32],
    partners: npt.NDArray[np.int32],
    taken: npt.NDArray[np.uint8],
    lower: npt.NDArray[np.int64],
    upper: npt.NDArray[np.int64],
    in_rows: npt.NDArray[np.int64],
    sharing: npt.NDArray[np.int64],
) -> tuple[int, int]: ...
