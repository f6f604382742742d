"""``python -m textperceptron`` is the command ``textperceptron``."""

import sys

from textperceptron.cli import main

sys.exit(main())
