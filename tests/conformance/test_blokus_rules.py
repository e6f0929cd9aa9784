"""What the original Blokus answered, asked of our rules: games ply by ply, and single cases."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from contracts.blokus.board import CORNERS, POSITIONS, SIDE, STRIDE, Squares, indices, square
from contracts.blokus.legal import LegalMoves, Placement, legal_moves, placement_of
from contracts.blokus.move import Move, pass_of, piece_named
from contracts.blokus.pieces import FULL_HAND, NUMBERS, PIECES, Piece, pieces_in
from contracts.blokus.rules import draw, outcome, play, refusal
from contracts.blokus.scoring import scores
from contracts.blokus.shapes import POSES, SHAPES, pose_of
from contracts.blokus.state import Scoring, Seat, State, start
from contracts.blokus.strategies import BestScore, Hard, Medium, Original

Record = dict[str, Any]

CLASSES = {
    "Move is valid": "ok",
    "is outside board bounds": "bounds",
    "is already occupied": "overlap",
    "edge-to-edge contact": "edge_contact",
    "must occupy the starting corner": "first_corner",
    "corner-to-corner": "no_corner_contact",
}
# A Move that exists has passed these checks, so they are met when it is made, in other words.
SAID_AT_CONSTRUCTION = {
    "Invalid rotation": "Invalid rotation: {rotation}",
    "Position out of bounds": "Position out of board bounds",
}


@pytest.fixture(scope="module")
def games(request: pytest.FixtureRequest) -> dict[int, Record]:
    folder: Path = request.config.getoption("--vectors") / "blokus"
    texts = [path.read_text("utf-8") for path in sorted(folder.rglob("*.jsonl"))]
    records = [json.loads(line) for text in texts for line in text.splitlines()]
    return {record["id"]: record for record in records if "plies" in record}


def numbers(squares: Squares) -> list[int]:
    """As the records number them, without a fence."""
    return [row * SIDE + col for row, col in (POSITIONS[index] for index in indices(squares))]


def named(placement: Placement) -> tuple[str, list[int]]:
    return PIECES[placement.piece].name, numbers(placement.squares)


def digest(legal: LegalMoves) -> str:
    placed = [named(placement) for placement in legal.placements()]
    lines = sorted(f"{name}:{','.join(map(str, squares))}" for name, squares in placed)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def move_of(ply: Record) -> Move:
    if ply.get("pass"):
        return pass_of(ply["p"])
    return Move(
        piece=piece_named(ply["n"]),
        position=(ply["r"], ply["c"]),
        rotation=ply["rot"],
        player_id=ply["p"],
        flip=ply["flip"],
    )


def replay(game: Record, plies: int | None = None) -> State:
    state = start(game["players"])
    for ply in game["plies"][:plies]:
        state = play(state, move_of(ply))
    return state


@pytest.mark.records("blokus", "encodings", "orientations")
def test_poses_are_those_recorded(record: Record) -> None:
    number = NUMBERS[record["name"]]
    shapes = [
        (entry["cells"], pose_of(number, entry["flip"], entry["rot"]).shape)
        for entry in record["encodings"]
    ]
    cells = [[list(cell) for cell in pose.cells] for pose in POSES[number]]
    assert cells == [cells for cells, _ in shapes]
    assert len({shape for _, shape in shapes}) == record["orientations"] == len(record["shapes"])
    assert PIECES[number].size == record["size"]
    assert [list(cell) for cell in PIECES[number].cells] == record["cells"]


@pytest.mark.records("blokus", "encodings", "orientations")
def test_shapes_are_those_recorded(record: Record) -> None:
    number = NUMBERS[record["name"]]
    for entry in record["encodings"]:
        pose = pose_of(number, entry["flip"], entry["rot"])
        top, left = entry["min"]
        shape = record["shapes"][entry["shape"]]
        assert (pose.top, pose.left) == (-top, -left)
        assert sorted(pose.cells) == sorted((row + top, col + left) for row, col in shape)


@pytest.mark.records("blokus", "1", "4")
@pytest.mark.parametrize("player", [1, 2, 3, 4])
def test_first_placements_match(record: Record, player: int) -> None:
    expected = record[str(player)]
    legal = legal_moves(start(), player)
    placements = sorted(named(placement) for placement in legal.placements())
    names = [name for name, _ in placements]
    assert placements == [(name, squares) for name, squares in expected["placements"]]
    assert {name: names.count(name) for name in sorted(set(names))} == expected["per_piece"]
    assert (len(legal), legal.count_moves()) == (expected["distinct"], expected["encoded"])
    assert digest(legal) == expected["digest"]
    assert list(CORNERS[player - 1]) == expected["corner"]


@pytest.mark.records("blokus", "1", "4")
@pytest.mark.parametrize("player", [1, 2, 3, 4])
def test_second_placements_are_counted(record: Record, player: int) -> None:
    counts = []
    for name, numbered in record[str(player)]["placements"]:
        squares = sum(square(*divmod(number, SIDE)) for number in numbered)
        seat = Seat(squares, FULL_HAND ^ 1 << NUMBERS[name], last_piece=NUMBERS[name])
        seats = tuple(seat if other == player else Seat() for other in (1, 2, 3, 4))
        counts.append(len(legal_moves(State(seats), player)))
    assert counts == record[str(player)]["second_counts"]


@pytest.mark.records("blokus", "plies")
def test_every_ply_is_legal_and_counted(record: Record) -> None:
    state = start(record["players"])
    for number, ply in enumerate(record["plies"]):
        legal = legal_moves(state)
        found = state.turn, len(legal), legal.count_moves(), digest(legal)
        assert found == (ply["p"], ply["legal"], ply["enc"], ply["h"]), f"{number}\n{draw(state)}"
        move = move_of(ply)
        assert (move in legal) == (not move.is_pass)
        placement = placement_of(move)
        assert (numbers(placement.squares) if placement else None) == ply.get("cells")
        state = play(state, move)
    assert state.turn == 0


@pytest.mark.records("blokus", "plies")
def test_game_ends_as_recorded(record: Record) -> None:
    state = replay(record)
    ended = outcome(state)
    assert ended is not None
    assert list(ended.winners) == record["winners"]
    ranked = sorted([rank, player] for player, rank in enumerate(ended.ranks, 1))
    assert ranked == record["rank"]
    assert not any(legal_moves(state, int(player)) for player in record["placed"])


@pytest.mark.records("blokus", "plies")
def test_hands_end_as_recorded(record: Record) -> None:
    state = replay(record)
    for player, remaining in record["remaining"].items():
        seat = state.seat(int(player))
        assert [piece.name for piece in pieces_in(seat.hand)] == remaining
        assert len(PIECES) - seat.hand.bit_count() == record["placed"][player]
        last = None if seat.last_piece is None else PIECES[seat.last_piece].name
        assert last == record["last_piece"][player]


@pytest.mark.records("blokus", "plies")
@pytest.mark.parametrize("scoring", list(Scoring))
def test_game_is_scored_in_every_way(record: Record, scoring: Scoring) -> None:
    points = scores(replay(record), scoring)
    recorded = record["scores"][scoring.name.lower()]
    assert {str(player): value for player, value in enumerate(points, 1)} == recorded


@pytest.mark.records("blokus", "plies")
def test_unused_first_scoring_follows_from_hands(record: Record) -> None:
    """No game offers this way to count; what it needs is in the hands all the same."""
    for player, recorded in record["scores"]["spec001"].items():
        seat = replay(record).seat(int(player))
        left = seat.hand.bit_count()
        assert seat.squares.bit_count() - 5 * left + (0 if left else 15) == recorded


@pytest.mark.records("blokus", "class", "reason")
def test_attempt_is_answered_alike(record: Record, games: dict[int, Record]) -> None:
    state = replay(games[record["game"]], record["ply"])
    move = move_of(record | {"p": record["player"]})
    reason = refusal(state, move) or "Move is valid"
    assert reason == record["reason"], draw(state)
    assert [kind for words, kind in CLASSES.items() if words in reason] == [record["class"]]
    assert (move in legal_moves(state)) == record["valid"]


@pytest.mark.records("blokus", "validation", "repr")
def test_move_is_checked_as_documented(record: Record) -> None:
    wrong = [case["name"] for case in record["validation"] if not is_met(case, answer(case))]
    assert wrong == []


@pytest.mark.records("blokus", "validation", "repr")
def test_move_is_shown_as_documented(record: Record) -> None:
    shown = [repr(Move(**move_arguments(case["args"]))) for case in record["repr"]]
    assert shown == [case["doc"] for case in record["repr"]]


def answer(case: Record) -> str | None:
    """What is said against a move: when it is made or, if the case asks so, by the rules."""
    try:
        move = Move(*positional(case["args"]))
    except ValueError as error:
        return str(error)
    return None if case["phase"] == "construct" else refusal(given(case, move), move)


def is_met(case: Record, said: str | None) -> bool:
    if case["expect"] == "ok":
        return said is None
    if case["expect"] == "reject":
        return said is not None
    at_construction = SAID_AT_CONSTRUCTION.get(case["doc"], "").format(**case["args"])
    return said in (case["doc"], at_construction)


def given(case: Record, move: Move) -> State:
    """The position in which these words are due: the piece is on the board, or it is the start."""
    if case["doc"] != "Piece is already placed" or move.piece is None:
        return start()
    number = NUMBERS[move.piece.name]
    return State((Seat(hand=FULL_HAND ^ 1 << number), Seat(), Seat(), Seat()))


def positional(args: Record) -> list[Any]:
    given_so = args.get("positional")
    if given_so is not None:
        piece, position, *others = given_so
        return [piece_of(piece), position and tuple(position), *others]
    return list(move_arguments(args).values())


def move_arguments(args: Record) -> Record:
    order = ("piece", "position", "rotation", "player_id", "is_pass", "flip")
    position = args["position"] and tuple(args["position"])
    whole = {"is_pass": False, "flip": False, **args}
    whole |= {"piece": piece_of(args["piece"]), "position": position}
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
    record: Record, games: dict[int, Record], key: str, strategy: BestScore, unit: int
) -> None:
    state = replay(games[record["game"]], record["ply"])
    move = strategy.calculate_move(state)
    assert short(move) == record[key]["move"]
    assert strategy.score(state, move) == unit * record[key]["score"]
    for sample in record["samples"]:
        points = strategy.score(state, long(sample["move"], state.turn))
        assert points == unit * sample[key.removesuffix("_legal_best")]


@pytest.mark.records("blokus", "medium_legal_best", "samples")
def test_samples_are_legal_moves(record: Record, games: dict[int, Record]) -> None:
    state = replay(games[record["game"]], record["ply"])
    legal = legal_moves(state)
    assert state.turn == record["player"]
    assert legal.count_moves() == record["encoded_legal"]
    assert all(long(sample["move"], state.turn) in legal for sample in record["samples"])


@pytest.mark.records("blokus", "medium_raw", "raw_candidates")
def test_candidates_without_rules_match(record: Record, games: dict[int, Record]) -> None:
    """The original's classes by themselves only looked whether squares are empty; ours do not."""
    state = replay(games[record["game"]], record["ply"])
    moves, legal = list(blind_moves(state)), legal_moves(state)
    best = max(moves, key=lambda move: Medium().score(state, move))
    raw = {"move": short(best), "score": Medium().score(state, best), "rule_legal": best in legal}
    assert raw == record["medium_raw"]
    assert (len(moves), short(moves[0])) == (record["raw_candidates"], record["first_raw"])
    easy = [move for move in moves if is_seen_by_easy(state, move)]
    assert len(easy) == record["easy_candidates"]
    assert sum(move in legal for move in easy) == record["easy_rule_legal"]


def blind_moves(state: State) -> Iterator[Move]:
    occupied = state.occupied
    for piece in pieces_in(state.seat(state.turn).hand):
        for pose in POSES[NUMBERS[piece.name]]:
            squares = SHAPES[pose.shape].squares
            for row in range(pose.top, pose.bottom + 1):
                for col in range(pose.left, pose.right + 1):
                    if not squares << row * STRIDE + col + pose.lead & occupied:
                        at = (row, col)
                        yield Move(piece, at, pose.rotation, state.turn, flip=pose.flip)


def is_seen_by_easy(state: State, move: Move) -> bool:
    row, col = move.position or (0, 0)
    first_five = pieces_in(state.seat(state.turn).hand)[:5]
    return move.piece in first_five and move.rotation in (0, 180) and not row % 2 | col % 2


def short(move: Move) -> list[Any]:
    assert move.piece is not None
    assert move.position is not None
    return [move.piece.name, move.flip, move.rotation, *move.position]


def long(move: list[Any], player: int) -> Move:
    name, flip, rotation, row, col = move
    return Move(piece_named(name), (row, col), rotation, player, flip=flip)
