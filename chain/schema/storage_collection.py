"""The base of `Vector`, `Map` and `Set`: refusals of what they do not support.

Each refusal says what to write instead.
"""

from __future__ import annotations

from typing import Any, Final, NoReturn

_LIST_OF_IT: Final = "make a list of it first: list({it})"
_KEYS: Final = (
    "a Map does not know its keys: keep them in a Vector or a Set beside it, and read {it}[key]"
)
_REMEDIES: Final[dict[str, dict[str, str]]] = {
    "Vector": {
        "extend": "append one by one: 'for item in items: {it}.append(item)'",
        "insert": "append at the end, or declare the field as list[T], which is read and assigned whole",
        "remove": "set or pop by number, or declare the field as list[T], which is read and assigned whole",
        "clear": "write 'while {it}: {it}.pop()'",
        **dict.fromkeys(("index", "count", "copy"), _LIST_OF_IT),
        "sort": "write 'for i, item in enumerate(sorted({it})): {it}[i] = item'",
        "reverse": "write 'for i, item in enumerate(list({it})[::-1]): {it}[i] = item'",
    },
    "Map": {
        "get": "write {it}[key], which is zero where nothing was set; a Map[K, V | None] tells unset from zero",
        "setdefault": "write {it}[key], which is zero where nothing was set; a Map[K, V | None] tells unset from zero",
        "pop": "read {it}[key], then 'del {it}[key]'",
        "update": "set one by one: {it}[key] = value",
        **dict.fromkeys(("keys", "values", "items", "clear", "copy"), _KEYS),
    },
    "Set": {
        "remove": "write {it}.discard(item), which says whether it was there",
        "pop": "say which: 'item = list({it})[-1]', then {it}.discard(item)",
        "update": "add one by one: 'for item in items: {it}.add(item)'",
        "clear": "write 'for item in list({it}): {it}.discard(item)'",
        **dict.fromkeys(("copy", "index", "sort", "union"), _LIST_OF_IT),
        "append": "write {it}.add(item), which says whether it was new",
    },
}
_OFFERS: Final = {
    "Vector": "it has append, pop, change, len and {it}[i], and 'for' walks through it",
    "Map": "it has {it}[key], 'del {it}[key]' and change",
    "Set": "it has add, discard, 'in' and len, and 'for' walks through it",
}
_COMPARED: Final = {
    "Vector": "len({it}) == 0, or list({it}) == [...]",
    "Map": "{it}[key] == value, for each key that you keep elsewhere",
    "Set": "len({it}) == 0, or list({it}) == [...]",
}


class StorageCollection:
    """A value that exists only in a contract's storage: a frame, a slot and a layout.

    The layout has the name of the field and the name of the collection.
    """

    __slots__ = ()
    _frame: Any
    _slot: int
    _layout: Any

    def _missing(self, name: str) -> str:
        collection = self._what
        remedy = _REMEDIES[collection].get(name, _OFFERS[collection])
        return f"{self._layout.name}: a {collection} has no '{name}': {self._fill(remedy)}"

    def __eq__(self, other: object) -> bool:
        collection = self._what
        self._refuse(f"a {collection} is not compared: write {_COMPARED[collection]}")

    def __iadd__(self, items: object) -> NoReturn:
        collection, name = self._what, "update" if self._what != "Vector" else "extend"
        self._refuse(f"a {collection} has no '+=': {_REMEDIES[collection][name]}")

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
            f"{self._layout.name}: the {self._what} grew or shrank while it was walked through: "
            + self._fill("walk through a copy, 'for item in list({it})'")
        )

    @property
    def _what(self) -> str:
        """The name of the collection type: Vector, Map or Set."""
        collection: str = self._layout.what
        return collection

    def _refuse(self, wrong: str) -> NoReturn:
        raise TypeError(f"{self._layout.name}: {self._fill(wrong)}")

    def _fill(self, text: str) -> str:
        """Return `text` with `{it}` replaced by the field as its contract writes it, such as `self.games`."""
        return text.replace("{it}", f"self.{self._layout.name.partition('.')[2]}")
