"""Models: written whole and by member, erased, read from outside, shown by history and receipts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chain import Address, Chain, Key, Reverted, System, call, event, model
from chain.ledger.decoded.worlds import worlds_of
from chain.ledger.decoded.writes import Write
from chain.types import ZERO_ADDRESS, i32, u8, u64
from tests.chain.helpers import untyped


class Side(Enum):
    BLUE = 0
    RED = 1


@dataclass(frozen=True)
class Seat:
    player: Address
    side: Side
    jokers: u8


@model
class Board:
    id: Key[u64]
    moves_done: u8
    top_tile: u8 | None
    state: list[tuple[u8, u8, u8]]
    seats: tuple[Seat, Seat]
    last: u64


@model
class Odd:
    """Keys among the members, some of them long; members that pack and members that do not."""

    heights: list[i32]
    name: Key[str]
    note: str
    flags: tuple[bool, bool]
    player: Key[Address]
    seat: Seat | None
    notes: tuple[str, ...] | None
    depth: i32


@event
class Moved:
    board_id: Key[u64]
    moves: u8


class Game(System):
    turn: u8

    @call
    def start(self, id: u64) -> None:
        seats = (Seat(self.caller, Side.BLUE, 3), Seat(ZERO_ADDRESS, Side.RED, 3))
        self.world.write(Board(id, 0, None, [(24, 0, 0)] * 64, seats, self.block.timestamp))

    @call
    def move(self, id: u64) -> None:
        board = self.world.read(Board, id)
        board.moves_done += 1
        board.state[board.moves_done] = (1, 2, 1)
        self.world.write_member(board, "moves_done", "state")
        self.world.emit(Moved(id, board.moves_done))
        self.turn += 1

    @call
    def work(self) -> None:
        job[0](self)


NO_SEATS = untyped(())
job: list[Callable[[Any], object]] = []


@pytest.fixture
def world(chain: Chain) -> Any:
    return deploy(chain)


def deploy(chain: Chain) -> Any:
    return chain.deploy_world("duel", systems=[Game], writers={Board: [Game], Odd: [Game]})


def work(world: Any, what: Callable[[Any], object], **options: Any) -> Any:
    job[:] = [what]
    return world.system(Game).work(**options)


def require_equal(left: object, right: object) -> None:
    assert left == right


# Inside a call


def test_unset_model_reads_zero(world: Any) -> None:
    nobody = Seat(ZERO_ADDRESS, Side.BLUE, 0)
    assert world.read(Board, 7) == Board(7, 0, None, [], (nobody, nobody), 0)
    assert not world.exists(Board, 7)


def test_zero_model_exists(world: Any) -> None:
    work(world, lambda game: game.world.write(game.world.read(Board, 7)))
    assert world.exists(Board, 7)
    assert not world.exists(Board, 8)


seats = st.builds(
    Seat,
    st.binary(min_size=20, max_size=20).map(Address),
    st.sampled_from(Side),
    st.integers(0, 255),
)
odds = st.builds(
    Odd,
    heights=st.lists(st.integers(-(2**31), 2**31 - 1), max_size=20),
    name=st.text(max_size=40),
    note=st.text(max_size=40),
    flags=st.tuples(st.booleans(), st.booleans()),
    player=st.binary(min_size=20, max_size=20).map(Address),
    seat=st.none() | seats,
    notes=st.none() | st.lists(st.text(max_size=40), max_size=3).map(tuple),
    depth=st.integers(-(2**31), 2**31 - 1),
)


@settings(deadline=None)
@given(st.lists(odds, max_size=4))
def test_models_come_back_equal(written: list[Odd]) -> None:
    world = deploy(Chain())
    latest = {(one.name, one.player): one for one in written}

    def go(game: Game) -> None:
        game.world.write(*written)
        for keys, one in latest.items():
            assert game.world.read(Odd, *keys) == one
            assert game.world.read_member(Odd, *keys, "depth") == one.depth

    work(world, go)
    assert world.all(Odd) == list(latest.values())


@settings(deadline=None)
@given(odds, odds, st.sets(st.sampled_from(["heights", "note", "flags", "seat", "notes", "depth"])))
def test_member_writes_leave_others(before: Odd, after: Odd, names: set[str]) -> None:
    world = deploy(Chain())
    after.name, after.player = before.name, before.player

    def go(game: Game) -> None:
        game.world.write(before)
        game.world.write_member(after, *sorted(names))

    work(world, go)
    found = world.read(Odd, before.name, before.player)
    assert all(getattr(found, name) == getattr(after, name) for name in names)
    assert all(getattr(found, name) == getattr(before, name) for name in set(vars(found)) - names)


def test_member_write_makes_model_exist(world: Any) -> None:
    work(
        world,
        lambda game: game.world.write_member(Board(1, 5, None, [], NO_SEATS, 0), "moves_done"),
    )
    assert world.exists(Board, 1)
    assert world.read(Board, 1).moves_done == 5


@settings(deadline=None)
@given(odds)
def test_erased_model_leaves_no_words(one: Odd) -> None:
    chain = Chain()
    world = deploy(chain)
    before = dict(chain.state.storages[world.address])
    work(world, lambda game: (game.world.write(one), game.world.erase(one)))
    assert chain.state.storages[world.address] == before


def test_same_words_cost_no_write(world: Any) -> None:
    world.system(Game).start(1)
    looked = work(world, lambda game: game.world.read(Board, 1))
    written = work(world, lambda game: game.world.write(game.world.read(Board, 1)))
    # The cheapest change of a word costs 2 900, and there are twelve.
    assert written.gas_used - looked.gas_used < 5_000
    assert written.writes == []


def test_world_account_is_paid_once(world: Any) -> None:
    def gas(times: int) -> int:
        return int(
            work(world, lambda game: [game.world.exists(Board, 1) for _ in range(times)]).gas_used
        )

    home, account, namespace, flag, warm = 2_100, 2_600 - 100, 100 + 2_100, 100 + 2_100, 100 + 100
    assert gas(1) == 21_064 + home + account + namespace + flag
    assert gas(3) == gas(1) + 2 * warm


def test_failed_call_undoes_models(world: Any) -> None:
    def go(game: Game) -> None:
        game.world.write(Board(1, 1, None, [], game.world.read(Board, 1).seats, 0))
        game.world.emit(Moved(1, 1))
        raise ValueError("no")

    receipt = work(world, go, check=False)
    assert not world.exists(Board, 1)
    assert (receipt.undone_events, receipt.events) == ([Moved(1, 1)], [])


def test_out_of_gas_takes_all(world: Any) -> None:
    receipt = work(
        world, lambda game: [game.world.uuid() for _ in range(9_999)], gas=90_000, check=False
    )
    assert (receipt.error.kind, receipt.gas_used) == ("out of gas", 90_000)
    assert work(world, lambda game: require_equal(game.world.uuid(), 0)).ok


WRONG_MODELS: list[tuple[Callable[[Any], object], str]] = [
    (lambda world: world.read(Board), "the keys of Board are id: 0 values were given"),
    (lambda world: world.read(Board, -1), "Board.id = -1 does not fit u64"),
    (lambda world: world.read(Seat, 1), "Seat is not a model: mark its class with @model"),
    (
        lambda world: world.write(Board(1, 256, None, [], NO_SEATS, 0)),
        "Board.moves_done = 256 does not fit u8",
    ),
    (
        lambda world: world.write(Board(1, 0, None, untyped([(1, 2)]), NO_SEATS, 0)),
        r"Board.state\[0\] = \(1, 2\) is not",
    ),
    (
        lambda world: world.write_member(Board(1, 256, None, [], NO_SEATS, 0), "moves_done"),
        "Board.moves_done = 256 does not",
    ),
    (
        lambda world: world.write_member(Board(1, 0, None, [], NO_SEATS, 0), "id"),
        "'id' is a key of Board; its members are",
    ),
    (
        lambda world: world.read_member(Board, 1, "colour"),
        "'colour' is not a member of Board; its members are moves_done,",
    ),
    (
        lambda world: world.emit(Seat(ZERO_ADDRESS, Side.RED, 1)),
        "Seat is not an event: mark its class with @event",
    ),
]


@pytest.mark.parametrize(("what", "text"), WRONG_MODELS)
def test_wrong_model_use_is_explained(world: Any, what: Callable[[Any], object], text: str) -> None:
    with pytest.raises(Reverted, match=text):
        work(world, lambda game: what(game.world))


# From outside


def test_all_in_order_of_first_write(world: Any) -> None:
    for id in (5, 2, 9, 2):
        world.system(Game).start(id)
    work(world, lambda game: game.world.erase(game.world.read(Board, 5)))
    assert [board.id for board in world.all(Board)] == [2, 9]
    world.system(Game).start(5)
    assert [board.id for board in world.all(Board)] == [5, 2, 9]


def test_reading_makes_no_model(world: Any) -> None:
    work(world, lambda game: require_equal(game.world.exists(Board, 3), False))
    assert (world.read(Board, 4).id, world.all(Board), world.history(Board, 4)) == (4, [], [])


def test_history_shows_every_version(world: Any, chain: Chain) -> None:
    game = world.system(Game)
    receipts = [game.start(1), game.move(1), game.move(1)]
    game.start(2)
    receipts.append(work(world, lambda game: game.world.erase(game.world.read(Board, 1))))
    history = world.history(Board, 1)
    assert [version.value and version.value.moves_done for version in history] == [0, 1, 2, None]
    assert [version.value and version.value.state[2][0] for version in history] == [24, 24, 1, None]
    assert [version.receipt for version in history] == receipts
    assert [(version.block_number, version.timestamp) for version in history] == [
        (receipt.block_number, receipt.timestamp) for receipt in receipts
    ]


def test_history_skips_what_was_undone(world: Any, chain: Chain) -> None:
    world.system(Game).start(1)
    with chain.anchor():
        world.system(Game).move(1)
        assert len(world.history(Board, 1)) == 2
    world.system(Game).start(2)  # where the move had been
    assert len(world.history(Board, 1)) == 1
    chain.account("late.testnet")  # changes the state between two transactions
    assert [version.value.moves_done for version in world.history(Board, 1)] == [0]
    receipt = world.system(Game).move(1)
    assert world.history(Board, 1)[-1].receipt == receipt


def test_worlds_show_their_models(chain: Chain, world: Any) -> None:
    work(world, lambda game: game.world.exists(Odd, "", ZERO_ADDRESS))
    found = [(each.address, each.namespace) for each in worlds_of(chain.ledger)]
    assert found == [(world.address, "duel")]
    assert [spec.name for each in worlds_of(chain.ledger) for spec in each.models.values()] == [
        "Board"
    ]


# In receipts


def test_models_are_reported_by_member(world: Any) -> None:
    game = world.system(Game)
    game.start(3)
    assert [str(write) for write in game.move(3).writes] == [
        "Board(3).moves_done: 0 -> 1",
        "Board(3).state[1]: (24, 0, 0) -> (1, 2, 1)",
        "Game.turn: 0 -> 1",
    ]


def test_model_write_carries_its_parts(world: Any) -> None:
    world.system(Game).start(3)
    write = world.system(Game).move(3).writes[0]
    assert write == Write(world.address, "World", "Board", (3,), "moves_done", 0, 1, is_model=True)
    assert (write.model, write.field, write.key) == ("Board", None, 3)


def test_new_model_is_reported_to_exist(world: Any) -> None:
    lines = [str(write) for write in world.system(Game).start(3).writes]
    assert lines[0] == "Board(3).exists: False -> True"
    assert f"Board(3).seats[0].player: {ZERO_ADDRESS} -> alice" in lines
    assert {"Board(3).state.length: 0 -> 64", "Board(3).state[63]: (0, 0, 0) -> (24, 0, 0)"} < set(
        lines
    )


def test_system_shows_its_world(world: Any) -> None:
    deployed = world.chain.receipts[1]
    assert [str(write) for write in deployed.writes] == [f"Game.world: {ZERO_ADDRESS} -> World"]


def test_world_shows_grants(world: Any) -> None:
    resource = world.handle.selector("duel-Board")
    write = world.chain.receipts[3].writes[0]
    who = world.system(Game).address
    assert (write.name, write.key, write.new) == ("writers", (resource, who), True)
