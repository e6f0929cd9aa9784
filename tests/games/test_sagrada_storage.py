"""Sagrada as JSON and as storage: loading a game, what is hidden of it, what a step writes."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from chain import Chain
from chain.machine.state import iter_changes
from chain.simulator.handle import Handle
from chain.testing import reverts
from contracts.sagrada import CommandExecuted, GameStarted, RoundEnded, Sagrada, contract
from contracts.sagrada.encoding import encode, encode_for
from contracts.sagrada.messages import UNKNOWN_PLAYER
from contracts.sagrada.playouts import ChainGame, random_game
from contracts.sagrada.rules import legal_moves
from contracts.sagrada.state import is_finished

ROOT = Path(__file__).parents[2]
Json = dict[str, Any]


Seated = Callable[..., ChainGame]


@pytest.fixture
def game(seated: Seated) -> ChainGame:
    return seated()


def test_package_imports_no_chance() -> None:
    pytest.importorskip("coincurve")  # signing in Python imports more
    script = "import sys, contracts.sagrada; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True)
    assert "contracts.sagrada.contract" in done.stdout.split()
    assert {"random", "contracts.sagrada.playouts"} & set(done.stdout.split()) == set()


def test_data_is_the_state_as_json(game: ChainGame) -> None:
    game.say("pick 1", "place 1 1")
    assert json.loads(game.ask("data")) == encode(game.state)


@pytest.mark.parametrize("player", ["ada", "bruno", "chiara"])
def test_player_sees_own_card_and_no_bag(game: ChainGame, player: str) -> None:
    view = json.loads(game.ask("data", player))
    assert view == encode_for(game.state, player)
    assert "dice_bag" not in view
    seats = view["turn_manager"]["players"]
    assert [seat["username"] for seat in seats if "private objective" in seat] == [player]


def test_strangers_see_nothing(game: ChainGame) -> None:
    with reverts(UNKNOWN_PLAYER):
        game.ask("data", "dario")


def test_events_hide_what_is_hidden(game: ChainGame) -> None:
    """Events show neither private objectives nor shades in the bag."""
    told = [field for event in game.chain.receipts[-1].events for field in vars(event).values()]
    assert told == [0, "chiara", "Fractal Drops", 0, ("ada", "bruno", "chiara")]


def test_loaded_game_continues_the_same(game: ChainGame) -> None:
    game.say("pick 1", "place 1 1", "tool 2")
    receipt = game.contract.load_game(game.ask("data"))
    twin = receipt.return_value
    assert list(receipt.events) == [GameStarted(twin, ("ada", "bruno", "chiara"))]
    for text in ("move 1 1 4 1", "pass", "pick 3", "place 1 1", "pass"):
        game.contract.execute_command(
            twin, text, sender=game.chain.account(game.ask("current_player"))
        )
        game.say(text)
        assert game.contract.data(twin) == game.ask("data")


def test_loaded_game_has_no_past(game: ChainGame) -> None:
    game.say("pick 1")
    twin = game.contract.load_game(game.ask("data")).return_value
    assert not game.contract.is_undo_available(twin)
    assert game.contract.data(twin) == game.ask("data")


@pytest.mark.parametrize(("seed", "players"), [(1, 3), (4, 3)])
def test_no_loaded_game_is_stuck(
    chain: Chain, deploy: Callable[..., Handle], seed: int, players: int
) -> None:
    """Where no command is legal and nothing can be undone, time ends the turn."""
    contract, kinds = deploy(Sagrada), set()
    for history in random_game(seed, players):
        if is_finished(history.state) or legal_moves(history.state):
            continue
        kinds.add((history.state.turn.picked is not None, history.state.turn.active_tool))
        game_id = contract.load_game(json.dumps(encode(history.state))).return_value
        assert contract.legal_commands(game_id) == []
        chain.advance(60)
        contract.force_pass(game_id)
        assert "pass" in contract.legal_commands(game_id)
    assert len(kinds) > 1  # a die that fits nowhere, a tool card that leads nowhere


def twice(document: Json) -> None:
    document["dice_pool"].append(document["dice_pool"][0])


def nameless(document: Json) -> None:
    document["turn_manager"]["players"][0]["username"] = "bruno"


def alone(document: Json) -> None:
    manager = document["turn_manager"]
    del manager["players"][1:]
    manager["player_turns"] = ["ada"] * 6


def greedy(document: Json) -> None:
    document["turn_manager"]["player_turns"][1] = "ada"


def doubled(document: Json) -> None:
    document["tools"][1] = document["tools"][0]


def goalless(document: Json) -> None:
    del document["public_objectives"][0]


def rich(document: Json) -> None:
    document["tools"][0]["favor_points"] = 245


def hopping(document: Json) -> None:
    document["dice_moved"] = [document["dice_pool"][0]] * 2


def hurried(document: Json) -> None:
    dice = document["dice_bag"]["dice"]
    document["dice_pool"] += dice[62:]
    del dice[62:]


def broken(document: Json) -> None:
    document["turn_manager"]["players"][0]["username"] = "\ud800"


def elsewhere(document: Json) -> None:
    document["active_tool_ID"] = 12


def miscounted(document: Json) -> None:
    document["round_track"]["number_of_dice_on_slot"][0] = 1


def early(document: Json) -> None:
    track = document["round_track"]
    track["all_dice"] = [document["dice_bag"]["dice"].pop()]
    track["number_of_dice_on_slot"][track["current_round_number"] - 1] = 1


def bagless(document: Json) -> None:
    del document["dice_bag"]


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (twice, "The 90 dice are not all there, each once."),
        (nameless, "state, turn_manager.player_turns[0]:"),
        (alone, "A game needs two to four players."),
        (greedy, "Each player has two turns a round."),
        (doubled, "A game has 3 different tool cards, and as many public objectives."),
        (goalless, "A game has 3 different tool cards, and as many public objectives."),
        (rich, "There are more than 255 favor points in all."),
        (hopping, "A die has moved twice in one turn."),
        (hurried, "The bag holds too few dice for the rounds to come."),
        (broken, 'state, turn_manager.players[0].username: "\\ud800" is not a text'),
        (elsewhere, "A tool card in use is not on the board."),
        (miscounted, "The round track holds another number of dice than its slots."),
        (early, "The round track holds dice of a round to come."),
        (bagless, 'state: the key "dice_bag" is missing'),
    ],
)
def test_impossible_state_is_refused(
    game: ChainGame, spoil: Callable[[Json], None], reason: str
) -> None:
    document = json.loads(game.ask("data"))
    spoil(document)
    with reverts(reason):
        game.contract.load_game(json.dumps(document))
    assert len(game.contract.fields.parties) == 1


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{", '{"a": 1, "a": 2}', '{"\\ud800": 1, "\\ud800": 2}', "[" * 10**5, "9" * 10**4],
)
def test_text_that_is_not_a_state_is_refused(deploy: Callable[..., Handle], text: str) -> None:
    with reverts("state") as caught:
        deploy(Sagrada).load_game(text)
    assert caught.error.kind == "revert"


def words_written(receipt: Any) -> set[int]:
    """The storage words of the contract that differ after the transaction."""
    return {
        slot
        for address, slot, *_ in iter_changes(receipt.changes)
        if address == bytes(receipt.to) and isinstance(slot, int)
    }


def steps_of(game: ChainGame, seed: int) -> Iterator[Any]:
    """The receipts of a whole game in which all kinds of command are as likely; who is stuck, and some others, undo."""
    whim = Random(seed)
    while not game.ask("is_game_ended"):
        texts = game.ask("legal_commands")
        if not texts or (game.ask("is_undo_available") and whim.random() < 0.1):
            yield game.say("undo")
        else:
            kind = whim.choice(sorted({text.split(" ")[0] for text in texts}))
            yield game.say(whim.choice([text for text in texts if text.split(" ")[0] == kind]))


def test_steps_write_as_few_words_as_reported(seated: Seated) -> None:
    """The figures that the contract's own text gives, out of two games of four."""
    told = re.search(
        r"(\d+) to (\d+) words, the pass that ends a round up to (\d+)", contract.__doc__
    )
    games = seated((7, 12, 1), 4), seated((6, 3, 7), 4)
    receipts = [receipt for seed, game in enumerate(games) for receipt in steps_of(game, seed)]
    words = [(len(words_written(each)), bool(each.events[RoundEnded])) for each in receipts]
    within, ending = ([count for count, ends in words if ends is so] for so in (False, True))
    assert told and [*map(int, told.groups())] == [min(within), max(within), max(ending)]


def test_undo_writes_what_its_command_wrote(game: ChainGame) -> None:
    did = words_written(game.say("pick 3"))
    assert words_written(game.say("undo")) == did
    assert words_written(game.say("redo")) == did


def test_steps_are_numbered_by_position(game: ChainGame) -> None:
    game.say("pick 1", "undo", "pick 2", "place 4 5", "pass")
    steps = [event.step for event in game.chain.events(CommandExecuted)]
    assert steps == [1, 1, 2, 3]
    assert (game.table.undos, game.table.redos) == (3, 0)
