"""The tables of a chain in a file that this process only reads: those of the file, as far as they go, and its own beyond.

The file is attached read-only, and what it lacks is derived in the temporary database of the same connection. There, a view
with the name of each derived table unites both. So every query is as on a file that this process writes; no byte of it
changes, and no lock is taken. A row of the file is left out if there is a row of our own with its key.

Each look at the tables is one transaction. It begins with a check whether the rows of the file are still those that were
there: their writer may have undone some.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from chain.ledger.file.watched_file import WatchedFile
from chain.ledger.ledger import Ledger
from chain.ledger.store import ALL_PARTS, SCHEMA, Lengths, Store

_ENDS: Final = {"models": "last", "words": "moment", "writes": "receipt", "headers": "number"}
_KEYS: Final = {"receipts": "position", "logs": "position", "models": "id"}
_OWN_SCHEMA: Final = [
    re.sub(r'index "(.*?)" on "derived:', r'index temp."\1" on "own:', each)
    .replace('create table "derived:', 'create temp table "own:')
    .replace("id integer primary key", "id integer primary key autoincrement")
    .replace('into "derived:', 'into "own:')
    for each in SCHEMA.split(";\n")[:-1]
]


class ReadingStore(Store):
    """The derived tables of one ledger, of which a file has some."""

    place: WatchedFile

    def __init__(self, ledger: Ledger, place: WatchedFile) -> None:
        super().__init__(ledger, place)
        self._identity: object = None  # of the file that the connection reads
        self._checked: object = None  # what the rows of the file were last found to be valid for
        self._is_within = False  # a look has begun
        self._has_moved = False  # models may have changed in the file
        self._replaced = {"models"}  # parts of which we may have rows in place of those of the file

    @contextmanager
    def reading(self) -> Iterator[None]:
        with self.lock:
            if self._is_within:
                yield
                return
            try:
                with self.place.explaining():
                    self._begin()
                    yield
                    self.connection().execute("commit")
            except BaseException as problem:
                if isinstance(problem, ValueError):  # the question was refused
                    self.connection().execute("commit")
                else:  # the state of the connection is unknown
                    self.close()
                raise
            finally:
                self._is_within = False

    def _begin(self) -> None:
        self._is_within = True
        if self._connection is not None and self._identity != self.place.identity:
            self.close()
        connection = self.connection()
        self._identity = self.place.identity
        if connection.in_transaction:  # a look was interrupted
            connection.execute("rollback")
            self._checked = None
        connection.execute("begin")
        self._look()

    def close(self) -> None:
        super().close()
        self._checked, self._version = None, None

    def index(self, name: str, text: str) -> None:
        """Make no index: the file is not changed."""

    # The file

    def _look(self) -> None:
        """Find out how far the rows of the file are valid."""
        run = self.connection().execute
        ((version,),) = run("pragma data_version")
        state = version, self.place.step
        if self._done is not None and self._checked == state:
            return
        is_new = not run("select 1 from temp.sqlite_master where name = 'own:done'").fetchone()
        if is_new:
            for statement in _OWN_SCHEMA:
                run(statement)
        if is_new or self._checked != state:
            valid = self._valid_in_file()
            if is_new or any(reach > valid[part] for part, reach in self._reaches().items()):
                self._start(valid)
            self._checked, self._has_moved = state, True
        self._done = dict(run('select part, count from "own:done"').fetchall())

    def _valid_in_file(self) -> dict[str, int]:
        """Return how far each part of the file is what this ledger says."""
        run, none = self.connection().execute, dict.fromkeys(ALL_PARTS, 0)
        if not run("select 1 from main.sqlite_master where name = 'derived:done'").fetchone():
            return none
        rows = run('select part, count, step from main."derived:done"').fetchall()
        if {part for part, *_ in rows} != {*ALL_PARTS} or any(step < 0 for *_, step in rows):
            return none
        kept = self.place.kept_since(min(step for *_, step in rows))
        ledger = self.ledger
        ends = kept.least(Lengths(len(ledger.blocks), len(ledger.timeline), len(ledger.receipts)))
        # The fields in a file may be of any time.
        return {part: min(count, ends.of(part)) for part, count, _ in rows} | {"fields": 0}  # fmt: skip

    def _reaches(self) -> dict[str, int]:
        """Return how many receipts or moments of each part are taken from the file."""
        return dict(self.connection().execute('select part, step from "own:done"').fetchall())

    def _start(self, valid: dict[str, int]) -> None:
        """Take these parts from the file, and begin our own after them."""
        run = self.connection().execute
        for part in ALL_PARTS:
            run(f'delete from "own:{part}"')
        self._progress = valid
        self._take_from_file(valid)
        self._kept = None

    def _take_from_file(self, reaches: dict[str, int]) -> None:
        """Unite rows of the file up to there with our own."""
        run = self.connection().execute
        for part, reach in reaches.items():
            end, from_file = reach, ""
            if part == "logs":
                last = 'select position from main."derived:logs" where receipt < ? order by receipt desc, position desc limit 1'
                found = run(last, (reach,)).fetchone() if reach else None
                end = 0 if found is None else found[0] + 1
            if reach:
                seen = f"f.{_ENDS.get(part, 'position')} < {end}"
                if part in self._replaced:
                    key = _KEYS[part]
                    own = f'select 1 from temp."own:{part}" own where own.{key} = f.{key}'
                    seen += f" and not exists ({own})"
                from_file = f'select f.* from main."derived:{part}" f where {seen} union all '
            run(f'drop view if exists temp."derived:{part}"')
            run(f'create temp view "derived:{part}" as {from_file}select * from temp."own:{part}"')
            count = self._progress[part]
            run('update "own:done" set count = ?, step = ? where part = ?', (count, reach, part))
        if reaches.get("models"):
            (last,) = run('select coalesce(max(id), 0) from main."derived:models"').fetchone()
            run("delete from temp.sqlite_sequence")  # our own models come after those of the file
            run("insert into temp.sqlite_sequence values ('own:models', ?)", (last,))

    # The store's own

    def is_done(self, part: str) -> bool:
        return super().is_done(part) and not (part == "models" and self._has_moved)

    def _read_done(self) -> dict[str, int]:
        return dict(self.connection().execute('select part, count from "own:done"').fetchall())

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Scope of a change of our own tables, within the look."""
        run = self.connection().execute
        self._progress = self._read_done()
        run("savepoint derived")
        try:
            yield
            rows = [(count, part) for part, count in self._progress.items()]
            self._put_all('update "own:done" set count = ? where part = ?', rows)
        except Exception:
            run("rollback to derived")
            raise
        finally:
            run("release derived")
        self._done = self._progress

    def _own(self, text: str) -> str:
        return text

    def _decode_again(self) -> None:
        self._replaced = {*_KEYS}
        self._take_from_file(self._reaches())
        super()._decode_again()

    def _take(self, part: str, condition: str, *values: object) -> None:
        if self._reaches()[part]:
            source = f'select * from main."derived:{part}" where {condition}'
            self._put(f'insert or ignore into "own:{part}" {source}', values)

    def _delete_undone(self) -> None:
        if self._kept is not None:
            kept, reaches = self._kept, self._reaches()
            less = {part: min(n, kept.of(part)) for part, n in reaches.items()}
            if less != reaches:
                self._take_from_file(less)
                self._has_moved = True
        super()._delete_undone()

    def _derive_models(self) -> None:
        """Also write the models that the file has as they were later, or before something was undone."""
        reach = self._reaches()["models"]
        if self._has_moved and reach:
            question = (
                'select world, slot from main."derived:models" f where last >= ? and first < ?'
                ' and not exists (select 1 from temp."own:models" own where own.id = f.id)'
            )
            moved = self.connection().execute(question, (reach, reach)).fetchall()
            for world, slot in moved:
                self._write_model(bytes.fromhex(world[2:]), int.from_bytes(slot), reach, reach)
        self._has_moved = False
        super()._derive_models()
