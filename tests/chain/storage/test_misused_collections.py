"""Wrong uses of storage collections, what they lack, and changes while they are walked through."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from chain import Reverted
from tests.chain.storage.shelf import Card, filled, shelf, work

WRONG: list[tuple[Callable[[Any], object], str]] = [
    (lambda shelf: shelf.cells[0], r"no item 0 in a list of 0"),
    (lambda shelf: shelf.cells.append((1, 256, 0)), r"\[0\]\[1\] = 256 does not fit u8"),
    (lambda shelf: shelf.prices.__setitem__("a", -1), r"\['a'\] = -1 does not fit u64"),
    (lambda shelf: "a" in shelf.prices, r"declare the field as Map\[K, V \| None\]"),
    (lambda shelf: list(shelf.prices), r"a Map does not know its keys: declare the field as dict"),
    (lambda shelf: shelf.prices.items(), r"a Map does not know its keys"),
    (lambda shelf: len(shelf.prices), r"a Map does not know its keys"),
    (lambda shelf: bool(shelf.prices), r"a Map does not know its keys"),
    (
        lambda shelf: setattr(shelf, "prices", {}),
        r"cannot be assigned: a Map is changed key by key",
    ),
    (lambda shelf: setattr(shelf, "cells", 5), r"Shelf\.cells = 5 is not a list"),
    (lambda shelf: setattr(shelf, "seen", {70_000}), r"Shelf\.seen = 70000 does not fit u16"),
    (lambda shelf: shelf.seen.remove(7), r"KeyError: 7"),
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


def swap(contract: Any, item: int) -> None:
    contract.seen.discard(item)
    contract.seen.add(item + 10)


CHANGED: list[tuple[Callable[[Any], object], str]] = [
    (lambda me: [me.seen.add(item + 10) for item in me.seen], "set"),
    (lambda me: [me.seen.discard(item) for item in me.seen], "set"),
    (lambda me: [swap(me, item) for item in me.seen], "set"),
    (lambda me: [swap(me, 1) for item in me.seen if item == 2], "set"),
    (lambda me: [me.debts.pop(key) for key in me.debts], "dict"),
]


@pytest.mark.parametrize(("what", "name"), CHANGED)
def test_change_while_walked_is_refused(what: Callable[[Any], object], name: str) -> None:
    on = filled()
    work(on, lambda me: me.debts.update(ada=Card("ace", (), 3), bob=Card("two", (), 2)))
    text = rf"RuntimeError: Shelf\.\w+: the {name} changed during the iteration"
    with pytest.raises(Reverted, match=text):
        work(on, what)


def test_list_goes_on_by_index_while_it_changes() -> None:
    on = filled()
    seen: list[str] = []
    work(on, lambda me: [(seen.append(text), me.texts.pop(0)) for text in me.texts])
    assert (seen, [*on.fields.texts]) == (["1", "3"], ["3"])


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
