"""What a game announces: every sentence a call can answer, letter by letter as players read it in the log.

Deblockle speaks in text logs, as the original does, and declares no events. What became of a move is told by a `Report`: the
rules choose it, and it is written when the call answers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from contracts.deblockle.models import Move, Position, opponent

Report: TypeAlias = Callable[[int, Move], str]  # of the player who made the move

BOARD: Final = "Game board:"
NO_MORE_PASSES: Final = "Game is finished, no moves allowed"


def created(cubes: int) -> str:
    return f"Created Game setup with {cubes} cubes per player"


def empty_space(player: int, move: Move) -> str:
    return "Illegal move attempt from empty space."


def foreign_cube(player: int, move: Move) -> str:
    return f"Illegal move attempt with cube not belonging to player {player}."


def foreign_win(player: int, move: Move) -> str:
    return f"Illegal move for player {player} to win position of player {opponent(player)}"


def illegal_roll(player: int, move: Move) -> str:
    return f"Illegal Roll from {_squares_of(move)} for player {player}."


def star_astray(player: int, move: Move) -> str:
    return (
        "This Roll move is not allowed! "
        f"(will be facing Star up in no-win position for player {player})"
    )


def win_without_star(player: int, move: Move) -> str:
    return "This Roll move is not allowed! (rolling into win position for either player)"


def illegal_hop(player: int, move: Move) -> str:
    return f"Illegal Hop from {_squares_of(move)} for player {player}."


def game_over(player: int, move: Move) -> str:
    return f"The game ended with player {player} the winner. No turns allowed."


def rolled(player: int, move: Move) -> str:
    return (
        f"Player {player} Rolled from {_squares_of(move)}. Next: Hop of the same player {player}."
    )


def stopped(player: int, move: Move) -> str:
    return f"Player {player} Rolls to stop. Roll phase for another player {opponent(player)}."


def scored(player: int, move: Move) -> str:
    return f"Player {player} scores! Roll phase for player {opponent(player)}."


def won(player: int, move: Move) -> str:
    return f"Player {player} scores and wins the game!!!"


def hopped(player: int, move: Move) -> str:
    return (
        f"Player {player} Hopped from {_squares_of(move)}. "
        f"Next: Roll of the other player {opponent(player)}."
    )


def passed(player: int) -> str:
    return f"Player {player} passed the turn. It is player {opponent(player)} Roll phase."


def no_cube(square: Position) -> str:
    return f"no cube at position {square}"


def no_such_square(x: int, y: int) -> str:
    return f"illegal position ({x},{y})"


def off_board(word: str, x: int, y: int) -> str:
    return f"Illegal move attempt {word} ({x},{y}). Coordinates must be in range 1..7"


def _squares_of(move: Move) -> str:
    origin, target = move
    return f"({origin.x},{origin.y}) to position ({target.x},{target.y})"
