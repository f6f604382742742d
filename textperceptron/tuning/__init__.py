"""Settings that suit a corpus: a search under a budget, by cross-validation.

============  ==========================================================================================
space         the table of settings and their values, and what is near some settings
metric        accuracy and F1, with intervals
evaluator     settings and a fold → confusions; text is cut once for all folds
shelf         what threads share
journal       finished evaluations in a file, to go on from
trial         settings that were tried, and what is known of them
proposals     which settings to try next
search        successive halving in waves
mattered      which settings made a difference
result        what was found
run           all of it: the function tune
============  ==========================================================================================
"""

from textperceptron.tuning.mattered import SettingReport, ValueReport
from textperceptron.tuning.metric import Metric, MetricName, Score
from textperceptron.tuning.result import Tuned
from textperceptron.tuning.run import DEFAULT_TRIALS, tune
from textperceptron.tuning.space import SPACE
from textperceptron.tuning.trial import Trial

__all__ = [
    "DEFAULT_TRIALS",
    "SPACE",
    "Metric",
    "MetricName",
    "Score",
    "SettingReport",
    "Trial",
    "Tuned",
    "ValueReport",
    "tune",
]
