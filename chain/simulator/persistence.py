"""What makes a chain last: `Chain.open` with a file, `close`, and that what is new is written before a call returns.

A chain in memory has no store and asks no more than whether it has one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

from chain.accounts import Account
from chain.concurrency.atomic_steps import (
    Steps,
    in_one_step,
    looking,
)
from chain.crypto.hashing import keccak
from chain.ledger.blocks import Mining
from chain.ledger.file.chain_file import (
    ChainFile,
    merged_settings,
)
from chain.ledger.file.store import (
    ChainStore,
    open_store,
)
from chain.ledger.ledger import Ledger
from chain.machine.state import State
from chain.metering.program import (
    Program,
    check_classes,
    program_of,
)
from chain.runtime.contract import Contract
from chain.runtime.world import World
from chain.schema.inputs import flag


class FilePersistence(Steps, ABC):
    """A chain that may be kept in a file."""

    __slots__ = ()

    ledger: Ledger
    state: State
    keys: dict[bytes, Account]
    mining: Mining
    _store: ChainStore | None = None  # keeps the file, if there is one

    @abstractmethod
    def declare(self, contract: type[Contract]) -> Program:
        """Make a contract class known to the chain."""

    @classmethod
    def open(
        cls, path: str | Path, *, contracts: Sequence[type[Contract]] = (), sync: bool = False, check: bool = False,
        **settings: Any,
    ) -> Self:  # fmt: skip
        """The chain in the file at `path`, which is made if there is none; `settings` are those of `Chain`.

        What a call has returned survives the end of the process, however it ends; with `sync` also a loss of power, at the cost
        of waiting for the disk at every change. The file holds no code: name the contract classes that shall run here, now or
        later by `declare`. One process at a time can have the file open; others can read its tables. What the chain needs
        now is checked when it is opened, and what was when it is read; with `check` every row is, at once.
        """
        check_classes(contracts)
        file = ChainFile(path, flag(check, "check"))
        try:
            known: dict[str, Any] = dict(cls.__init__.__kwdefaults__ or {})
            for name, value in (file.settings or {}).items():
                known[name] = type(known[name])(value)  # a file has 1 for True
            known = merged_settings(file, known, settings)
            made = cls(**known)
            made._store, made.mining = open_store(file, known, made.ledger, made.keys, sync)
        except BaseException:
            file.release()
            raise
        try:
            if keccak(program_of(World).code) in made.state.codes:
                made.declare(World)
            for contract in contracts:
                made.declare(contract)
            in_one_step(made, made.ledger.recognize)
            return file.kept(made)
        except BaseException:
            made.close()
            raise

    @looking
    def close(self) -> None:
        """Leave the file to others, whole in itself. A chain in memory needs no closing."""
        if self._store is not None:
            self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
