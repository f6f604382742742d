"""Margins, separability and the convergence theorem, for sparse data of any size.

============================  ==========================================================================
:func:`point_margins`         signed distance of every row from a given hyperplane
:func:`margin`                their minimum: the margin of a data set
:func:`radius`                R, the norm of the longest row
:func:`losses`                0/1, perceptron and hinge loss of a given hyperplane
:func:`attainable_margin`     bounds of the largest margin of any hyperplane, with certificates
:func:`is_separable`          yes, no or unknown, with the proof
:func:`mistake_bound`         (R/γ)², the largest number of updates a perceptron can make
:func:`report`                all of the above in a few lines
============================  ==========================================================================
"""

from textperceptron.margins.attainable import AttainableMargin, attainable_margin
from textperceptron.margins.bound import MarginReport, MistakeBound, mistake_bound, report
from textperceptron.margins.hyperplane import Losses, losses, margin, point_margins, radius
from textperceptron.margins.separability import Separability, is_separable

__all__ = [
    "AttainableMargin",
    "Losses",
    "MarginReport",
    "MistakeBound",
    "Separability",
    "attainable_margin",
    "is_separable",
    "losses",
    "margin",
    "mistake_bound",
    "point_margins",
    "radius",
    "report",
]
