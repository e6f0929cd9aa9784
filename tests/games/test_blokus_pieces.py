"""The pieces, their poses and their shapes."""

from __future__ import annotations

import timeit
from time import process_time

import pytest

from contracts.blokus.board import BOARD, indices
from contracts.blokus.pieces import (
    FULL_HAND,
    NUMBERS,
    PIECES,
    SQUARES_OF_ALL,
    Piece,
    hand_of,
    pieces_in,
)
from contracts.blokus.shapes import DISTINCT_POSES, POSES, SHAPES, pose_of

Cells = frozenset[tuple[int, int]]
CORNER = Piece("corner", ((0, 0), (0, 1), (1, 1)))


def in_the_corner(cells: tuple[tuple[int, int], ...] | Cells) -> Cells:
    top, left = min(row for row, _ in cells), min(col for _, col in cells)
    return frozenset((row - top, col - left) for row, col in cells)


def all_poses(cells: Cells) -> frozenset[Cells]:
    piece, mirrored = Piece("", tuple(cells)), Piece("", tuple(cells)).flip()
    turned = [side.rotate(90 * steps).cells for side in (piece, mirrored) for steps in range(4)]
    return frozenset(in_the_corner(each) for each in turned)


def all_polyominoes(size: int) -> set[Cells]:
    if size == 1:
        return {frozenset({(0, 0)})}
    return {
        in_the_corner(smaller | {(row + r, col + c)})
        for smaller in all_polyominoes(size - 1)
        for row, col in smaller
        for r, c in ((-1, 0), (1, 0), (0, -1), (0, 1))
        if (row + r, col + c) not in smaller
    }


def test_pieces_are_all_free_polyominoes() -> None:
    drawn = [all_poses(frozenset(piece.cells)) for piece in PIECES]
    wanted = {all_poses(cells) for size in range(1, 6) for cells in all_polyominoes(size)}
    assert len(drawn) == len(set(drawn)) == 21
    assert set(drawn) == wanted


def test_shapes_are_all_fixed_polyominoes() -> None:
    shapes = [in_the_corner(pose.cells) for poses in DISTINCT_POSES for pose in poses]
    assert len(shapes) == len(SHAPES) == 91
    assert set(shapes) == {cells for size in range(1, 6) for cells in all_polyominoes(size)}


def test_inventory_is_in_order() -> None:
    assert [piece.name for piece in PIECES] == sorted(NUMBERS)
    assert sum(piece.size for piece in PIECES) == SQUARES_OF_ALL == 89
    assert pieces_in(FULL_HAND) == PIECES


def test_hand_is_a_set_of_pieces() -> None:
    three = (PIECES[0], PIECES[4], PIECES[20])
    assert hand_of(three) == 1 | 1 << 4 | 1 << 20
    assert pieces_in(hand_of(three)) == three


def test_flip_mirrors_left_to_right() -> None:
    assert CORNER.flip().cells == ((0, 0), (0, -1), (1, -1))
    assert CORNER.flip().flip() == CORNER


def test_rotation_turns_counter_clockwise() -> None:
    assert CORNER.rotate(90).cells == ((0, 0), (-1, 0), (-1, 1))
    assert CORNER.rotate(180).cells == CORNER.rotate(90).rotate().cells
    assert CORNER.rotate(270).rotate(90) == CORNER.rotate(0) == CORNER


def test_flip_comes_before_rotation() -> None:
    pose = pose_of(NUMBERS["L4"], flip=True, rotation=90)
    assert pose.cells == PIECES[NUMBERS["L4"]].flip().rotate(90).cells
    assert pose.cells != PIECES[NUMBERS["L4"]].rotate(90).flip().cells


def test_transformed_piece_is_not_placed() -> None:
    placed = CORNER.place((3, 4))
    assert (placed.is_placed, placed.placed_position) == (True, (3, 4))
    assert not any(piece.is_placed for piece in (CORNER, placed.flip(), placed.rotate(90)))


@pytest.mark.parametrize("number", range(21), ids=list(NUMBERS))
def test_pose_covers_its_cells(number: int) -> None:
    for pose in POSES[number]:
        covered = sum(1 << 21 * (7 + row) + 9 + col for row, col in pose.cells)
        assert pose.squares(7, 9) == covered


@pytest.mark.parametrize("number", range(21), ids=list(NUMBERS))
def test_pose_keeps_to_the_board(number: int) -> None:
    for pose in POSES[number]:
        for row in range(20):
            for col in range(20):
                inside = all(0 <= row + r < 20 and 0 <= col + c < 20 for r, c in pose.cells)
                assert bool(pose.squares(row, col)) == inside
                assert pose.squares(row, col) & ~BOARD == 0


def test_shape_grows_by_one_square() -> None:
    for shape in SHAPES[1:]:
        parent = SHAPES[shape.parent]
        assert shape.squares == parent.squares | 1 << shape.step
        assert next(indices(shape.squares)) == 0
        assert shape.squares.bit_count() == parent.squares.bit_count() + 1


def test_parents_come_before_their_children() -> None:
    assert all(shape.parent < number for number, shape in enumerate(SHAPES) if number)


def test_transforming_takes_no_time() -> None:
    piece = PIECES[NUMBERS["F5"]]
    assert (
        timeit.timeit(lambda: piece.flip().rotate(270), timer=process_time, number=100) / 100
        < 0.0001
    )
