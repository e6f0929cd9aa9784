"""Big frozen values that were changed, with the words they lie in: to read one again, the words are compared, not decoded.

Each word is read and paid for as in an ordinary read, so only the time differs.
"""

from __future__ import annotations

from typing import Any, Final

from chain.values import ListType, OptionalType, ValueType

_MOST: Final = 1 << 10  # values of one field


class Remembered:
    """A reader and writer of values of one type, which remembers those that it changed by account and slot."""

    def __init__(self, kind: ValueType) -> None:
        self._kind = kind
        self._exact = kind.item if isinstance(kind, OptionalType) else kind
        self._known: dict[tuple[bytes, int], tuple[object, dict[int, int]]] = {}

    def load(self, frame: Any, slot: int) -> Any:
        known = self._known.get((frame.address, slot)) if self._known else None
        if known is not None and frame.read_again(known[1]):
            return known[0]
        return self._kind.load(frame, slot)

    def change(self, frame: Any, slot: int, before: object, after: object) -> None:
        place, kind = (frame.address, slot), self._kind
        value, words = self._known.pop(place, (None, {}))
        old, new = kind.change(frame, slot, before, after)
        if after is None or before is None:
            return
        if value is before:
            if not self._exact.stays_exact(after, before):
                return
            for changed in old:
                del words[changed]
            words.update(new)
        elif self._exact.is_exact(after):
            words = kind.words_of(after, slot, frame.data_slot, {})
        else:
            return
        if len(self._known) >= _MOST:
            self._known.clear()
        self._known[place] = after, words


def remembered(layout: Any) -> Any:
    """Return `layout`, with a memory if its values are worth one and cannot change."""
    if not isinstance(layout, ValueType) or layout.size is not None or layout.runs_author_code:
        return layout
    return Remembered(layout) if layout.parts and _is_frozen(layout) else layout


def _is_frozen(kind: ValueType) -> bool:
    is_list = isinstance(kind, ListType) and kind.make is not tuple
    return not is_list and all(map(_is_frozen, kind.parts))
