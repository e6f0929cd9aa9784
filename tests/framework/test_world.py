"""Worlds and systems: models written whole and by member, permissions, and what is seen from outside."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chain import (
    Address,
    Chain,
    Contract,
    DeclarationError,
    Key,
    Reverted,
    System,
    World,
    call,
    event,
    init,
    model,
    view,
)
from chain.code import program_of
from chain.models import selector_of
from chain.types import ZERO_ADDRESS, felt252, i32, u8, u16, u32, u64


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


@model
class Score:
    player: Key[Address]
    points: u32


@event
class Moved:
    board_id: Key[u64]
    moves: u8


@event
class Joined:
    player: Address


class Game(System):
    limit: u8

    @init
    def dojo_init(self, limit: u8) -> None:
        self.limit = limit

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
        announce(self, board)

    @call
    def work(self) -> None:
        job[0](self)

    @view
    def look(self) -> None:
        job[0](self)


def announce(game: Game, board: Board) -> None:
    game.world.emit(Moved(board.id, board.moves_done))


class Register(System):
    @call
    def score(self, points: u32) -> None:
        self.world.write(Score(self.caller, points))
        self.world.emit(Joined(self.caller))


job: list[Callable[[Any], None]] = []


@pytest.fixture
def chain() -> Chain:
    return Chain()


@pytest.fixture
def world(chain: Chain) -> Any:
    return deploy(chain)


def deploy(chain: Chain) -> Any:
    return chain.deploy_world(
        "duel",
        systems=[Game, Register],
        init={Game: (9,)},
        writers={Board: [Game], Odd: [Game], Score: [Register]},
    )


def work(world: Any, what: Callable[[Any], None], **options: Any) -> Any:
    job[:] = [what]
    return world.system(Game).work(**options)


def look(world: Any, what: Callable[[Any], None]) -> None:
    job[:] = [what]
    world.system(Game).look()


# Models


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
        lambda game: game.world.write_member(Board(1, 5, None, [], (None, None), 0), "moves_done"),
    )
    assert world.exists(Board, 1)
    assert world.read(Board, 1).moves_done == 5


@given(odds)
def test_erased_model_leaves_no_words(one: Odd) -> None:
    chain = Chain()
    world = deploy(chain)
    before = dict(chain.state.storages[world.address])
    work(world, lambda game: (game.world.write(one), game.world.erase(one)))
    assert chain.state.storages[world.address] == before


def test_same_words_cost_no_write(world: Any) -> None:
    world.system(Game).start(1)
    looked = work(world, lambda game: game.world.read(Board, 1) and None)
    written = work(world, lambda game: game.world.write(game.world.read(Board, 1)))
    assert (
        written.gas_used - looked.gas_used < 5_000
    )  # the cheapest change of a word costs 2 900, and there are twelve
    assert written.writes == []


def test_world_account_is_paid_once(world: Any) -> None:
    def gas(times: int) -> int:
        return int(
            work(
                world, lambda game: [game.world.exists(Board, 1) for _ in range(times)] and None
            ).gas_used
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


def require_equal(left: object, right: object) -> None:
    assert left == right


WRONG_MODELS: list[tuple[Callable[[Any], object], str]] = [
    (lambda world: world.read(Board), "Board is found by id: 0 values were given"),
    (lambda world: world.read(Board, -1), "Board.id = -1 does not fit u64"),
    (lambda world: world.read(Seat, 1), "Seat is no model: mark its class with @model"),
    (
        lambda world: world.write(Board(1, 256, None, [], (), 0)),
        "Board.moves_done = 256 does not fit u8",
    ),
    (
        lambda world: world.write(Board(1, 0, None, [(1, 2)], (), 0)),
        r"Board.state\[0\] = \(1, 2\) is not",
    ),
    (
        lambda world: world.write_member(Board(1, 256, None, [], (), 0), "moves_done"),
        "Board.moves_done = 256 does not",
    ),
    (
        lambda world: world.write_member(Board(1, 0, None, [], (), 0), "id"),
        "'id' is a key of Board; its members are",
    ),
    (
        lambda world: world.read_member(Board, 1, "colour"),
        "'colour' is no member of Board; its members are moves_done,",
    ),
    (
        lambda world: world.emit(Seat(ZERO_ADDRESS, Side.RED, 1)),
        "Seat is no event; mark its class with @event",
    ),
]


@pytest.mark.parametrize(("what", "text"), WRONG_MODELS)
def test_wrong_model_use_says_why(world: Any, what: Callable[[Any], None], text: str) -> None:
    with pytest.raises(Reverted, match=text):
        work(world, lambda game: what(game.world))


def test_changeable_members_are_refused() -> None:
    @dataclass
    class Loose:
        x: u8

    with pytest.raises(
        DeclarationError, match=r"Bad\.loose: 'Loose' can change .* write @dataclass\(frozen=True\)"
    ):

        @model
        class Bad:
            id: Key[u8]
            loose: Loose


# Permissions


def test_write_needs_a_grant(world: Any) -> None:
    with pytest.raises(Reverted, match=r"^Caller Game has no write access on model duel-Score"):
        work(world, lambda game: game.world.write(Score(game.caller, 1)))


@pytest.mark.parametrize("what", [Score, "duel"])
def test_grant_opens_and_revoke_closes(world: Any, what: Any) -> None:
    world.grant_writer(what, Game)
    work(world, lambda game: game.world.write(Score(ZERO_ADDRESS, 1)))
    world.revoke_writer(what, Game)
    with pytest.raises(Reverted, match="no write access"):
        work(world, lambda game: game.world.erase(Score(ZERO_ADDRESS, 1)))


@pytest.mark.parametrize("what", [Score, "duel"])
def test_owners_may_write_and_grant(world: Any, chain: Chain, what: Any) -> None:
    bob = chain.accounts[1]
    world.grant_owner(what, Game)
    work(world, lambda game: game.world.write(Score(ZERO_ADDRESS, 1)))
    world.grant_owner(what, bob)
    assert world.grant_writer(Score, Game, sender=bob).ok
    assert (
        world.is_owner(what, bob),
        world.is_writer(Score, Game),
        world.is_writer(Board, Register),
    ) == (True, True, False)


@pytest.mark.parametrize(
    ("what", "named"),
    [(Board, f"resource 0x{selector_of('duel', 'Board').hex()}"), ("duel", "namespace duel")],
)
def test_strangers_may_not_grant(world: Any, chain: Chain, what: Any, named: str) -> None:
    for act in (world.grant_writer, world.revoke_writer, world.grant_owner, world.revoke_owner):
        with pytest.raises(Reverted, match=rf"^Caller 0x\w+ is no owner of {named}"):
            act(what, Register, sender=chain.accounts[1])


def test_owner_of_one_model_only(world: Any, chain: Chain) -> None:
    bob = chain.accounts[1]
    world.grant_owner(Score, bob)
    with pytest.raises(Reverted, match="is no owner of resource"):
        world.grant_writer(Board, Register, sender=bob)
    world.revoke_owner(Score, bob)
    assert not world.is_owner(Score, bob)


def test_system_asks_who_owns(world: Any, chain: Chain) -> None:
    alice, bob = chain.accounts[:2]
    world.grant_owner(Score, bob)

    def go(game: Game) -> None:
        assert [game.world.is_owner(who) for who in (alice, bob)] == [True, False]
        assert [game.world.is_owner(who, Score) for who in (alice, bob)] == [True, True]

    assert work(world, go).ok


WRITES: list[Callable[[Any], object]] = [
    lambda game: game.world.write(Board(1, 0, None, [], game.world.read(Board, 1).seats, 0)),
    lambda game: game.world.erase(game.world.read(Board, 1)),
    lambda game: game.world.emit(Moved(1, 1)),
    lambda game: game.world.uuid(),
]


@pytest.mark.parametrize("what", WRITES)
def test_views_only_look(world: Any, what: Callable[[Any], None]) -> None:
    world.system(Game).start(1)
    with pytest.raises(Reverted, match=r"^Game\.look is a view and cannot (write|emit)"):
        look(world, what)


# Systems


@pytest.mark.parametrize(
    ("what", "act"),
    [
        (lambda game: game.world.emit(Moved(1, 1)), "emit"),
        (lambda game: game.world.uuid(), "take a uuid"),
    ],
)
def test_unregistered_system_is_refused(
    world: Any, chain: Chain, what: Callable[[Any], None], act: str
) -> None:
    stranger, job[:] = chain.deploy(Game, world.address), [what]
    with pytest.raises(
        Reverted, match=f"^Caller Game is not registered in world duel, so it cannot {act} there"
    ):
        stranger.work()


def test_replaced_system_is_out(world: Any, chain: Chain) -> None:
    old, new = world.system(Game), chain.deploy(Game, world.address)
    world.handle.register("Game", new.address)
    job[:] = [lambda game: game.world.uuid()]
    assert (new.work().ok, old.work(check=False).ok) == (True, False)
    assert world.system("Game").address == new.address


def test_only_owners_register(world: Any, chain: Chain) -> None:
    with pytest.raises(Reverted, match="is no owner of namespace duel"):
        world.handle.register("Thief", chain.accounts[1], sender=chain.accounts[1])


def test_uuids_count_up(world: Any) -> None:
    given_out: list[int] = []
    work(world, lambda game: given_out.extend(game.world.uuid() for _ in range(3)))
    work(world, lambda game: given_out.append(game.world.uuid()))
    assert given_out == [0, 1, 2, 3]


def test_events_come_from_world(world: Any, chain: Chain) -> None:
    world.system(Game).start(4)
    receipt = world.system(Game).move(4)
    assert receipt.events.one(Moved) == Moved(4, 1)
    assert receipt.logs[0].address == world.address


def test_abi_lists_what_it_announces() -> None:
    names = {item["name"] for item in Game.__spec__.abi if item["type"] == "event"}
    assert names == {"Moved"}
    assert (list(Game.__spec__.models), list(Register.__spec__.models)) == (["Board"], ["Score"])


def test_constructor_takes_the_world(world: Any, chain: Chain) -> None:
    arguments = bytes(12) + world.address
    receipt = chain.send(None, program_of(Game).initcode + arguments)
    assert chain.handle(Game, receipt.address).fields.world.address == world.address
    assert Game.__spec__.abi[0]["inputs"] == [
        {"name": "world", "type": "address", "internalType": "Address"}
    ]


def test_system_needs_a_world(chain: Chain) -> None:
    with pytest.raises(
        Reverted,
        match=r"^there is no World at 0x0000\w+: a system is deployed with the address of its",
    ):
        chain.deploy(Game, ZERO_ADDRESS)


def test_init_ran_with_its_arguments(world: Any) -> None:
    assert world.system(Game).fields.limit == 9


def test_init_runs_once(world: Any) -> None:
    with pytest.raises(Reverted, match=r"^Game\.dojo_init has run before: it runs once"):
        world.system(Game).dojo_init(3)


def test_init_is_for_owners(world: Any, chain: Chain) -> None:
    fresh = chain.deploy(Game, world.address)
    with pytest.raises(
        Reverted,
        match=r"^Caller 0x\w+ is no owner of namespace duel, so it cannot call Game\.dojo_init",
    ):
        fresh.dojo_init(3, sender=chain.accounts[1])
    assert fresh.dojo_init(3).ok


def test_init_may_use_its_grants(chain: Chain) -> None:
    class Shop(System):
        @init
        def stock(self, points: u32) -> None:
            self.world.write(Score(ZERO_ADDRESS, points))

    world = chain.deploy_world("fair", systems=[Shop], writers={"fair": [Shop]}, init={Shop: (7,)})
    assert world.read(Score, ZERO_ADDRESS).points == 7


def test_world_names_its_systems(world: Any) -> None:
    assert world.system(Register).score(5).ok
    with pytest.raises(Reverted, match=r"^World duel has no system 'Shop'"):
        world.system("Shop")


def test_selectors_are_of_tags(world: Any) -> None:
    assert world.handle.selector("Board") == selector_of("duel", "Board")
    assert world.handle.selector("") == selector_of("duel")
    assert world.handle.namespace_name() == world.namespace == "duel"


def test_world_announces_changes(chain: Chain, world: Any) -> None:
    names = [type(event).__name__ for receipt in chain.receipts for event in receipt.events]
    assert names == ["WorldSpawned", "SystemRegistered", "SystemRegistered", *["WriterGranted"] * 3]


@pytest.mark.parametrize("namespace", ["", "two words", "9lives", "n" * 32, "mage-duel", "bühne"])
def test_bad_namespace_is_refused(chain: Chain, namespace: str) -> None:
    with pytest.raises(
        Reverted, match=f"^'{namespace}' is no namespace: use 1 to 31 letters, digits and '_'"
    ):
        chain.deploy_world(namespace, systems=[])


def test_wrong_worlds_are_refused(chain: Chain) -> None:
    class Plain(Contract):
        @call
        def go(self) -> None:
            pass

    with pytest.raises(TypeError, match="Plain is no System, so it cannot live in a World"):
        chain.deploy_world("duel", systems=[Plain])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="init: Register is not among the systems or has no @init"):
        chain.deploy_world("duel", systems=[Register], init={Register: ()})
    with pytest.raises(
        TypeError, match=r"'dule' is neither a model class nor this world's namespace, 'duel'"
    ):
        chain.deploy_world("duel", systems=[Register], writers={"dule": [Register]})
    with pytest.raises(TypeError, match=r"there is no World at 0xf39F"):
        chain.world(chain.accounts[0])


def test_two_models_of_one_name(chain: Chain) -> None:
    with pytest.raises(
        TypeError,
        match="the systems use two models called Score: a world has room for one of a name",
    ):
        chain.deploy_world("duel", systems=[Register, rival()])


def rival() -> type[System]:
    @model
    class Score:
        player: Key[Address]
        wins: u16

    class Rival(System):
        @call
        def score(self) -> None:
            self.world.write(Score(self.caller, 1))

    return Rival


def test_worlds_keep_apart(chain: Chain, world: Any) -> None:
    second = chain.deploy_world("duel", systems=[Game], init={Game: (1,)}, writers={Board: [Game]})
    second.system(Game).start(1)
    assert (world.exists(Board, 1), second.exists(Board, 1)) == (False, True)


def test_own_world_class_works(chain: Chain) -> None:
    class Arena(World):
        opened: felt252

    arena = chain.deploy(Arena, "arena")
    assert chain.deploy(Game, arena.address).fields.world.namespace == "arena"


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


def test_history_tells_every_version(world: Any, chain: Chain) -> None:
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
