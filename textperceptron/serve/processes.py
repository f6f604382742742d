"""Sockets, processes and signals: the service until it is told to stop."""

from __future__ import annotations

import errno
import logging
import multiprocessing
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from multiprocessing.connection import wait
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import uvicorn

from textperceptron.serve.app import Service, create_app
from textperceptron.serve.metrics import Metrics
from textperceptron.serve.settings import ServeSettings, model_names

logger = logging.getLogger("textperceptron.serve")

_HUNG = 30.0  # seconds without a sign of life after which a process is replaced
_PAUSE = 1.0  # seconds before a process that ended is replaced


def run(settings: ServeSettings, announce: Callable[[Service, str], object]) -> None:
    """Serve until SIGINT or SIGTERM; requests that were accepted are answered.

    Parameters
    ----------
    settings : ServeSettings
    announce : callable
        Called with the service and its address when requests can be sent.

    Raises
    ------
    ValueError, OSError
        If a model file cannot be loaded, or the address cannot be used.
    """
    _configure_logging()
    with TemporaryDirectory(prefix="textperceptron-") as name:
        folder = Path(name)
        app = create_app(settings, folder)
        with open_socket(settings.host, settings.port, shared=settings.processes > 1) as listener:
            host, port = listener.getsockname()[:2]
            address = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
            if settings.processes == 1:
                _serve(app, settings, listener, on_start=lambda: announce(app.state.service, address))
            else:  # this socket only reserves the port
                supervisor = _Supervisor(replace(settings, port=port), folder)
                supervisor.run(lambda: announce(app.state.service, address))
    logger.info("stopped")


def open_socket(host: str, port: int, *, shared: bool = False, joining: bool = False) -> socket.socket:
    """Return a socket that is bound to an address.

    Parameters
    ----------
    host : str
    port : int
        0 for any free one.
    shared : bool
        Let other processes of this user listen at the same address. Each has its own socket, and the kernel divides
        the connections among them. With one socket for all, the first process to wake up takes every connection that
        waits.
    joining : bool
        Whether other processes of this service listen there already.

    Raises
    ------
    ValueError
        If the address cannot be used.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        if shared and port and not joining:  # two services must not share it by accident
            _bind(family, kind, protocol, address, shared=False).close()
        return _bind(family, kind, protocol, address, shared=shared)
    except OSError as problem:
        raise ValueError(_socket_error(problem, host, port)) from None


def _bind(family: int, kind: int, protocol: int, address: Any, *, shared: bool) -> socket.socket:
    # With the protocol given, asyncio sets TCP_NODELAY; without it, each answer would wait 40 ms for an ACK.
    opened = socket.socket(family, kind, protocol)
    try:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if shared:
            opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        opened.bind(address)
    except BaseException:
        opened.close()
        raise
    return opened


def _socket_error(problem: OSError, host: str, port: int) -> str:
    if problem.errno == errno.EADDRINUSE:
        return (
            f"{host}, port {port}: another program uses it. Stop that program, or choose another --port; 0 takes a "
            "free one."
        )
    if problem.errno == errno.EACCES:
        return f"{host}, port {port}: this user may not use it. Choose a --port of 1024 or above."
    return f"{host}: not an address of this machine ({problem.strerror}). Choose another --host, such as 127.0.0.1."


class _Server(uvicorn.Server):
    """A server that shows when it listens and that it is alive, and stops when its parent process has ended."""

    on_start: Callable[[], object] = staticmethod(lambda: None)
    on_beat: Callable[[], object] = staticmethod(lambda: None)
    parent: int | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self.on_start()

    async def on_tick(self, counter: int) -> bool:
        """Do what is due ten times per second."""
        self.on_beat()
        if self.parent is not None and os.getppid() != self.parent:
            self.should_exit = True
        return await super().on_tick(counter)


def _serve(app: Any, settings: ServeSettings, listener: socket.socket, **hooks: Any) -> None:
    """Answer the requests of one socket until a signal; a second Ctrl-C does not wait for open requests."""
    config = uvicorn.Config(
        app, http="httptools", ws="none", loop="asyncio", lifespan="on", interface="asgi3", log_config=None,
        access_log=settings.access_log, proxy_headers=False, server_header=False,
        timeout_graceful_shutdown=int(settings.timeout) + 1,
    )  # fmt: skip
    server = _Server(config)
    for name, hook in hooks.items():
        setattr(server, name, hook)

    def stop(*_: object) -> None:
        server.should_exit = True

    with _signals(stop):  # before and after uvicorn's own handlers
        server.run(sockets=[listener])


def _serve_row(settings: ServeSettings, folder: Path, row: int, parent: int) -> None:
    """Run one of several processes."""
    _configure_logging()
    with _signals(lambda *_: os._exit(0)):
        app = create_app(settings, folder, row)
        with open_socket(settings.host, settings.port, shared=True, joining=True) as listener:
            _serve(app, settings, listener, on_beat=app.state.service.metrics.beat, parent=parent)
    os._exit(0)  # does not wait for threads whose requests were given up


class _Supervisor:
    """Starts the processes, and replaces those that end or hang."""

    def __init__(self, settings: ServeSettings, folder: Path) -> None:
        self._settings, self._folder = settings, folder
        self._metrics = Metrics(model_names(settings.paths), folder / "metrics", settings.processes)
        self._spawn = multiprocessing.get_context("spawn")
        self._stopping = False

    def run(self, announce: Callable[[], object]) -> None:
        with _signals(self._stop):
            processes = [self._start(row) for row in range(self._settings.processes)]
            try:
                self._wait_until_started(processes)
                if not self._stopping:
                    announce()
                while not self._stopping:
                    wait([each.sentinel for each in processes], timeout=0.1)
                    for row, process in enumerate(processes):
                        processes[row] = self._replaced(row, process)
            finally:
                self._end(processes)

    def _stop(self, *_: object) -> None:
        self._stopping = True

    def _start(self, row: int) -> Any:
        self._metrics.forget_beat(row)
        process = self._spawn.Process(target=_serve_row, args=(self._settings, self._folder, row, os.getpid()))
        process.start()
        return process

    def _wait_until_started(self, processes: list[Any]) -> None:
        rows = range(len(processes))
        while not self._stopping and any(self._metrics.seconds_since_beat(row) is None for row in rows):
            for process in processes:
                if not process.is_alive():
                    raise ValueError(f"a process ended with code {process.exitcode} before it could answer requests.")
            time.sleep(0.02)

    def _replaced(self, row: int, process: Any) -> Any:
        """Return the process of a row: a new one if it has ended or hangs."""
        if self._stopping:
            return process
        if process.is_alive():
            if (self._metrics.seconds_since_beat(row) or 0.0) < _HUNG:
                return process
            logger.error("process %d has not shown a sign of life for %d seconds and is replaced", process.pid, _HUNG)
            process.kill()
            process.join()
        else:
            logger.error("process %d ended with code %s and is replaced", process.pid, process.exitcode)
            time.sleep(_PAUSE)
        return self._start(row)

    def _end(self, processes: list[Any]) -> None:
        for process in processes:
            process.terminate()
        deadline = time.monotonic() + self._settings.timeout + 5
        for process in processes:
            process.join(max(0.0, deadline - time.monotonic()))
            if process.is_alive():
                process.kill()


@contextmanager
def _signals(handler: Callable[..., object]) -> Iterator[None]:
    """Call a function on SIGINT and SIGTERM within the block."""
    before = {number: signal.signal(number, handler) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler_before in before.items():
            signal.signal(number, handler_before)


class _Formatter(logging.Formatter):
    """One line per record; control characters from data are escaped."""

    def format(self, record: logging.LogRecord) -> str:
        text = super().format(record)
        return "".join(c if c.isprintable() or c == "\n" else repr(c)[1:-1] for c in text)


def _configure_logging() -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Formatter("%(asctime)s %(levelname)s %(message)s"))
    for name, level in (("textperceptron.serve", "INFO"), ("uvicorn.access", "INFO"), ("uvicorn.error", "WARNING")):
        log = logging.getLogger(name)
        log.handlers, log.propagate = [handler], False
        log.setLevel(level)
