"""A state of training that a model file keeps beside the model."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from textperceptron.learn import Rows
from textperceptron.learn.models import Model, MulticlassModel, VotedModel
from textperceptron.learn.rules import MulticlassRule, NativeRule, OneVsAllRule, Rule
from textperceptron.learn.rules.voted import VotedState
from textperceptron.learn.weight_tables import BlockedTable
from textperceptron.model.file import ModelFileError, TensorFile
from textperceptron.model.outcome import Training
from textperceptron.model.stored_states import restore
from textperceptron.settings import LearnerPart


def stored_training(file: TensorFile, learner: LearnerPart, model: Model) -> Training:
    """Return what a file holds for going on.

    Raises
    ------
    ModelFileError
        If it does not fit the model.
    """
    learner = learner.settled([1] * model.n_classes, model.n_columns)
    metrics = [file.arrays[name].size for name in ("state.metric", "state.class_metric") if name in file.arrays]
    learner = replace(learner, column_weight="log_count_ratio" if any(metrics) else None)
    rule = _rule(learner, model)
    weights = file.array("state.weights", np.float32, np.float64)
    sizes = (0, model.n_columns + 1) if isinstance(model, VotedModel) else (_size(model),)
    if weights.size not in sizes or 0 < max(metrics, default=0) <= model.n_columns:  # before so much is allocated
        raise ModelFileError("its state of training does not fit its weights: the file is damaged.")
    empty = Rows(weights[:0], np.empty(0, np.int32), np.zeros(1, np.int32), model.n_columns)
    state = rule.start(empty, np.ones(model.n_columns) if any(metrics) else np.empty(0))
    restore(state, file, "state")
    if isinstance(state, VotedState):
        assert isinstance(model, VotedModel)
        state.past = model.past
    return Training(rule, state)


def _rule(learner: LearnerPart, model: Model) -> Rule:
    rule = learner.rule()
    if model.n_classes == 2 and isinstance(model, VotedModel) == (learner.learner == "voted"):
        return rule
    if isinstance(model, MulticlassModel) and isinstance(rule, MulticlassRule):
        if learner.multiclass == "native":
            return NativeRule(inner=rule, layout=model.layout)
        if not model.layout.bits:
            return OneVsAllRule(inner=rule, layout=BlockedTable(model.n_columns, model.n_classes), first=0)
    raise ModelFileError("it holds a state of training that its settings do not lead to: the file is damaged.")


def _size(model: Model) -> int:
    return model.layout.size if isinstance(model, MulticlassModel) else model.n_columns + 1
