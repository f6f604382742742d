from typing import Any

import numpy as np
import numpy.typing as npt

def perceptron_classes_slice(
    data: npt.NDArray[Any],
    indices: npt.NDArray[Any],
    indptr: npt.NDArray[Any],
    y: npt.NDArray[np.int32],
    weight: npt.NDArray[np.float64],
    order: npt.NDArray[np.int64],
    metric: npt.NDArray[np.float64],
    w: npt.NDArray[Any],
    total: npt.NDArray[np.float64],
    counts: npt.NDArray[np.int64],
    loss: npt.NDArray[np.float64],
    eta: float,
    margin: float,
    pad: float,
    n_classes: int,
    stride: int,
    bits: int,
    numbers: npt.NDArray[np.float64],
    places: npt.NDArray[np.int64],
) -> None: ...

def mira_classes_slice(
    data: npt.NDArray[Any],
    indices: npt.NDArray[Any],
    indptr: npt.NDArray[Any],
    y: npt.NDArray[np.int32],
    weight: npt.NDArray[np.float64],
    order: npt.NDArray[np.int64],
    metric: npt.NDArray[np.float64],
    w: npt.NDArray[Any],
    total: npt.NDArray[np.float64],
    counts: npt.NDArray[np.int64],
    loss: npt.NDArray[np.float64],
    cap: float,
    ridge: float,
    pad: float,
    n_classes: int,
    stride: int,
    bits: int,
    numbers: npt.NDArray[np.float64],
    places: npt.NDArray[np.int64],
) -> None: ...

def arow_classes_slice(
    data: npt.NDArray[Any],
    indices: npt.NDArray[Any],
    indptr: npt.NDArray[Any],
    y: npt.NDArray[np.int32],
    weight: npt.NDArray[np.float64],
    order: npt.NDArray[np.int64],
    w: npt.NDArray[Any],
    sigma: npt.NDArray[Any],
    counts: npt.NDArray[np.int64],
    loss: npt.NDArray[np.float64],
    r: float,
    pad: float,
    n_classes: int,
    stride: int,
    bits: int,
    numbers: npt.NDArray[np.float64],
    places: npt.NDArray[np.int64],
) -> None: ...

def class_scores(
    data: npt.NDArray[Any],
    indices: npt.NDArray[Any],
    indptr: npt.NDArray[Any],
    order: npt.NDArray[np.int64],
    w: npt.NDArray[Any],
    out: npt.NDArray[np.float64],
    pad: float,
    stride: int,
    bits: int,
    numbers: npt.NDArray[np.float64],
    places: npt.NDArray[np.int64],
) -> None: ...

def mean_class_weights(
    w: npt.NDArray[Any],
    total: npt.NDArray[np.float64],
    seen: npt.NDArray[np.int64],
    out: npt.NDArray[Any],
) -> None: ...
