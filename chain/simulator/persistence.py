"""Persistence of a chain: `Chain.open` with a file, and `close`.

The file's store is the observer of the chain's steps, so every change is written before the call that made it returns.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from chain import runtime
from chain.foundation.atomic_steps import locked, step
from chain.ledger.edits import warn_of_edit
from chain.metering.program import Program, check_classes, program_of
from chain.runtime.contract import Contract
from chain.simulator.driver import ChainDriver
from chain.simulator.reader import ChainReader
from chain.values.inputs import flag

if TYPE_CHECKING:  # the modules for files are imported with the first one
    from chain.ledger.file.chain_file import ChainFile
    from chain.ledger.file.watched_file import WatchedFile

_FILE: Final = "chain.ledger.file."


def _world(digest: bytes) -> Program | None:
    """Return the program of `World`, which every chain knows, if this is its digest."""
    world = program_of(runtime.World)
    return world if world.digest == digest else None


class FilePersistence(ChainReader):
    """The part of `Chain` that opens and closes its file."""

    __slots__ = ()

    driver: ChainDriver

    @classmethod
    def open(
        cls, path: str | Path, *, contracts: Sequence[type[Contract]] = (), sync: bool = False, check: bool = False,
        trust: bool = False, debug: bool = False, time_limit: float | None = 10, memory_limit: int | None = 2**30,
        **settings: object,
    ) -> Self:  # fmt: skip
        """Open the chain in the file at `path`, or create it; `settings` are those of `Chain`.

        When a call has returned, its changes survive any end of the process; with `sync` also a loss of power, at the cost of
        waiting for the disk at every change. The file keeps the sources of the contracts, so deployed code goes on running
        after an edit, if you deployed it yourself, or with `trust`. `contracts` are classes that are declared at once. One
        process at a time can have the file open; others can read its tables. Rows are checked when they are read; with
        `check`, all rows at once.

        >>> with Chain.open("race.chain", contracts=[Race]) as stored:
        ...     stored.deploy(Race)
        <Race at 0x5FbD...>
        """
        check_classes(contracts)
        chain_file, store = import_module(f"{_FILE}chain_file"), import_module(f"{_FILE}store")
        file: ChainFile = chain_file.ChainFile(path, flag(check, "check"))
        try:
            all_settings = cls._settings_in(file)
            all_settings = chain_file.merged_settings(file, all_settings, settings)
            limits: dict[str, Any] = {"time_limit": time_limit, "memory_limit": memory_limit}
            chain = cls(**all_settings, **limits)
            if flag(debug, "debug"):
                chain.machine.debug()
            all_settings["gas_limit"] = chain.ledger.blocks.rules.gas_limit
            chain.driver.observer = store.open_store(file, all_settings, chain.driver, sync)
        except BaseException:
            file.release()
            raise
        try:
            chain._declare_all(contracts, file, trust)
            chain._make_derived_rows()
            return file.kept(chain)
        except BaseException:
            chain.close()
            raise

    @classmethod
    def watch(
        cls,
        path: str | Path,
        *,
        contracts: Sequence[type[Contract]] = (),
        check: bool = False,
        trust: bool = False,
    ) -> Self:
        """Return the chain in the file at `path`, read-only, even while another process writes to it.

        Each query sees the state after the last step there. It takes no lock and does not change the file. Rows are checked
        when they are read; with `check`, all rows at once.

        >>> Chain.open("race.chain").close()
        >>> Chain.watch("race.chain").head.number
        0
        """
        check_classes(contracts)
        file: WatchedFile = import_module(f"{_FILE}watched_file").WatchedFile(
            path, flag(check, "check")
        )
        try:
            chain = cls(**cls._settings_in(file))
            chain._set_driver(
                import_module("chain.simulator.watch_driver").WatchDriver(chain.driver, file)
            )
            chain._declare_all(contracts, file, trust)
            return file.kept(chain)
        except BaseException:
            file.release()
            raise

    @classmethod
    def _settings_in(cls, file: ChainFile) -> dict[str, Any]:
        """Return the settings of the chain in a file; the defaults if it is new."""
        settings: dict[str, Any] = dict(cls.__init__.__kwdefaults__ or {})
        for choice in ("debug", "time_limit", "memory_limit"):  # of the opening process
            del settings[choice]
        for name, value in (file.settings or {}).items():
            is_flag = isinstance(settings[name], bool)
            settings[name] = bool(value) if is_flag else value  # a file stores True as 1
        return settings

    @abstractmethod
    def _set_driver(self, driver: ChainDriver) -> None:
        """Set all attributes to those of a chain with this driver."""

    def _declare_all(
        self, contracts: Sequence[type[Contract]], file: ChainFile, trust: bool
    ) -> None:
        deployed = import_module("chain.ledger.kept_programs").DeployedPrograms(
            self.ledger, file.kept_program, flag(trust, "trust")
        )
        self.machine.programs.find_offered = lambda digest: _world(digest) or deployed.find(digest)
        if any(artifact.name == "World" for artifact in self.ledger.artifacts.values()):
            self.declare(runtime.World)
        for contract in contracts:
            warn_of_edit(self.ledger, self.declare(contract))

    @step
    def _make_derived_rows(self) -> None:
        """Make the tables of a new file, and derive what is missing after a kill."""
        if self.ledger.store.is_behind():
            self.ledger.store.catch_up()

    @locked
    def close(self) -> None:
        """Close the file, so that other processes can open it. A chain in memory need not be closed.

        >>> stored = Chain.open("race.chain")
        >>> stored.close()
        """
        self.driver.recover()
        self.driver.refuse_others()
        self.driver.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
