"""Storage collections compared with Python's own."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chain import Address
from tests.chain.storage.shelf import Card, filled, shelf, work

bytes_ = st.integers(0, 255)
cells = st.tuples(bytes_, bytes_, st.integers(-(2**15), 2**15 - 1))
texts = st.text(st.characters(codec="utf-8"), max_size=70)
cards = st.builds(
    Card,
    texts,
    st.lists(st.integers(0, 2**16 - 1), max_size=20).map(tuple),
    st.none() | st.integers(0, 2**64 - 1),
)
addresses = st.binary(min_size=20, max_size=20).map(Address)


def actions(items: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Any]]:
    index = st.integers(-6, 6)
    one = (
        st.tuples(st.just("append"), items)
        | st.tuples(st.just("pop"))
        | st.tuples(st.just("set"), index, items)
        | st.tuples(st.just("get"), index)
        | st.tuples(st.just("insert"), index, items)
        | st.tuples(st.just("extend"), st.lists(items, max_size=3))
        | st.tuples(st.just("swap_remove"), index)
        | st.tuples(st.just("slice"), index, index | st.none())
        | st.tuples(st.just("clear"))
    )
    return st.lists(one, max_size=25)


def act_on_list(items: Any, name: str, *values: Any) -> Any:
    """Do one action and return its result, or the IndexError."""
    try:
        match name:
            case "append":
                return items.append(*values)
            case "pop":
                return items.pop()
            case "set":
                items[values[0]] = values[1]
                return None
            case "slice":
                return items[slice(*values)]
            case "swap_remove" if isinstance(items, list):
                removed, items[values[0]] = items[values[0]], items[-1]
                items.pop()
                return removed
            case "insert" | "extend" | "swap_remove" | "clear":
                return getattr(items, name)(*values)
            case _:
                return items[values[0]]
    except IndexError:
        return IndexError


@pytest.mark.parametrize(("name", "items"), [("cells", cells), ("cards", cards), ("texts", texts)])
def test_vector_acts_like_list(name: str, items: st.SearchStrategy[Any]) -> None:
    @settings(deadline=None)
    @given(actions(items))
    def compare(todo: list[Any]) -> None:
        _, on = shelf()
        plain: list[Any] = []

        def go(contract: Any) -> None:
            vector = getattr(contract, name)
            for action in todo:
                assert act_on_list(vector, *action) == act_on_list(plain, *action)
            assert (list(vector), len(vector)) == (plain, len(plain))

        work(on, go)
        assert list(getattr(on.fields, name)) == plain

    compare()


@pytest.mark.parametrize(("name", "items"), [("cells", cells), ("cards", cards), ("texts", texts)])
def test_emptied_vector_leaves_nothing(name: str, items: st.SearchStrategy[Any]) -> None:
    @settings(deadline=None)
    @given(st.lists(items, max_size=12))
    def fill_and_empty(values: list[Any]) -> None:
        chain, on = shelf()

        def go(contract: Any) -> None:
            vector = getattr(contract, name)
            for value in values:
                vector.append(value)
            assert [vector.pop() for _ in values] == values[::-1]

        work(on, go)
        assert not chain.state.storages[on.address]

    fill_and_empty()


@settings(deadline=None)
@given(st.lists(st.tuples(texts, st.integers(0, 2**64 - 1) | st.just(None)), max_size=20))
def test_map_acts_like_dict(todo: list[tuple[str, int | None]]) -> None:
    chain, on = shelf()
    plain: dict[str, int] = {}

    def go(contract: Any) -> None:
        for key, value in todo:
            if value is None:
                del contract.prices[key]
                plain.pop(key, None)
            else:
                contract.prices[key] = plain[key] = value
        assert all(contract.prices[key] == plain.get(key, 0) for key, _ in todo)

    work(on, go)
    assert len(chain.state.storages[on.address]) == sum(1 for value in plain.values() if value)


@settings(deadline=None)
@given(st.lists(st.tuples(bytes_, addresses, cards | st.none()), max_size=8))
def test_map_of_options_shows_unset(todo: list[tuple[int, Address, Card | None]]) -> None:
    _, on = shelf()
    plain: dict[Any, Card | None] = {}

    def go(contract: Any) -> None:
        for number, address, card in todo:
            contract.stock[number, address] = plain[number, address] = card
        for key, card in plain.items():
            assert (contract.stock[key], key in contract.stock) == (card, card is not None)

    work(on, go)
    assert all(on.fields.stock[key] == card for key, card in plain.items())


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2**16 - 1)), max_size=30))
def test_map_of_vectors_keeps_apart(todo: list[tuple[int, int]]) -> None:
    _, on = shelf()
    plain: dict[int, list[int]] = {}

    def go(contract: Any) -> None:
        for pile, item in todo:
            contract.piles[pile].append(item)
            plain.setdefault(pile, []).append(item)

    work(on, go)
    assert {pile: list(on.fields.piles[pile]) for pile in plain} == plain


@pytest.mark.parametrize(
    ("name", "items"),
    [("seen", st.integers(0, 9)), ("words", st.sampled_from(["", "a", "b" * 40, "c"]))],
)
def test_set_acts_like_set(name: str, items: st.SearchStrategy[Any]) -> None:
    @settings(deadline=None)
    @given(st.lists(st.tuples(st.booleans(), items), max_size=40))
    def compare(todo: list[tuple[bool, Any]]) -> None:
        chain, on = shelf()
        plain: set[Any] = set()

        def go(contract: Any) -> None:
            held = getattr(contract, name)
            for adds, item in todo:
                (held.add if adds else held.discard)(item)
                (plain.add if adds else plain.discard)(item)
                assert (set(held), len(held), item in held) == (plain, len(plain), adds)
            for item in plain:
                held.discard(item)

        work(on, go)
        assert not chain.state.storages[on.address]

    compare()


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["set", "get", "pop", "del", "default", "has"]),
            st.sampled_from("abc"),
            cards,
        )
    )
)
def test_iterable_map_acts_like_dict(todo: list[tuple[str, str, Card]]) -> None:
    chain, on = shelf()
    plain: dict[str, Card] = {}

    def go(contract: Any) -> None:
        for action in todo:
            assert act_on_dict(contract.debts, *action) == act_on_dict(plain, *action)
            assert dict(contract.debts.items()) == plain
            assert set(contract.debts) == set(contract.debts.keys()) == plain.keys()
            assert len(contract.debts) == len(list(contract.debts.values())) == len(plain)

    work(on, go)
    assert dict(on.fields.debts.items()) == plain
    told = chain.node.request("chain_fields", [str(on.address)])["debts"]
    assert [(row["key"], row["value"]["name"]) for row in told] == [
        (key, card.name) for key, card in on.fields.debts.items()
    ]
    work(on, lambda contract: contract.debts.clear())
    assert not chain.state.storages[on.address]


def act_on_dict(items: Any, name: str, key: str, value: Card) -> Any:
    """Do one action and return its result, or the KeyError."""
    try:
        match name:
            case "set":
                items[key] = value
            case "get":
                return items[key]
            case "pop":
                return items.pop(key)
            case "del":
                del items[key]
            case "default":
                return items.get(key, value), items.get(key), items.pop(key, None)
            case _:
                return key in items
    except KeyError:
        return KeyError


def test_writes_of_an_iterable_map_are_named() -> None:
    chain, on = shelf()
    work(on, lambda shelf: shelf.debts.__setitem__("ada", Card("ace", (), 3)))
    written = {str(write) for write in chain.receipts[-1].writes}
    assert {
        "Shelf.debts['ada'].name: '' -> 'ace'",
        "'ada' in Shelf.debts: False -> True",
    } <= written


def test_set_keeps_order_of_coming() -> None:
    _, on = shelf()

    def go(contract: Any) -> None:
        for item in (5, 3, 9, 3, 7):
            contract.seen.add(item)
        contract.seen.discard(3)

    work(on, go)
    assert list(on.fields.seen) == [5, 7, 9]


def test_loaded_order_shuffles_a_vector() -> None:
    on = filled()
    with on.chain.loaded(deal=[["3", "1", "2"]]):
        work(on, lambda contract: contract.random.shuffle(contract.texts, tag="deal"))
    assert [*on.fields.texts] == ["3", "1", "2"]
