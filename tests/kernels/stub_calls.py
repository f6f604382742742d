"""Right and wrong calls of the kernels, for mypy only; they are never run.

Strict mypy reports unused ignores, so each ignore tests that the stub rejects that call.
"""

import numpy as np

from textperceptron import AROW, MIRA
from textperceptron._kernels import first_beyond, mean_weights, row_scores
from textperceptron.learn import Plan, Rows, check_rows

floats, integers = np.zeros(3), np.zeros(3, np.int64)

first: int = first_beyond(floats, 1.0)
first_beyond(floats)  # type: ignore[call-arg]
first_beyond([0.0], 1.0)  # type: ignore[arg-type]
first_beyond(floats, "1")  # type: ignore[arg-type]

row_scores(floats, integers, integers, integers, floats, floats, 1.0)
row_scores(floats, integers, integers, floats, floats, floats, 1.0)  # type: ignore[arg-type]
nothing: int = row_scores(floats, integers, integers, integers, floats, floats, 1.0)  # type: ignore[func-returns-value,assignment]
mean_weights(floats, integers, floats, 1.0)  # type: ignore[arg-type]

rows: Rows = check_rows(floats, integers, integers, 3)
Plan(shuffle="once")
Plan(shuffle="twice")  # type: ignore[arg-type]

MIRA(C=0.1, variant="pa2").fit(floats, integers)
MIRA(0.1)  # type: ignore[call-arg]
MIRA(variant="pa3")  # type: ignore[arg-type]
AROW(C=1.0)  # type: ignore[call-arg]
