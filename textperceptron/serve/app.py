"""The endpoints of the service, as an ASGI application."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import shutil
import time
import weakref
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, TypeVar

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from textperceptron._parallel import count_jobs
from textperceptron.serve.bodies import JSON, explain_body, predict_body, read_json
from textperceptron.serve.errors import RequestError
from textperceptron.serve.metrics import CONTENT_TYPE, Metrics
from textperceptron.serve.models import LoadedModel, ServedModel
from textperceptron.serve.openapi import openapi_document
from textperceptron.serve.predictions import explain_text, is_quick, predict_texts
from textperceptron.serve.settings import ServeSettings, model_names

logger = logging.getLogger("textperceptron.serve")

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False).encode

Handler = Callable[[Request, float], Awaitable[Response]]
Result = TypeVar("Result")


class Service:
    """Models, limits, metrics and threads of one process.

    Parameters
    ----------
    settings : ServeSettings
    folder : path
        For copies of the model files and for counters; shared by all processes.
    row : int
        Which of the processes this one is.

    Raises
    ------
    ValueError, OSError
        If a model file cannot be loaded.
    """

    def __init__(self, settings: ServeSettings, folder: Path, row: int = 0) -> None:
        self.settings = settings
        names = model_names(settings.paths)
        self.metrics = Metrics(names, folder / "metrics", settings.processes, row)
        self.models = {
            name: ServedModel(name, path, folder, number)
            for number, (name, path) in enumerate(zip(names, settings.paths, strict=True))
        }
        self._openapi = openapi_document(settings, names)
        n_threads = max(1, count_jobs(-1) // settings.processes)
        self._threads = ThreadPoolExecutor(n_threads, "predict")
        self._loader = ThreadPoolExecutor(1, "load")

    def routes(self) -> list[Route]:
        """Return the routes of all endpoints."""
        return [
            Route(path, partial(self._answer, name, handler), methods=[method])
            for path, name, handler, method in (
                ("/predict", "predict", self._predict, "POST"),
                ("/explain", "explain", self._explain, "POST"),
                ("/models", "models", self._list_models, "GET"),
                ("/health/live", "health", self._live, "GET"),
                ("/health/ready", "health", self._ready, "GET"),
                ("/metrics", "metrics", self._show_metrics, "GET"),
                ("/openapi.json", "openapi", self._describe, "GET"),
            )
        ]

    @contextlib.asynccontextmanager
    async def lifespan(self, _: Starlette) -> AsyncIterator[None]:
        """Follow the model files while requests are answered."""
        for name in self.models:
            self.metrics.count_loads(name, 1, 0)
        following = asyncio.create_task(self._follow_files())
        try:
            yield
        finally:
            following.cancel()
            self._threads.shutdown(wait=False, cancel_futures=True)
            self._loader.shutdown(wait=False, cancel_futures=True)

    async def not_routed(self, request: Request, problem: Exception) -> Response:
        """Answer a request for an unknown path, or with the wrong method."""
        start = time.perf_counter()
        status = problem.status_code if isinstance(problem, HTTPException) else 500
        headers = dict(problem.headers or {}) if isinstance(problem, HTTPException) else {}
        if status == 405:
            allowed = next(value for name, value in headers.items() if name.lower() == "allow")
            error = RequestError(
                405, "wrong method", value=request.method, place=f"path {request.url.path}", remedy=f"Use {allowed}.",
                headers=headers,
            )  # fmt: skip
        else:
            error = RequestError(
                status, "there is no such path", value=request.url.path, place="path",
                remedy="Use /predict, /explain, /models, /health/live, /health/ready, /metrics or /openapi.json.",
            )  # fmt: skip
        self.metrics.observe("other", status, time.perf_counter() - start)
        return _error_response(error)

    async def _answer(self, name: str, handler: Handler, request: Request) -> Response:
        """Call a handler within the time limit; count the request."""
        start = time.perf_counter()
        try:
            response = await handler(request, asyncio.get_running_loop().time() + self.settings.timeout)
        except RequestError as problem:
            response = _error_response(problem)
        except ClientDisconnect:
            response = Response(status_code=499)  # nobody receives it
        except Exception:
            logger.exception("%s: an error of the service", request.url.path)
            response = _error_response(
                RequestError(
                    500, "an error of the service", value=None, place=request.url.path,
                    remedy="Report it with the lines that the service logged.",
                )
            )  # fmt: skip
        self.metrics.observe(name, response.status_code, time.perf_counter() - start)
        return response

    async def _predict(self, request: Request, deadline: float) -> Response:
        body = predict_body(await self._body(request, deadline), self.settings)
        name, loaded = self._find(body.model)
        work = partial(predict_texts, loaded.model, body.texts, body.top)
        quick = is_quick(loaded.model, body.texts)
        found = await self._run(work, deadline, quick=quick) if body.texts else []
        self.metrics.count_texts(name, len(body.texts))
        source = {"model": name, "version": loaded.version}
        return _json_response({**source, "predictions": found} if body.is_batch else {**source, **found[0]})

    async def _explain(self, request: Request, deadline: float) -> Response:
        body = explain_body(await self._body(request, deadline))
        name, loaded = self._find(body.model)
        try:
            work = partial(explain_text, loaded.model, body.text, body.top)
            found = await self._run(work, deadline)
        except ValueError as problem:
            raise RequestError(
                400, f"this model cannot be explained: {str(problem).rstrip('.')}", value=name, place="model",
                remedy="Use /predict, or a model of another learner.",
            ) from None  # fmt: skip
        self.metrics.count_texts(name, 1)
        return _json_response({"model": name, "version": loaded.version, **found})

    async def _list_models(self, _: Request, __: float) -> Response:
        return _json_response({"models": [_describe_model(each) for each in self.models.values()]})

    async def _live(self, _: Request, __: float) -> Response:
        return _json_response({"status": "live"})

    async def _ready(self, _: Request, __: float) -> Response:
        statuses = {name: each.status for name, each in self.models.items()}
        models = [
            {"name": name, "version": each.loaded.version, "state": each.state, "message": each.message}
            for name, each in statuses.items()
        ]
        return _json_response({"status": "ready", "models": models, "process": os.getpid()})

    async def _show_metrics(self, _: Request, __: float) -> Response:
        lines = self.metrics.lines({name: each.status.state == "current" for name, each in self.models.items()})
        return Response("".join(f"{line}\n" for line in lines), media_type=CONTENT_TYPE)

    async def _describe(self, _: Request, __: float) -> Response:
        return _json_response(self._openapi)

    async def _body(self, request: Request, deadline: float) -> dict[str, Any]:
        try:
            async with asyncio.timeout_at(deadline):
                return await read_json(request, self.settings)
        except TimeoutError:
            raise RequestError(
                408, "the body did not arrive in time", value=f"{self.settings.timeout:g} s", place="body",
                remedy="Send it faster, or start the service with a larger --timeout.", headers={"Connection": "close"},
            ) from None  # fmt: skip

    def _find(self, name: str | None) -> tuple[str, LoadedModel]:
        """Return a model by its name; without a name, the only one."""
        if name is None and len(self.models) > 1:
            raise RequestError(
                400, "several models are served, and the key model is missing", value=None, place="body",
                remedy=f"Add the key model: {', '.join(self.models)}.",
            )  # fmt: skip
        served = next(iter(self.models.values())) if name is None else self.models.get(name)
        if served is None:
            raise RequestError(
                404, "there is no such model", value=name, place="model", remedy=f"Use {' or '.join(self.models)}."
            )
        return served.name, served.loaded

    async def _run(self, work: Callable[[], Result], deadline: float, *, quick: bool = False) -> Result:
        """Call a function: here if that is quick, otherwise on a thread."""
        if quick:
            return work()
        try:
            async with asyncio.timeout_at(deadline):
                return await asyncio.get_running_loop().run_in_executor(self._threads, work)
        except TimeoutError:
            raise RequestError(
                503, "the answer took too long", value=f"{self.settings.timeout:g} s", place="body",
                remedy="Try again, send fewer texts, or start the service with a larger --timeout.",
                headers={"Retry-After": "1"},
            ) from None  # fmt: skip

    async def _follow_files(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(self.settings.check_every)
            for each in self.models.values():
                before = each.n_loads, each.n_failures
                await loop.run_in_executor(self._loader, each.refresh)
                self.metrics.count_loads(each.name, each.n_loads - before[0], each.n_failures - before[1])


def create_app(settings: ServeSettings, folder: Path | None = None, row: int = 0) -> Starlette:
    """Return the service as an ASGI application, with its models loaded.

    Parameters
    ----------
    settings : ServeSettings
        ``host``, ``port`` and ``access_log`` are the server's concern and are not used.
    folder : path, optional
        For copies of the model files and for counters, shared by all processes; default: a temporary folder, for one
        process.
    row : int
        Which of the processes this one is.

    Raises
    ------
    ValueError, OSError
        If a model file cannot be loaded.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from textperceptron import TextModel
    >>> from textperceptron.serve import ServeSettings
    >>> from textperceptron.serve.app import create_app
    >>> with TemporaryDirectory() as folder:
    ...     model = TextModel.train(["a fine film", "a dull film"], ["pos", "neg"])
    ...     _ = model.save(f"{folder}/films.tpm")
    ...     app = create_app(ServeSettings((f"{folder}/films.tpm",)))
    >>> [route.path for route in app.routes][:2]
    ['/predict', '/explain']
    """
    is_temporary = folder is None
    folder = Path(mkdtemp(prefix="textperceptron-")) if folder is None else folder
    service = Service(settings, folder, row)
    app = Starlette(
        routes=service.routes(), lifespan=service.lifespan, exception_handlers={HTTPException: service.not_routed}
    )
    app.router.redirect_slashes = False
    app.state.service = service
    if is_temporary:
        weakref.finalize(app, shutil.rmtree, folder, ignore_errors=True)
    return app


def _describe_model(served: ServedModel) -> dict[str, Any]:
    loaded = served.loaded
    model = loaded.model
    return {
        "name": served.name,
        "version": loaded.version,
        "sha256": loaded.sha256,
        "file": served.path,
        "classes": list(model.classes),
        "n_columns": model.n_columns,
        "probabilities": model.parts.calibration is not None,
        "settings": model.settings.describe(),
    }


def _json_response(value: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    try:
        body = _encode(value).encode()
    except UnicodeEncodeError:  # a lone surrogate in a term
        body = json.dumps(value).encode()
    return Response(body + b"\n", status, headers, media_type=JSON)


def _error_response(problem: RequestError) -> Response:
    return _json_response(problem.as_json(), problem.status, problem.headers)
