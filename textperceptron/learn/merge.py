"""Groups of classes, trained side by side, as one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from textperceptron.learn.layout import BlockLayout
from textperceptron.learn.one_vs_all import ClassGroup
from textperceptron.learn.rules import OneVsAllRule, OneVsAllState
from textperceptron.learn.state import Array


def merged(
    groups: Sequence[ClassGroup], order: npt.NDArray[np.intp] | None = None
) -> tuple[OneVsAllRule, OneVsAllState]:
    """Return one group of all classes, a copy; class number k of the groups becomes number ``order[k]``.

    The result is the same however the classes were divided into groups, so what was counted in the last epoch, and what
    stands in the lanes behind the last class, is left out.
    """
    layouts, states = [group.rule.layout for group in groups], [group.state for group in groups]
    layout = BlockLayout(layouts[0].n_columns, sum(each.n_classes for each in layouts))
    rule = OneVsAllRule(inner=groups[0].rule.inner, layout=layout, first=0)
    to = np.arange(layout.n_classes) if order is None else order

    def table(parts: Sequence[Array]) -> Array:
        if not len(parts[0]):
            return parts[0].copy()  # of its own type, which kernels look at
        whole = np.empty((layout.n_columns + 1, layout.n_classes), parts[0].dtype)
        whole[:, to] = np.hstack([each.side_by_side(part) for each, part in zip(layouts, parts, strict=True)])
        return layout.in_blocks(whole)

    def counter(parts: Sequence[Array]) -> Array:
        whole = np.zeros(layout.stride, parts[0].dtype)
        whole[to] = np.concatenate([part[: each.n_classes] for each, part in zip(layouts, parts, strict=True)])
        return whole

    state = OneVsAllState(
        table([each.weights for each in states]),
        table([each.memory for each in states]),
        blocks=layout,
        first=0,
        active=counter([each.active for each in states]),
        seen_of_class=counter([each.seen_of_class for each in states]),
        updates_of_epoch=counter([each.updates_of_epoch for each in states]),
        updates_of_class=counter([each.updates_of_class for each in states]),
        epochs_of_class=counter([each.epochs_of_class for each in states]),
        heaviest=np.zeros(len(layout.parts)),  # which are looked for when training goes on
        class_metric=table([each.class_metric for each in states]),
        class_column_weight=table([each.class_column_weight for each in states]),
    )
    state.of_length_one = states[0].of_length_one
    state.set_progress(seen=max(each.seen for each in states), epoch=max(each.epoch for each in states))
    return rule, state
