"""The driver of a chain that is only watched, as used by `Chain.watch`.

The chain is in a file, which another process may be writing. New rows are read before each query. Nothing can be changed
here: a step that changes something is undone.
"""

from __future__ import annotations

from chain.ledger.file.growth import follow
from chain.ledger.file.load_ledger import counts_of, load_ledger, load_tables, stored_growth
from chain.ledger.file.store import NotWritten
from chain.ledger.file.watched_file import WatchedFile
from chain.ledger.reading_store import ReadingStore
from chain.simulator.driver import ChainDriver


class WatchDriver(ChainDriver):
    """Follows the chain in a file."""

    __slots__ = ("_before", "_file", "_followed", "_now")

    def __init__(self, empty: ChainDriver, file: WatchedFile) -> None:
        super().__init__(empty.machine, empty.ledger, empty.keys, empty.mining)
        self._file, self.is_copy = file, True
        with file.snapshot():
            self._now = load_ledger(file, self.ledger, self.keys)
            if file.is_thorough:
                file.check_rows(counts_of(self._now), self._now.lengths.slots)
        file.follow(self._now)
        self.mining = self._now.mining
        self.ledger.artifacts.is_copy = True
        self.ledger.use_tables(ReadingStore(self.ledger, file))
        load_tables(file, self.ledger)
        self._before, self._followed = self._now, self._content()

    def close(self) -> None:
        self.ledger.store.close()
        self._file.release()

    def fetch(self) -> None:
        file, had = self._file, self._now
        if not file.is_held:  # it was closed
            return
        with file.snapshot():
            now = file.now()
            if now.number == had.number:
                return
            blocks, *others = file.remaining(had, now)
            kept = max(1, blocks), *others  # each chain begins with the first block
            growth = stored_growth(file, had.lengths.after(kept), now.lengths)
        follow(self.ledger, self.keys, kept, growth, now.open)
        self.mining, self._now = now.mining, now
        file.follow(now)
        self._followed = self._content()

    def begin_step(self) -> None:
        self._before = self._now
        super().begin_step()

    def roll_back(self, *beginning: object) -> None:
        super().roll_back(*beginning)  # type: ignore[arg-type]
        self._now = self._before
        self._file.follow(self._now)
        self._followed = self._content()

    def end_step(self) -> None:
        if self.begun and self._content() != self._followed:
            raise NotWritten(f"{self._file.name} is only watched here: nothing was done")
        super().end_step()

    def _content(self) -> object:
        block = self.ledger.open
        return self.ledger.lengths, self.mining, block and block.row
