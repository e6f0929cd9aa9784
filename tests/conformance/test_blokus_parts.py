"""The parts of the original Blokus: its pieces in every pose, and the placements that its strategies considered."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from contracts.blokus.board import POSITIONS, indices
from contracts.blokus.legal import legal_moves
from contracts.blokus.move import Move
from contracts.blokus.pieces import NUMBERS, PIECES, pieces_in
from contracts.blokus.shapes import POSES, pose_of
from contracts.blokus.state import State
from contracts.blokus.strategies import Medium

Record = dict[str, Any]


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
        assert POSITIONS[next(indices(pose.anchors))] == (-top, -left)
        assert sorted(pose.cells) == sorted((row + top, col + left) for row, col in shape)


@pytest.mark.records("blokus", "medium_raw", "raw_candidates")
def test_candidates_without_rules_match(record: Record, blokus_games: Any) -> None:
    """The original's classes by themselves only looked whether squares are empty; ours do not."""
    state = blokus_games.position(record["game"], record["ply"])
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
            for anchor in indices(pose.anchors):
                if not pose.mask << anchor + pose.lead & occupied:
                    at = POSITIONS[anchor]
                    yield Move(piece, at, pose.rotation, state.turn, flip=pose.flip)


def is_seen_by_easy(state: State, move: Move) -> bool:
    row, col = move.position or (0, 0)
    first_five = pieces_in(state.seat(state.turn).hand)[:5]
    return move.piece in first_five and move.rotation in (0, 180) and not row % 2 | col % 2


def short(move: Move) -> list[Any]:
    assert move.piece is not None
    assert move.position is not None
    return [move.piece.name, move.flip, move.rotation, *move.position]
