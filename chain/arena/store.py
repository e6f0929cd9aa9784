"""The results of a campaign in SQLite: `results.sqlite`, with the plan and a row for each game.

A chunk of rows is one transaction, together with the count of all games so far, so a process that is killed leaves whole rows
and a count that fits them. An existing game is not changed. Other processes may read meanwhile.
"""

from __future__ import annotations

import json
import sqlite3
import weakref
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Final, Self

from chain.arena.estimates import Sprt
from chain.arena.match import Row
from chain.arena.plan import Plan
from chain.arena.selection import Selection
from chain.arena.tally import Tally, and_row
from chain.foundation.sealed import Sealed, put

FILE: Final = "results.sqlite"
_ALL: Final = 2**63 - 1
_WHOLE: Final = dict.fromkeys(("seed", "plies", "gas", "ticks"), "INTEGER")
_TYPES: Final = {**_WHOLE, "game": "INTEGER PRIMARY KEY"}
_SCHEMA: Final = ", ".join(f"{name} {_TYPES.get(name, 'TEXT')}" for name in Row._fields)
_INSERT: Final = f"INSERT OR IGNORE INTO games VALUES ({', '.join('?' * len(Row._fields))})"

_TABLES: Final = (
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
    " CREATE TABLE IF NOT EXISTS plan (name TEXT PRIMARY KEY, value TEXT);"
    f" CREATE TABLE IF NOT EXISTS games ({_SCHEMA});"
    " CREATE TABLE IF NOT EXISTS tally (one INTEGER PRIMARY KEY, state TEXT);"
    " CREATE TABLE IF NOT EXISTS goal (one INTEGER PRIMARY KEY, games INTEGER);"
)


class OtherPlan(ValueError):
    """The existing results follow another plan.

    >>> from pathlib import Path
    >>> store = Store(Path("runs"))
    >>> store.follow(Plan.of("contracts.deblockle", ["random"]))
    >>> store.follow(Plan.of("contracts.deblockle", ["greedy"]))
    Traceback (most recent call last):
        ...
    chain.arena.store.OtherPlan: the results in runs follow another plan: strategies is ('random', 'random') there ...
    """


class NoResults(ValueError):
    """There are no results in a folder."""

    def __init__(self, folder: Path | None) -> None:
        super().__init__(f"there are no results in {folder}: name the folder where `boardchain play` put them")  # fmt: skip


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

    def __init__(self, folder: Path | None = None, *, writes: bool = True) -> None:
        put(self, "folder", folder)
        if folder is not None and not writes:
            self._connection = _opened_to_read(folder)
            weakref.finalize(self, self._connection.close)
            return
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
        self._connection = sqlite3.connect(
            ":memory:" if folder is None else folder / FILE, check_same_thread=False
        )
        weakref.finalize(self, self._connection.close)  # for results that nobody closes
        try:
            self._connection.executescript(_TABLES)
        except sqlite3.DatabaseError as problem:
            if isinstance(problem, sqlite3.OperationalError):  # the disk's, not that file's
                raise
            raise ValueError(f"{FILE} in {folder} is something else: name another folder") from None

    @property
    def plan(self) -> Plan | None:
        """The plan of the results, None while there is none."""
        stored = self._connection.execute("SELECT name, value FROM plan")
        record = {name: json.loads(value) for name, value in stored}
        return Plan.from_json(record) if record else None

    @property
    def known_plan(self) -> Plan:
        """The plan of the results. Raise `NoResults` if there is none."""
        if self.plan is None:
            raise NoResults(self.folder)
        return self.plan

    @property
    def goal(self) -> int | None:
        """The number of games that were last requested; None if there was no request."""
        found = self._connection.execute("SELECT games FROM goal").fetchone()
        return None if found is None else int(found[0])

    def follow(self, plan: Plan, games: int | None = None) -> None:
        """Store results of this plan from now on, up to the given number of games. Raise `OtherPlan` if there are others."""
        if self.plan is None:
            with self._connection:
                pairs = [(name, json.dumps(value)) for name, value in asdict(plan).items()]
                self._connection.executemany("INSERT INTO plan VALUES (?, ?)", pairs)
        elif self.plan != plan:
            raise OtherPlan(_difference(self.folder, asdict(self.plan), asdict(plan)))
        if games is not None:
            with self._connection:
                self._connection.execute("INSERT OR REPLACE INTO goal VALUES (1, ?)", (games,))

    @property
    def kept_tally(self) -> Tally:
        """The tally that was last kept: that of the last campaign."""
        plan = self.known_plan
        state = self._connection.execute("SELECT state FROM tally").fetchone()
        return Tally.from_json(plan, json.loads(state[0])) if state else Tally(plan)

    @property
    def done(self) -> int:
        """The number of existing games."""
        counted = self.kept_tally.games
        return counted + len(self.games(first=counted))

    @property
    def last(self) -> int | None:
        """The greatest number of a game, None if there is none."""
        (last,) = self._connection.execute("SELECT max(game) FROM games").fetchone()
        return None if last is None else int(last)

    def tally(self, sprt: Sprt | None = None, *, until: int = _ALL) -> Tally:
        """Return the tally of these games: the stored one, unless that is for another test or more games."""
        tally = self.kept_tally
        if tally.sprt != sprt or tally.games > until:
            tally = Tally(tally.plan, sprt)
        self._count(tally, until)
        return tally

    def add(self, rows: Sequence[Row], tally: Tally | None = None, *, until: int = _ALL) -> None:
        """Store rows, and continue the tally as far as there are rows without a gap. Rows after a missing one wait for it.

        Once the tally's test is decided, there are no rows after the last one that it counts.
        """
        with self._connection:
            self._connection.executemany(_INSERT, rows)
            if tally is not None:
                self._count(tally, until)
                if tally.is_decided:
                    self._connection.execute("DELETE FROM games WHERE game >= ?", (tally.games,))
                self._keep(tally)

    def keep(self, tally: Tally) -> None:
        """Let reports show this tally of the existing rows."""
        with self._connection:
            self._keep(tally)

    def _keep(self, tally: Tally) -> None:
        state = json.dumps(tally.to_json())
        self._connection.execute("INSERT OR REPLACE INTO tally VALUES (1, ?)", (state,))

    def _count(self, tally: Tally, until: int) -> None:
        for row in self.rows(first=tally.games, until=until):
            if row.game != tally.games or tally.is_decided:
                break
            tally.add(row)

    def games(self, first: int = 0) -> set[int]:
        """Return the numbers of the existing games, from `first` on."""
        query = "SELECT game FROM games WHERE game >= ?"
        return {number for (number,) in self._connection.execute(query, (first,))}

    def rows(
        self, *, first: int = 0, until: int = _ALL, like: Selection | None = None
    ) -> Iterator[Row]:
        """Yield the rows of these games, or of those that a selection describes, in the order of their numbers."""
        condition, values = ("1", []) if like is None else like.sql
        query = f"SELECT * FROM games WHERE game >= ? AND game < ? AND {condition} ORDER BY game"
        for row in self._connection.execute(query, (first, until, *values)):
            yield Row(*row)

    def row(self, number: int) -> Row | None:
        """Return the row of a game, or None."""
        return next(self.rows(first=number, until=number + 1), None)

    def failures(self) -> Iterator[Row]:
        """Yield the rows of the games that failed."""
        return self.rows(like=Selection(failed=True))

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


def _opened_to_read(folder: Path) -> sqlite3.Connection:
    """Return a connection to results as they are there. Raise `NoResults` if that file has none."""
    place = f"{(folder / FILE).resolve().as_uri()}?mode=ro"
    try:
        connection = sqlite3.connect(place, uri=True, check_same_thread=False)
        try:
            connection.execute("SELECT * FROM plan, goal, tally LIMIT 0")
        except sqlite3.Error:
            connection.close()
            raise
    except sqlite3.Error:
        raise NoResults(folder) from None
    return connection


def _difference(folder: Path | None, there: dict[str, object], here: dict[str, object]) -> str:
    def named(name: str) -> str:
        if name == "digest":
            return "the code of the game has changed since"
        return f"{name} is {there[name]!r} there and {here[name]!r} here"

    parts = [named(name) for name in here if here[name] != there.get(name)]
    return f"the results in {folder} follow another plan: {'; '.join(parts)}; give these games another folder (out)"
