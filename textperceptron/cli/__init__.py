"""The command line: parse, call, print.

============  ==========================================================================================
main          the command: verbs, exit codes, one line for a mistake
train …       one file for each verb
settings      the options of ``train`` that override a recipe, a line each
reading       the options that say how a corpus is read
screen        lines of text, in colour where there is a terminal
escaping      control characters from data, spelt out
output        standard output and files, as results are written to them
progress      what is seen while a model learns
tables        columns of text
============  ==========================================================================================
"""

from textperceptron.cli.main import main, run

__all__ = ["main", "run"]
