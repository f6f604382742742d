"""Compile the kernels; everything else about the package is in pyproject.toml."""

import os
import sys
from contextlib import suppress

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

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


class BuildInTree(build_ext):
    """Build the kernels, and leave them beside their sources as well.

    Python finds the package in the current folder first: after ``pip install .`` in a clone, ``python -m
    textperceptron`` there would otherwise run the package without its kernels.
    """

    def run(self):
        """Build, then copy the kernels."""
        super().run()
        if not self.inplace and not CHECKED:
            with suppress(OSError):  # a folder that cannot be written
                self.copy_extensions_to_source()


kernels = Extension("*", ["textperceptron/_kernels/*.pyx"], extra_compile_args=FLAGS)
setup(
    ext_modules=cythonize([kernels], build_dir=BUILD, compiler_directives=DIRECTIVES),
    cmdclass={"build_ext": BuildInTree},
    options={"build_ext": {"parallel": os.cpu_count()}},
)
