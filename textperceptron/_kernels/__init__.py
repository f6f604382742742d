"""The compiled code of the toolkit, and the only door to it.

Every kernel is a free function over arrays: weights change in place, counts go into the state's own arrays,
the global interpreter lock is released for the whole loop, and nothing is random.
"""

from textperceptron._kernels.arow import arow_slice
from textperceptron._kernels.batch import batch_slice
from textperceptron._kernels.check import (
    first_beyond,
    first_other_than_one,
    first_outside,
    first_repeat,
    rows_ascend,
)
from textperceptron._kernels.hull import add_rows, hull_slice, row_norms
from textperceptron._kernels.mira import mira_slice
from textperceptron._kernels.perceptron import perceptron_slice
from textperceptron._kernels.scores import mean_weights, row_scores
from textperceptron._kernels.voted import kernel_slice, vote_scores

__all__ = [
    "add_rows",
    "arow_slice",
    "batch_slice",
    "first_beyond",
    "first_other_than_one",
    "first_outside",
    "first_repeat",
    "hull_slice",
    "kernel_slice",
    "mean_weights",
    "mira_slice",
    "perceptron_slice",
    "row_norms",
    "row_scores",
    "rows_ascend",
    "vote_scores",
]
