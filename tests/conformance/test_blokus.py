"""The answers of the original Blokus, compared with the bare rules and with the contract: games move by move, and cases."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from typing import Any

import pytest

from contracts.blokus.board import CORNERS, POSITIONS, SIDE, Squares, indices, square
from contracts.blokus.legal import Placement, placement_of
from contracts.blokus.move import Move, piece_named
from contracts.blokus.pieces import FULL_HAND, NUMBERS, PIECES, Piece
from contracts.blokus.rules import draw
from contracts.blokus.shapes import pose_of
from contracts.blokus.state import Scoring, Seat, State
from contracts.blokus.strategies import BestScore, Hard, Medium, Original
from tests.conformance.blokus_desks import ChainDesk, Desk, Record, RulesDesk

CLASSES = {
    "Move is valid": "ok",
    "is outside board bounds": "bounds",
    "is already occupied": "overlap",
    "edge-to-edge contact": "edge_contact",
    "must occupy the starting corner": "first_corner",
    "corner-to-corner": "no_corner_contact",
}
# What a Move can be asked without a position.
FORM_FAULTS = re.compile(
    "Move must specify|Cannot place already-placed|Position out of board|Invalid |A pass carries"
)
# The document words some checks twice: for a Move by itself, and before it is placed. A piece that
# is sent by its name is on the board or not, so of those two words only the second ones are due.
SAID_OTHERWISE = {
    "Invalid rotation": "Invalid rotation: {rotation}",
    "Position out of bounds": "Position out of board bounds",
    "Cannot place already-placed piece": "Piece is already placed",
}


@pytest.fixture(params=[RulesDesk, ChainDesk], ids=["rules", "chain"])
def desk(request: pytest.FixtureRequest) -> Desk:
    made: Desk = request.param()
    return made


def numbers(squares: Squares) -> list[int]:
    """Return the squares as the records number them, without a border."""
    return [row * SIDE + col for row, col in (POSITIONS[index] for index in indices(squares))]


def named(placement: Placement) -> tuple[str, list[int]]:
    return PIECES[placement.piece].name, numbers(placement.squares)


def digest(placements: Iterable[Placement]) -> str:
    placed = [named(placement) for placement in placements]
    lines = sorted(f"{name}:{','.join(map(str, squares))}" for name, squares in placed)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


@pytest.mark.records("blokus", "1", "4")
@pytest.mark.parametrize("player", [1, 2, 3, 4])
def test_first_placements_match(desk: Desk, record: Record, player: int) -> None:
    expected = record[str(player)]
    count, moves, legal = desk.legal(player)
    placements = sorted(named(placement) for placement in legal)
    names = [name for name, _ in placements]
    assert placements == [(name, squares) for name, squares in expected["placements"]]
    assert {name: names.count(name) for name in sorted(set(names))} == expected["per_piece"]
    assert (count, moves) == (expected["distinct"], expected["encoded"])
    assert digest(legal) == expected["digest"]
    assert list(CORNERS[player - 1]) == expected["corner"]


@pytest.mark.records("blokus", "1", "4")
@pytest.mark.parametrize("player", [1, 2, 3, 4])
def test_second_placements_are_counted(desk: Desk, record: Record, player: int) -> None:
    counts = []
    for name, numbered in record[str(player)]["placements"]:
        squares = sum(square(*divmod(number, SIDE)) for number in numbered)
        seat = Seat(squares, FULL_HAND ^ 1 << NUMBERS[name], last_piece=NUMBERS[name])
        desk.lay_out(State(tuple(seat if p == player else Seat() for p in (1, 2, 3, 4))))
        counts.append(desk.legal(player)[0])
    assert counts == record[str(player)]["second_counts"]


@pytest.mark.records("blokus", "plies")
def test_every_ply_is_legal_and_counted(desk: Desk, record: Record, blokus_games: Any) -> None:
    desk.create_game(record["players"])
    for number, ply in enumerate(record["plies"]):
        player, state = desk.state.turn, desk.state
        count, moves, legal = desk.legal(player)
        found = player, count, moves, digest(legal)
        assert found == (ply["p"], ply["legal"], ply["enc"], ply["h"]), f"{number}\n{draw(state)}"
        placement = placement_of(blokus_games.move(ply))
        assert (placement in legal) == ("pass" not in ply)
        assert (numbers(placement.squares) if placement else None) == ply.get("cells")
        assert desk.play(blokus_games.move(ply)) is None
    assert desk.state.turn == 0


@pytest.mark.records("blokus", "plies")
def test_game_ends_as_recorded(desk: Desk, record: Record, blokus_games: Any) -> None:
    desk.lay_out(blokus_games.position(record["id"]))
    ended = desk.outcome()
    assert ended is not None
    assert list(ended.winners) == record["winners"]
    ranked = sorted([rank, player] for player, rank in enumerate(ended.ranks, 1))
    assert ranked == record["rank"]
    assert [desk.legal(int(player))[0] for player in record["placed"]] == [0] * record["players"]


@pytest.mark.records("blokus", "plies")
def test_hands_end_as_recorded(desk: Desk, record: Record, blokus_games: Any) -> None:
    desk.lay_out(blokus_games.position(record["id"]))
    for player, remaining in record["remaining"].items():
        seat = desk.state.seat(int(player))
        assert desk.inventory(int(player)) == remaining
        assert len(PIECES) - seat.hand.bit_count() == record["placed"][player]
        last = None if seat.last_piece is None else PIECES[seat.last_piece].name
        assert last == record["last_piece"][player]


@pytest.mark.records("blokus", "plies")
@pytest.mark.parametrize("scoring", list(Scoring))
def test_game_is_scored_in_every_way(
    desk: Desk, record: Record, blokus_games: Any, scoring: Scoring
) -> None:
    desk.lay_out(blokus_games.position(record["id"]))
    points = desk.scores(scoring)
    recorded = record["scores"][scoring.name.lower()]
    assert {str(player): value for player, value in enumerate(points, 1)} == recorded


@pytest.mark.records("blokus", "plies")
def test_game_counts_as_it_was_created(desk: Desk, record: Record, blokus_games: Any) -> None:
    for scoring in Scoring:
        desk.create_game(record["players"], scoring)
        refused = [desk.play(blokus_games.move(ply)) for ply in record["plies"]]
        assert not any(refused)
        ended = desk.outcome()
        assert ended is not None
        assert list(ended.scores) == list(record["scores"][scoring.name.lower()].values())


@pytest.mark.records("blokus", "plies")
def test_picture_changes_where_events_say(record: Record, blokus_games: Any, watch: Any) -> None:
    desk = ChainDesk()
    desk.create_game(record["players"])
    board = watch(desk.blokus, desk.game)
    for ply in record["plies"]:
        desk.play(blokus_games.move(ply))
        changed, (receipt,) = board.step()
        assert changed == {
            f"{event.row + row},{event.col + col}"
            for event in receipt.events["PiecePlaced"]
            for row, col in pose_of(NUMBERS[event.piece], event.flip, event.rotation).cells
        }


@pytest.mark.records("blokus", "plies")
def test_unused_first_scoring_follows_from_hands(record: Record, blokus_games: Any) -> None:
    """No game offers this way to count, but it can be computed from the hands."""
    for player, recorded in record["scores"]["spec001"].items():
        seat = blokus_games.position(record["id"]).seat(int(player))
        left = seat.hand.bit_count()
        assert seat.squares.bit_count() - 5 * left + (0 if left else 15) == recorded


@pytest.mark.records("blokus", "class", "reason")
def test_attempt_is_answered_alike(desk: Desk, record: Record, blokus_games: Any) -> None:
    state = blokus_games.position(record["game"], record["ply"])
    desk.lay_out(state)
    reason = desk.play(blokus_games.move(record | {"p": record["player"]})) or "Move is valid"
    assert reason == record["reason"], draw(state)
    assert [kind for words, kind in CLASSES.items() if words in reason] == [record["class"]]
    assert (desk.state != state) == record["valid"]


@pytest.mark.records("blokus", "validation", "repr")
def test_move_is_checked_as_documented(desk: Desk, record: Record) -> None:
    wrong = []
    for case in record["validation"]:
        args = move_arguments(case["args"])
        desk.lay_out(given(case, args["player_id"]))
        said = desk.send(args)
        if not is_met(case, said):
            wrong.append((case["name"], said))
    assert wrong == []


@pytest.mark.records("blokus", "validation", "repr")
def test_move_takes_arguments_in_order(record: Record) -> None:
    for case in record["validation"]:
        if case["expect"] == "ok":
            args = move_arguments(case["args"])
            assert Move(*args.values()) == Move(**args)


@pytest.mark.records("blokus", "validation", "repr")
def test_move_is_shown_as_documented(record: Record) -> None:
    shown = [repr(Move(**move_arguments(case["args"]))) for case in record["repr"]]
    assert shown == [case["doc"] for case in record["repr"]]


def is_met(case: Record, said: str | None) -> bool:
    is_well_formed = FORM_FAULTS.match(said or "") is None
    if case["expect"] in ("ok", "reject"):
        return is_well_formed is (case["expect"] == "ok")
    otherwise = SAID_OTHERWISE.get(case["doc"], "").format(**case["args"])
    return said in (case["doc"], otherwise)


def given(case: Record, player: int) -> State:
    """The position in which these words are due: the piece is on the board, or it is the start."""
    seats = [Seat(), Seat(), Seat(), Seat()]
    turn = player if player in (1, 2, 3, 4) else 1
    if "already" in (case["doc"] or ""):
        seats[turn - 1] = Seat(hand=FULL_HAND ^ 1 << NUMBERS["L4"])
    return State(tuple(seats), turn)


def move_arguments(args: Record) -> Record:
    order = ("piece", "position", "rotation", "player_id", "is_pass", "flip")
    given_so = args.get("positional")
    whole = {"is_pass": False, "flip": False, **args}
    whole = dict(zip(order, given_so, strict=True)) if given_so else whole
    position = whole["position"] and tuple(whole["position"])
    whole |= {"piece": piece_of(whole["piece"]), "position": position}
    return {name: whole[name] for name in order}


def piece_of(text: str | None) -> Piece | None:
    """`L4`, or `L4 (already placed)`, or a name that no inventory has."""
    if text is None:
        return None
    name, _, remark = text.partition(" ")
    piece = piece_named(name) if name in NUMBERS else Piece(name, ((0, 0),))
    return piece.place((0, 0)) if "already placed" in remark else piece


@pytest.mark.records("blokus", "medium_legal_best", "samples")
@pytest.mark.parametrize(
    ("key", "strategy", "unit"),
    [("medium_legal_best", Medium(), 1), ("hard_legal_best", Hard(), 1), ("ingame", Original(), 2)],
    ids=["medium", "hard", "original"],
)
def test_strategy_chooses_as_recorded(
    desk: Desk, record: Record, blokus_games: Any, key: str, strategy: BestScore, unit: int
) -> None:
    desk.lay_out(blokus_games.position(record["game"], record["ply"]))
    state = desk.state
    move = strategy.calculate_move(state)
    assert short(move) == record[key]["move"]
    assert strategy.score(state, move) == unit * record[key]["score"]
    for sample in record["samples"]:
        points = strategy.score(state, long(sample["move"], state.turn))
        assert points == unit * sample[key.removesuffix("_legal_best")]


@pytest.mark.records("blokus", "medium_legal_best", "samples")
def test_samples_are_legal_moves(desk: Desk, record: Record, blokus_games: Any) -> None:
    state = blokus_games.position(record["game"], record["ply"])
    desk.lay_out(state)
    _, moves, legal = desk.legal(record["player"])
    assert (state.turn, moves) == (record["player"], record["encoded_legal"])
    samples = [placement_of(long(sample["move"], state.turn)) for sample in record["samples"]]
    assert set(samples) <= set(legal)


def short(move: Move) -> list[Any]:
    assert move.piece is not None
    assert move.position is not None
    return [move.piece.name, move.flip, move.rotation, *move.position]


def long(move: list[Any], player: int) -> Move:
    name, flip, rotation, row, col = move
    return Move(piece_named(name), (row, col), rotation, player, flip=flip)
