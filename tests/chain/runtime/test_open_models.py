"""A model can be open in place only once: nothing else can write it meanwhile, and no change is lost."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import pytest

from chain import Chain, Key, Revert, Reverted, System, call, model
from chain.types import u8, u16, u64


@pytest.fixture
def chain() -> Chain:
    return Chain(guard=False)  # contracts and tests share lists and functions


@model
class Graph:
    id: Key[u64]
    points: list[u16]
    rows: list[list[u8]]
    last: list[u8] | None
    size: u8


@dataclass(frozen=True)
class Die:
    points: u8

    def __post_init__(self) -> None:
        made.append(self.points)


@model
class Hand:
    id: Key[u64]
    dice: list[Die]


made: list[int] = []


class Work(System):
    @call
    def work(self) -> None:
        job[0](self)


class Other(System):
    @call
    def work(self) -> None:
        job[1](self.world)


job: list[Callable[[Any], object]] = []


@pytest.fixture
def world() -> Any:
    chain = Chain(guard=False)
    world = chain.deploy_world("duel", systems=[Work, Other], writers={Graph: [Work, Other]})
    work(world, lambda storage: storage.write(graph(), graph(id=2)))
    return world


def graph(**members: Any) -> Graph:
    return Graph(**{"id": 1, "points": [1], "rows": [[1], [2]], "last": [5], "size": 3, **members})


def work(world: Any, what: Callable[[Any], object]) -> Any:
    job[:] = [lambda system: what(system.world)]
    return world.system(Work).work()


def append_in(storage: Any, id: int = 1) -> None:
    with storage.in_place(Graph, id) as found:
        found.points.append(7)


WHILE_OPEN: dict[str, Callable[[Any], object]] = {
    "open": append_in,
    "write": lambda storage: storage.write(graph()),
    "write_member": lambda storage: storage.write_member(graph(), "size"),
    "change": lambda storage: storage.change(graph(), graph(size=9)),
    "erase": lambda storage: storage.erase(graph()),
}


@pytest.mark.parametrize("what", WHILE_OPEN)
def test_open_model_is_left_alone(world: Any, what: str) -> None:
    def twice(storage: Any) -> None:
        with storage.in_place(Graph, 1) as found:
            found.points.append(5)
            WHILE_OPEN[what](storage)

    with pytest.raises(Reverted, match=r"^TypeError: Graph\(1,\) is open "):
        work(world, twice)
    assert world.read(Graph, 1) == graph()


@pytest.mark.parametrize("what", WHILE_OPEN)
def test_other_systems_leave_it_alone(world: Any, what: str) -> None:
    address = world.system(Other).address

    def send(system: Any) -> None:
        with system.world.in_place(Graph, 1) as found:
            found.points.append(5)
            system.at(Other, address).work()

    job[:] = [send, WHILE_OPEN[what]]
    with pytest.raises(Reverted, match=r"Graph\(1,\) is open "):
        world.system(Work).work()
    assert world.read(Graph, 1) == graph()


def test_refused_system_leaves_the_scope_intact(world: Any) -> None:
    address = world.system(Other).address

    def send(system: Any) -> None:
        with system.world.in_place(Graph, 1) as found:
            with suppress(Revert):
                system.at(Other, address).work()
            found.points.append(5)

    job[:] = [send, append_in]
    world.system(Work).work()
    assert world.read(Graph, 1).points == [1, 5]


def test_open_model_can_be_read(world: Any) -> None:
    def read(storage: Any) -> None:
        with storage.in_place(Graph, 1) as found:
            found.points.append(len(storage.read(Graph, 1).points))

    work(world, read)
    assert world.read(Graph, 1).points == [1, 1]


def test_model_closes_with_its_scope(world: Any) -> None:
    def one_by_one(storage: Any) -> None:
        append_in(storage)
        with suppress(LookupError), storage.in_place(Graph, 1) as found:
            found.points.append(8)
            raise LookupError
        append_in(storage)
        storage.change(before := storage.read(Graph, 1), replace(before, size=4))

    work(world, one_by_one)
    assert world.read(Graph, 1) == graph(points=[1, 7, 8, 7], size=4)


def test_scope_can_be_entered_again(world: Any) -> None:
    def twice(storage: Any) -> None:
        scope = storage.in_place(Graph, 1)
        for item in (7, 8):
            with scope as found:
                found.points.append(item)

    work(world, twice)
    assert world.read(Graph, 1).points == [1, 7, 8]


def test_open_model_can_be_printed(world: Any) -> None:
    def show(storage: Any) -> None:
        with storage.in_place(Graph, 1) as found:
            found.points.append(7)
            assert str(found.points) == "[1, 7]"

    assert work(world, show).ok


def test_other_models_can_be_open_beside_it(world: Any) -> None:
    def both(storage: Any) -> None:
        with storage.in_place(Graph, 1) as found:
            append_in(storage, 2)
            found.points.append(len(storage.read(Graph, 2).points))

    work(world, both)
    assert [world.read(Graph, id).points for id in (1, 2)] == [[1, 2], [1, 7]]


def test_lists_of_an_open_model_are_lists(world: Any) -> None:
    def go(storage: Any) -> None:
        with storage.in_place(Graph, 1) as found:
            found.rows[0].append(3)
            found.last.append(6)
            found.points.insert(0, 9)
            found.points.sort()
            assert found.points == [1, 9]

    work(world, go)
    assert world.read(Graph, 1) == graph(points=[1, 9], rows=[[1, 3], [2]], last=[5, 6])


def test_inner_lists_are_set_again(world: Any) -> None:
    def go(storage: Any) -> None:
        with storage.in_place(Graph, 1) as found:
            found.rows[0] = [*found.rows[0], 3]
            found.last = [*found.last, 6]

    work(world, go)
    assert world.read(Graph, 1) == graph(rows=[[1, 3], [2]], last=[5, 6])


def test_models_that_are_read_have_plain_lists(world: Any) -> None:
    def go(storage: Any) -> None:
        found = storage.read(Graph, 1)
        found.points.append(2)
        found.rows[0].append(3)
        found.last.clear()
        storage.write(found)

    work(world, go)
    assert world.read(Graph, 1) == graph(points=[1, 2], rows=[[1, 3], [2]], last=[])
