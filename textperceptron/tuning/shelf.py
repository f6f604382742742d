"""Things that are made once and used by several threads, the last few of them kept."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

Thing = TypeVar("Thing")


class _Place(Generic[Thing]):
    def __init__(self) -> None:
        self.lock = Lock()
        self.things: list[Thing] = []


class Shelf(Generic[Thing]):
    """Keeps the ``room`` things that were asked for last.

    Whoever asks for a thing that is being made waits for it, and for no other.

    Examples
    --------
    >>> shelf = Shelf(1)
    >>> shelf.get("a", lambda: "made"), shelf.get("a", lambda: "made again"), shelf.get("b", lambda: "other")
    ('made', 'made', 'other')
    >>> shelf.get("a", lambda: "made again")
    'made again'
    """

    def __init__(self, room: int) -> None:
        self._room = room
        self._lock = Lock()
        self._places: OrderedDict[Hashable, _Place[Thing]] = OrderedDict()

    def get(self, key: Hashable, make: Callable[[], Thing]) -> Thing:
        """Return a thing, made now if it is not there."""
        with self._lock:
            place = self._places.setdefault(key, _Place())
            self._places.move_to_end(key)
            while len(self._places) > self._room:
                self._places.popitem(last=False)
        with place.lock:
            if not place.things:
                place.things.append(make())
            return place.things[0]
