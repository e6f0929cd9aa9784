"""Random games, the same for the same seed: positions to test with and work to measure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from contracts.sagrada.history import History, play, redo, undo
from contracts.sagrada.rules import legal_moves
from contracts.sagrada.setup import Seat, deal_private_objectives, new_game, offer_frames
from contracts.sagrada.state import State, current_player, is_finished

NAMES = ("ada", "bruno", "chiara", "dario")


class Seeded:
    """Chance out of a seed."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)

    def choice(self, options: Sequence[int], /, *, tag: str) -> int:
        del tag
        return self._random.choice(options)


def opening(seed: int, players: int = 2) -> State:
    chance = Seeded(seed)
    objectives = deal_private_objectives(players, chance)
    offers = offer_frames(players, chance)
    seats = zip(NAMES, offers, objectives, strict=False)
    return new_game([Seat(name, offer[0], card) for name, offer, card in seats], chance)


def random_game(seed: int, players: int = 2) -> Iterator[History]:
    """A game in which all kinds of command are as likely; who is stuck, and some others, undo."""
    chance, whim = Seeded(seed), Random(seed)
    history = History(opening(seed, players))
    yield history
    while not is_finished(history.state):
        moves = legal_moves(history.state)
        if not moves or whim.random() < 0.1:
            history = redo(history) if moves and whim.random() < 0.3 else undo(history)
        else:
            word = whim.choice(sorted({move.split(" ")[0] for move in moves}))
            text = whim.choice([move for move in moves if move.split(" ")[0] == word])
            history = play(history, current_player(history.state).username, text, chance)
        yield history
