"""Models opened in place, and models changed where they differ: few words are read and written, and always the right ones."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chain import Chain, Key, Reverted, System, call, model, view
from chain.storage.slots import Slots
from chain.types import felt252, u8, u16, u64


@pytest.fixture
def chain() -> Chain:
    return Chain(guard=False)  # contracts and tests share lists and functions


@model
class Graph:
    id: Key[u64]
    parents: list[u8]
    points: list[u16]
    seen: list[bool]
    cells: list[tuple[u8, u8, u8]]
    names: list[str]
    wide: list[felt252]
    title: str
    size: u8
    fixed: tuple[u8, ...]


class Work(System):
    @call
    def work(self) -> None:
        job[0](self)

    @call
    def forget(self, id: u64) -> None:
        self.world.erase(self.world.read(Graph, id))

    @view
    def look(self) -> None:
        job[0](self)


job: list[Callable[[Any], object]] = []
LISTS = ("parents", "points", "seen", "cells", "names", "wide")


@pytest.fixture
def world(chain: Chain) -> Any:
    return deploy(chain)


def deploy(chain: Chain) -> Any:
    return chain.deploy_world("duel", systems=[Work], writers={Graph: [Work]})


def work(world: Any, what: Callable[[Any], object], **options: Any) -> Any:
    job[:] = [lambda system: what(system.world)]
    return world.system(Work).work(**options)


def graph(**members: Any) -> Graph:
    blank = {
        "parents": list(range(256)),
        "points": [0] * 256,
        "seen": [False] * 256,
        "cells": [(24, 0, 0)] * 64,
    }
    rest = {"names": ["a", "b" * 40], "wide": [1, 2**250], "title": "t", "size": 3, "fixed": (1, 2)}
    return Graph(**{"id": 1, **blank, **rest, **members})


def opened(world: Any, what: Callable[[Graph], object], **options: Any) -> Any:
    def go(storage: Any) -> None:
        with storage.in_place(Graph, 1) as found:
            what(found)

    return work(world, go, **options)


numbers = st.integers(0, 255)
ITEMS: dict[str, st.SearchStrategy[Any]] = {
    "parents": numbers,
    "points": st.integers(0, 65535),
    "seen": st.booleans(),
    "cells": st.tuples(numbers, numbers, numbers),
    "names": st.text(max_size=40),
    "wide": st.integers(0, 2**250),
}
deeds = st.sampled_from(LISTS).flatmap(
    lambda name: st.tuples(st.just(name), st.integers(-70, 69), ITEMS[name])
)
graphs = st.builds(graph, **{name: st.lists(items, max_size=70) for name, items in ITEMS.items()})


@given(graphs, st.lists(deeds, max_size=30))
def test_items_do_as_lists_do(before: Graph, deeds: list[tuple[str, int, Any]]) -> None:
    world = deploy(Chain(guard=False))
    work(world, lambda storage: storage.write(before))

    def act(found: Graph) -> None:
        for name, index, value in deeds:
            ours, theirs = getattr(found, name), getattr(before, name)
            if index == 69:
                ours.append(value)
                theirs.append(value)
            elif -len(theirs) <= index < len(theirs):
                ours[index] = theirs[index] = value
                assert ours[index] == value
            else:
                with pytest.raises(IndexError):
                    ours[index] = value
        assert [[*getattr(found, name)] for name in LISTS] == [
            getattr(before, name) for name in LISTS
        ]
        assert [len(getattr(found, name)) for name in LISTS] == [
            len(getattr(before, name)) for name in LISTS
        ]

    opened(world, act)
    assert world.read(Graph, 1) == before


def test_only_touched_words_are_paid(world: Any) -> None:
    work(world, lambda storage: storage.write(graph()))

    def touch(found: Graph) -> None:
        found.parents[7] = found.parents[8]
        found.parents[9] = 0

    receipt = opened(world, touch)
    assert [str(write) for write in receipt.writes] == [
        "Graph(1).parents[7]: 7 -> 8",
        "Graph(1).parents[9]: 9 -> 0",
    ]


def fifth_of(names: list[str], found: Graph) -> list[object]:
    return [getattr(found, name)[5] for name in names]


def test_unasked_lists_are_not_read(world: Any) -> None:
    work(world, lambda storage: storage.write(graph()))
    one, all_of = (
        opened(world, partial(fifth_of, names)).gas_used
        for names in (["parents"], ["parents", "points", "seen", "cells"])
    )
    assert all_of - one == 3 * 2 * (100 + 2100)  # of each list its length and one word


def test_equal_item_costs_no_write(world: Any) -> None:
    work(world, lambda storage: storage.write(graph()))
    receipt = opened(world, lambda found: found.parents.__setitem__(7, 7))
    assert receipt.writes == []


def test_other_members_are_written_when_set(world: Any) -> None:
    work(world, lambda storage: storage.write(graph()))

    def act(found: Graph) -> None:
        found.size += 1
        found.fixed = (3,)
        found.names = ["new"]
        found.points[0] = 5

    opened(world, act)
    assert world.read(Graph, 1) == graph(size=4, fixed=(3,), names=["new"], points=[5] + [0] * 255)


def test_open_model_exists_once_set(world: Any) -> None:
    opened(world, lambda found: found.parents)
    assert not world.exists(Graph, 1)
    opened(world, lambda found: found.points.append(7))
    assert world.exists(Graph, 1)
    assert world.read(Graph, 1).points == [7]


WRONG: list[tuple[Callable[[Any], object], str]] = [
    (
        lambda found: found.parents.__setitem__(3, 256),
        r"^Graph\.parents\[3\] = 256 does not fit u8",
    ),
    (lambda found: found.names.append(3), r"^Graph\.names\[2\] = 3 is not str"),
    (lambda found: found.seen.__setitem__(0, 1), r"^Graph\.seen\[0\] = 1 is not bool"),
    (lambda found: found.parents[256], "no item 256 in a list of 256"),
    (lambda found: setattr(found, "size", 300), r"^Graph\.size = 300 does not fit u8"),
]


@pytest.mark.parametrize(("what", "text"), WRONG)
def test_wrong_items_are_explained(world: Any, what: Callable[[Graph], object], text: str) -> None:
    work(world, lambda storage: storage.write(graph()))
    with pytest.raises(Reverted, match=text):
        opened(world, what)


def test_closed_model_cannot_be_set(world: Any) -> None:
    def late(storage: Any) -> None:
        with storage.in_place(Graph, 1) as found:
            pass
        found.points.append(1)

    with pytest.raises(Reverted, match="this model is no longer open: change it inside the 'with'"):
        work(world, late)


def test_opening_for_reading_needs_no_grant(chain: Chain, world: Any) -> None:
    world.revoke_writer(Graph, Work)
    assert opened(world, lambda found: len(found.points)).ok
    with pytest.raises(Reverted, match=r"^Caller Work has no write access on model duel-Graph"):
        opened(world, lambda found: found.points.append(1))


def test_views_open_for_reading_only(world: Any) -> None:
    work(world, lambda storage: storage.write(graph()))

    def go(what: Callable[[Graph], object]) -> None:
        job[:] = [lambda system: opened_by(system.world, what)]
        world.system(Work).look()

    go(lambda found: found.parents[3])
    with pytest.raises(Reverted, match=r"^Work\.look is a view and cannot change Graph\.parents"):
        go(lambda found: found.parents.__setitem__(3, 4))


def opened_by(storage: Any, what: Callable[[Graph], object]) -> None:
    with storage.in_place(Graph, 1) as found:
        what(found)


# Changing


@given(graphs, graphs, st.sets(st.sampled_from([*LISTS, "title", "size"])))
def test_change_makes_the_new_model(before: Graph, other: Graph, names: set[str]) -> None:
    after = graph(**{**vars(before), **{name: getattr(other, name) for name in names}})
    world = deploy(Chain(guard=False))
    work(world, lambda storage: storage.write(before))
    work(world, lambda storage: storage.change(storage.read(Graph, 1), after))
    assert world.read(Graph, 1) == after


def test_change_writes_only_what_differs(world: Any) -> None:
    work(world, lambda storage: storage.write(graph()))
    cells = [(24, 0, 0)] * 64
    cells[33] = (5, 1, 0)
    receipt = work(
        world, lambda storage: storage.change(storage.read(Graph, 1), graph(cells=cells, size=4))
    )
    assert [str(write) for write in receipt.writes] == [
        "Graph(1).size: 3 -> 4",
        "Graph(1).cells[33]: (24, 0, 0) -> (5, 1, 0)",
    ]


def test_changed_model_exists(world: Any) -> None:
    work(world, lambda storage: storage.change(storage.read(Graph, 1), storage.read(Graph, 1)))
    assert world.exists(Graph, 1)


def test_change_is_of_one_model(world: Any) -> None:
    with pytest.raises(Reverted, match="change: these are two different Graph models"):
        work(world, lambda storage: storage.change(storage.read(Graph, 1), storage.read(Graph, 2)))


def test_change_that_does_not_fit_names_the_member(world: Any) -> None:
    with pytest.raises(Reverted, match=r"^Graph\.cells\[1\]"):
        work(
            world,
            lambda storage: storage.change(
                storage.read(Graph, 1), graph(cells=[(1, 2, 3), (1, 2, 300)])
            ),
        )


def test_slots_of_nested_maps_are_remembered() -> None:
    slots, apart = Slots(), Slots()
    item = apart.map_slot(apart.map_slot(5, b"outer"), b"inner")
    for _ in range(2):
        assert slots.nested_slot(5, b"outer", b"inner") == item
        assert slots.preimages == apart.preimages
