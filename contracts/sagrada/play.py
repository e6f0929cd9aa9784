"""Sagrada played by strategies: `boardchain play contracts.sagrada`.

Chance is told: both tables draw from the same, and the one on a chain loads what was drawn. Everybody plays with the first
frame they are offered.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

from chain import Chain
from chain.arena import Game, Result
from contracts.sagrada import history, rules, setup
from contracts.sagrada.contract import TURN_TIME, Sagrada
from contracts.sagrada.history import History
from contracts.sagrada.playouts import NAMES
from contracts.sagrada.state import State, current_player
from contracts.sagrada.strategies import Simple, careful, hasty, tinkerer

UNDO: Final = "undo"
FORCE_PASS: Final = "force_pass"


class Draws:
    """Chance that notes what it chose, by tag."""

    def __init__(self, chance: Random) -> None:
        self.chance = chance
        self.drawn: dict[str, list[int]] = {}

    def choice(self, options: Sequence[int], /, *, tag: str) -> int:
        chosen = self.chance.choice(options)
        self.drawn.setdefault(tag, []).append(chosen)
        return chosen


class _Table(ABC):
    """What a table on a chain and one by the rules have in common."""

    @property
    @abstractmethod
    def state(self) -> State: ...

    @property
    @abstractmethod
    def may_undo(self) -> bool: ...

    def turn(self) -> int:
        return self.state.order.current

    def moves(self) -> Sequence[str]:
        """All commands, and the undo; who has neither waits until the turn is over."""
        undo = (UNDO,) if self.may_undo else ()
        return (*rules.legal_moves(self.state), *undo) or (FORCE_PASS,)

    def result(self) -> Result | None:
        end = rules.outcome(self.state)
        if end is None:
            return None
        names = [player.username for player in self.state.players]
        ranked = [(name == end.winner, score) for name, score in zip(names, end.scores, strict=True)]  # fmt: skip
        places = tuple(1 + sum(other > mine for other in ranked) for mine in ranked)
        return Result(end.reason, end.scores, places)

    def text(self) -> str:
        return rules.to_text(self.state)


class RulesTable(_Table):
    def __init__(self, seats: int, chance: Random) -> None:
        self.draws = Draws(chance)
        self.guests = setup.invite(NAMES[:seats], self.draws)
        self.history = History(rules.new_game(setup.seats_of(self.guests), self.draws))

    @property
    def state(self) -> State:
        return self.history.state

    @property
    def may_undo(self) -> bool:
        return history.can_undo(self.history)

    def make(self, move: str) -> None:
        if move == UNDO:
            self.history = history.undo(self.history)
        elif move == FORCE_PASS:
            self.history = history.force_pass(self.history, self.draws)
        else:
            player = current_player(self.state).username
            self.history = history.play(self.history, player, move, self.draws)


class ChainTable(_Table):
    """What is seen is the chain's; a game by the rules beside it tells what is drawn."""

    def __init__(self, chain: Chain, seats: int, chance: Random) -> None:
        self.chain, self.contract = chain, chain.deploy(Sagrada)
        self.accounts = [chain.account(name) for name in NAMES[:seats]]
        self.beside = RulesTable(seats, chance)
        with chain.loaded(**self.beside.draws.drawn):
            self.contract.create_game(list(NAMES[:seats]))
            for guest, account in zip(self.beside.guests, self.accounts, strict=True):
                frame = setup.frames_of(guest)[0].name
                self.contract.choose_frame(0, frame, sender=account)
        self._look()

    @property
    def state(self) -> State:
        return self.table.state

    @property
    def may_undo(self) -> bool:
        return self.table.undos > 0 and self.state.turn.undo_available

    def make(self, move: str) -> None:
        mover = self.accounts[self.turn()]
        self.beside.draws.drawn.clear()
        self.beside.make(move)
        with self.chain.loaded(**self.beside.draws.drawn):
            if move == UNDO:
                self.contract.undo(0, sender=mover)
            elif move == FORCE_PASS:
                self.chain.advance(TURN_TIME)
                self.contract.force_pass(0, sender=mover)
            else:
                self.contract.execute_command(0, move, sender=mover)
        self._look()

    def _look(self) -> None:
        table = self.contract.fields.tables[0]
        assert table is not None
        self.table = table


def cell(state: State, move: str) -> tuple[str, ...]:
    """The cell that gets a die, in the window of who is to play."""
    name, *place = move.split(" ")
    return (f"{current_player(state).username} {','.join(place)}",) if name == "place" else ()


class AnyKind:
    """Takes any kind of command, and any of that kind; there are many more of some than of others."""

    def choose(self, state: State, moves: Sequence[str], chance: Random) -> str:
        kind = chance.choice(list(dict.fromkeys(move.split(" ")[0] for move in moves)))
        return chance.choice([move for move in moves if move.split(" ")[0] == kind])


@dataclass
class Steady:
    """A simple player, as a strategy."""

    player: Simple

    def choose(self, state: State, moves: Sequence[str], chance: Random) -> str:
        commands = [move for move in moves if move not in (UNDO, FORCE_PASS)]
        chosen = self.player.choose(state, commands, UNDO in moves)
        return chosen if chosen in moves else moves[-1]


PLAY: Final = Game[State, str](
    contracts=(Sagrada,),
    seats=(2, 3, 4),
    strategies={
        "random": AnyKind,
        "hasty": lambda: Steady(hasty("hasty")),
        "greedy": lambda: Steady(careful("greedy")),
        "tinkerer": lambda: Steady(tinkerer("tinkerer")),
    },
    on_chain=ChainTable,
    by_rules=RulesTable,
    parts=cell,
)
