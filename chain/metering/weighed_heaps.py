"""The functions of `heapq`, with a charge for each comparison by the weight of both items.

They compare the same items in the same order as Python's own.
"""

from __future__ import annotations

from typing import Final, TypeVar

from chain.metering.fuel import charge, charge_8
from chain.metering.value_size import weigh

T = TypeVar("T")

_CALLED: Final = 16  # ticks for a call


def heappush(heap: list[T], item: T) -> None:
    charge(_CALLED)
    heap.append(item)
    _rise(heap, 0, len(heap) - 1)


def heappop(heap: list[T]) -> T:
    charge(_CALLED)
    last = heap.pop()
    return heapreplace(heap, last) if heap else last


def heapreplace(heap: list[T], item: T) -> T:
    first = heap[0]
    heap[0] = item
    _sink(heap, 0)
    return first


def heappushpop(heap: list[T], item: T) -> T:
    if heap and _is_less(heap[0], item):
        return heapreplace(heap, item)
    return item


def heapify(heap: list[T]) -> None:
    for place in reversed(range(len(heap) // 2)):
        _sink(heap, place)


def _is_less(left: object, right: object) -> bool:
    charge_8()
    return weigh(left) < weigh(right)  # type: ignore[operator, no-any-return]


def _rise(heap: list[T], start: int, place: int) -> None:
    """Move the item at `place` up, at most to `start`, until the item above it is not greater."""
    item = heap[place]
    while place > start:
        above = (place - 1) >> 1
        if not _is_less(item, heap[above]):
            break
        heap[place] = heap[above]
        place = above
    heap[place] = item


def _sink(heap: list[T], start: int) -> None:
    """Move the item at `start` down to a leaf, past the lesser one of each two below it, and then up to where it belongs."""
    place, end, item = start, len(heap), heap[start]
    while (below := 2 * place + 1) < end:
        if below + 1 < end and not _is_less(heap[below], heap[below + 1]):
            below += 1
        heap[place] = heap[below]
        place = below
    heap[place] = item
    _rise(heap, start, place)
