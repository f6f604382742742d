"""Errors of requests: a status, and one JSON shape with value, place and remedy."""

from __future__ import annotations

from typing import Any

SHOWN = 60  # characters of a value


class RequestError(Exception):
    """A request that cannot be answered.

    Parameters
    ----------
    status : int
        Status code of HTTP.
    problem : str
        What is wrong, without the value.
    value : object
        The value that is wrong; long ones are cut.
    place : str
        Where it is: a key of the body, a header, the path.
    remedy : str
        What to do about it.
    headers : dict, optional
        Further headers of the response.

    Examples
    --------
    >>> from textperceptron.serve.errors import RequestError
    >>> problem = RequestError(404, "there is no such model", value="reveiws", place="model", remedy="Use reviews.")
    >>> problem.as_json()["error"]["message"]
    'model: there is no such model ("reveiws"). Use reviews.'
    """

    def __init__(
        self, status: int, problem: str, *, value: object, place: str, remedy: str,
        headers: dict[str, str] | None = None,
    ) -> None:  # fmt: skip
        self.status, self.place, self.remedy, self.headers = status, place, remedy, headers
        self.value = shorten(value)
        shown = f" ({_quoted(self.value)})" if self.value is not None else ""
        super().__init__(f"{place}: {problem}{shown}. {remedy}")

    def as_json(self) -> dict[str, Any]:
        """Return the body of the response."""
        return {
            "error": {
                "status": self.status, "message": str(self), "value": self.value, "place": self.place,
                "remedy": self.remedy,
            }
        }  # fmt: skip


def shorten(value: object) -> str | int | float | bool | None:
    """Return a value for an error: numbers as they are, texts cut, anything else by its type in JSON."""
    if isinstance(value, str):
        return value if len(value) <= SHOWN else value[: SHOWN - 1] + "…"
    if isinstance(value, int) and abs(value) >> 53:
        return shorten(str(value))
    if value is None or isinstance(value, bool | int | float):
        return value
    return "an object" if isinstance(value, dict) else "an array"


def _quoted(value: str | int | float | bool) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value).lower()
