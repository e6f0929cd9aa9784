"""Objects kept from a finished message are inert: they cannot read, write, log, draw or call."""

from __future__ import annotations

import gc
from collections.abc import Callable, Generator
from types import FunctionType
from typing import Any

import pytest

from chain import (
    Address,
    Chain,
    Contract,
    Key,
    Map,
    Revert,
    Set,
    System,
    Vector,
    call,
    event,
    model,
    view,
)
from chain.machine.finished_frame import Finished
from chain.machine.frame import Frame
from chain.simulator.handle import Handle
from chain.types import u8, u64
from tests.chain.helpers import failure_of, untyped


@event
class Rang:
    n: u64


@model
class Score:
    player: Key[Address]
    points: u8
    marks: list[u8]


class Hands(Revert):
    """An error that carries something out of its message."""

    def __init__(self, held: Any) -> None:
        super().__init__("it hands something out")
        self.held = held


class Keeps(Contract):
    n: u64
    items: Vector[u8]
    by_key: Map[u8, u8]
    members: Set[u8]

    @call
    def fill(self) -> None:
        self.n = 3
        self.items.append(1)
        self.items.append(2)
        self.members.add(1)

    @call
    def out(self, what: str) -> None:
        raise Hands(MAKERS[what](self))

    @view
    def seen(self, what: str) -> None:
        raise Hands(MAKERS[what](self))

    @call
    def catches(self, other: Address) -> None:
        try:
            self.at(Keeps, other).out("self")
        except Hands as hands:
            hands.held.n = 7

    @call
    def winds(self) -> None:
        """Leave a cycle behind with a finalizer."""

        def steps(me: Keeps) -> Generator[object, object, None]:
            try:
                held = yield me.n
                yield held
            finally:
                me.n += 1

        walk = steps(self)
        next(walk)
        walk.send(walk)

    @call
    def winds_and_works(self) -> u64:
        self.winds()
        for _ in range(2_000):
            [[]]  # noqa: B018  # what makes Python look for garbage
        return self.n


class Keeper(System):
    @call
    def keep(self, what: str) -> None:
        self.world.write(Score(self.caller, 1, [1, 2]))
        raise Hands(OF_A_WORLD[what](self))


def _open(system: Any) -> Any:
    scope = system.world.in_place(Score, system.caller)
    scope.__enter__().points = 9
    return scope


MAKERS: dict[str, Callable[[Any], Any]] = {
    "self": lambda it: it,
    "items": lambda it: it.items,
    "map": lambda it: it.by_key,
    "set": lambda it: it.members,
    "random": lambda it: it.random,
    "remote": lambda it: it.at(Keeps, it.address),
    "emit": lambda it: it.emit,
}
DEEDS: list[tuple[str, Callable[[Any], Any]]] = [
    ("self", lambda it: it.n),
    ("self", lambda it: setattr(it, "n", 7)),
    ("self", lambda it: it.items[0]),
    ("self", lambda it: it.emit(Rang(1))),
    ("self", lambda it: it.log("late")),
    ("self", lambda it: it.balance),
    ("self", lambda it: it.caller_id),
    ("self", lambda it: it.random),
    ("self", lambda it: it.transfer(it.address, 0)),
    ("self", lambda it: it.deploy(Keeps)),
    ("self", lambda it: it.at(Keeps, it.address).fill()),
    ("self", lambda it: it.block),
    ("items", lambda it: it[0]),
    ("items", lambda it: it.append(7)),
    ("items", len),
    ("map", lambda it: it[1]),
    ("map", lambda it: it.__setitem__(1, 7)),
    ("map", lambda it: it.__delitem__(1)),
    ("set", lambda it: it.add(7)),
    ("set", lambda it: 1 in it),
    ("random", lambda it: it.below(6)),
    ("random", lambda it: it.choice([1, 2])),
    ("remote", lambda it: it.fill()),
    ("emit", lambda it: it(Rang(1))),
]
OF_A_WORLD: dict[str, Callable[[Any], Any]] = {
    "world": lambda it: it.world,
    "open": _open,
    "items": lambda it: it.world.in_place(Score, it.caller).__enter__().marks,
}
DEEDS_IN_A_WORLD: list[tuple[str, Callable[[Any], Any]]] = [
    ("world", lambda it: it.read(Score, Address(bytes(20)))),
    ("world", lambda it: it.read_member(Score, Address(bytes(20)), "points")),
    ("world", lambda it: it.exists(Score, Address(bytes(20)))),
    ("world", lambda it: it.write(Score(Address(bytes(20)), 7, []))),
    ("world", lambda it: it.erase(Score(Address(bytes(20)), 7, []))),
    ("world", lambda it: it.emit(Rang(1))),
    ("world", lambda it: it.uuid()),
    ("world", lambda it: it.is_owner(Address(bytes(20)))),
    ("world", lambda it: it.in_place(Score, Address(bytes(20))).__enter__()),
    ("open", lambda it: it.__exit__(None, None, None)),
    ("items", lambda it: it[1]),
    ("items", len),
]


@pytest.fixture
def chain() -> Chain:
    return Chain(guard=False)


@pytest.fixture
def keeps(chain: Chain) -> Handle:
    made = chain.deploy(Keeps)
    made.fill()
    return made


def test_every_method_that_reaches_the_state_is_refused() -> None:
    hidden = {"context", "journal", "state", "storage", "warm"}
    reaching = {
        name
        for name, method in vars(Frame).items()
        if isinstance(method, FunctionType) and not hidden.isdisjoint(method.__code__.co_names)
    }
    left = {name for name in reaching - vars(Finished).keys() if not name.startswith("_")}
    assert left == set()


def _dies(chain: Chain, held: Any, deed: Callable[[Any], Any]) -> None:
    """Check that the call raises, and leaves nothing to the chain or the next call."""
    with pytest.raises(RuntimeError, match="has ended: a contract"):
        deed(held)
    _nothing_waits(chain)


def _nothing_waits(chain: Chain) -> None:
    """The journal is empty between two transactions, and nobody's writes are in the next one."""
    assert not chain.state.changes and not chain.state.logs
    receipt = chain.send(chain.accounts[1], value=1)
    assert receipt.writes == [] and receipt.log_rows == ()


@pytest.mark.parametrize(("what", "deed"), DEEDS)
def test_what_a_call_handed_out_is_dead(
    chain: Chain, keeps: Handle, what: str, deed: Callable[[Any], Any]
) -> None:
    _dies(chain, keeps.out(what, check=False).error.cause.held, deed)
    assert keeps.fields.n == 3


@pytest.mark.parametrize(("what", "deed"), DEEDS)
def test_what_a_view_handed_out_is_dead(
    chain: Chain, keeps: Handle, what: str, deed: Callable[[Any], Any]
) -> None:
    seen = keeps.seen.simulate(what)
    _dies(chain, seen.error.cause.held, deed)
    assert seen.logs == []


@pytest.mark.parametrize(("what", "deed"), DEEDS)
def test_what_a_trace_handed_out_is_dead(
    chain: Chain, keeps: Handle, what: str, deed: Callable[[Any], Any]
) -> None:
    _dies(chain, keeps.out.trace(what).error.cause.held, deed)


@pytest.mark.parametrize(("what", "deed"), DEEDS_IN_A_WORLD)
def test_what_a_system_handed_out_is_dead(
    chain: Chain, what: str, deed: Callable[[Any], Any]
) -> None:
    world = chain.deploy_world("arcade", systems=[Keeper], writers={Score: [Keeper]})
    held = untyped(failure_of(world.system(Keeper).keep(what, check=False)).cause).held
    _dies(chain, held, deed)
    assert world.all(Score) == []


def test_a_contract_that_an_inner_message_handed_out_is_dead_in_the_outer_one(
    chain: Chain, keeps: Handle
) -> None:
    receipt = chain.deploy(Keeps).catches(keeps.address, check=False)
    assert "Keeps.out has ended" in failure_of(receipt).text
    assert keeps.fields.n == 3


def test_a_cycle_that_is_collected_later_writes_nothing(
    chain: Chain, keeps: Handle, monkeypatch: pytest.MonkeyPatch
) -> None:
    raised: list[Any] = []
    monkeypatch.setattr("sys.unraisablehook", raised.append)
    gc.disable()
    try:
        keeps.winds()
        gc.collect()
    finally:
        gc.enable()
    assert [type(each.exc_value) for each in raised] == [RuntimeError]
    _nothing_waits(chain)
    assert keeps.fields.n == 3


def test_nothing_is_collected_while_a_message_runs(
    chain: Chain, keeps: Handle, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.unraisablehook", lambda _: None)
    threshold = gc.get_threshold()
    gc.set_threshold(1)
    try:
        assert keeps.winds_and_works().return_value == 3
    finally:
        gc.set_threshold(*threshold)
    gc.collect()
    assert keeps.fields.n == 3


def test_the_fields_of_a_handle_are_read_as_they_are_now(chain: Chain, keeps: Handle) -> None:
    fields, items = keeps.fields, keeps.fields.items
    keeps.fill()
    assert list(items) == [1, 2, 1, 2] and fields.n == 3
    with chain.anchor():
        keeps.fill()
        assert len(items) == 6
    assert len(items) == 4
