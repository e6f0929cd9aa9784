"""The results of a campaign in SQLite: `results.sqlite`, a row for each game, beside the plan that they follow.

A chunk of rows is one transaction, together with the count of all games so far, so a process that is killed leaves whole rows
and a count that fits them. A game that is there already stays as it is.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Final, Self

from chain.arena.estimates import Sprt
from chain.arena.match import Row
from chain.arena.plan import Plan
from chain.arena.tally import Tally, and_row
from chain.sealed import Sealed, put

FILE: Final = "results.sqlite"
_ALL: Final = 2**63 - 1
_WHOLE: Final = dict.fromkeys(("seed", "plies", "gas", "ticks"), "INTEGER")
_TYPES: Final = {**_WHOLE, "game": "INTEGER PRIMARY KEY"}
_SCHEMA: Final = ", ".join(f"{name} {_TYPES.get(name, 'TEXT')}" for name in Row._fields)
_INSERT: Final = f"INSERT OR IGNORE INTO games VALUES ({', '.join('?' * len(Row._fields))})"


class OtherPlan(ValueError):
    """The results that are there follow another plan.

    >>> from pathlib import Path
    >>> store = Store(Path("runs"))
    >>> store.follow(Plan.of("contracts.deblockle", ["random"]))
    >>> store.follow(Plan.of("contracts.deblockle", ["greedy"]))
    Traceback (most recent call last):
        ...
    chain.arena.store.OtherPlan: the results in runs follow another plan: strategies is ('random', 'random') there ...
    """


class Store(Sealed):
    """Results in a folder; without one, in memory.

    >>> store = Store()
    >>> store.follow(Plan.of("contracts.deblockle", ["random"]))  # `play` does this, and adds the games
    >>> store.plan.strategies, store.tally().games, store.games(), store.row(1)
    (('random', 'random'), 0, set(), None)
    >>> list(store.rows()), list(store.failures()), store.digest()
    ([], [], '')
    >>> store.close()
    """

    folder: Path | None  # None for results in memory

    def __init__(self, folder: Path | None = None) -> None:
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
        put(self, "folder", folder)
        self._connection = sqlite3.connect(":memory:" if folder is None else folder / FILE)
        self._connection.executescript(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
            " CREATE TABLE IF NOT EXISTS plan (name TEXT PRIMARY KEY, value TEXT);"
            f" CREATE TABLE IF NOT EXISTS games ({_SCHEMA});"
            " CREATE TABLE IF NOT EXISTS tally (one INTEGER PRIMARY KEY, state TEXT);"
        )

    @property
    def plan(self) -> Plan | None:
        """The plan of the results, None while there is none."""
        stored = self._connection.execute("SELECT name, value FROM plan")
        record = {name: json.loads(value) for name, value in stored}
        return Plan.from_json(record) if record else None

    def follow(self, plan: Plan) -> None:
        """Keep results of this plan from now on. Raise `OtherPlan` if there are some of another."""
        if self.plan is None:
            with self._connection:
                pairs = [(name, json.dumps(value)) for name, value in asdict(plan).items()]
                self._connection.executemany("INSERT INTO plan VALUES (?, ?)", pairs)
        elif self.plan != plan:
            raise OtherPlan(_difference(self.folder, asdict(self.plan), asdict(plan)))

    @property
    def kept_tally(self) -> Tally:
        """The count as it was when rows were last added."""
        assert self.plan is not None
        state = self._connection.execute("SELECT state FROM tally").fetchone()
        return Tally.from_json(self.plan, json.loads(state[0])) if state else Tally(self.plan)

    def tally(self, sprt: Sprt | None = None, *, until: int = _ALL) -> Tally:
        """Return the count of these games: as it was kept, unless that was for another test or of more games."""
        tally = self.kept_tally
        if tally.sprt != sprt or tally.games > until:
            tally = Tally(tally.plan, sprt)
        self._count(tally, until)
        return tally

    def add(self, rows: Sequence[Row], tally: Tally | None = None, *, until: int = _ALL) -> None:
        """Keep rows, and go on with a count as far as there are rows now. Those after one that is missing wait for it."""
        with self._connection:
            self._connection.executemany(_INSERT, rows)
            if tally is not None:
                self._count(tally, until)
                state = json.dumps(tally.to_json())
                self._connection.execute("INSERT OR REPLACE INTO tally VALUES (1, ?)", (state,))

    def _count(self, tally: Tally, until: int) -> None:
        for row in self.rows(first=tally.games, until=until):
            if row.game != tally.games or tally.is_decided:
                break
            tally.add(row)

    def drop_from(self, number: int) -> None:
        """Remove this game and all that come after it."""
        with self._connection:
            self._connection.execute("DELETE FROM games WHERE game >= ?", (number,))

    def games(self, first: int = 0) -> set[int]:
        """Return the numbers of the games that are there, from `first` on."""
        query = "SELECT game FROM games WHERE game >= ?"
        return {number for (number,) in self._connection.execute(query, (first,))}

    def rows(self, *, first: int = 0, until: int = _ALL) -> Iterator[Row]:
        """Yield the rows of these games in the order of their numbers."""
        query = "SELECT * FROM games WHERE game >= ? AND game < ? ORDER BY game"
        for row in self._connection.execute(query, (first, until)):
            yield Row(*row)

    def row(self, number: int) -> Row | None:
        """Return the row of a game, or None."""
        return next(self.rows(first=number, until=number + 1), None)

    def failures(self) -> Iterator[Row]:
        """Yield the rows of the games that failed."""
        query = "SELECT * FROM games WHERE failure IS NOT NULL ORDER BY game"
        for row in self._connection.execute(query):
            yield Row(*row)

    def digest(self, until: int = _ALL) -> str:
        """Return the digest of the rows of these games in their order."""
        digest = ""
        for row in self.rows(until=until):
            digest = and_row(digest, row)
        return digest

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _difference(folder: Path | None, there: dict[str, object], here: dict[str, object]) -> str:
    def named(name: str) -> str:
        if name == "digest":
            return "the code of the game has changed since"
        return f"{name} is {there[name]!r} there and {here[name]!r} here"

    parts = [named(name) for name in here if here[name] != there.get(name)]
    return f"the results in {folder} follow another plan: {'; '.join(parts)}"
