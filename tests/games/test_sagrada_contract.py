"""Sagrada on a chain: who may do what, what is stored, what is announced and what is hidden."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from chain import Chain
from chain.crypto.accounts import Account
from chain.simulator.handle import Handle
from chain.testing import assert_events, reverts
from contracts.sagrada import (
    CommandExecuted,
    DiceMoved,
    DicePlaced,
    FrameChosen,
    GameCreated,
    GameEnded,
    GameStarted,
    Redone,
    RoundEnded,
    Sagrada,
    Score,
    ToolActivated,
    TurnPassed,
    Undone,
)
from contracts.sagrada.dice import Die
from contracts.sagrada.messages import (
    BEGUN,
    GAME_FINISHED,
    GENERIC,
    NO_SUCH_GAME,
    NOT_AVAILABLE,
    NOT_BEGUN,
    NOT_YOUR_TURN,
    TOO_BIG,
    UNKNOWN_PLAYER,
)
from contracts.sagrada.playouts import ChainGame
from contracts.sagrada.state import Turn
from tests.chain.helpers import failure_of

ENTRIES = [
    "create_game", "load_game", "choose_frame", "force_start", "execute_command", "undo", "redo", "force_pass",
    "private_objective", "window_frames", "current_player", "is_undo_available", "is_redo_available", "is_game_ended",
    "legal_commands", "score", "winner", "data",
]  # fmt: skip


Seated = Callable[..., ChainGame]


@pytest.fixture
def game(seated: Seated) -> ChainGame:
    return seated()


@pytest.fixture
def sagrada(chain: Chain) -> Handle:
    return chain.deploy(Sagrada)


def test_entries_are_the_interface() -> None:
    assert list(Sagrada.__spec__.entries) == ENTRIES


def test_game_is_dealt_and_chosen(chain: Chain, sagrada: Handle) -> None:
    receipt = sagrada.create_game(["ada", "bruno"])
    offers = [[frame.name for frame in sagrada.window_frames(0, name)] for name in ("ada", "bruno")]
    cards = {sagrada.private_objective(0, name) for name in ("ada", "bruno")}
    assert_events(receipt, GameCreated(0, ("ada", "bruno")))
    assert len({*offers[0], *offers[1]}) == 8
    assert len(cards) == 2 and cards <= set(range(23, 28))


def test_last_choice_begins_the_game(chain: Chain, sagrada: Handle) -> None:
    sagrada.create_game(["ada", "bruno"])
    frames = {name: sagrada.window_frames(0, name)[2] for name in ("ada", "bruno")}
    first = sagrada.choose_frame(0, frames["bruno"].name, sender=chain.account("bruno"))
    assert list(first.events) == [FrameChosen(0, "bruno", frames["bruno"].name)]
    last = sagrada.choose_frame(0, frames["ada"].name, sender=chain.account("ada"))
    assert_events(last, FrameChosen, GameStarted(0, ("ada", "bruno")))
    players = sagrada.fields.tables[0].state.players
    assert {player.username: player.window.frame for player in players} == frames


@pytest.mark.parametrize(
    ("players", "reason"),
    [
        ([], "A game needs two to four players."),
        (["ada"], "A game needs two to four players."),
        (["ada", "bruno", "chiara", "dario", "elena"], "A game needs two to four players."),
        (["ada", "bruno", "ada"], "Two players have the same name."),
        (["ada", ""], "A player has no name."),
    ],
)
def test_wrong_players_are_refused(sagrada: Handle, players: list[str], reason: str) -> None:
    with reverts(reason):
        sagrada.create_game(players)


def test_addresses_work_like_names(sagrada: Handle, alice: Account, bob: Account) -> None:
    sagrada.create_game([str(alice).lower(), "bruno"])
    frame = sagrada.window_frames(0, str(alice))[0].name
    assert_events(sagrada.choose_frame(0, frame, sender=alice), (FrameChosen, {"player": "alice"}))
    with reverts("You are not invited to this game."):
        sagrada.choose_frame(0, frame, sender=bob)


def test_frame_is_chosen_once_from_the_offer(chain: Chain, sagrada: Handle) -> None:
    ada = chain.account("ada")
    with chain.loaded(cards=[23, 24, *range(8)]):
        sagrada.create_game(["ada", "bruno"])
    with reverts("You are offered Aurora Sagradis, Aurorae Magnificus, Batllo, Bellesguard."):
        sagrada.choose_frame(0, "Comitas", sender=ada)
    sagrada.choose_frame(0, "Batllo", sender=ada)
    with reverts("You have chosen your window frame already."):
        sagrada.choose_frame(0, "Batllo", sender=ada)


def test_late_choice_gets_the_first_frame(chain: Chain, sagrada: Handle, carol: Account) -> None:
    sagrada.create_game(["ada", "bruno"])
    chosen = sagrada.window_frames(0, "ada")[3]
    sagrada.choose_frame(0, chosen.name, sender=chain.account("ada"))
    with reverts("There are 58 seconds left."):
        sagrada.force_start(0, sender=carol)
    chain.advance(60)
    sagrada.force_start(0, sender=carol)
    frames = [player.window.frame for player in sagrada.fields.tables[0].state.players]
    assert frames == [chosen, sagrada.window_frames(0, "bruno")[0]]


def test_game_begins_once(game: ChainGame) -> None:
    with reverts(BEGUN):
        game.choose("ada", "Aurora Sagradis")
    with reverts(BEGUN):
        game.contract.force_start(game.id)


@pytest.mark.parametrize("view", ENTRIES[ENTRIES.index("current_player") :])
def test_views_need_a_game_that_began(sagrada: Handle, view: str) -> None:
    sagrada.create_game(["ada", "bruno"])
    with reverts(NOT_BEGUN):
        getattr(sagrada, view)(0)
    with reverts(NO_SUCH_GAME):
        getattr(sagrada, view)(1)


def test_guests_only_have_offers(sagrada: Handle) -> None:
    sagrada.create_game(["ada", "bruno"])
    with reverts(UNKNOWN_PLAYER):
        sagrada.window_frames(0, "chiara")
    with reverts(NO_SUCH_GAME):
        sagrada.private_objective(1, "ada")


def test_command_is_executed_and_reported(game: ChainGame) -> None:
    receipt = game.say("pick 1")
    assert game.state.turn.picked == Die(0, 1)
    assert list(receipt.events) == [CommandExecuted(game.id, "ada", "pick 1", 1)]


def test_refusal_is_the_rules_and_changes_nothing(game: ChainGame) -> None:
    game.say("pick 1", "undo")
    before, stacks = game.ask("data"), game.ask("is_redo_available")
    with reverts(f"{GENERIC}\n{TOO_BIG}") as caught:
        game.say("pick 8")
    assert caught.error.text == f"{GENERIC}\n{TOO_BIG}"
    assert (game.ask("data"), game.ask("is_redo_available")) == (before, stacks) == (before, True)


@pytest.mark.parametrize("by", ["bruno", "somebody else"])
def test_only_the_current_player_commands(game: ChainGame, by: str) -> None:
    with reverts(f"{GENERIC}\n{NOT_YOUR_TURN}"):
        game.say("pick 1", by=by)
    with reverts(f"{GENERIC}\n{NOT_AVAILABLE}"):
        game.say("dance", by=by)


def test_commands_need_a_game_that_began(sagrada: Handle) -> None:
    sagrada.create_game(["ada", "bruno"])
    for entry, *args in (("execute_command", "pass"), ("undo",), ("redo",), ("force_pass",)):
        with reverts(NOT_BEGUN):
            getattr(sagrada, entry)(0, *args)
        with reverts(NO_SUCH_GAME):
            getattr(sagrada, entry)(1, *args)


def test_legal_commands_are_listed(game: ChainGame) -> None:
    assert game.ask("legal_commands") == [
        *(f"pick {n}" for n in range(1, 8)),
        "pass",
        "tool 2",
        "tool 8",
    ]
    game.say("tool 2")
    assert game.ask("legal_commands") == []


def test_games_do_not_mix(chain: Chain, game: ChainGame) -> None:
    before = game.ask("data")
    other = game.contract.load_game(before).return_value
    game.contract.execute_command(other, "pick 3", sender=game.chain.account("ada"))
    game.contract.undo(other, sender=game.chain.account("ada"))
    assert (game.ask("data"), game.ask("is_redo_available")) == (before, False)


def test_undo_and_redo_go_back_and_forth(game: ChainGame) -> None:
    opening = game.ask("data")
    game.say("pick 2")
    picked, undone = game.ask("data"), game.say("undo")
    assert (game.ask("data"), list(undone.events)) == (opening, [Undone(game.id, "ada", 1)])
    redone = game.say("redo")
    assert (game.ask("data"), list(redone.events)) == (picked, [Redone(game.id, "ada", 1)])


@pytest.mark.parametrize("operation", ["undo", "redo"])
def test_nothing_to_undo_or_redo(game: ChainGame, operation: str) -> None:
    with reverts(NOT_AVAILABLE):
        game.say(operation)
    with reverts(NOT_YOUR_TURN):
        game.say(operation, by="bruno")


def test_only_the_current_player_undoes(game: ChainGame) -> None:
    game.say("pick 1")
    with reverts(NOT_YOUR_TURN):
        game.say("undo", by="bruno")
    assert game.ask("is_undo_available")


def test_pass_closes_undo(game: ChainGame) -> None:
    game.say("pick 1", "place 1 1", "pass")
    assert not game.ask("is_undo_available")
    with reverts(NOT_AVAILABLE):
        game.say("undo")


def test_random_command_cannot_be_undone(chain: Chain, seated: Seated) -> None:
    game = seated(tools=(6, 2, 8))
    game.say("pick 1")
    with chain.loaded(roll=[5]):
        game.say("tool 6")
    assert game.state.turn.picked == Die(0, 5)
    with reverts(NOT_AVAILABLE):
        game.say("undo")


def test_command_clears_the_redos(game: ChainGame) -> None:
    game.say("pick 1", "tool 1", "undo", "undo")
    assert (game.table.undos, game.table.redos) == (0, 2)
    game.say("pick 2")
    assert (game.table.undos, game.table.redos) == (1, 0)
    assert game.contract.fields.steps[game.id, 1] == b""
    with reverts(NOT_AVAILABLE):
        game.say("redo")


def test_turn_is_passed_when_time_is_over(game: ChainGame, carol: Account) -> None:
    with reverts("There are 59 seconds left."):
        game.contract.force_pass(game.id, sender=carol)
    game.chain.advance(58)
    with reverts("There are 1 seconds left."):
        game.contract.force_pass(game.id, sender=carol)
    receipt = game.contract.force_pass(game.id, sender=carol)
    assert list(receipt.events) == [
        CommandExecuted(game.id, "ada", "pass", 1),
        TurnPassed(game.id, "ada", "bruno"),
    ]


def test_time_runs_from_the_beginning_of_the_turn(game: ChainGame) -> None:
    game.chain.advance(59)
    game.say("pick 1", "place 1 1")
    game.contract.force_pass(game.id)
    with reverts("seconds left"):
        game.contract.force_pass(game.id)


@pytest.mark.parametrize(("text", "left"), [("pass", 59), ("tool 8", 59), ("pick 1", 0)])
def test_new_turn_has_new_time(game: ChainGame, text: str, left: int) -> None:
    game.chain.advance(100)
    game.say(text)
    receipt = game.contract.force_pass(game.id, check=False)
    assert receipt.ok == (left == 0)
    assert left == 0 or f"{left} seconds" in failure_of(receipt).text


def test_forced_pass_takes_open_steps_back(game: ChainGame) -> None:
    game.say("pick 1", "tool 1")
    game.chain.advance(60)
    receipt = game.contract.force_pass(game.id)
    assert_events(
        receipt,
        Undone(game.id, "ada", 2),
        Undone(game.id, "ada", 1),
        CommandExecuted(game.id, "ada", "pass", 1),
        TurnPassed(game.id, "ada", "bruno"),
    )
    assert (game.state.tools[0].favor_points, game.table.redos) == (0, 0)
    assert not game.ask("is_redo_available")


def test_forced_pass_keeps_what_may_stay(game: ChainGame) -> None:
    game.say("pick 1", "place 1 1")
    game.chain.advance(60)
    game.contract.force_pass(game.id)
    assert game.state.players[0].window.dice[0] == Die(0, 1)


def test_turn_that_was_loaded_half_done_is_broken_off(game: ChainGame) -> None:
    game.say("pick 1", "tool 1")
    loaded = game.contract.load_game(game.ask("data")).return_value
    with reverts("There are 59 seconds left."):
        game.contract.force_pass(loaded)
    game.chain.advance(60)
    receipt = game.contract.force_pass(loaded)
    assert list(receipt.events) == [
        CommandExecuted(loaded, "ada", "pass", 1),
        TurnPassed(loaded, "ada", "bruno"),
    ]
    table = game.contract.fields.tables[loaded]
    assert table is not None
    state = table.state
    assert (state.turn, state.pool[-1]) == (Turn(), Die(0, 1))
    assert state.tools[0].favor_points == 1  # what was paid stays paid


def test_turn_time_is_a_setting(chain: Chain) -> None:
    slow = chain.deploy(Sagrada, 600)
    slow.create_game(["ada", "bruno"])
    with reverts("There are 599 seconds left."):
        slow.force_start(0)


def test_placing_is_reported(game: ChainGame) -> None:
    receipt = game.say("pick 2", "place 4 5")
    assert list(receipt.events)[1:] == [DicePlaced(game.id, "ada", Die(1, 2), 4, 5)]


def test_tool_and_move_are_reported(game: ChainGame) -> None:
    game.say("pick 2", "place 4 5")
    assert list(game.say("tool 2").events)[1:] == [ToolActivated(game.id, "ada", 2, 1)]
    moved = DiceMoved(game.id, "ada", Die(1, 2), 4, 5, 1, 1)
    assert list(game.say("move 4 5 1 1").events)[1:] == [moved]


def test_tool_costs_more_the_second_time(game: ChainGame) -> None:
    game.say("tool 8", "pass")
    assert_events(game.say("tool 8"), ToolActivated(game.id, "chiara", 8, 2))


def test_two_turns_in_a_row_are_reported(game: ChainGame) -> None:
    assert_events(game.say("tool 8"), TurnPassed(game.id, "ada", "ada"))


def test_end_of_round_is_reported(game: ChainGame) -> None:
    receipt = game.say("pick 1", "place 1 1", *["pass"] * 6)
    left = tuple(Die(number, shade) for number, shade in enumerate((2, 3, 4, 5, 6, 1), 1))
    assert_events(receipt, TurnPassed(game.id, "ada", "bruno"), RoundEnded(game.id, 1, left))


def test_end_of_game_is_reported(seated: Seated) -> None:
    game = seated(players=2)
    receipt = game.say(*["pass"] * 40)
    scores = (Score("ada", 0), Score("bruno", 0))
    assert_events(receipt, RoundEnded, GameEnded(game.id, game.ask("winner"), scores))
    assert game.chain.events(RoundEnded).count() == 10
    assert game.ask("score") == list(scores)


def test_finished_game_takes_nothing_more(seated: Seated, carol: Account) -> None:
    game = seated(players=2)
    game.say(*["pass"] * 40)
    game.chain.advance(1000)
    for entry, *args in (("execute_command", "pass"), ("undo",), ("redo",), ("force_pass",)):
        with reverts(GAME_FINISHED) as caught:
            getattr(game.contract, entry)(game.id, *args, sender=game.chain.account("ada"))
        assert caught.error.text == GAME_FINISHED
    assert game.ask("is_game_ended") and game.ask("legal_commands") == []


def test_winner_comes_with_the_end(seated: Seated) -> None:
    game = seated(players=2)
    assert game.ask("winner") is None
    game.say(*["pass"] * 40)
    assert game.ask("winner") == "ada"  # nothing else decides: ada is last in the last round
