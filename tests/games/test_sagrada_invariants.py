"""The invariants of every reachable state."""

from __future__ import annotations

from itertools import islice, pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.sagrada import rules
from contracts.sagrada.encoding import decode, encode, encode_for
from contracts.sagrada.history import History
from contracts.sagrada.patch import apply, diff, follow
from contracts.sagrada.playouts import Seeded, random_game
from contracts.sagrada.state import State, current_player
from contracts.sagrada.window import ORTHOGONAL

few = settings(deadline=None, max_examples=40)
seeds, players = st.integers(0, 2**32), st.integers(2, 4)


def walk(seed: int, players: int, steps: int) -> list[History]:
    return list(islice(random_game(seed, players), steps))


walks = st.builds(walk, seeds, players, st.integers(2, 60))
reached = st.builds(
    lambda seed, n, steps: walk(seed, n, steps)[-1], seeds, players, st.integers(1, 400)
)


def dice_ids(state: State) -> list[int]:
    """The ids of all dice, wherever they are."""
    on_windows = [die for player in state.players for die in player.window.dice]
    dice = (*state.track.dice, *state.pool, state.turn.picked, *on_windows)
    in_bag = [number for number, shade in enumerate(state.bag) if shade]
    return sorted(in_bag + [die.id for die in dice if die is not None])


@given(reached)
@few
def test_every_die_is_somewhere_once(history: History) -> None:
    assert dice_ids(history.state) == list(range(90))


@given(walks)
@few
def test_favor_points_only_change_hands(histories: list[History]) -> None:
    totals = [
        sum(player.favor_points for player in history.state.players)
        + sum(tool.favor_points for tool in history.state.tools)
        for history in histories
    ]
    assert len({*totals}) == 1


@given(reached)
@few
def test_slots_count_the_track(history: History) -> None:
    track = history.state.track
    assert sum(track.counts) == len(track.dice)
    assert not any(track.counts[track.round - 1 :])


@given(reached)
@few
def test_legal_moves_are_the_legal_ones(history: History) -> None:
    state = history.state
    name, moves = current_player(state).username, rules.legal_moves(state)
    for text in (
        "pick 1",
        "pass",
        "place 1 1",
        "place 2 3",
        "move 1 1 2 2",
        "select 1",
        "increase",
    ):
        assert rules.is_legal(state, name, text) == (text in moves)
    for text in moves[:20]:
        assert rules.execute(state, name, text, Seeded(0)) != state


@given(reached)
@few
def test_windows_keep_to_the_rules(history: History) -> None:
    """Where no tool lifts a rule, no two neighbours are alike and no constraint is broken."""
    state = history.state
    lifted = {2, 3} & {tool.id for tool in state.tools}
    for window in () if lifted else (player.window for player in state.players):
        for cell, die in enumerate(window.dice):
            if die is None:
                continue
            near = [window.dice[other] for other in ORTHOGONAL[cell]]
            assert not any(other and other.color is die.color for other in near)
            assert not any(other and other.shade == die.shade for other in near)
            assert window.frame.marks[cell] in (".", *str(die))


@given(walks)
@few
def test_patch_leads_there_and_back(histories: list[History]) -> None:
    states = [history.state for history in histories]
    for before, after in [*pairwise(states), (states[0], states[-1])]:
        assert apply(before, diff(before, after)) == after
        assert follow(after, diff(after, before)) == (before, diff(before, after))


@given(walks)
@few
def test_patch_of_one_turn_is_short(histories: list[History]) -> None:
    for before, after in pairwise(history.state for history in histories):
        if before.track.round == after.track.round:
            assert len(diff(after, before)) <= 40


@given(reached)
@few
def test_equal_states_need_no_patch(history: History) -> None:
    copied = rules.from_text(rules.to_text(history.state))
    assert diff(history.state, copied) == b""
    assert apply(copied, b"") is copied


@given(reached)
@few
def test_text_goes_both_ways(history: History) -> None:
    text = rules.to_text(history.state)
    assert "\n" not in text
    assert rules.from_text(text) == history.state


@given(reached)
@few
def test_json_goes_both_ways(history: History) -> None:
    document = encode(history.state)
    assert decode(document) == history.state
    assert encode(decode(document)) == document


@given(reached)
@few
def test_view_hides_bag_and_objectives(history: History) -> None:
    for seat, player in enumerate(history.state.players):
        view = encode_for(history.state, player.username)
        shown = [other.get("private objective") for other in view["turn_manager"]["players"]]
        assert "dice_bag" not in view
        assert [card is not None for card in shown] == [i == seat for i in range(len(shown))]


@given(reached)
@few
def test_game_ends_after_round_ten(history: History) -> None:
    outcome, ended = rules.outcome(history.state), history.state.track.round == 11
    assert (outcome is not None) == ended
    assert not (ended and rules.legal_moves(history.state))
