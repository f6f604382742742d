"""Search for the settings that suit a corpus: cross-validation under a budget.

============  ==========================================================================================
tuner         the function ``tune`` and its result
space         the settings to search and their values; candidates near given settings
search        successive halving in waves
metric        accuracy and F1, with intervals
trial         settings that were tried, and their scores
importance    the effect of each setting
journal       finished evaluations in a file, to resume from
============  ==========================================================================================
"""

from textperceptron.tuning.importance import SettingReport, ValueReport
from textperceptron.tuning.metric import Metric, MetricName, Score, default_metric
from textperceptron.tuning.space import default_space
from textperceptron.tuning.trial import Trial
from textperceptron.tuning.tuner import DEFAULT_TRIALS, TuneResult, tune

__all__ = [
    "DEFAULT_TRIALS",
    "Metric",
    "MetricName",
    "Score",
    "SettingReport",
    "Trial",
    "TuneResult",
    "ValueReport",
    "default_metric",
    "default_space",
    "tune",
]
