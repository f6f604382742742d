"""Labels of rows, several a row."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, slots=True)
class LabelSets:
    """Row i has the classes ``label[starts[i] : starts[i + 1]]``, as numbers from 0."""

    starts: npt.NDArray[np.int64]
    label: npt.NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.starts) - 1

    @classmethod
    def of_codes(cls, codes: npt.NDArray[np.int32]) -> LabelSets:
        """Wrap one class a row."""
        return cls(np.arange(len(codes) + 1), codes)
