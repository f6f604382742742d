"""Counters and latencies of all processes, in Prometheus's text format.

Each process counts in its own row of a shared file. Any process can add the rows up, so that it does not matter which
one answers. A process that replaces a crashed one continues its row: counters never decrease.
"""

from __future__ import annotations

import mmap
import os
import time
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

ENDPOINTS = ("predict", "explain", "models", "health", "metrics", "openapi", "other")
STATUSES = (200, 400, 404, 405, 408, 413, 415, 499, 500, 503)
BUCKETS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

Labels = tuple[tuple[str, str], ...]


class Metrics:
    """Counters of one process, and the sums over all of them.

    Parameters
    ----------
    models : sequence of str
        Names of the models.
    path : path
        The shared file; created if it does not exist.
    n_rows, row : int
        Number of processes, and which of them this one is.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     first, second = (Metrics(["reviews"], Path(folder) / "metrics", 2, row) for row in range(2))
    ...     first.observe("predict", 200, 0.003)
    ...     second.observe("predict", 400, 0.001)
    ...     [line for line in first.lines({}) if line.startswith("textperceptron_requests_total{")]
    ['textperceptron_requests_total{endpoint="predict",status="200"} 1',
     'textperceptron_requests_total{endpoint="predict",status="400"} 1']
    """

    def __init__(self, models: Sequence[str], path: Path, n_rows: int = 1, row: int = 0) -> None:
        self._models = tuple(models)
        cells: list[tuple[str, str, object]] = [("beat", "", "")]
        cells += [("requests", endpoint, status) for endpoint in ENDPOINTS for status in STATUSES]
        cells += [("seconds", endpoint, k) for endpoint in ENDPOINTS for k in range(len(BUCKETS) + 1)]
        cells += [("seconds_sum", endpoint, "") for endpoint in ENDPOINTS]
        cells += [(name, model, "") for name in ("texts", "loads", "failures") for model in self._models]
        self._cell = {name: k for k, name in enumerate(cells)}
        self._n, self._n_rows = len(cells), n_rows
        size = 8 * self._n * n_rows
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            if os.fstat(handle).st_size < size:
                os.ftruncate(handle, size)
            self._all = memoryview(mmap.mmap(handle, size)).cast("d")
        finally:
            os.close(handle)
        self._row = self._all[row * self._n : (row + 1) * self._n]

    def observe(self, endpoint: str, status: int, seconds: float) -> None:
        """Count a request."""
        row, cell = self._row, self._cell
        row[cell["requests", endpoint, status if status in STATUSES else 500]] += 1
        row[cell["seconds", endpoint, bisect_left(BUCKETS, seconds)]] += 1
        row[cell["seconds_sum", endpoint, ""]] += seconds

    def count_texts(self, model: str, n: int) -> None:
        """Count texts that were classified or explained."""
        self._row[self._cell["texts", model, ""]] += n

    def count_loads(self, model: str, loads: int, failures: int) -> None:
        """Count files that were loaded, and files that could not be."""
        self._row[self._cell["loads", model, ""]] += loads
        self._row[self._cell["failures", model, ""]] += failures

    def beat(self) -> None:
        """Show that the event loop of this process runs."""
        self._row[0] = time.monotonic()

    def seconds_since_beat(self, row: int) -> float | None:
        """Return the age of the last beat of a process, or None if it has not started."""
        last = self._all[row * self._n]
        return time.monotonic() - last if last else None

    def forget_beat(self, row: int) -> None:
        """Reset the beat of a process that is to be started."""
        self._all[row * self._n] = 0.0

    def lines(self, is_current: Mapping[str, bool]) -> Iterator[str]:
        """Yield the lines of Prometheus's text format.

        Parameters
        ----------
        is_current : mapping of str to bool
            For each model, whether it is the one in its file.
        """
        sums = [sum(self._all[k :: self._n]) for k in range(self._n)]

        def total(*cell: object) -> float:
            return sums[self._cell[cell]]  # type: ignore[index]

        yield from _head("requests_total", "counter", "Requests answered.")
        for endpoint in ENDPOINTS:
            for status in STATUSES:
                if n := total("requests", endpoint, status):
                    yield _line("requests_total", (("endpoint", endpoint), ("status", str(status))), n)
        yield from _head("errors_total", "counter", "Requests answered with a status of 400 or above.")
        for endpoint in ENDPOINTS:
            n = sum(total("requests", endpoint, status) for status in STATUSES if status >= 400)
            yield _line("errors_total", (("endpoint", endpoint),), n)
        yield from _head("request_seconds", "histogram", "Time from the head of a request to its answer.")
        for endpoint in ENDPOINTS:
            labels: Labels = (("endpoint", endpoint),)
            n = 0.0
            for k, bound in enumerate((*BUCKETS, "+Inf")):
                n += total("seconds", endpoint, k)
                yield _line("request_seconds_bucket", (*labels, ("le", str(bound))), n)
            yield _line("request_seconds_sum", labels, total("seconds_sum", endpoint, ""))
            yield _line("request_seconds_count", labels, n)
        for name, cell, text in (
            ("texts_total", "texts", "Texts classified or explained."),
            ("model_loads_total", "loads", "Model files loaded, by all processes."),
            ("model_load_failures_total", "failures", "Changed model files that could not be loaded."),
        ):
            yield from _head(name, "counter", text)
            for model in self._models:
                yield _line(name, (("model", model),), total(cell, model, ""))
        yield from _head("model_current", "gauge", "1 if the model that answers is the one in its file, otherwise 0.")
        for model, current in is_current.items():
            yield _line("model_current", (("model", model),), float(current))
        yield from _head("processes", "gauge", "Processes that answer requests.")
        yield _line("processes", (), self._n_rows)


def _head(name: str, kind: str, text: str) -> Iterator[str]:
    yield f"# HELP textperceptron_{name} {text}"
    yield f"# TYPE textperceptron_{name} {kind}"


def _line(name: str, labels: Labels, value: float) -> str:
    inside = ",".join(f'{key}="{_escaped(text)}"' for key, text in labels)
    shown = f"{{{inside}}}" if labels else ""
    return f"textperceptron_{name}{shown} {value:.17g}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
