"""Every sentence the game answers with when something is not allowed, in one place."""

from __future__ import annotations

from typing import Final

GENERIC: Final = "Command not executed: "
NOT_AVAILABLE: Final = (
    "This command is not currently available. Try checking the syntax or activate a tool card."
)
NOT_YOUR_TURN: Final = "It's not your turn."
GAME_FINISHED: Final = "The game is ended. You can't perform any more actions."

NOT_PICKED: Final = "You should pick a die."
DIE_PICKED: Final = "You picked a die this turn."
PLACED: Final = "You already placed a die this turn."
NOT_PLACED: Final = "You haven't already placed a die this turn."

TOO_BIG: Final = "Index too big."
TOO_SMALL: Final = "Index too small."
DIFFERENT: Final = "The expected index is different from the inserted one."

TOOL_ACTIVE: Final = "You should terminate the tool card execution."
TOOL_USED: Final = "You are not allowed to use another tool card this turn."
FAVOR: Final = "You don't have enough favor points."

COORD: Final = "Passed coordinates exceed window frame bounds."
OCCUPIED: Final = "Chosen slot is already occupied by another die."
EMPTY: Final = "Chosen slot is empty."
PLACING: Final = "Given position for the chosen die violates the placing rule."
COLOR: Final = "Given position for the chosen die violates the color placing rule."
SHADE: Final = "Given position for the chosen die violates the shade placing rule."
MOVED: Final = "You already moved this die."

CANNOT_INCREASE: Final = "You can't increase the value of the picked die."
CANNOT_DECREASE: Final = "You can't decrease the value of the picked die."
FIRST_TURN: Final = "This is your first turn of the round."
SECOND_TURN: Final = "This is your second turn of the round."

OUT_OF_BOUNDS: Final = "The index exceeds the defined bound."
UNKNOWN_PLAYER: Final = "The passed parameter does not match any of the expected values."

NO_SUCH_GAME: Final = "Game doesn't exist."
NOT_BEGUN: Final = "The game has not begun: somebody still chooses a window frame."
BEGUN: Final = "The game has begun already."


def time_left(seconds: int) -> str:
    return f"There are {seconds} seconds left."


def no_sharing_die(feature: str, pool: str) -> str:
    return f"There is no {feature}-sharing die in the {pool}."
