"""Rolls, hops and passes: their results and refusals. Every state is one line."""

from __future__ import annotations

import pytest

from chain.errors import Revert
from contracts.deblockle import rules
from contracts.deblockle.models import State
from contracts.deblockle.rules import from_text, make_move, outcome, pass_turn, read_move, to_text

ROLL = "Roll 1 - 1c5:236 1e5:412 2c4:531 2e1:412"
HOP = "Hop 1 c5 1c5:{faces} 1e5:412 2c4:531 2e1:412"

ACCEPTED = {
    "roll": (
        ROLL,
        (3, 5, 3, 6),
        "Player 1 Rolled from (3,5) to position (3,6). Next: Hop of the same player 1.",
        "Hop 1 c6 1c6:356 1e5:412 2c4:531 2e1:412",
    ),
    "roll to stop": (
        ROLL,
        (3, 5, 2, 5),
        "Player 1 Rolls to stop. Roll phase for another player 2.",
        "Roll 2 - 1b5:635 1e5:412 2c4:531 2e1:412",
    ),
    "score": (
        "Roll 1 - 1c2:236 1e5:412 2e1:412",
        (3, 2, 4, 2),
        "Player 1 scores! Roll phase for player 2.",
        "Roll 2 - 1e5:412 2e1:412",
    ),
    "last score": (
        "Roll 2 - 1e5:412 2c6:236",
        (3, 6, 4, 6),
        "Player 2 scores and wins the game!!!",
        "End 2 - 1e5:412",
    ),
    "hop": (
        HOP.format(faces="236"),
        (3, 5, 2, 6),
        "Player 1 Hopped from (3,5) to position (2,6). Next: Roll of the other player 2.",
        "Roll 2 - 1b6:236 1e5:412 2c4:531 2e1:412",
    ),
    "slide over cubes": (
        HOP.format(faces="356"),
        (3, 5, 3, 1),
        "Player 1 Hopped from (3,5) to position (3,1). Next: Roll of the other player 2.",
        "Roll 2 - 1c1:356 1e5:412 2c4:531 2e1:412",
    ),
    "hop onto own win square": (
        "Hop 1 c5 1c5:412 2e1:412",
        (3, 5, 4, 5),
        "Player 1 Hopped from (3,5) to position (4,5). Next: Roll of the other player 2.",
        "Roll 2 - 1d5:412 2e1:412",
    ),
    "roll off a win square": (
        "Roll 1 - 1d2:236 2e1:412",
        (4, 2, 4, 3),
        "Player 1 Rolled from (4,2) to position (4,3). Next: Hop of the same player 1.",
        "Hop 1 d3 1d3:356 2e1:412",
    ),
}

REFUSED = {
    "empty space": (ROLL, (1, 1, 1, 2), "Illegal move attempt from empty space."),
    "foreign cube": (
        ROLL,
        (3, 4, 3, 3),
        "Illegal move attempt with cube not belonging to player 1.",
    ),
    "foreign win square": (
        "Roll 1 - 1d7:236 2e1:412",
        (4, 7, 4, 6),
        "Illegal move for player 1 to win position of player 2",
    ),
    "foreign win square from afar": (
        ROLL,
        (3, 5, 4, 6),
        "Illegal move for player 1 to win position of player 2",
    ),
    "roll too far": (
        ROLL,
        (3, 5, 3, 7),
        "Illegal Roll from (3,5) to position (3,7) for player 1.",
    ),
    "roll askew": (
        ROLL,
        (3, 5, 2, 6),
        "Illegal Roll from (3,5) to position (2,6) for player 1.",
    ),
    "roll onto a cube": (
        ROLL,
        (3, 5, 3, 4),
        "Illegal Roll from (3,5) to position (3,4) for player 1.",
    ),
    "roll on the spot": (
        ROLL,
        (3, 5, 3, 5),
        "Illegal Roll from (3,5) to position (3,5) for player 1.",
    ),
    "score onto a blocked win square": (
        "Roll 1 - 1c2:236 1d2:412 2e1:412",
        (3, 2, 4, 2),
        "Illegal Roll from (3,2) to position (4,2) for player 1.",
    ),
    "star astray": (
        ROLL,
        (3, 5, 4, 5),
        "This Roll move is not allowed! (will be facing Star up in no-win position for player 1)",
    ),
    "home without star": (
        "Roll 1 - 1d3:236 2e1:412",
        (4, 3, 4, 2),
        "This Roll move is not allowed! (rolling into win position for either player)",
    ),
    "hop with another cube": (
        HOP.format(faces="356"),
        (5, 5, 5, 6),
        "Illegal Hop from (5,5) to position (5,6) for player 1.",
    ),
    "hop out of reach": (
        HOP.format(faces="236"),
        (3, 5, 3, 6),
        "Illegal Hop from (3,5) to position (3,6) for player 1.",
    ),
    "hop onto a cube": (
        HOP.format(faces="531"),
        (3, 5, 3, 4),
        "Illegal Hop from (3,5) to position (3,4) for player 1.",
    ),
    "slide on the spot": (
        HOP.format(faces="356"),
        (3, 5, 3, 5),
        "Illegal Hop from (3,5) to position (3,5) for player 1.",
    ),
    "hop of a star": (
        HOP.format(faces="132"),
        (3, 5, 3, 6),
        "Illegal Hop from (3,5) to position (3,6) for player 1.",
    ),
    "slide onto foreign win square": (
        "Hop 1 c6 1c6:356 2e1:412",
        (3, 6, 4, 6),
        "Illegal move for player 1 to win position of player 2",
    ),
    "move after the end": (
        "End 1 - 2e1:412",
        (5, 1, 5, 2),
        "Illegal move attempt with cube not belonging to player 1.",
    ),
    "move of a winner with a cube": (
        "End 1 - 1c5:236 2e1:412",
        (3, 5, 3, 6),
        "The game ended with player 1 the winner. No turns allowed.",
    ),
}

OFF_BOARD = {
    (0, 1, 9, 9): "from (0,1)",
    (1, 8, 1, 7): "from (1,8)",
    (7, 7, -128, 7): "to (-128,7)",
    (1, 1, 1, 127): "to (1,127)",
}

# Sequences of one, two, three … moves, passes aside; counted by a second program written apart.
COUNTS = {
    1: (1, 1, 3, 16, 48, 237),
    2: (5, 23, 102, 534),
    3: (8, 42, 271, 1864),
    4: (11, 71, 705),
}


@pytest.mark.parametrize(
    ("before", "numbers", "report", "after"), ACCEPTED.values(), ids=ACCEPTED.keys()
)
def test_move_changes_the_state(
    before: str, numbers: tuple[int, int, int, int], report: str, after: str
) -> None:
    state, told = make_move(from_text(before), read_move(*numbers))
    assert (to_text(state), told) == (after, report)


@pytest.mark.parametrize(("before", "numbers", "report"), REFUSED.values(), ids=REFUSED.keys())
def test_refused_move_returns_same_state(
    before: str, numbers: tuple[int, int, int, int], report: str
) -> None:
    state = from_text(before)
    after, told = make_move(state, read_move(*numbers))
    assert after is state
    assert told == report


@pytest.mark.parametrize(("numbers", "which"), OFF_BOARD.items())
def test_square_off_board_reverts(numbers: tuple[int, int, int, int], which: str) -> None:
    with pytest.raises(Revert) as refused:
        read_move(*numbers)
    assert refused.value.text == (
        f"Illegal move attempt {which}. Coordinates must be in range 1..7"
    )


@pytest.mark.parametrize("before", ["Roll 1 - 1c5:236 2e1:412", "Hop 1 c5 1c5:236 2e1:412"])
def test_pass_ends_the_turn(before: str) -> None:
    state, report = pass_turn(from_text(before))
    assert to_text(state) == "Roll 2 - 1c5:236 2e1:412"
    assert report == "Player 1 passed the turn. It is player 2 Roll phase."


def test_pass_after_end_refused() -> None:
    state = from_text("End 1 - 2e1:412")
    after, report = pass_turn(state)
    assert after is state
    assert report == "Game is finished, no moves allowed"


def test_winner_has_no_cubes() -> None:
    end = outcome(from_text("End 2 - 1e5:412"))
    assert end is not None
    assert (end.winner, end.reason) == (2, "player 2 has brought every cube home")


def test_outcome_is_open_before_end() -> None:
    assert outcome(from_text(ROLL)) is None


def test_ended_game_has_no_moves() -> None:
    assert rules.legal_moves(from_text("End 1 - 1c5:236 2e1:412")) == ()


def test_stuck_cube_may_only_pass() -> None:
    assert rules.legal_moves(from_text("Hop 1 a1 1a1:531 1a2:412 1b1:412")) == ()


@pytest.mark.parametrize("num_cubes", [0, 5, 1000, -1])
def test_odd_number_of_cubes_reverts(num_cubes: int) -> None:
    with pytest.raises(Revert) as refused:
        rules.set_up(num_cubes)
    assert refused.value.text == "Number of cubes must be one of 1, 2, 3, 4"


@pytest.mark.parametrize("num_cubes", [1, 2, 3, 4])
def test_set_up_counts_cubes(num_cubes: int) -> None:
    state, report = rules.set_up(num_cubes)
    assert report == f"Created Game setup with {num_cubes} cubes per player"
    assert [cube.player for cube in state.game.board] == [1] * num_cubes + [2] * num_cubes


def test_four_cubes_unless_reported() -> None:
    assert rules.set_up() == rules.set_up(4)


@pytest.mark.parametrize(("num_cubes", "counts"), COUNTS.items())
def test_move_sequences_count_up(num_cubes: int, counts: tuple[int, ...]) -> None:
    start, _ = rules.set_up(num_cubes)
    for depth, expected in enumerate(counts):
        split = {
            str(move): sequences(make_move(start, move)[0], depth)
            for move in rules.legal_moves(start)
        }
        assert sum(split.values()) == expected, split


def sequences(state: State, depth: int) -> int:
    if depth == 0:
        return 1
    moves = rules.legal_moves(state)
    return sum(sequences(make_move(state, move)[0], depth - 1) for move in moves)
