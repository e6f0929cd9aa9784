"""The base of `Vector`, `Map`, `IterableMap` and `Set`: refusals of what they do not support.

Each refusal says what to write instead. In such a text `{it}` stands for the field as its contract writes it.
"""

from __future__ import annotations

from typing import Any, ClassVar, Final, NoReturn

# Texts of collections that have items in an order.
LIST_OF_IT: Final = "convert it to a list first: list({it})"
ITEMS_COMPARED: Final = "len({it}) == 0, or list({it}) == [...]"


def with_article(what: str) -> str:
    """Return the name of a collection type with its article: a Map, an IterableMap."""
    return f"an {what}" if what[0] in "AEIOU" else f"a {what}"


class StorageCollection:
    """A value that exists only in a contract's storage: a frame, a slot and a layout.

    The layout has the name of the field and the name of the collection.
    """

    __slots__ = ("_frame", "_layout", "_slot")
    _example: ClassVar[str]  # an annotation
    _offers: ClassVar[str]
    _compared: ClassVar[str]  # what to write instead of a comparison
    _plural: ClassVar[str] = "update"  # the method that adds several items at once
    _remedies: ClassVar[dict[str, str]]  # what to write instead of a method that it lacks

    def __init__(self, frame: Any, slot: int, layout: Any) -> None:
        self._frame, self._slot, self._layout = frame, slot, layout

    def _missing(self, name: str) -> str:
        remedy = self._remedies.get(name, self._offers)
        what = with_article(self._what)
        return f"{self._layout.name}: {what} has no '{name}': {self._fill(remedy)}"

    def __eq__(self, other: object) -> bool:
        self._refuse(f"{with_article(self._what)} cannot be compared: write {self._compared}")

    def __iadd__(self, items: object) -> NoReturn:
        remedy = self._remedies[self._plural]
        self._refuse(f"{with_article(self._what)} has no '+=': {remedy}")

    def _require_same_items(self, since: int) -> None:
        """Refuse if the word with the number of items was written since the journal had length `since`.

        The journal is a flat list with four entries per change: address and slot are the first two.
        """
        frame = self._frame
        journal, own_word = frame.journal, (frame.address, self._slot)
        if own_word in zip(journal[since::4], journal[since + 1 :: 4], strict=True):
            self._refuse_change()

    def _refuse_change(self) -> NoReturn:
        raise RuntimeError(
            f"{self._layout.name}: the {self._what} grew or shrank during the iteration: "
            + self._fill("iterate over a copy, 'for item in list({it})'")
        )

    @property
    def _what(self) -> str:
        """The name of the collection type: Vector, Map, IterableMap or Set."""
        collection: str = self._layout.what
        return collection

    def _refuse(self, wrong: str) -> NoReturn:
        raise TypeError(f"{self._layout.name}: {self._fill(wrong)}")

    def _fill(self, text: str) -> str:
        """Return `text` with `{it}` replaced by the field as its contract writes it, such as `self.games`."""
        return text.replace("{it}", f"self.{self._layout.name.partition('.')[2]}")
