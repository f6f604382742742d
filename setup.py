"""Compile the kernels; everything else about the package is in pyproject.toml."""

import os
import sys

from Cython.Build import cythonize
from setuptools import Extension, setup

# The only list of directives: a misspelt one in a file header would be ignored in silence.
DIRECTIVES = {
    "language_level": 3,
    "boundscheck": False,
    "wraparound": False,
    "initializedcheck": False,
    "cdivision": True,
    "embedsignature": True,
    "embedsignature.format": "python",
    "autotestdict": False,
    "freethreading_compatible": True,
}
# A build for tests: every index is checked. It is two to three times slower, and has separate C files.
CHECKED = os.environ.get("TEXTPERCEPTRON_BOUNDSCHECK", "0") == "1"
if CHECKED:
    DIRECTIVES |= {"boundscheck": True, "initializedcheck": True}
BUILD = "build/boundscheck" if CHECKED else "build"
# No fused multiply-add, no fast-math, no -march: the same bytes on every machine.
FLAGS = ["/O2", "/fp:precise"] if sys.platform == "win32" else ["-O3", "-ffp-contract=off"]

kernels = Extension("*", ["textperceptron/_kernels/*.pyx"], extra_compile_args=FLAGS)
setup(
    ext_modules=cythonize([kernels], build_dir=BUILD, compiler_directives=DIRECTIVES),
    options={"build_ext": {"parallel": os.cpu_count()}},
)
