"""Golden cases of the command line, written in tests/cli/commands/*.toml.

``command``         arguments of ``textperceptron``, as a shell would split them
``before``          commands that are run first, for the files that they write
``stdin``           standard input (default: empty)
``files``           texts of files in the working folder; ``bytes`` likewise, in hexadecimal
``stdout``          the whole standard output; ``<seconds>`` matches a time (default: not checked)
``stdout_has``      lines of the standard output
``stderr``          the whole standard error (default: empty)
``exit``            exit code (default: 0)
``left``            names of additional files that exist afterwards (default: none)
``contents``        texts of some of these files
``process``         start the command as a process instead of calling its function (default: false)
``slow``            leave the case out of plain pytest (default: false)
``redirect``        redirections of a shell, such as ``<&-``, which closes standard input; implies ``process``

The folder has the models of ``MODELS``.
"""

from __future__ import annotations

import difflib
import json
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


def renew(name, case, out):
    """Write the output into the file of a case, for ``pytest --renew-outputs``; read the difference before a commit."""
    path = FOLDER / f"{name.split(':')[0]}.toml"
    text = path.read_text("utf-8")
    out = re.sub(r"\b\d+\.\d\d s\b", "<seconds>", out)
    if "stdout" in case and not matches(case["stdout"], out):
        text = text.replace(case["stdout"], out, 1)
    printed = out.split("\n")
    for line in case.get("stdout_has", ()):
        if line not in printed and (found := difflib.get_close_matches(line, printed, n=1, cutoff=0.5)):
            for quoted in (json.dumps(line, ensure_ascii=False), f"'{line}'"):  # as TOML writes a string
                text = text.replace(quoted, json.dumps(found[0], ensure_ascii=False), 1)
    path.write_text(text, "utf-8")


def check(case, code, out, err):
    """Compare output and exit code with the case."""
    assert (err, code) == (case.get("stderr", ""), case.get("exit", 0))
    if "stdout" in case and not matches(case["stdout"], out):
        assert out == case["stdout"]
    printed = out.split("\n")
    for line in case.get("stdout_has", ()):
        if not any(matches(line, other) for other in printed):
            assert line in printed
