"""What holds in every duel on a chain: random ones, legal calls and others, compared with slow and obvious implementations."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from random import Random
from typing import Any, Final

from hypothesis import given, settings
from hypothesis import strategies as st

from chain import Chain
from contracts.mage_duel import (
    Board,
    PlayerProfile,
    PlayerSide,
    RuleSet,
    UnionFind,
    deploy,
    replay,
    rules,
)
from contracts.mage_duel.oracle import slow_scores
from contracts.mage_duel.playouts import Duel, random_move
from contracts.mage_duel.scoring import immediate_points
from contracts.mage_duel.session import Refusal
from contracts.mage_duel.state import State
from contracts.mage_duel.tiles import Edge

Record = dict[str, Any]

SEEDS: Final = st.integers(0, 2**32)
REFUSALS: Final = {
    Refusal.GAME_IS_ALREADY_FINISHED: "GameIsAlreadyFinished",
    Refusal.NOT_ENOUGH_JOKERS: "NotEnoughJokers",
    Refusal.NOT_YOUR_TURN: "NotYourTurn",
}

NOES: Final = {
    *(
        "GameCreateFailed",
        "GameJoinFailed",
        "SnapshotCreateFailed",
        "BoardCreateFromSnapshotFalied",
    ),
    *("InvalidMove", "PlayerNotInGame", "CantFinishGame", "PlayerSkinChangeFailed"),
    *REFUSALS.values(),
}
REVERTS: Final = ("No tiles in the deck", "Only an owner of the world may set a balance")


def random_duel(seed: int) -> tuple[Duel, Random]:
    """A duel that has just begun, by rules that are now and then not the usual ones."""
    chance = Random(seed)
    rule_set = RuleSet(
        cities=chance.randint(1, 2), roads=chance.randint(1, 2), joker_number=chance.randrange(4)
    )
    chain = Chain(seed=seed)
    return Duel(deploy(chain, rule_set), *chain.accounts[:2]), chance


def played_on(duel: Duel, chance: Random) -> Iterator[Any]:
    """The receipts of random moves, to the end of the game."""
    while (state := duel.state).ending is None:
        move, waited = random_move(chance, state)
        next_second = duel.chain.now + 1  # others may have called since the last move
        duel.chain.set_time(max(state.updated_at + waited, next_second))
        yield duel.make(move)


@given(SEEDS)
@settings(max_examples=10, deadline=None)
def test_scores_are_those_from_scratch(seed: int) -> None:
    duel, chance = random_duel(seed)
    for _ in played_on(duel, chance):
        state = duel.state
        is_over = state.ending is not None
        assert state.scores == slow_scores(state.cells, state.ring, over=is_over)


@given(SEEDS)
@settings(max_examples=10, deadline=None)
def test_components_hold_all_points(seed: int) -> None:
    duel, chance = random_duel(seed)
    for _ in played_on(duel, chance):
        assert points_in_components(duel) == duel.state.scores


def points_in_components(duel: Duel) -> tuple[tuple[int, int], tuple[int, int]]:
    """The points of all roots, by side and kind."""
    found = duel.world.read(UnionFind, duel.board_id)
    roots = [node for node in range(256) if found.nodes_parents[node] == node]

    def total(points: list[int], kind: Edge) -> int:
        return sum(points[root] for root in roots if found.nodes_types[root] == kind)

    blue, red = found.nodes_blue_points, found.nodes_red_points
    return (total(blue, Edge.CITY), total(blue, Edge.ROAD)), (
        total(red, Edge.CITY),
        total(red, Edge.ROAD),
    )


@given(SEEDS)
@settings(max_examples=10, deadline=None)
def test_contests_keep_the_sum(seed: int) -> None:
    duel, chance = random_duel(seed)
    laid = [0, 0]
    for receipt in played_on(duel, chance):
        for moved in receipt.events["Moved"]:
            cell = 8 * moved.col + moved.row
            points = immediate_points(duel.board.initial_edge_state, cell, duel.board.state[cell])
            laid = [laid[0] + points[0], laid[1] + points[1]]
        assert [sum(halves) for halves in zip(*duel.state.scores, strict=True)] == laid


@given(SEEDS)
@settings(max_examples=10, deadline=None)
def test_past_boards_are_shown(seed: int) -> None:
    duel, chance = random_duel(seed)
    stood = {0: duel.board}
    for _ in played_on(duel, chance):
        stood[duel.board.moves_done] = duel.board
    for number, board in stood.items():
        assert duel.game.board_at(0, number) == board


def position(board: Board) -> Record:
    """Return cells, deck and top tile, jokers and scores of a board."""
    return {
        "cells": board.state,
        "deck": board.available_tiles_in_deck,
        "top_tile": board.top_tile,
        "jokers": (board.player1[2], board.player2[2]),
        "scores": (board.blue_score, board.red_score),
        "moves_done": board.moves_done,
    }


def positions_to_the_end(duel: Duel, chance: Random, past: list[Record]) -> list[Record]:
    """Return every position to the end, after those of the board that it was restored from."""
    stood = [*past, position(duel.board)]
    for _ in played_on(duel, chance):
        now = position(duel.board)
        if now["moves_done"] > len(stood):  # a silent skip moved nothing
            stood.append(stood[-1] | {"moves_done": len(stood)})
        stood.append(now)
    return stood


@given(SEEDS, st.data())
@settings(max_examples=6, deadline=None)
def test_branches_remember_where_they_come_from(seed: int, data: st.DataObject) -> None:
    duel, chance = random_duel(seed)
    stood, players = positions_to_the_end(duel, chance, []), iter(duel.chain.accounts[2:])
    for snapshot_id in range(2):
        host, guest = next(players), next(players)
        number = data.draw(st.integers(0, len(stood) - 1))
        duel.game.create_snapshot(duel.board_id, number, sender=host)
        duel.game.create_game_from_snapshot(snapshot_id, sender=host)
        duel = Duel(duel.world, host, guest)
        stood = positions_to_the_end(duel, chance, stood[:number])
        for then, expected in enumerate(stood):
            assert position(duel.game.board_at(duel.board_id, then)) == expected, then


@given(SEEDS)
@settings(max_examples=5, deadline=None)
def test_log_alone_rebuilds_the_world(seed: int) -> None:
    duel, chance = random_duel(seed)
    for _ in played_on(duel, chance):
        random_call(duel, chance)
    again = replay(duel.chain.receipts)
    assert again.state_root() == duel.chain.state_root()
    assert again.world(duel.world).all(Board) == duel.world.all(Board)


@given(SEEDS)
@settings(max_examples=10, deadline=None)
def test_every_call_is_answered_by_the_rules(seed: int) -> None:
    duel, chance = random_duel(seed)
    for _ in range(60):
        if chance.random() < 0.4:
            next(played_on(duel, chance), None)
        else:
            duel.chain.advance(chance.choice([0, 0, 1, 60, 66, 131]))
            answer, expected = random_call(duel, chance)
            assert answer == expected


def random_call(duel: Duel, chance: Random) -> tuple[str, str]:
    """The answer to a call that is seldom legal, and what the rules say it must be.

    A refusal is one event or a revert, and no word of storage changes.
    """
    side, before = chance.choice([*PlayerSide]), duel.state
    joker = chance.choice([None, None, *range(26), 200])
    rotation, col, row = (
        chance.choice([0, 1, 2, 3, 4]),
        chance.choice([*range(9), 255]),
        chance.randrange(9),
    )
    receipt = duel.game.make_move(joker, rotation, col, row, sender=duel.players[side], check=False)
    expected = answer_of_rules(before, side, receipt.timestamp, joker, rotation, col, row)
    told = [type(event).__name__ for event in receipt.events]
    if expected != "BoardUpdated":
        assert len(told) == receipt.ok
        assert receipt.writes == []
    return (told[-1] if receipt.error is None else receipt.error.text), expected


def answer_of_rules(
    state: State, side: PlayerSide, now: int, joker: int | None, rotation: int, col: int, row: int
) -> str:
    refusal = rules.refusal(state, side, now, with_joker=joker is not None)
    if refusal is not None:
        return REFUSALS[refusal]
    if joker is None and state.top_tile is None:
        return "No tiles in the deck"
    move = rules.placement(state, side, joker, rotation, col, row)
    return "BoardUpdated" if rules.fits(state, move) else "InvalidMove"


@given(SEEDS)
@settings(max_examples=10, deadline=None)
def test_refused_call_changes_no_word(seed: int) -> None:
    duel, chance = random_duel(seed)
    for _ in range(80):
        next(played_on(duel, chance), None)
        duel.chain.advance(chance.choice([0, 0, 1, 66, 131]))
        receipt = any_call(duel, chance)
        refused = [event for event in receipt.events if type(event).__name__ in NOES]
        if refused or not receipt.ok:
            assert (len(receipt.events), receipt.writes) == (receipt.ok, [])
            assert receipt.ok or receipt.error.text in REVERTS


def any_call(duel: Duel, chance: Random) -> Any:
    """Any call of either system, by a player, a stranger or the owner."""
    profile, number = duel.world.system(PlayerProfile), partial(chance.randrange, 9)
    somebody = partial(chance.choice, duel.chain.accounts[:4])
    name, *args = chance.choice(
        [
            ("make_move", None, number(), number(), number()),
            ("make_move", number(), number() % 4, number(), number()),
            ("skip_move",),
            ("create_game",),
            ("join_game", somebody()),
            ("cancel_game",),
            ("finish_game", number() // 4),
            ("create_snapshot", number() // 4, number()),
            ("create_game_from_snapshot", number() // 4),
            ("change_skin", number()),
            ("set_balance", 100 * number(), somebody()),
        ]
    )
    system = duel.game if hasattr(duel.game, str(name)) else profile
    return getattr(system, str(name))(*args, sender=somebody(), check=False)


@given(SEEDS, st.data())
@settings(max_examples=10, deadline=None)
def test_snapshots_are_played_to_their_ends(seed: int, data: st.DataObject) -> None:
    duel, chance = random_duel(seed)
    for _ in played_on(duel, chance):
        pass
    number = data.draw(st.integers(0, duel.board.moves_done))
    carol, dave = duel.chain.accounts[2:4]
    duel.game.create_snapshot(0, number, sender=carol)
    duel.game.create_game_from_snapshot(0, sender=carol)
    branch = Duel(duel.world, carol, dave)
    assert branch.board.state == duel.game.board_at(0, number).state
    for _ in played_on(branch, chance):
        state = branch.state
        assert points_in_components(branch) == state.scores
    assert state.scores == slow_scores(state.cells, state.ring, over=True)
