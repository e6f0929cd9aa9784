"""Random games, the same for the same seed, and games on a chain: positions to test with and work to measure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any, Final

from chain import Chain
from chain.ledger.receipts import Receipt
from contracts.sagrada.contract import Sagrada
from contracts.sagrada.history import History, play, redo, undo
from contracts.sagrada.models import Table
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


class ChainGame:
    """A game on a chain, and words for its calls. What is dealt is told beforehand, so a test knows what lies there."""

    FRAMES: Final = (
        "Aurora Sagradis",
        "Chromatic Splendor",
        "Fractal Drops",
        "Kaleidoscopic Dream",
    )
    SHADES: Final = (
        1,
        2,
        3,
        4,
        5,
        6,
    ) * 15  # by die; of the pool: R1 G2 Y3 B4 P5, then R6 G1, then Y2 B3

    def __init__(self, chain: Chain, tools: Sequence[int] = (1, 2, 8), players: int = 3) -> None:
        self.chain, self.contract = chain, chain.deploy(Sagrada)
        self.names = NAMES[:players]
        cards = [*range(23, 23 + players), *range(4 * players), 13, 14, 15, *tools]
        with chain.loaded(bag=[*self.SHADES], draw=[*range(2 * players + 1)], cards=cards):
            self.id: int = self.contract.create_game(list(self.names)).return_value
            for name, frame in zip(self.names, self.FRAMES, strict=False):
                self.choose(name, frame)

    def choose(self, name: str, frame: str) -> Receipt:
        receipt: Receipt = self.contract.choose_frame(
            self.id, frame, sender=self.chain.account(name)
        )
        return receipt

    def say(self, *texts: str, by: str = "") -> Receipt:
        """What the player whose turn it is says, or somebody else; the last receipt. `undo` and `redo` are words too."""
        for text in texts:
            sender = self.chain.account(by or self.ask("current_player"))
            if text in ("undo", "redo"):
                receipt: Receipt = getattr(self.contract, text)(self.id, sender=sender)
            else:
                receipt = self.contract.execute_command(self.id, text, sender=sender)
        return receipt

    def ask(self, view: str, *args: Any) -> Any:
        return getattr(self.contract, view)(self.id, *args)

    @property
    def table(self) -> Table:
        table = self.contract.fields.tables[self.id]
        assert table is not None
        return table

    @property
    def state(self) -> State:
        return self.table.state
