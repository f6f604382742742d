from typing import Any

import numpy.typing as npt

def scale_rows(data: npt.NDArray[Any], indptr: npt.NDArray[Any]) -> None: ...
