"""The `deque` of instrumented copies, whose items pay by the way to them: Python walks there from the nearer end."""

from __future__ import annotations

import collections
from typing import Any, Final

from chain.metering.fuel import charge

_WALKED: Final = 256  # items of a deque for one tick


class Deque(collections.deque[Any]):
    __slots__ = ()
    __module__ = "collections"

    def __getitem__(self, place: Any) -> Any:
        charge(1 + len(self) // _WALKED)
        return super().__getitem__(place)

    def __setitem__(self, place: Any, item: Any) -> None:
        charge(1 + len(self) // _WALKED)
        super().__setitem__(place, item)


Deque.__name__ = Deque.__qualname__ = "deque"
