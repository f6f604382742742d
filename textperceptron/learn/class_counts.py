"""What log-count ratios are computed from: rows per class, and the sum of each column in them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from textperceptron._parallel import count_jobs, ordered_map
from textperceptron.text.log_count_ratio import log_count_ratios

if TYPE_CHECKING:
    from textperceptron.settings import LearnerSettings

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ClassCounts:
    """Rows per class, and the sum of each column in the rows of each class, kept for updates.

    A class has few of all columns, so only sums other than 0 are stored.

    Attributes
    ----------
    n_rows : int64 array
        Rows of each class.
    n_columns : int
    columns, sums : tuple of arrays
        For each class the columns with a sum, ascending (int32), and the sums (float64).

    Examples
    --------
    >>> import numpy as np
    >>> counts = ClassCounts.of_sums(np.array([1, 2]), np.array([[0.0, 3.0], [1.0, 0.0]]))
    >>> grown = counts.extended(counts, np.array([0, 1]), np.array([0, 2]), 3)
    >>> grown.n_rows.tolist(), grown.dense(0).tolist()
    ([2, 4], [0.0, 3.0, 3.0])
    """

    n_rows: npt.NDArray[np.int64]
    n_columns: int
    columns: tuple[npt.NDArray[np.int32], ...]
    sums: tuple[Floats, ...]

    @classmethod
    def of_sums(cls, n_rows: npt.NDArray[Any], sums: Floats) -> ClassCounts:
        """Return the counts of sums of shape (n_classes, n_columns)."""
        sparse = [nonzero(each) for each in sums]
        return cls(n_rows, sums.shape[1], *zip(*sparse, strict=True))

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.n_rows)

    def dense(self, code: int) -> Floats:
        """Return the sums of a class, one per column."""
        sums = np.zeros(self.n_columns)
        sums[self.columns[code]] = self.sums[code]
        return sums

    def extended(
        self, further: ClassCounts, classes: npt.NDArray[np.intp], columns: npt.NDArray[np.int64], n_columns: int
    ) -> ClassCounts:
        """Add the counts of further rows, which have all classes and columns.

        Parameters
        ----------
        further : ClassCounts
        classes, columns : arrays of int
            Positions of this object's classes and columns among all.
        n_columns : int
        """
        n_rows = further.n_rows.copy()
        n_rows[classes] += self.n_rows
        code_of = dict(zip(classes.tolist(), range(self.n_classes), strict=True))
        sparse = []
        for code in range(further.n_classes):
            sums = np.zeros(n_columns)
            sums[further.columns[code]] = further.sums[code]
            if code in code_of:
                sums[columns[self.columns[code_of[code]]]] += self.sums[code_of[code]]
            sparse.append(nonzero(sums))
        return ClassCounts(n_rows, n_columns, *zip(*sparse, strict=True))

    def ratios(self, settings: LearnerSettings, *, each: bool, n_jobs: int | None = None) -> Floats:
        """Return the log-count ratios: of the second of two classes, or of ``each`` class against all others.

        Returns
        -------
        array of shape (1 or n_classes, n_columns)
        """
        if not each:
            sizes = self.n_rows if settings.ratio_balanced else None
            sums = np.vstack([self.dense(0), self.dense(1)])
            ratios: Floats = log_count_ratios(sums, settings.ratio_alpha, sizes, n_jobs)
            return ratios
        total, n_rows = np.zeros(self.n_columns), int(self.n_rows.sum())
        for columns, sums in zip(self.columns, self.sums, strict=True):
            total[columns] += sums
        ratios = np.empty((self.n_classes, self.n_columns))

        def write(_: None, code: int) -> None:
            inside, mine = self.dense(code), int(self.n_rows[code])
            ratios[code] = ratios_against(inside, total, (n_rows - mine, mine), settings)

        for _ in ordered_map(write, range(self.n_classes), [None] * min(self.n_classes, count_jobs(n_jobs))):
            pass
        return ratios


def ratios_against(inside: Floats, total: Floats, sizes: tuple[int, int], settings: LearnerSettings) -> Floats:
    """Return the ratios of a class against all others; ``sizes`` are the rows of the others and its own."""
    counted = np.array(sizes) if settings.ratio_balanced else None
    ratios: Floats = log_count_ratios(np.vstack([total - inside, inside]), settings.ratio_alpha, counted)[0]
    return ratios


def nonzero(sums: Floats) -> tuple[npt.NDArray[np.int32], Floats]:
    """Return the columns whose sum is not 0, and their sums."""
    columns = np.flatnonzero(sums).astype(np.int32)
    return columns, sums[columns]
