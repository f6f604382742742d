"""Atomic changes of estimators: a failed fit changes nothing, and other threads see the old model or the new one."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

Method = TypeVar("Method", bound=Callable[..., Any])


def snapshot(estimator: Any) -> Any:
    """Return a shallow copy of an estimator."""
    copy = object.__new__(type(estimator))
    copy.__dict__.update(estimator.__dict__)
    return copy


def atomic(*results: str) -> Callable[[Method], Method]:
    """Run a method on a copy, whose attributes replace those of the estimator at the end.

    If the method raises, they are replaced only if one of ``results`` has changed: an interrupted fit leaves a model,
    a failed validation does not.
    """

    def decorate(method: Method) -> Method:
        @wraps(method)
        def atomically(self: Any, *args: Any, **kwargs: Any) -> Any:
            copy = snapshot(self)
            try:
                result = method(copy, *args, **kwargs)
            except BaseException:
                if any(name in vars(copy) and vars(copy)[name] is not vars(self).get(name) for name in results):
                    self.__dict__ = copy.__dict__
                raise
            self.__dict__ = copy.__dict__
            return self if result is copy else result

        return cast(Method, atomically)

    return decorate


def on_snapshot(method: Method) -> Method:
    """Run a method on a copy, so that the attributes it reads belong to one fit, even if another thread fits."""

    @wraps(method)
    def consistent(self: Any, *args: Any, **kwargs: Any) -> Any:
        return method(snapshot(self), *args, **kwargs)

    return cast(Method, consistent)
