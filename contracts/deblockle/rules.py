"""The rules of Deblockle, told as the rulebook tells them.

A turn is a roll and then, if the face that came up can hop, a hop of the same cube. A cube that
rolls onto its player's win square with the star up is home and leaves the board; the star may come
up nowhere else, and no other face may be rolled there. Who has no cube left has won. A move against
the rules is not a failure: it is answered with a report and with the very state it was tried on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from chain.errors import Revert, require
from contracts.deblockle import events
from contracts.deblockle.board import SQUARE_AT, SQUARES, can_hop, is_win_square, neighbours
from contracts.deblockle.cubes import STEPS, Face, roll
from contracts.deblockle.events import Report
from contracts.deblockle.models import Cube, Game, Move, Outcome, Phase, Position, State, opponent
from contracts.deblockle.notation import draw, draw_cube, from_text, to_text

__all__ = [
    "draw",
    "from_text",
    "legal_moves",
    "make_move",
    "outcome",
    "pass_turn",
    "read_move",
    "set_up",
    "show_cube",
    "to_text",
]

SETUPS: Final[Mapping[int, State]] = {
    1: from_text("Roll 1 - 1d7:236 2d1:531"),
    2: from_text("Roll 1 - 1c7:236 1e7:412 2c1:531 2e1:412"),
    3: from_text("Roll 1 - 1c7:236 1e7:412 1d5:412 2c1:531 2e1:412 2d3:642"),
    4: from_text("Roll 1 - 1c5:236 1e5:236 1c7:132 1e7:362 2c1:642 2e1:236 2c3:236 2e3:531"),
}


def set_up(num_cubes: int | None = None) -> tuple[State, str]:
    """A new game with that many cubes a player, four unless said otherwise."""
    cubes = 4 if num_cubes is None else num_cubes
    require(cubes in SETUPS, "Number of cubes must be one of 1, 2, 3, 4")
    return SETUPS[cubes], events.created(cubes)


def read_move(from_x: int, from_y: int, to_x: int, to_y: int) -> Move:
    """The move that a caller's four numbers stand for; they must lie on the board."""
    return Move(_read_square("from", from_x, from_y), _read_square("to", to_x, to_y))


def make_move(state: State, move: Move) -> tuple[State, str]:
    """Roll or hop as the phase has it; a move that is not allowed leaves the state as it is."""
    after, report = _attempt(state, move)
    return after, report(state.game.active_player, move)


def pass_turn(state: State) -> tuple[State, str]:
    """Leave the rest of the turn, be it the roll or the hop, to the other player."""
    game = state.game
    if game.phase is Phase.END:
        return state, events.NO_MORE_PASSES
    player = game.active_player
    return _roll_of(opponent(player), game.board), events.passed(player)


def legal_moves(state: State) -> tuple[Move, ...]:
    """Every roll or hop that would be accepted now; until the end a player may also pass."""
    return tuple(move for move in _thinkable(state) if _attempt(state, move)[0] is not state)


def outcome(state: State) -> Outcome | None:
    """Who has won and why, or None while the game goes on."""
    game = state.game
    if game.phase is not Phase.END:
        return None
    return Outcome(game.active_player, f"player {game.active_player} has brought every cube home")


def show_cube(game: Game, x: int, y: int) -> tuple[Cube | None, str]:
    """The cube on a square and its picture, or the reason why there is none to show."""
    square = SQUARE_AT.get((x, y))
    if square is None:
        return None, events.no_such_square(x, y)
    cube = _cube_at(game.board, square)
    if cube is None:
        return None, events.no_cube(square)
    return cube, draw_cube(cube.direction)


def _read_square(word: str, x: int, y: int) -> Position:
    try:
        return SQUARE_AT[x, y]
    except KeyError:
        raise Revert(events.off_board(word, x, y)) from None


def _thinkable(state: State) -> Iterator[Move]:
    game = state.game
    if game.phase is Phase.HOP and state.rolled is not None:
        yield from (Move(state.rolled, target) for target in SQUARES)
    if game.phase is Phase.ROLL:
        for cube in game.board:
            yield from (Move(cube.position, target) for target in neighbours(cube.position))


def _attempt(state: State, move: Move) -> tuple[State, Report]:
    game, (origin, target) = state.game, move
    cube, player = _cube_at(game.board, origin), game.active_player
    if cube is None:
        return state, events.empty_space
    if cube.player != player:
        return state, events.foreign_cube
    if is_win_square(target, opponent(player)):
        return state, events.foreign_win
    if game.phase is Phase.ROLL:
        return _roll(state, cube, target)
    if game.phase is Phase.HOP:
        return _hop(state, cube, target)
    return state, events.game_over


def _roll(state: State, cube: Cube, target: Position) -> tuple[State, Report]:
    board, player, origin = state.game.board, cube.player, cube.position
    columns, rows = target.x - origin.x, target.y - origin.y
    if (columns, rows) not in STEPS or _cube_at(board, target):
        return state, events.illegal_roll
    direction = roll(cube.direction, (columns, rows))
    is_star_up, is_home = direction.up == Face.STAR, is_win_square(target, player)
    if is_star_up and is_home:
        return _score(board, cube)
    if is_star_up:
        return state, events.star_astray
    if is_home:
        return state, events.win_without_star
    board = _replace(board, cube, Cube(player, target, direction))
    if direction.up == Face.STOP:
        return _roll_of(opponent(player), board), events.stopped
    return State(Game(Phase.HOP, player, board), rolled=target), events.rolled


def _score(board: tuple[Cube, ...], cube: Cube) -> tuple[State, Report]:
    player, left = cube.player, tuple([each for each in board if each is not cube])
    if any(each.player == player for each in left):
        return _roll_of(opponent(player), left), events.scored
    return State(Game(Phase.END, player, left)), events.won


def _hop(state: State, cube: Cube, target: Position) -> tuple[State, Report]:
    board, origin = state.game.board, cube.position
    reaches = origin == state.rolled and can_hop(cube.direction.up, origin, target)
    if not reaches or _cube_at(board, target):
        return state, events.illegal_hop
    board = _replace(board, cube, Cube(cube.player, target, cube.direction))
    return _roll_of(opponent(cube.player), board), events.hopped


def _roll_of(player: int, board: tuple[Cube, ...]) -> State:
    return State(Game(Phase.ROLL, player, board))


def _cube_at(board: tuple[Cube, ...], square: Position) -> Cube | None:
    x, y = square.x, square.y  # faster than comparing squares, and every call looks for two cubes
    for cube in board:
        if cube.position.x == x and cube.position.y == y:
            return cube
    return None


def _replace(board: tuple[Cube, ...], cube: Cube, moved: Cube) -> tuple[Cube, ...]:
    return tuple([moved if each is cube else each for each in board])
