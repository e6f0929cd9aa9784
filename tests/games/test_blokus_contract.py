"""Blokus on a chain: who may do what, what is stored, what is announced."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chain import Chain
from chain.crypto.accounts import ACCOUNTS
from chain.machine.state import iter_changes
from chain.simulator.handle import Handle
from chain.testing import assert_events, reverts
from contracts.blokus import (
    Blokus,
    Ending,
    GameCreated,
    GameFinished,
    GameRecord,
    LegalCount,
    Move,
    MoveRecord,
    PiecePlaced,
    PieceRecord,
    PlayerJoined,
    Scoring,
    TurnPassed,
)
from contracts.blokus.legal import legal_moves, placement_of
from contracts.blokus.move import pass_of, piece_named
from contracts.blokus.pieces import PIECES
from contracts.blokus.playouts import random_moves
from contracts.blokus.rules import outcome, play, scores
from contracts.blokus.state import State, start

ROOT = Path(__file__).parents[2]
PLAYERS = ACCOUNTS[:4]
STRANGER = ACCOUNTS[9]
ENTRIES = [
    "create_game", "join", "make_move", "pass_turn", "game_count", "game", "players", "state", "board",
    "inventory", "legal_moves", "legal_count", "whose_turn", "scores", "outcome",
]  # fmt: skip

seeds = st.integers(0, 2**32)
tables = st.integers(2, 4)


@pytest.fixture
def blokus(chain: Chain) -> Handle:
    return chain.deploy(Blokus)


@pytest.fixture
def game(blokus: Handle) -> int:
    return seated(blokus)


def seated(blokus: Handle, players: int = 4, scoring: Scoring = Scoring.ORIGINAL) -> int:
    game: int = blokus.create_game(players, scoring, sender=PLAYERS[0]).return_value
    for account in PLAYERS[1:players]:
        blokus.join(game, sender=account)
    return game


def put(name: str, row: int, col: int, player: int, rotation: int = 0) -> Move:
    return Move(piece_named(name), (row, col), rotation, player)


def sent(blokus: Handle, game: int, move: Move | MoveRecord) -> Any:
    return blokus.make_move(game, move, sender=PLAYERS[move.player_id - 1])


def play_until_stuck(blokus: Handle, game: int) -> State:
    state = start()
    for move in random_moves(1):
        if move.is_pass:
            break
        sent(blokus, game, move)
        state = play(state, move)
    return state


def words(receipt: Any) -> int:
    """Return the number of changed words of storage."""
    return len({slot for _, slot, _, _ in iter_changes(receipt.changes) if isinstance(slot, int)})


def test_contract_needs_no_strategies() -> None:
    pytest.importorskip("coincurve")  # signing in Python imports more
    script = "import sys, contracts.blokus; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True)
    beside = {"random", *(f"contracts.blokus.{n}" for n in ("strategies", "playouts", "oracle"))}
    assert "contracts.blokus.contract" in done.stdout.split()
    assert beside & set(done.stdout.split()) == set()


def test_entries_are_these() -> None:
    assert list(Blokus.__spec__.entries) == ENTRIES


def test_move_is_one_tuple_of_the_document() -> None:
    spec = Blokus.__spec__.entries["make_move"]
    tuple_of_move = spec.json()["inputs"][1]["components"]
    names = [part["name"] for part in tuple_of_move]
    assert names == ["piece", "position", "rotation", "player_id", "is_pass", "flip"]
    move = "((bool,(string)),(bool,(int16,int16)),int16,int16,bool,bool)"
    assert spec.signature == f"make_move(uint64,{move})"


def test_creator_is_player_one(blokus: Handle) -> None:
    receipt = blokus.create_game(3, Scoring.BASIC, sender=PLAYERS[0])
    joined = PlayerJoined(0, 1, PLAYERS[0], waiting_for=2)
    assert list(receipt.events) == [GameCreated(0, 3, Scoring.BASIC), joined]
    assert blokus.game(0) == GameRecord(3, 1, Scoring.BASIC, turn=1)
    assert blokus.players(0) == (PLAYERS[0],)


def test_games_count_as_original_unless_reported(blokus: Handle) -> None:
    blokus.create_game(2)
    assert blokus.game(0).scoring is Scoring.ORIGINAL


def test_games_are_numbered(blokus: Handle) -> None:
    assert [blokus.create_game(2).return_value for _ in range(3)] == [0, 1, 2]
    assert blokus.game_count() == 3


@pytest.mark.parametrize("players", [0, 1, 5, 255])
def test_game_is_for_two_to_four(blokus: Handle, players: int) -> None:
    with reverts("Blokus is played by 2, 3 or 4 players"):
        blokus.create_game(players)
    assert blokus.game_count() == 0


def test_players_join_in_order(blokus: Handle) -> None:
    blokus.create_game(4, sender=PLAYERS[0])
    receipts = [blokus.join(0, sender=account) for account in PLAYERS[1:]]
    assert [receipt.return_value for receipt in receipts] == [2, 3, 4]
    assert_events(receipts[2], PlayerJoined(0, 4, PLAYERS[3], waiting_for=0))
    assert blokus.players(0) == tuple(PLAYERS)


def test_full_game_takes_nobody(blokus: Handle, game: int) -> None:
    with reverts("Game is full"):
        blokus.join(game, sender=STRANGER)


def test_account_joins_once(blokus: Handle) -> None:
    blokus.create_game(3, sender=PLAYERS[0])
    blokus.join(0, sender=PLAYERS[1])
    for account in PLAYERS[:2]:
        with reverts("You already play in this game"):
            blokus.join(0, sender=account)


def test_game_begins_when_all_are_here(blokus: Handle) -> None:
    blokus.create_game(2, sender=PLAYERS[0])
    calls: list[Callable[[], object]] = [
        lambda: sent(blokus, 0, put("I1", 0, 0, 1)),
        lambda: blokus.pass_turn(0),
    ]
    for call in calls:
        with reverts("The game is still waiting for players"):
            call()
    assert blokus.whose_turn(0) == 0
    blokus.join(0, sender=PLAYERS[1])
    assert blokus.whose_turn(0) == 1


@pytest.mark.parametrize(
    ("entry", "args"),
    [
        ("join", ()),
        ("make_move", (pass_of(1),)),
        ("pass_turn", ()),
        ("game", ()),
        ("players", ()),
        ("state", ()),
        ("board", ()),
        ("inventory", (1,)),
        ("legal_moves", (1,)),
        ("legal_count", (1,)),
        ("whose_turn", ()),
        ("scores", ()),
        ("outcome", ()),
    ],
)
def test_unknown_game_is_refused(
    blokus: Handle, game: int, entry: str, args: tuple[Any, ...]
) -> None:
    with reverts("Game not found"):
        getattr(blokus, entry)(game + 1, *args)


def test_placement_is_reported(blokus: Handle, game: int) -> None:
    receipt = sent(blokus, game, put("L4", 2, 0, 1, rotation=90))
    told = PiecePlaced(game, 1, "L4", 2, 0, rotation=90, flip=False, next_player=2)
    assert list(receipt.events) == [told]
    assert receipt.return_value == blokus.whose_turn(game) == 2


def test_record_of_a_move_is_accepted(blokus: Handle, game: int) -> None:
    move, calldata = put("L4", 2, 0, 1, rotation=90), blokus.make_move.calldata
    record = MoveRecord(PieceRecord("L4"), (2, 0), 90, 1)
    assert calldata(game, move) == calldata(game, record)
    assert sent(blokus, game, move).args["move"] == record


@pytest.mark.parametrize("account", [*PLAYERS[1:], STRANGER])
def test_player_moves_for_oneself(blokus: Handle, game: int, account: Any) -> None:
    for move in (put("I1", 0, 0, 1), pass_of(1)):
        with reverts("You are not player 1"):
            blokus.make_move(game, move, sender=account)


@pytest.mark.parametrize(
    ("move", "text"),
    [
        (put("I1", 0, 19, 2), "Not your turn"),
        (pass_of(1), "A player with a legal placement cannot pass"),
        (put("I1", 3, 3, 1), "First move must occupy the starting corner (0, 0)"),
        (put("I2", 19, 0, 1), "Position (20, 0) is outside board bounds"),
        (MoveRecord(PieceRecord("V4"), (0, 0), 0, 1), "Player does not own this piece"),
        (MoveRecord(PieceRecord(""), (0, 0), 0, 1), "Player does not own this piece"),
        (MoveRecord(None, (0, 0), 0, 1), "Move must specify piece unless passing"),
        (
            MoveRecord(PieceRecord("I1"), None, 0, 1),
            "Move must specify position unless passing",
        ),
        (MoveRecord(PieceRecord("I1"), (-1, 0), 0, 1), "Position out of board bounds"),
        (MoveRecord(PieceRecord("I1"), (0, 0), -90, 1), "Invalid rotation: -90"),
        (MoveRecord(PieceRecord("I1"), (0, 0), 0, 5), "Invalid player_id: 5"),
        (
            MoveRecord(PieceRecord("I1"), None, 0, 1, is_pass=True),
            "A pass carries neither piece nor position",
        ),
    ],
)
def test_refusal_has_the_words_of_the_rules(
    blokus: Handle, game: int, move: Move | MoveRecord, text: str
) -> None:
    sender = PLAYERS[min(move.player_id, 4) - 1]
    receipt = blokus.make_move(game, move, sender=sender, check=False)
    assert (receipt.error.kind, receipt.error.text) == ("revert", text)
    assert (receipt.writes, list(receipt.logs), words(receipt)) == ([], [], 0)


def test_absent_player_is_not_found(blokus: Handle) -> None:
    game = seated(blokus, players=2)
    with reverts("Player not found"):
        sent(blokus, game, put("I1", 19, 19, 3))


@pytest.mark.parametrize("view", ["inventory", "legal_moves", "legal_count"])
@pytest.mark.parametrize("player", [0, 3])
def test_view_of_absent_player_is_refused(blokus: Handle, view: str, player: int) -> None:
    game = seated(blokus, players=2)
    with reverts("Player not found"):
        getattr(blokus, view)(game, player)


def test_placed_piece_is_gone(blokus: Handle, game: int) -> None:
    for move in (put("I1", 0, 0, 1), put("I1", 0, 19, 2), put("I1", 19, 19, 3)):
        sent(blokus, game, move)
    sent(blokus, game, put("I1", 19, 0, 4))
    with reverts("Piece is already placed"):
        sent(blokus, game, put("I1", 1, 1, 1))


def test_anyone_passes_for_the_stuck(blokus: Handle, game: int) -> None:
    stuck = play_until_stuck(blokus, game).turn
    receipt = blokus.pass_turn(game, sender=STRANGER)
    told = TurnPassed(game, stuck, STRANGER, next_player=blokus.whose_turn(game))
    assert list(receipt.events) == [told]
    assert receipt.return_value not in (0, stuck)
    assert blokus.state(game).seats[stuck - 1].passed


def test_stuck_player_passes_by_a_move(blokus: Handle, game: int) -> None:
    stuck = play_until_stuck(blokus, game).turn
    receipt = sent(blokus, game, pass_of(stuck))
    assert_events(receipt, (TurnPassed, {"player_id": stuck, "caller": PLAYERS[stuck - 1]}))


def test_nobody_passes_for_the_able(blokus: Handle, game: int) -> None:
    with reverts("A player with a legal placement cannot pass"):
        blokus.pass_turn(game, sender=PLAYERS[0])


def test_end_is_reported(chain: Chain, blokus: Handle, game: int) -> None:
    *_, last = [sent(blokus, game, move) for move in random_moves(1)]
    ended = blokus.outcome(game)
    finished = GameFinished(game, Ending.ALL_STUCK, ended.winners, ended.scores, ended.ranks)
    assert_events(last, TurnPassed, finished)
    assert last.return_value == blokus.whose_turn(game) == 0
    assert chain.events(GameFinished).count() == 1


def test_finished_game_takes_no_move(blokus: Handle, game: int) -> None:
    for move in random_moves(1):
        sent(blokus, game, move)
    for move in (put("I1", 0, 0, 1), pass_of(2)):
        with reverts("Game is over"):
            sent(blokus, game, move)
    with reverts("Game is over"):
        blokus.pass_turn(game)


def test_games_do_not_mix(blokus: Handle) -> None:
    one, other = seated(blokus), seated(blokus, players=2)
    sent(blokus, one, put("I5", 0, 0, 1))
    sent(blokus, other, put("I1", 0, 0, 1))
    assert blokus.inventory(one, 1) == tuple(p.name for p in PIECES if p.name != "I5")
    assert blokus.inventory(other, 1) == tuple(p.name for p in PIECES if p.name != "I1")


def test_board_shows_the_players(blokus: Handle, game: int) -> None:
    sent(blokus, game, put("V3", 0, 0, 1))
    sent(blokus, game, put("I1", 0, 19, 2))
    first, second, *others = blokus.board(game)
    assert first == (1, *[0] * 18, 2)
    assert second == (1, 1, *[0] * 18)
    assert others == [(0,) * 20] * 18


@pytest.mark.parametrize("limit", [1, 7, 58, 100])
def test_pages_make_up_the_moves(blokus: Handle, game: int, limit: int) -> None:
    pages = [blokus.legal_moves(game, 2, start, limit) for start in range(0, 58, limit)]
    moves = [record.read() for page in pages for record in page]
    assert moves == list(legal_moves(start(), 2))
    assert blokus.legal_moves(game, 2, 58, limit) == ()


def test_page_has_a_hundred_unless_reported(blokus: Handle, game: int) -> None:
    for move in list(random_moves(1))[:20]:
        sent(blokus, game, move)
    assert len(blokus.legal_moves(game, 1)) == 100 < blokus.legal_count(game, 1).placements


def test_placements_and_moves_are_counted(blokus: Handle, game: int) -> None:
    assert blokus.legal_count(game, 1) == LegalCount(placements=58, moves=116)


@settings(max_examples=12, deadline=None)
@given(seeds, tables, st.sampled_from(Scoring))
def test_chain_answers_as_the_rules_do(seed: int, players: int, scoring: Scoring) -> None:
    blokus = Chain().deploy(Blokus)
    game, state = seated(blokus, players, scoring), start(players, scoring)
    for move in random_moves(seed, players):
        assert blokus.state(game).read() == state
        assert blokus.outcome(game) is None
        sent(blokus, game, move)
        state = play(state, move)
    assert blokus.state(game).read() == state
    assert blokus.outcome(game) == outcome(state)
    assert blokus.scores(game) == scores(state)


@settings(max_examples=12, deadline=None)
@given(seeds, tables)
def test_events_show_the_board(seed: int, players: int) -> None:
    chain = Chain()
    blokus = chain.deploy(Blokus)
    game = seated(blokus, players)
    for move in random_moves(seed, players):
        sent(blokus, game, move)
    told = chain.events(PiecePlaced, game_id=game)
    squares = dict.fromkeys(range(1, players + 1), 0)
    for event in told:
        move = put(event.piece, event.row, event.col, event.player_id, event.rotation)
        placement = placement_of(replace(move, flip=event.flip))
        assert placement is not None
        squares[event.player_id] |= placement.squares
    assert list(squares.values()) == [seat.squares for seat in blokus.state(game).read().seats]


@settings(max_examples=12, deadline=None)
@given(seeds, tables)
def test_move_writes_three_words_at_most(seed: int, players: int) -> None:
    blokus = Chain().deploy(Blokus)
    game = seated(blokus, players)
    for move in random_moves(seed, players):
        state = blokus.state(game).read()
        written = words(sent(blokus, game, move))
        rest = blokus.state(game).read()
        is_high_up = (state.occupied ^ rest.occupied) % 2**256 != 0
        assert written == (rest.turn != state.turn) + 1 + is_high_up
