"""A learner for tests: a perceptron with its own setting, a factor of its steps."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from textperceptron._validation import at_least
from textperceptron.learn.rules.perceptron import PerceptronRule
from textperceptron.settings import register_learner, setting
from textperceptron.settings.fields import LEARNER


@dataclass(frozen=True, slots=True, kw_only=True)
class BoldRule(PerceptronRule):
    """A perceptron with steps times ``boldness``."""

    boldness: float = setting(
        1.0, "how many times longer a step is.", group=LEARNER, check=partial(at_least, low=0),
        tune=(1.0, 2.0), rank=20, say="boldness {}",
    )  # fmt: skip

    @property
    def plain(self):
        return PerceptronRule(
            eta0=self.eta0 * self.boldness, margin=self.margin, average=self.average, fit_intercept=self.fit_intercept
        )

    def step(self, *arguments):
        self.plain.step(*arguments)

    def step_classes(self, *arguments):
        self.plain.step_classes(*arguments)

    def step_one_vs_all(self, *arguments):
        self.plain.step_one_vs_all(*arguments)


def register():
    register_learner("bold", rank=9, average=False)(BoldRule)
