from typing import Any

import numpy as np
import numpy.typing as npt

def count_rows(
    items: npt.NDArray[np.int32],
    row_starts: npt.NDArray[np.int64],
    columns: npt.NDArray[np.int32],
    n_tokens: int,
    bits: int,
    binary: bool,
    spare: npt.NDArray[np.int32],
    sizes: npt.NDArray[np.int64],
    indices: npt.NDArray[np.int32],
    data: npt.NDArray[Any],
) -> None: ...
def renumber(
    items: npt.NDArray[np.int32],
    row_starts: npt.NDArray[np.int64],
    columns: npt.NDArray[np.int32],
    n_tokens: int,
    indices: npt.NDArray[np.int32],
    sizes: npt.NDArray[np.int64],
) -> int: ...
def sum_rows(
    items: npt.NDArray[np.int32],
    row_starts: npt.NDArray[np.int64],
    signs: bool,
    bits: int,
    binary: bool,
    spare: npt.NDArray[np.int32],
    sizes: npt.NDArray[np.int64],
    indices: npt.NDArray[np.int32],
    data: npt.NDArray[Any],
) -> None: ...
def add_occurrences(items: npt.NDArray[np.int32], n_tokens: int, totals: npt.NDArray[np.int64]) -> None: ...
