"""The command line: parse, call, print.

==================  ====================================================================================
main                the command: verbs, exit codes, one-line errors
train, tune,        one module per verb
predict, evaluate,
inspect, explain,
audit, suggest,
compare, serve,
corpora
common              options that all verbs share
setting_options     options of ``train`` and ``tune`` that override a recipe
corpus_options      options for reading a corpus
corpus_split        corpora to train on, splits to evaluate on
model_io            model files: open, inspect, save
evaluation          accuracy of a trained model
compress            ``--prune`` and ``--half``
output_paths        checks of output files
output              standard output and result files
console             lines and tables, coloured in a terminal; messages
progress            progress of training; ``tune_progress`` that of a search
prediction_format   predictions as text or JSON
escaping            control characters in data; labels as text
==================  ====================================================================================
"""

from textperceptron.cli.main import main, run

__all__ = ["main", "run"]
