"""How good a move is, for players that choose by themselves: the fewer turns the mover's cubes need to get home, the better."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Final

from contracts.deblockle import rules
from contracts.deblockle.board import SQUARES, WIN_SQUARES
from contracts.deblockle.cubes import DIRECTIONS
from contracts.deblockle.models import Cube, Game, Move, Phase, State, opponent

PASS: Final = None
LONGEST: Final = 50  # turns, of a cube that cannot get home


def after(state: State, move: Move | None) -> State:
    """The state after a legal move, or after a pass."""
    played, _ = rules.pass_turn(state) if move is PASS else rules.make_move(state, move)
    return played


def worth(state: State, move: Move | None) -> int:
    """The turns that the mover's cubes still need after a move, as if alone on the board; a roll counts with its best hop."""
    player, reached = state.game.active_player, after(state, move)
    if reached.game.phase is Phase.HOP:
        return max(worth(reached, hop) for hop in (*rules.legal_moves(reached), PASS))
    turns = turns_home(player)
    return -sum(turns.get(cube, LONGEST) for cube in reached.game.board if cube.player == player)


@cache
def turns_home(player: int) -> Mapping[Cube, int]:
    """The turns in which a cube that is alone on the board gets home, however it lies."""
    squares = [square for square in SQUARES if square != WIN_SQUARES[opponent(player)]]
    cubes = [Cube(player, square, lies) for square in squares for lies in DIRECTIONS.values()]
    before: dict[Cube | None, list[Cube]] = {}
    for cube in cubes:
        for reached in set(_turns_of(cube)):
            before.setdefault(reached, []).append(cube)
    turns: dict[Cube, int] = {}
    last, count = before[None], 1
    while last:
        turns |= dict.fromkeys(last, count)
        count += 1
        last = list({cube for each in last for cube in before.get(each, ()) if cube not in turns})
    return turns


def _turns_of(cube: Cube) -> Iterator[Cube | None]:
    """Where a turn can bring a cube; None is home."""
    start = State(Game(Phase.ROLL, cube.player, (cube,)))
    for roll in rules.legal_moves(start):
        rolled = after(start, roll)
        hops = rules.legal_moves(rolled) if rolled.game.phase is Phase.HOP else ()
        for reached in (rolled, *(after(rolled, hop) for hop in hops)):
            yield from reached.game.board or (None,)
