"""``--report FILE`` of train and evaluate: the page about a model."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from textperceptron.cli.label_sets import LabelSetMeasurement
from textperceptron.corpus import Corpus, Documents
from textperceptron.model import TextModel
from textperceptron.report import write_page

if TYPE_CHECKING:
    from textperceptron.cli.evaluation import Measurement


def check_report_path(path: str) -> None:
    """Raise ValueError if the page would go to standard output, among other results."""
    if path == "-":
        raise ValueError("--report -: a page is a file to open in a browser. Name one: --report page.html.")


def write_training_page(
    path: str,
    model: TextModel,
    corpus: Corpus,
    measurements: Sequence[Measurement | LabelSetMeasurement],
    size: int | None,
    n_jobs: int,
) -> int:
    """Write the page of a training run; return its size.

    It is about the texts of the first measurement. Without one, about the training texts.
    """
    training = corpus.train
    documents, measured_on, predictions = training, "the training texts themselves: new texts will do worse", None
    for each in measurements:
        if not isinstance(each, LabelSetMeasurement) and each.documents is not None:
            documents, measured_on, predictions = each.documents, each.measured_on, each.predictions
            break
    return write_page(
        path, model, documents.texts, documents.labels,
        training=(training.texts, training.labels), predictions=predictions, title=corpus.name,
        measured_on=measured_on, command=_command(), size=size, n_jobs=n_jobs,
    )  # fmt: skip


def write_evaluation_page(
    path: str, model: TextModel, model_path: str, corpus: str, documents: Documents, measured_on: str, n_jobs: int
) -> int:
    """Write the page of an evaluation; return its size."""
    return write_page(
        path, model, documents.texts, documents.labels,
        title=f"{os.path.basename(model_path)} on {corpus}", measured_on=measured_on, command=_command(),
        size=os.path.getsize(model_path), n_jobs=n_jobs,
    )  # fmt: skip


def _command() -> str:
    """Return the command line, for a shell."""
    return shlex.join(["textperceptron", *sys.argv[1:]])
