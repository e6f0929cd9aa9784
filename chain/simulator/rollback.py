"""Recovery of a chain: the record of where a step begins, and the rollback to it.

The record holds the length of everything that grows, and the value of everything else. No data is copied when a step begins,
because most steps succeed.
"""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any, Final
from weakref import ref

from chain.accounts import Account
from chain.concurrency.atomic_steps import Steps
from chain.ledger.blocks import Block, Mining, reopened
from chain.ledger.ledger import Ledger
from chain.machine.deep_calls import rest
from chain.machine.executor import Machine
from chain.machine.state import State

if TYPE_CHECKING:
    from chain.ledger.file.store import ChainStore
    from chain.simulator.chain_scopes import Holding

_OF_ROW: Final = [field.name for field in fields(Block)][1:]


class Recovery(Steps):
    """Mixin for a chain that can be rolled back to the beginning of a step."""

    __slots__ = ()

    ledger: Ledger
    state: State
    machine: Machine
    keys: dict[bytes, Account]
    mining: Mining
    _store: ChainStore | None
    _held: ref[Holding] | None
    _clock: int
    _automine: bool
    _block_interval: int
    _overrides: dict[str, Any]

    @property
    def is_held(self) -> bool:
        """True if the open block waits for the end of a `block()` scope."""
        scope = None if self._held is None else self._held()
        return scope is not None and not scope.is_over

    def _begin_step(self) -> None:
        """Record in `begun` where the step begins."""
        ledger, block, loaded = self.ledger, self.ledger.open, self.machine.loaded
        if loaded is not None and not loaded.is_wanted:
            loaded = self.machine.loaded = None
        ledger.tail = None
        self.begun = (
            0 if self._store is None else self._store.number,
            ledger.blocks.head.number, len(ledger.timeline), len(ledger.notes), block, block and block.as_tuple, self._held,
            len(self.keys), loaded, loaded and loaded.taken,
            self._clock, self._automine, self._block_interval, self._overrides,
        )  # fmt: skip

    def _end_step(self) -> None:
        """Save the step to the file, if there is one, and clear `begun`."""
        if self._store is not None:
            self._store.save(self.mining)
        self.begun = None

    def _recover(self) -> None:
        """Roll back a step that was interrupted or failed, unless the file already contains it."""
        if self.begun is None:
            return
        rest()
        self.state.abandon()
        if self.begun:
            written, *beginning = self.begun
            if self._store is None or not self._store.is_ahead_of(written):
                self._roll_back(*beginning)
        self.begun = None

    def _roll_back(
        self, head: int, moments: int, notes: int, block: Block | None, row: Any, held: Any, keys: int, loaded: Any,
        place: Any, *mining: Any,
    ) -> None:  # fmt: skip
        """Restore the state from the beginning of a step.

        `head` is the number of the last block; `moments`, `notes` and `keys` are lengths; `row` holds the fields of the open
        block; `place` is the position in the forced random outcomes.
        """
        self.ledger.undo((head + 1, moments, notes, moments - notes))
        if block is not None:
            for field, value in zip(_OF_ROW, row, strict=True):
                setattr(reopened(block), field, value)
        self.ledger.open, self._held = block, held
        while len(self.keys) > keys:
            self.keys.popitem()
        self.machine.loaded = loaded
        if loaded is not None:
            loaded.roll_back(place)
        self._clock, self._automine, self._block_interval, self._overrides = mining
