"""One game from its first move to its row in the results. It depends only on the plan and its number."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import nullcontext
from pathlib import Path
from random import Random
from typing import IO, Any, Final, NamedTuple

from chain.arena.find_game import find_game
from chain.arena.game import Game, Result, Table
from chain.arena.plan import Plan
from chain.foundation.watchdog import TimeUp, within
from chain.replays import record
from chain.simulator.chain import Chain

LOST: Final = "its players crashed, or were silent for too long"  # why a game failed


class Row(NamedTuple):
    """A game in the results. Lists are JSON. Figures of a chain are None without one."""

    game: int
    seed: int
    seats: str  # the strategies
    ending: str | None
    winners: str  # seats
    places: str
    scores: str
    plies: int
    text: str  # the last state
    gas: int | None = None
    ticks: int | None = None
    calls: str | None = None  # by entry the number of calls, and the gas; a deployment has no entry
    # Of the first games: how often each gas by entry, and each part of the board.
    details: str | None = None
    failure: str | None = None
    transcript: str | None = None  # of a game that failed

    @property
    def outcome(self) -> tuple[object, ...]:
        """The part that must be the same on a chain and by the rules."""
        return self.ending, self.places, self.scores, self.plies, self.text, self.failure


class NoEnd(Exception):
    """A game exceeds the number of plies that the plan allows."""


class IllegalChoice(Exception):
    """A strategy chose something that is not a legal move."""


def play_game(
    plan: Plan, number: int, *, seconds: float | None = None, journal: Path | None = None
) -> Row:
    """Play a game of a campaign. It fails if it takes more than `seconds` of computing.

    A journal is a file that records each move before it is made, for a game that may crash this process.
    """
    game = find_game(plan.target)
    sitting = _Sitting(game, plan, number, seconds, journal)
    if not plan.bare:
        return _on_chain(game, sitting, Chain(seed=sitting.seed))
    row = _by_rules(game, sitting)
    if plan.is_checked(number):
        again = _Sitting(game, plan, number, seconds, journal)
        checked = _on_chain(game, again, Chain(seed=again.seed))
        if checked.outcome != row.outcome:
            failure = row.failure or checked.failure or "it ends differently on a chain"
            return checked._replace(failure=f"by the rules and on a chain: {failure}")
    return row


def replay_into(plan: Plan, number: int, file: Path) -> Row:
    """Play a game once more, on a chain in a file."""
    if file.exists():
        raise FileExistsError(f"{file} already exists")
    with Chain.open(file, seed=plan.seed(number)) as chain:
        return replay_on(plan, number, chain)


def replay_on(plan: Plan, number: int, chain: Chain, *, seconds: float | None = None) -> Row:
    """Play a game once more, on a fresh chain with its seed."""
    game = find_game(plan.target)
    return _on_chain(game, _Sitting(game, plan, number, seconds), chain)


def row_of_lost_game(plan: Plan, number: int, moves: str) -> Row:
    """Return the row of a game that crashed its players, or was killed with them."""
    seats, none = _json(plan.seats(number)), _json(())
    return Row(
        number, plan.seed(number), seats, None, none, none, none, moves.count("\n"), "",
        failure=LOST,
        transcript=moves,
    )  # fmt: skip


def _by_rules(game: Game[object, object], sitting: _Sitting) -> Row:
    row = sitting.play(lambda: game.by_rules(len(sitting.seats), sitting.chance))
    if row.failure is None:
        return row
    moves = (_line(ply, *made) for ply, made in enumerate(sitting.made, 1))
    return row._replace(transcript="".join(moves))


def _on_chain(game: Game[object, object], sitting: _Sitting, chain: Chain) -> Row:
    row = sitting.play(lambda: game.on_chain(chain, len(sitting.seats), sitting.chance))
    calls: dict[str, Counter[int]] = {}
    ticks = 0
    for receipt in chain.receipts:
        calls.setdefault(receipt.entry or "", Counter())[receipt.gas_used] += 1
        ticks += receipt.ticks or 0
    sums = {entry: (each.total(), sum(each.elements())) for entry, each in calls.items()}
    return row._replace(
        gas=sum(gas for _, gas in sums.values()),
        ticks=ticks,
        calls=_json(sums),
        details=sitting.details(calls),
        transcript=None if row.failure is None else record(chain),
    )


class _Sitting:
    """The players of a game, each with its own random numbers, and what they did."""

    def __init__(
        self, game: Game[object, object], plan: Plan, number: int,
        seconds: float | None = None, journal: Path | None = None,
    ) -> None:  # fmt: skip
        self.seconds, self.journal = seconds, journal
        self.plan, self.number, self.seats = plan, number, plan.seats(number)
        self.seed = plan.seed(number)
        self.chance = Random(self.seed)  # of the table
        self.players = [
            (name, game.strategies[name](), Random(f"{self.seed}/{seat}"))
            for seat, name in enumerate(self.seats)
        ]
        self.made: list[tuple[str, object]] = []
        self.parts = game.parts if plan.is_detailed(number) else None
        self.heat: Counter[str] = Counter()

    def play(self, open_table: Any) -> Row:
        tables: list[Table[object, object]] = []
        result: Result | None = None
        failure = None

        def run() -> None:
            nonlocal result
            with nullcontext() if self.journal is None else self.journal.open("w") as journal:
                tables.append(table := open_table())
                while (result := table.result()) is None:
                    self._move(table, journal)

        try:
            run() if self.seconds is None else within(self.seconds, run)
        except Exception as problem:
            failure = f"{type(problem).__name__}: {problem}"
        except TimeUp:
            failure = f"TimeUp: it took more than {self.seconds} s of computing"
        return self.row(result, failure, tables[0].text() if tables else "")

    def _move(self, table: Table[object, object], journal: IO[str] | None) -> None:
        if len(self.made) == self.plan.most_plies:
            raise NoEnd(f"the game has not ended after {self.plan.most_plies} plies")
        name, player, chance = self.players[table.turn()]
        moves = table.moves()
        move = player.choose(table.state, moves, chance)
        if move not in moves:
            raise IllegalChoice(f"{name} chose {move}")
        self.made.append((name, move))
        if journal is not None:
            journal.write(_line(len(self.made), name, move))
            journal.flush()
        if self.parts is not None:
            self.heat.update(self.parts(table.state, move))
        table.make(move)

    def details(self, calls: Mapping[str, Counter[int]]) -> str | None:
        """Return the details about the gas of calls and the places of moves, if they are kept for this game."""
        is_kept = self.plan.is_detailed(self.number)
        return _json({"gas": calls, "heat": self.heat}) if is_kept else None

    def row(self, result: Result | None, failure: str | None, text: str) -> Row:
        return Row(
            game=self.number,
            seed=self.seed,
            seats=_json(self.seats),
            ending=result.ending if result else None,
            winners=_json(result.winners if result else ()),
            places=_json(result.places if result else ()),
            scores=_json(result.scores if result else ()),
            plies=len(self.made),
            text=text,
            details=self.details({}),
            failure=failure,
        )


def _line(ply: int, name: str, move: object) -> str:
    return f"{ply} {name}: {move}\n"


def _json(value: Iterable[object]) -> str:
    return json.dumps(value, separators=(",", ":"))
