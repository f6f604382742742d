"""A service as a process on a free port of this machine, and a client for it."""

from __future__ import annotations

import contextlib
import http.client
import json
import re
import signal
import subprocess
import time
from tempfile import TemporaryFile

from helpers.fresh import FRESH_PYTHON

SECONDS = 100  # after which a forgotten service ends by itself; its other processes follow it
COMMAND = [
    *FRESH_PYTHON,
    f"import signal; signal.alarm({SECONDS}); from textperceptron.__main__ import run; run()",
]


class Service:
    """A running service."""

    def __init__(self, process, banner, port, log):
        self.process, self.banner, self.port, self._log = process, banner, port, log

    def connect(self, timeout=30):
        """Return a connection that is closed at the end of a ``with`` block."""
        return contextlib.closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout))

    def request(self, method, path, body=None, headers=None, connection=None):
        """Send a request; return its status and body."""
        with contextlib.nullcontext(connection) if connection else self.connect() as used:
            used.request(method, path, body, headers or {})
            response = used.getresponse()
            return response.status, response.read()

    def get(self, path, connection=None):
        """Return status and JSON of a path."""
        status, body = self.request("GET", path, connection=connection)
        return status, json.loads(body)

    def post(self, path, value, connection=None):
        """Send JSON; return status and JSON."""
        body = value if isinstance(value, bytes) else json.dumps(value).encode()
        status, answer = self.request("POST", path, body, {"Content-Type": "application/json"}, connection)
        return status, json.loads(answer)

    def metrics(self):
        """Return the value of each metric, by its name and labels as they are printed."""
        lines = self.request("GET", "/metrics")[1].decode().splitlines()
        return {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines if line[0] != "#")}

    def log(self):
        """Return what the service has logged."""
        self._log.seek(0)
        return self._log.read().decode()

    def model(self, name):
        """Return what the service says about the health of a model."""
        return next(each for each in self.get("/health/ready")[1]["models"] if each["name"] == name)

    def pids(self, n):
        """Return the ids of the processes that answer, as soon as there are n."""
        found = set()

        def ask():
            with contextlib.suppress(OSError, http.client.HTTPException):  # of a process that is being replaced
                found.add(self.get("/health/ready")[1]["process"])
            return len(found) == n

        assert wait_until(ask)
        return found

    def stop(self, number=signal.SIGTERM):
        """Send a signal; return the exit code."""
        self.process.send_signal(number)
        return self.process.wait(20)


@contextlib.contextmanager
def serving(*words):
    """Run ``textperceptron serve`` with arguments; yield the service when it listens."""
    with TemporaryFile() as log:
        process = subprocess.Popen(
            [*COMMAND, "serve", *map(str, words), "--port", "0"], stdout=subprocess.PIPE, stderr=log
        )
        try:
            banner, port = "", None
            while port is None:
                line = process.stdout.readline().decode()
                assert line, f"the service ended: {read_all(log)}"
                found = re.search(r"listening at http://127\.0\.0\.1:(\d+),", line)
                banner, port = banner + line, found and int(found[1])
            yield Service(process, banner, port, log)
            if process.poll() is None:
                process.terminate()
                assert process.wait(20) == 0
        finally:
            process.stdout.close()
            if process.poll() is None:
                process.kill()
                process.wait()


def read_all(file):
    """Return all of a file."""
    file.seek(0)
    return file.read().decode()


def wait_until(condition, seconds=20):
    """Return whether a condition becomes true in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True
