"""Wrong uses of storage collections, what they lack, and changes while they are walked through."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from chain import Reverted
from tests.chain.storage.shelf import filled, shelf, work

WRONG: list[tuple[Callable[[Any], object], str]] = [
    (lambda shelf: shelf.cells[0], r"no item 0 in a Vector of 0"),
    (lambda shelf: shelf.cells.append((1, 256, 0)), r"\[0\]\[1\] = 256 does not fit u8"),
    (lambda shelf: shelf.prices.__setitem__("a", -1), r"\['a'\] = -1 does not fit u64"),
    (lambda shelf: "a" in shelf.prices, r"declare the field as Map\[K, V \| None\]"),
    (lambda shelf: list(shelf.prices), r"a Map does not know its keys"),
    (lambda shelf: setattr(shelf, "cells", []), r"a Vector is changed in place"),
    (lambda shelf: setattr(shelf, "seen", set()), r"a Set is changed in place"),
]


@pytest.mark.parametrize(("what", "text"), WRONG)
def test_wrong_use_is_explained(what: Callable[[Any], object], text: str) -> None:
    _, on = shelf()
    with pytest.raises(Reverted, match=text):
        work(on, what)


def test_fields_from_outside_are_read_only() -> None:
    _, on = shelf()
    with pytest.raises(
        AttributeError, match="storage of Shelf cannot be changed through its fields"
    ):
        on.fields.cells.append((1, 2, 3))


LACKS: list[tuple[Callable[[Any], object], str]] = [
    (lambda shelf: shelf.cells == [], r"Shelf\.cells: a Vector cannot be compared: write len\(self\.cells\) == 0"),
    (lambda shelf: shelf.cells != [(1, 2, 3)], r"or list\(self\.cells\) == \[\.\.\.\]"),
    (lambda shelf: shelf.prices == {}, r"a Map cannot be compared: write self\.prices\[key\] == value"),
    (lambda shelf: shelf.seen == {1}, r"a Set cannot be compared: write len\(self\.seen\) == 0"),
    (lambda shelf: shelf.piles[3] == [1], r"write len\(self\.piles\[…\]\) == 0"),
    (lambda shelf: shelf.cells[1:2], r"a Vector has no \[a:b\]: write self\.cells\.slice\(a, b\)"),
    (lambda shelf: shelf.cells.remove(1), r"has no 'remove': choose the item by its index: self\.cells\.swap_remove\(i\)"),
    (lambda shelf: shelf.cells.foo, r"has no 'foo': it has append, extend, .* change, len and self\.cells\[i\]"),
    (lambda shelf: shelf.prices.get("a"), r"a Map has no 'get': write self\.prices\[key\], which is zero"),
    (lambda shelf: shelf.prices.items(), r"has no 'items': .* declare the field as IterableMap\[K, V\]"),
    (lambda shelf: shelf.prices.keys(), "has no 'keys': a Map does not know its keys"),
    (lambda shelf: len(shelf.prices), "a Map does not know how many keys it has"),
    (lambda shelf: bool(shelf.prices), "a Map does not know how many keys it has"),
    (lambda shelf: shelf.seen.remove(1), r"Shelf\.seen has no 1 to remove"),
    (lambda shelf: shelf.seen.foo, "a Set has no 'foo': it has add, discard, remove, 'in' and len"),
    (lambda shelf: setattr(shelf, "cells", shelf.cells.__iadd__([])), r"has no '\+=': write self\.cells\.extend"),
    (lambda shelf: shelf.debts["x"], r"Shelf\.debts has no 'x': self\.debts\.get\(key, default\) reads"),
    (lambda shelf: shelf.debts.update({}), r"an IterableMap has no 'update': set them one by one"),
    (lambda shelf: shelf.debts == {}, r"write dict\(self\.debts\.items\(\)\) =="),
]  # fmt: skip


@pytest.mark.parametrize(("what", "text"), LACKS)
def test_what_is_lacking_is_reported(what: Callable[[Any], object], text: str) -> None:
    _, on = shelf()
    with pytest.raises(Reverted, match=text):
        work(on, what)


def swap(contract: Any, item: int) -> None:
    contract.seen.discard(item)
    contract.seen.add(item + 10)


CHANGED: list[tuple[Callable[[Any], object], str]] = [
    (lambda me: [me.texts.append(text) for text in me.texts], "Vector"),
    (lambda me: [me.texts.pop() for _ in me.texts], "Vector"),
    (lambda me: [me.texts.pop() for text in me.texts if text == "3"], "Vector"),
    (lambda me: [me.seen.add(item + 10) for item in me.seen], "Set"),
    (lambda me: [me.seen.discard(item) for item in me.seen], "Set"),
    (lambda me: [swap(me, item) for item in me.seen], "Set"),
    (lambda me: [swap(me, 1) for item in me.seen if item == 2], "Set"),
]


@pytest.mark.parametrize("evm_only", [False, True], ids=["direct", "evm"])
@pytest.mark.parametrize(("what", "name"), CHANGED)
def test_change_while_walked_is_refused(
    what: Callable[[Any], object], name: str, evm_only: bool
) -> None:
    text = rf"RuntimeError: Shelf\.\w+: the {name} grew or shrank during the iteration"
    with pytest.raises(Reverted, match=text):
        work(filled(evm_only), what)


def test_items_may_be_set_while_walked() -> None:
    on = filled()

    def go(contract: Any) -> None:
        for i, text in enumerate(contract.texts):
            contract.texts[i] = text * 2
            contract.seen.add(3)
            contract.prices[text] = 5
        for item in list(contract.seen):
            contract.seen.discard(item)

    work(on, go)
    assert ([*on.fields.texts], [*on.fields.seen]) == (["11", "22", "33"], [])
