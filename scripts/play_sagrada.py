"""Lets three simple players play a game of Sagrada on a chain, and shows windows, turns, scores and the receipt log.

The players see the game by its views and speak by its commands; each chooses among the legal ones, or undoes.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator

from chain import Chain, Handle
from contracts.sagrada import (
    CommandExecuted,
    GameEnded,
    Redone,
    RoundEnded,
    Sagrada,
    ToolActivated,
    Undone,
)
from contracts.sagrada.dice import LETTERS, Die
from contracts.sagrada.library import LIBRARY
from contracts.sagrada.state import Player, State, current_player
from contracts.sagrada.strategies import Simple, careful, hasty, tinkerer
from contracts.sagrada.window import ROW_CELLS

PLAYERS: tuple[Simple, ...] = (careful("ada"), hasty("bruno"), tinkerer("chiara"))
HUES = dict(zip(LETTERS, "12345", strict=True))  # of a terminal
SEED = 34  # deals cards of which all tools get used
WIDTH = 24  # of a window and the space beside it


def main(chain: Chain) -> None:
    game = chain.deploy(Sagrada)
    sit_down(chain, game)
    show_table(state_of(game))
    play(chain, game)
    show_scores(game)
    show_receipts(chain)


def state_of(game: Handle) -> State:
    state: State = game.fields.tables[0].state
    return state


def sit_down(chain: Chain, game: Handle) -> None:
    """Each player takes the hardest of the four frames, for the favor points."""
    title("Sitting down")
    names = [player.name for player in PLAYERS]
    game.create_game(names, sender=chain.account(names[0]))
    for name in names:
        frames = sorted(game.window_frames(0, name), key=lambda frame: -frame.difficulty)
        card = LIBRARY.objectives[game.private_objective(0, name)]
        offered = ", ".join(f"{frame.name} ({frame.difficulty})" for frame in frames)
        print(f"{name} holds {card.name} and may choose {offered}")
        game.choose_frame(0, frames[0].name, sender=chain.account(name))
    print()


def show_table(state: State) -> None:
    title("The cards")
    for number in state.objectives:
        card = LIBRARY.objectives[number]
        print(f"{card.name}: {card.description} Points: {card.points_per_pattern}")
    for tool in state.tools:
        print(
            f"Tool {tool.id}, {LIBRARY.tools[tool.id].name}: {LIBRARY.tools[tool.id].description}"
        )
    print()


def play(chain: Chain, game: Handle) -> None:
    """Show each round: the commands of all players, then the windows."""
    strategies = {player.name: player for player in PLAYERS}
    shown = 0
    while not game.is_game_ended(0):
        state = state_of(game)
        if state.track.round != shown:
            shown = state.track.round
            title(f"Round {shown}")
            print(f"{'pool':>8}: {' '.join(map(paint, state.pool))}")
        name = current_player(state).username
        print(f"{name:>8}: {', '.join(take_turn(chain, game, strategies[name]))}")
        if state_of(game).track.round != shown:
            show_windows(state_of(game))


def take_turn(chain: Chain, game: Handle, player: Simple) -> Iterator[str]:
    """Play the turn; yield the commands of the player."""
    account, state = chain.account(player.name), state_of(game)
    while state_of(game).order == state.order and not game.is_game_ended(0):
        legal, may_undo = game.legal_commands(0), game.is_undo_available(0)
        text = player.choose(state_of(game), legal, may_undo)
        if text == "undo":
            game.undo(0, sender=account)
        else:
            game.execute_command(0, text, sender=account)
        yield text


def show_windows(state: State) -> None:
    print()
    print("".join(f"{heading(player):{WIDTH}}" for player in state.players).rstrip())
    for row in ROW_CELLS:
        line = [" ".join(cell(player, number) for number in row) for player in state.players]
        print((" " * (WIDTH - 14)).join(line).rstrip())
    print(f"\nround track: {' '.join(map(paint, state.track.dice)) or 'empty'}\n")


def heading(player: Player) -> str:
    return f"{player.username}, favor {player.favor_points}"


def cell(player: Player, number: int) -> str:
    """A die as colour and shade, else the constraint in small or a dot."""
    die, mark = player.window.dice[number], player.window.frame.marks[number]
    if die is not None:
        return paint(die)
    return colored(f"{mark.lower()} ", f"3{HUES[mark]}") if mark in HUES else f"{mark} "


def paint(die: Die) -> str:
    return colored(str(die), f"30;4{HUES[str(die)[0]]}")


def colored(text: str, code: str) -> str:
    """Add a colour on a terminal, unless its user refuses colours."""
    if not sys.stdout.isatty() or os.environ.get("NO_COLOR"):
        return text
    return f"\033[{code}m{text}\033[0m"


def show_scores(game: Handle) -> None:
    """Each score with its parts: cards, favor points, empty cells."""
    title("The scores")
    state = state_of(game)
    publics = [LIBRARY.objectives[number] for number in state.objectives]
    columns = ["private", *(card.name for card in publics), "favor points", "empty cells", "score"]
    print(f"{'':8}" + "".join(f"  {column}" for column in columns))
    for player, total in zip(state.players, game.score(0), strict=True):
        dice = player.window.dice
        private = LIBRARY.objectives[player.objective or 0].points(dice)
        won = [card.points(dice) for card in publics]
        numbers = [private, *won, player.favor_points, -dice.count(None), total.score]
        parts = zip(columns, numbers, strict=True)
        print(f"{player.username:8}" + "".join(f"  {n:>{len(column)}}" for column, n in parts))
    print(f"\n{game.winner(0)} wins\n")


def show_receipts(chain: Chain) -> None:
    """Show the receipt log."""
    title("The receipt log")
    for event in (CommandExecuted, ToolActivated, Undone, Redone, RoundEnded, GameEnded):
        print(f"{chain.events(event).count():5} {event.__name__}")
    words = Counter(event.command.split()[0] for event in chain.events(CommandExecuted))
    print(", ".join(f"{count} x {word}" for word, count in words.most_common()))
    gas = [receipt.gas_used for receipt in chain.receipts.where(entry="execute_command")]
    print(f"{len(gas)} commands for {sum(gas) // len(gas)} gas each, on average")
    print(f"last block: 0x{chain.block_hash().hex()}")


def title(text: str) -> None:
    print(f"== {text} ==\n")


if __name__ == "__main__":
    main(Chain(seed=SEED))
