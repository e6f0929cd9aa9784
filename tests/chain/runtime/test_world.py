"""Worlds and their systems: who may write, register, announce, and begin."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from chain import (
    Address,
    Chain,
    Contract,
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
from chain.crypto.hashing import keccak
from chain.metering.program import program_of
from chain.spec.models import selector_of
from chain.types import ZERO_ADDRESS, felt252, u8, u32, u64


@model
class Board:
    id: Key[u64]
    moves: u8


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
    def move(self, id: u64) -> None:
        board = self.world.read(Board, id)
        board.moves += 1
        self.world.write(board)
        announce(self, board)

    @call
    def work(self) -> None:
        job[0](self)

    @view
    def look(self) -> None:
        job[0](self)


class BetterGame(Game):
    @call
    def move_twice(self, id: u64) -> None:
        self.move(id)
        self.move(id)


def announce(game: Game, board: Board) -> None:
    game.world.emit(Moved(board.id, board.moves))


class Register(System):
    @call
    def score(self, points: u32) -> None:
        self.world.write(Score(self.caller, points))
        self.world.emit(Joined(self.caller))


class Taker(Contract):
    @call
    def take(self, world: Address, tag: str, writer: Address) -> None:
        self.at(World, world).revoke_writer(tag, writer)


job: list[Callable[[Any], object]] = []


@pytest.fixture
def world(chain: Chain) -> Any:
    return deploy(chain)


def deploy(chain: Chain) -> Any:
    return chain.deploy_world(
        "duel",
        systems=[Game, Register],
        init={Game: (9,)},
        writers={Board: [Game], Score: [Register]},
    )


def work(world: Any, what: Callable[[Any], object], **options: Any) -> Any:
    job[:] = [what]
    return world.system(Game).work(**options)


def look(world: Any, what: Callable[[Any], object]) -> None:
    job[:] = [what]
    world.system(Game).look()


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


def test_grant_is_asked_again_after_a_call(world: Any, chain: Chain) -> None:
    taker = chain.deploy(Taker)
    world.grant_owner(Board, taker)

    def go(game: Game) -> None:
        game.world.write(game.world.read(Board, 1))
        game.at(Taker, taker.address).take(world.address, "duel-Board", game.address)
        game.world.write(game.world.read(Board, 2))

    with pytest.raises(Reverted, match=r"^Caller Game has no write access on model duel-Board"):
        work(world, go)


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
    [(Board, "model duel-Board"), ("duel", "namespace duel")],
)
def test_strangers_may_not_grant(world: Any, chain: Chain, what: Any, named: str) -> None:
    for act in (world.grant_writer, world.revoke_writer, world.grant_owner, world.revoke_owner):
        with pytest.raises(Reverted, match=rf"^Caller bob is not an owner of {named}"):
            act(what, Register, sender=chain.accounts[1])


def test_owner_of_one_model_only(world: Any, chain: Chain) -> None:
    bob = chain.accounts[1]
    world.grant_owner(Score, bob)
    with pytest.raises(Reverted, match="is not an owner of model duel-Board"):
        world.grant_writer(Board, Register, sender=bob)
    world.revoke_owner(Score, bob)
    assert not world.is_owner(Score, bob)


def test_system_reads_the_owner(world: Any, chain: Chain) -> None:
    alice, bob = chain.accounts[:2]
    world.grant_owner(Score, bob)

    def go(game: Game) -> None:
        assert [game.world.is_owner(who) for who in (alice, bob)] == [True, False]
        assert [game.world.is_owner(who, Score) for who in (alice, bob)] == [True, True]

    assert work(world, go).ok


WRITES: list[Callable[[Any], object]] = [
    lambda game: game.world.write(Board(1, 0)),
    lambda game: game.world.erase(game.world.read(Board, 1)),
    lambda game: game.world.emit(Moved(1, 1)),
    lambda game: game.world.uuid(),
]


@pytest.mark.parametrize("what", WRITES)
def test_views_cannot_write(world: Any, what: Callable[[Any], object]) -> None:
    world.system(Game).move(1)
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
    world: Any, chain: Chain, what: Callable[[Any], object], act: str
) -> None:
    stranger, job[:] = chain.deploy(Game, world.address), [what]
    with pytest.raises(
        Reverted, match=f"^Caller Game is not registered in world duel, so it cannot {act} there"
    ):
        stranger.work()


def test_replaced_system_is_out(world: Any, chain: Chain) -> None:
    old, new = world.system(Game), chain.deploy(Game, world.address)
    world.handle.register("duel-Game", new.address)
    job[:] = [lambda game: game.world.uuid()]
    assert (new.work().ok, old.work(check=False).ok) == (True, False)
    assert world.system("Game").address == new.address


def test_replaced_system_has_no_rights(world: Any, chain: Chain) -> None:
    old, new = world.system(Game), chain.deploy(Game, world.address)
    world.grant_owner(Score, old)
    receipt = world.handle.register("duel-Game", new.address)
    assert [type(event).__name__ for event in receipt.events] == [
        "WriterRevoked", "OwnerRevoked", "SystemRegistered"
    ]  # fmt: skip
    assert not (world.is_writer(Board, old) or world.is_owner(Score, old))
    job[:] = [lambda game: game.world.write(Board(1, 1))]
    with pytest.raises(Reverted, match="Caller Game has no write access"):
        old.work()
    world.grant_writer(Board, new)
    world.handle.register("duel-Game", new.address)  # once more: nothing is lost
    assert new.work().ok


def test_upgraded_system_keeps_its_rights(world: Any, chain: Chain) -> None:
    chain.upgrade(world.system(Game), BetterGame)
    assert world.is_writer(Board, world.system("Game"))
    assert world.system("Game").move_twice(4).ok
    assert world.read(Board, 4).moves == 2


def test_system_is_found_by_its_class(world: Any, chain: Chain) -> None:
    def score(game: Any) -> None:
        game.world.system(Register).score(7)

    receipt = work(world, score)
    assert receipt.events.one(Joined) == Joined(world.system(Game).address)
    with pytest.raises(Reverted, match="World duel has no system 'Taker'"):
        work(world, lambda game: game.world.system(Taker))


def test_world_is_found_by_its_namespace(world: Any, chain: Chain) -> None:
    assert chain.world("duel").address == world.address


def test_only_owners_register(world: Any, chain: Chain) -> None:
    with pytest.raises(Reverted, match="is not an owner of namespace duel"):
        world.handle.register("duel-Thief", chain.accounts[1], sender=chain.accounts[1])


def test_uuids_count_up(world: Any) -> None:
    given_out: list[int] = []
    work(world, lambda game: given_out.extend(game.world.uuid() for _ in range(3)))
    work(world, lambda game: given_out.append(game.world.uuid()))
    assert given_out == [0, 1, 2, 3]


def test_events_come_from_world(world: Any, chain: Chain) -> None:
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
        {"name": "world", "type": "address", "internalType": "address"}
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
        match=r"^Caller bob is not an owner of namespace duel, so it cannot call Game\.dojo_init",
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
    assert world.handle.selector("duel-Board") == selector_of("duel-Board") == keccak(b"duel-Board")
    assert world.handle.namespaces() == world.namespaces == [world.namespace] == ["duel"]


def test_world_announces_changes(chain: Chain, world: Any) -> None:
    names = [type(event).__name__ for receipt in chain.receipts for event in receipt.events]
    assert names == ["WorldSpawned", "SystemRegistered", "SystemRegistered", *["WriterGranted"] * 2]


def test_worlds_keep_apart(chain: Chain, world: Any) -> None:
    second = chain.deploy_world("duel", systems=[Game], init={Game: (1,)}, writers={Board: [Game]})
    second.system(Game).move(1)
    assert (world.exists(Board, 1), second.exists(Board, 1)) == (False, True)


def test_own_world_class_works(chain: Chain) -> None:
    class Arena(World):
        opened: felt252

    arena = chain.deploy(Arena, "arena")
    assert chain.deploy(Game, arena.address).fields.world.namespace == "arena"
