"""Estimators that change at once: a refused fit leaves the model before it, and other threads never see half of one."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

Method = TypeVar("Method", bound=Callable[..., Any])


def snapshot(estimator: Any) -> Any:
    """Return a second object with the attributes that an estimator has now."""
    twin = object.__new__(type(estimator))
    twin.__dict__.update(estimator.__dict__)
    return twin


def atomic(*results: str) -> Callable[[Method], Method]:
    """Let a method work on a twin, whose attributes take the place of the estimator's when it is done.

    If it raises, they do so only if one of ``results`` has changed: an interrupted fit has a model, a refused one does
    not, and then the estimator is what it was.
    """

    def decorate(method: Method) -> Method:
        @wraps(method)
        def whole(self: Any, *args: Any, **kwargs: Any) -> Any:
            twin = snapshot(self)
            try:
                result = method(twin, *args, **kwargs)
            except BaseException:
                if any(name in vars(twin) and vars(twin)[name] is not vars(self).get(name) for name in results):
                    self.__dict__ = twin.__dict__
                raise
            self.__dict__ = twin.__dict__
            return self if result is twin else result

        return cast(Method, whole)

    return decorate


def at_one_moment(method: Method) -> Method:
    """Let a method that reads several attributes read those of one moment, whatever another thread fits meanwhile."""

    @wraps(method)
    def consistent(self: Any, *args: Any, **kwargs: Any) -> Any:
        return method(snapshot(self), *args, **kwargs)

    return cast(Method, consistent)
