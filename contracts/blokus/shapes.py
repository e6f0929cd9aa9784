"""How pieces lie on the board: eight poses each, 91 shapes in all, each grown from a smaller one.

A pose is what a move says: mirrored or not, and how far turned. Poses of a symmetric piece can look
the same; what they look like is a shape. A shape is held by its first square (topmost, then
leftmost). Take away another square, so that the rest still hangs together, and what is left is
again one of the 91 shapes, held by the same square. So all shapes grow from the single square by
one square at a time, and whatever is asked of all of them at once (where do they fit, where do they
touch) is answered with one step for each shape.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from contracts.blokus.board import SIDE, STRIDE, Position, Squares, square
from contracts.blokus.pieces import PIECES, Piece

FLIPS: Final = (False, True)
ROTATIONS: Final = (0, 90, 180, 270)


@dataclass(frozen=True, slots=True)
class Shape:
    """`squares` has the first one at bit 0; `parent` is the shape without the one at `step`."""

    piece: int
    squares: Squares
    parent: int
    step: int


@dataclass(frozen=True, slots=True)
class Pose:
    """A piece mirrored or not, then turned: `cells` from the anchor, in the drawing's order."""

    flip: bool
    rotation: int
    cells: tuple[Position, ...]
    shape: int
    mask: Squares  # of the shape: the first square is bit 0
    lead: int  # from the anchor's bit to the first square's
    anchors: Squares  # where the anchor may be, so that all of it is on the board

    def squares(self, row: int, col: int) -> Squares:
        """What the piece covers with its anchor there; nothing if it would stand over the edge."""
        anchor = row * STRIDE + col
        return self.mask << anchor + self.lead if self.anchors >> anchor & 1 else 0


def _bits(cells: tuple[Position, ...]) -> tuple[int, ...]:
    """Where the cells lie, in order, as steps from the anchor's bit."""
    return tuple(sorted(row * STRIDE + col for row, col in cells))


def _held_by_first(bits: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(bit - bits[0] for bit in bits)


def _turned(piece: Piece, flip: bool, rotation: int) -> tuple[Position, ...]:
    return (piece.flip() if flip else piece).rotate(rotation).cells


def _all_looks() -> tuple[tuple[tuple[int, ...], int], ...]:
    """What each shape looks like and whose it is: by size, then by piece and pose."""
    looks = {
        _held_by_first(_bits(_turned(piece, flip, rotation))): number
        for number, piece in enumerate(PIECES)
        for flip in FLIPS
        for rotation in ROTATIONS
    }
    return tuple(sorted(looks.items(), key=lambda look: len(look[0])))


_LOOKS: Final = _all_looks()
_SHAPE_OF_LOOK: Final = {look: number for number, (look, _) in enumerate(_LOOKS)}


def _shape(look: tuple[int, ...], piece: int) -> Shape:
    squares = sum(1 << bit for bit in look)
    for step in look[1:]:
        parent = _SHAPE_OF_LOOK.get(tuple(bit for bit in look if bit != step))
        if parent is not None:
            return Shape(piece, squares, parent, step)
    return Shape(piece, squares, parent=0, step=0)  # the single square grows from itself


def _pose(piece: Piece, flip: bool, rotation: int) -> Pose:
    cells = _turned(piece, flip, rotation)
    bits = _bits(cells)
    shape = _SHAPE_OF_LOOK[_held_by_first(bits)]
    mask, anchors = SHAPES[shape].squares, _anchors(cells)
    return Pose(flip, rotation, cells, shape, mask, bits[0], anchors)


def _anchors(cells: tuple[Position, ...]) -> Squares:
    rows, cols = [row for row, _ in cells], [col for _, col in cells]
    in_a_row = sum(square(0, col) for col in range(-min(cols), SIDE - max(cols)))
    return sum(in_a_row << row * STRIDE for row in range(-min(rows), SIDE - max(rows)))


def _first_of_each_shape(poses: tuple[Pose, ...]) -> tuple[Pose, ...]:
    shapes = [pose.shape for pose in poses]
    return tuple(pose for i, pose in enumerate(poses) if shapes.index(pose.shape) == i)


SHAPES: Final = tuple(_shape(look, piece) for look, piece in _LOOKS)
POSES: Final = tuple(
    tuple(_pose(piece, flip, rotation) for flip in FLIPS for rotation in ROTATIONS)
    for piece in PIECES
)
DISTINCT_POSES: Final = tuple(_first_of_each_shape(poses) for poses in POSES)


def pose_of(piece: int, flip: bool, rotation: int) -> Pose:
    return POSES[piece][(4 if flip else 0) + rotation // 90]
