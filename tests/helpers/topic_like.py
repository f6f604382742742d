"""Rows of counts like those of topics, and the native multiclass learners."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from textperceptron import AROW, MIRA, AveragedPerceptron, Perceptron

NATIVE = [Perceptron, AveragedPerceptron, MIRA, AROW]


def topic_like(n_rows=240, n_classes=5, n_columns=60, seed=3, dtype=np.float32):
    """Return rows of counts, with words of each class and words of all classes."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, n_classes, n_rows)
    codes[:n_classes] = np.arange(n_classes)
    chances = np.full((n_classes, n_columns), 0.08)
    own = n_columns // (2 * n_classes)
    for c in range(n_classes):
        chances[c, c * own : (c + 1) * own] = 0.8
    X = sp.csr_matrix(rng.poisson(chances[codes]).astype(dtype))
    return X, np.array([f"class {c}" for c in range(n_classes)])[codes]
