"""The body of a request: read within limits, parsed, validated."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request

from textperceptron.serve.errors import RequestError
from textperceptron.serve.settings import ServeSettings

JSON = "application/json"
EXAMPLE = '{"text": "An overpriced, useless phone"}'


@dataclass(frozen=True, slots=True)
class PredictBody:
    """Texts to classify; ``is_batch`` tells ``texts`` from ``text``."""

    texts: list[str]
    is_batch: bool
    model: str | None
    top: int | None


@dataclass(frozen=True, slots=True)
class ExplainBody:
    """A text to explain."""

    text: str
    model: str | None
    top: int


async def read_json(request: Request, settings: ServeSettings) -> dict[str, Any]:
    """Read the body of a request, and parse it as a JSON object.

    Raises
    ------
    RequestError
        If it is not JSON (415, 400) or too large (413).
    """
    headers = request.headers
    given = headers.get("content-type", "")
    if given.partition(";")[0].strip().lower() != JSON:
        raise RequestError(
            415, "the body must be JSON", value=given or None, place="header Content-Type",
            remedy=f"Send Content-Type: {JSON}; with curl, use --json instead of -d.",
        )  # fmt: skip
    coding = headers.get("content-encoding", "identity")
    if coding.lower() != "identity":
        raise RequestError(
            415, "compressed bodies are not supported", value=coding, place="header Content-Encoding",
            remedy="Send the body as it is.",
        )  # fmt: skip
    length = headers.get("content-length", "")
    if length.isdecimal() and int(length[:20]) > settings.max_body:
        raise _too_large(int(length[:20]), settings)
    chunks, size = [], 0
    async for chunk in request.stream():
        size += len(chunk)
        if size > settings.max_body:
            raise _too_large(size, settings)
        chunks.append(chunk)
    body = b"".join(chunks)
    try:
        values = json.loads(body, parse_constant=_refuse_constant, parse_float=_finite)
    except (ValueError, RecursionError) as problem:
        raise RequestError(
            400, f"not valid JSON, {problem}", value=body[:240].decode("utf-8", "replace"), place="body",
            remedy=f"Send an object such as {EXAMPLE}.",
        ) from None  # fmt: skip
    if not isinstance(values, dict):
        raise RequestError(
            400, "the body must be an object", value=values, place="body", remedy=f"Send one such as {EXAMPLE}."
        )
    return values


def _refuse_constant(name: str) -> None:
    """Raise for NaN and Infinity, which Python reads and JSON does not have: an answer may not repeat them."""
    raise ValueError(f"{name} is not a number")


def _finite(digits: str) -> float:
    if math.isinf(number := float(digits)):
        raise ValueError(f"{digits[:20]} is too large")
    return number


def predict_body(values: dict[str, Any], settings: ServeSettings) -> PredictBody:
    """Validate the body of a request for predictions.

    Raises
    ------
    RequestError
        If it has unknown keys or values of the wrong type (400), or too many texts (413).

    Examples
    --------
    >>> from textperceptron.serve import ServeSettings
    >>> predict_body({"texts": ["good", "bad"], "top": 2}, ServeSettings(("reviews.tpm",)))
    PredictBody(texts=['good', 'bad'], is_batch=True, model=None, top=2)
    """
    _check_keys(values, "text", "texts", "model", "top")
    if ("text" in values) == ("texts" in values):
        raise RequestError(
            400, "one of the keys text and texts is needed", value=", ".join(values) or None, place="body",
            remedy=f'Send {EXAMPLE}, or {{"texts": ["…", "…"]}} for several.',
        )  # fmt: skip
    top = _integer(values, "top", None, 1)
    if "text" in values:
        return PredictBody([_text(values["text"], "text")], False, _model(values), top)
    texts = values["texts"]
    if not isinstance(texts, list):
        raise RequestError(
            400, "an array of texts is needed", value=texts, place="texts",
            remedy="Send the texts in brackets, or a single one as text.",
        )  # fmt: skip
    if len(texts) > settings.max_texts:
        raise RequestError(
            413, f"more texts than the limit of {settings.max_texts}", value=len(texts), place="texts",
            remedy="Send them in several requests, or start the service with a larger --max-texts.",
        )  # fmt: skip
    texts = [text if type(text) is str else _text(text, f"texts[{k}]") for k, text in enumerate(texts)]
    return PredictBody(texts, True, _model(values), top)


def explain_body(values: dict[str, Any]) -> ExplainBody:
    """Validate the body of a request for an explanation.

    Raises
    ------
    RequestError
        As :func:`predict_body`.

    Examples
    --------
    >>> explain_body({"text": "good"})
    ExplainBody(text='good', model=None, top=20)
    """
    _check_keys(values, "text", "model", "top")
    if "text" not in values:
        raise RequestError(
            400, "the key text is missing", value=", ".join(values) or None, place="body", remedy=f"Send {EXAMPLE}."
        )
    return ExplainBody(_text(values["text"], "text"), _model(values), _integer(values, "top", 20, 0))


def _too_large(size: int, settings: ServeSettings) -> RequestError:
    return RequestError(
        413, f"more bytes than the limit of {settings.max_body}", value=size, place="body",
        remedy="Send the texts in several requests, or start the service with a larger --max-body.",
    )  # fmt: skip


def _check_keys(values: dict[str, Any], *known: str) -> None:
    for key in values:
        if key not in known:
            raise RequestError(400, "unknown key", value=key, place="body", remedy=f"Use the keys {', '.join(known)}.")


def _text(value: Any, place: str) -> str:
    if type(value) is not str:
        raise RequestError(400, "a string is needed", value=_shown(value), place=place, remedy="Send a text in quotes.")
    return value


def _model(values: dict[str, Any]) -> str | None:
    return _text(values["model"], "model") if "model" in values else None


def _integer(values: dict[str, Any], key: str, default: Any, least: int) -> Any:
    value = values.get(key, default)
    if value is not default and (type(value) is not int or value < least):
        raise RequestError(
            400, f"a whole number of at least {least} is needed", value=_shown(value), place=key,
            remedy="Send such a number, or leave the key out.",
        )  # fmt: skip
    return value


def _shown(value: Any) -> Any:
    return "null" if value is None else value
