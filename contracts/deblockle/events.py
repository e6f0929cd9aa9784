"""What a game announces: every sentence a call can answer, letter by letter as players read it in the log.

Deblockle speaks in text logs, as the original does, and declares no events. The rules choose the report; the names in
braces are filled in when it is told.
"""

from __future__ import annotations

from enum import StrEnum


class Report(StrEnum):
    """What became of a call."""

    CREATED = "Created Game setup with {cubes} cubes per player"

    EMPTY_SPACE = "Illegal move attempt from empty space."
    FOREIGN_CUBE = "Illegal move attempt with cube not belonging to player {player}."
    FOREIGN_WIN = "Illegal move for player {player} to win position of player {other}"
    ILLEGAL_ROLL = "Illegal Roll from {origin} to position {target} for player {player}."
    STAR_ASTRAY = (
        "This Roll move is not allowed! "
        "(will be facing Star up in no-win position for player {player})"
    )
    WIN_WITHOUT_STAR = (
        "This Roll move is not allowed! (rolling into win position for either player)"
    )
    ILLEGAL_HOP = "Illegal Hop from {origin} to position {target} for player {player}."
    GAME_OVER = "The game ended with player {player} the winner. No turns allowed."

    ROLLED = (
        "Player {player} Rolled from {origin} to position {target}. "
        "Next: Hop of the same player {player}."
    )
    STOPPED = "Player {player} Rolls to stop. Roll phase for another player {other}."
    SCORED = "Player {player} scores! Roll phase for player {other}."
    WON = "Player {player} scores and wins the game!!!"
    HOPPED = (
        "Player {player} Hopped from {origin} to position {target}. "
        "Next: Roll of the other player {other}."
    )

    PASSED = "Player {player} passed the turn. It is player {other} Roll phase."
    NO_MORE_PASSES = "Game is finished, no moves allowed"

    BOARD = "Game board:"
    NO_CUBE = "no cube at position {square}"
    NO_SUCH_SQUARE = "illegal position {square}"
