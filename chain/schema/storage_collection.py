"""What `Vector`, `Map` and `Set` of a contract's storage share: what they do not do, each said with what to write instead."""

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
    """What only a contract's own storage can hold: a frame, a slot, and a layout that has the field's name."""

    __slots__ = ()
    _frame: Any
    _slot: int
    _layout: Any

    def _missing(self, name: str) -> str:
        what = self._what
        remedy = _REMEDIES[what].get(name, _OFFERS[what])
        return f"{self._layout.name}: a {what} has no '{name}': {self._fill(remedy)}"

    def __eq__(self, other: object) -> bool:
        what = self._what
        self._refuse(f"a {what} is not compared: write {_COMPARED[what]}")

    def __iadd__(self, items: object) -> NoReturn:
        what, name = self._what, "update" if self._what != "Vector" else "extend"
        self._refuse(f"a {what} has no '+=': {_REMEDIES[what][name]}")

    def _require_same_items(self, since: int) -> None:
        """Refuse if our word, the number of items, was written since the journal of changes had that length."""
        frame = self._frame
        journal, ours = frame.journal, (frame.address, self._slot)
        if ours in zip(journal[since::4], journal[since + 1 :: 4], strict=True):
            self._refuse_change()

    def _refuse_change(self) -> NoReturn:
        raise RuntimeError(
            f"{self._layout.name}: the {self._what} grew or shrank while it was walked through: "
            + self._fill("walk through a copy, 'for item in list({it})'")
        )

    @property
    def _what(self) -> str:
        what: str = self._layout.what
        return what

    def _refuse(self, wrong: str) -> NoReturn:
        raise TypeError(f"{self._layout.name}: {self._fill(wrong)}")

    def _fill(self, text: str) -> str:
        """`text` with the field as its contract writes it: `self.games`."""
        return text.replace("{it}", f"self.{self._layout.name.partition('.')[2]}")
