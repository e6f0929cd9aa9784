"""The setup of a game, and its score."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from chain.errors import Revert
from contracts.sagrada import rules
from contracts.sagrada.dice import Die, draw_dice, insert_die
from contracts.sagrada.library import LIBRARY
from contracts.sagrada.messages import OUT_OF_BOUNDS
from contracts.sagrada.playouts import NAMES, Seeded, opening
from contracts.sagrada.rules import Outcome, Seat
from contracts.sagrada.state import RoundTrack, State
from contracts.sagrada.turns import round_from
from contracts.sagrada.window import CELLS

FRAME = LIBRARY.frames[0]
ADA, BRUNO = Seat("ada", FRAME, 23), Seat("bruno", FRAME, 24)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_opening_lays_out_the_table(players: int) -> None:
    state = opening(1, players)
    assert len(state.pool) == 2 * players + 1
    assert len(state.bag) - state.bag.count(0) == 90 - len(state.pool)
    assert len(set(state.objectives)) == len({tool.id for tool in state.tools}) == 3


def test_favor_points_are_the_difficulty() -> None:
    for player in opening(1, 4).players:
        assert player.favor_points == player.window.frame.difficulty


def test_bag_has_eighteen_of_each_color() -> None:
    colors = Counter(Die(number, 1).color.name for number in range(90))
    assert list(colors.values()) == [18] * 5


def test_bag_gives_no_more_than_it_has() -> None:
    with pytest.raises(Revert, match=OUT_OF_BOUNDS):
        draw_dice((0,) * 89 + (1,), 2, Seeded(1))


def test_bag_gives_all_it_has() -> None:
    drawn, bag = draw_dice((0,) * 88 + (1, 2), 2, Seeded(1))
    assert {str(die) for die in drawn} == {"B1", "P2"}
    assert bag == (0,) * 90


def test_bag_takes_no_die_twice() -> None:
    with pytest.raises(Revert, match=OUT_OF_BOUNDS):
        insert_die((1,) * 90, Die(3, 1), Seeded(1))


def test_offers_never_repeat() -> None:
    frames = [frame.name for offer in rules.offer_frames(4, Seeded(1)) for frame in offer]
    assert len(set(frames)) == 16
    assert len(set(rules.deal_private_objectives(4, Seeded(1)))) == 4


@pytest.mark.parametrize("players", [0, 1, 5])
def test_cards_are_for_two_to_four(players: int) -> None:
    with pytest.raises(Revert, match=OUT_OF_BOUNDS):
        rules.offer_frames(players, Seeded(1))
    with pytest.raises(Revert, match=OUT_OF_BOUNDS):
        rules.deal_private_objectives(players, Seeded(1))


@pytest.mark.parametrize(
    ("seats", "reason"),
    [
        ([], "A game needs two to four players."),
        ([ADA], "A game needs two to four players."),
        ([ADA] * 5, "A game needs two to four players."),
        ([Seat("ada", FRAME, None), Seat("ada", None, 23)], "A player has no window frame."),
        ([ADA, Seat("ada", FRAME, None)], "A player has no private objective."),
        ([ADA, BRUNO, ADA], "Two players have the same name."),
    ],
)
def test_wrong_seats_are_refused(seats: list[Seat], reason: str) -> None:
    with pytest.raises(Revert, match=reason):
        rules.new_game(seats, Seeded(1))


def ended(*players: tuple[str, int], first: int = 0) -> State:
    """A finished game: each player's dice, and favor points to make up for the empty cells.

    The objectives in play are the three sets of shades; every private one is for red dice.
    """
    state = opening(1, len(players))
    seats = tuple(
        replace(
            seat,
            objective=23,
            favor_points=favor + CELLS,
            window=replace(seat.window, dice=dice_of(text)),
        )
        for seat, (text, favor) in zip(state.players, players, strict=True)
    )
    after_the_last = round_from((first + 1) % len(players), len(players))
    return replace(
        state,
        track=RoundTrack(11),
        players=seats,
        objectives=(17, 18, 19),
        order=after_the_last,
    )


def dice_of(text: str) -> tuple[Die | None, ...]:
    dice = [
        Die("RGYBP".index(word[0]) + 5 * i, int(word[1])) for i, word in enumerate(text.split())
    ]
    return (*dice, *(None for _ in range(CELLS - len(dice))))


def test_score_adds_up() -> None:
    state = ended(("R5 R6 G6 G1", 0), ("", 7))
    assert rules.scores(state) == (11 + 2 + 4, 7)


def test_no_private_objective_scores_nothing() -> None:
    state = ended(("R5 R6", 0), ("", 0))
    without = replace(state, players=tuple(replace(p, objective=None) for p in state.players))
    assert (rules.scores(state), rules.scores(without)) == ((15, 0), (4, 0))


def test_score_is_never_negative() -> None:
    assert rules.scores(ended(("", -5), ("", 0))) == (0, 0)


def test_nobody_wins_before_the_end() -> None:
    assert rules.winner(opening(1)) is None
    assert rules.outcome(opening(1)) is None


def test_outcome_names_the_reason_and_the_winner() -> None:
    state = ended(("R1", 0), ("", 9))
    assert rules.outcome(state) == Outcome("ten rounds have been played", "bruno", (2, 9))


def test_private_points_break_a_tie() -> None:
    state = ended(("R3", 0), ("R1", 2))
    assert rules.scores(state) == (4, 4)
    assert rules.winner(state) == "ada"


def test_favor_points_break_the_next() -> None:
    state = ended(("R3 G1", 0), ("R3", 1))
    assert rules.scores(state) == (5, 5)
    assert rules.winner(state) == "bruno"


@pytest.mark.parametrize(("first", "last"), [(0, 2), (1, 0), (2, 1)])
def test_last_in_order_wins_full_tie(first: int, last: int) -> None:
    state = ended(("R3", 0), ("R3", 0), ("R3", 0), first=first)
    assert rules.winner(state) == NAMES[last]
