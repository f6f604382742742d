"""Golden cases of the command line, written in tests/cli/commands/*.toml.

``command``         what stands behind ``textperceptron``, as a shell would split it
``before``          other commands that are run first, for the files that they leave
``stdin``           standard input (default: empty)
``files``           texts of files in the folder where it runs; ``bytes`` likewise, in hexadecimal
``stdout``          all that it prints; ``<seconds>`` stands for a time (default: not looked at)
``stdout_has``      lines that are among what it prints
``stderr``          all that it says on standard error (default: nothing)
``exit``            exit code (default: 0)
``left``            names of the files that are there afterwards beside the given ones (default: none)
``contents``        texts of some of them
``process``         whether to start the real command instead of calling its function (default: false)
``slow``            whether plain pytest leaves it out (default: false)
``redirect``        what a shell does with its streams, such as ``<&-``, which closes standard input; a process, too

The folder has models that ``MODELS`` made.
"""

from __future__ import annotations

import re
import tomllib

from helpers.paths import TESTS

FOLDER = TESTS / "cli" / "commands"

MODELS = {
    "reviews.tpm": "train reviews --recipe mira --model reviews.tpm",
    "arow.tpm": "train reviews --recipe mira --model arow.tpm --learner arow --calibrate",
    "stars.tpm": "train stars --recipe mira --model stars.tpm",
}


def read_cases():
    """Yield an id and a case for every case."""
    for path in sorted(FOLDER.glob("*.toml")):
        for case in tomllib.loads(path.read_text("utf-8"))["case"]:
            yield f"{path.stem}: {case['name']}", case


def lay_out(case, folder):
    """Write the files of a case."""
    for name, text in case.get("files", {}).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(text.encode())
    for name, digits in case.get("bytes", {}).items():
        (folder / name).write_bytes(bytes.fromhex(digits))


def matches(expected, printed):
    """Whether the output is the expected one."""
    pattern = re.escape(expected).replace("<seconds>", r"\d+\.\d\d s")
    return re.fullmatch(pattern, printed) is not None


def check(case, code, out, err):
    """Compare output and exit code with the case."""
    assert (err, code) == (case.get("stderr", ""), case.get("exit", 0))
    if "stdout" in case and not matches(case["stdout"], out):
        assert out == case["stdout"]
    printed = out.split("\n")
    for line in case.get("stdout_has", ()):
        if not any(matches(line, other) for other in printed):
            assert line in printed
