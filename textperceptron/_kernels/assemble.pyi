from typing import Any

import numpy as np
import numpy.typing as npt

def sort_rows(
    items: npt.NDArray[np.int32],
    row_starts: npt.NDArray[np.int64],
    columns: npt.NDArray[np.int32],
    n_tokens: int,
    bits: int,
    shift: int,
    spare: npt.NDArray[np.int32],
    row_stops: npt.NDArray[np.int64],
    distinct: npt.NDArray[np.int64],
) -> None: ...
def write_counts(
    items: npt.NDArray[np.int32],
    row_starts: npt.NDArray[np.int64],
    row_stops: npt.NDArray[np.int64],
    binary: bool,
    indices: npt.NDArray[np.signedinteger[Any]],
    data: npt.NDArray[Any],
) -> None: ...
def write_signed(
    items: npt.NDArray[np.int32],
    row_starts: npt.NDArray[np.int64],
    row_stops: npt.NDArray[np.int64],
    binary: bool,
    indices: npt.NDArray[np.signedinteger[Any]],
    data: npt.NDArray[Any],
) -> None: ...
def add_occurrences(
    items: npt.NDArray[np.int32],
    terms: npt.NDArray[np.int32],
    n_tokens: int,
    totals: npt.NDArray[np.int64],
) -> None: ...
