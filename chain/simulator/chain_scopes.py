"""The scopes of a chain: a block held open, an anchor, forced random outcomes, fields that are set, mocked entries.

An interrupt may end a `with` without running its exit. So the chain holds a scope only by a weak reference and ignores it once
it is over; nothing that a scope sets outlives it. While a thread is in a scope, other threads cannot use the chain.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager
from threading import get_ident
from typing import Any, ClassVar, TypeVar
from weakref import ref

from chain.foundation.atomic_steps import reading, step
from chain.ledger.blocks import Block, Head
from chain.machine.forced_random import LoadedOutcomes
from chain.machine.frame import Frame
from chain.simulator.driver import ChainDriver, Driver
from chain.simulator.mocking import Mock, with_mock
from chain.storage.fields import FieldsLayout
from chain.storage.unit_of_work import UnitOfWork

T_co = TypeVar("T_co", covariant=True)


class ChainScope(AbstractContextManager[T_co]):
    """Base class of the scopes that a thread can enter."""

    name: ClassVar[str]

    def __init__(self, driver: ChainDriver) -> None:
        self.driver, self.is_over, self.thread = driver, False, 0

    def settle(self) -> None:
        """Do nothing: the scope keeps nothing back."""

    def _enter(self) -> None:
        """Register the scope with the chain, for the running thread."""
        self.thread = get_ident()
        self.driver.enter(self)


class Holding(ChainScope[Block]):
    """Scope for several transactions in one block, which is mined at the end."""

    name = "block"

    def __enter__(self) -> Block:
        self._enter()
        return self._hold()

    @step
    def _hold(self) -> Block:
        if self.driver.is_held:
            raise RuntimeError("a block is already open: end its 'with' first")
        return self.driver.hold(self)

    def __exit__(self, *_: object) -> None:
        self.is_over = True
        self._let_go()

    @step
    def _let_go(self) -> None:
        self.driver.let_go()


class Anchor(ChainScope[None]):
    """Scope that undoes everything at its end."""

    name = "anchor"
    _snapshot: Head

    def __enter__(self) -> None:
        self._enter()
        self._snapshot = self._take()

    @reading
    def _take(self) -> Head:
        return self.driver.snapshot()

    def __exit__(self, *_: object) -> None:
        self._revert()
        self.is_over = True

    @step
    def _revert(self) -> None:
        self.driver.revert(self._snapshot)


class Loading(ChainScope[None]):
    """Scope that forces the next outcomes of `self.random`."""

    name = "loaded"

    def __init__(self, driver: ChainDriver, outcomes: dict[str, list[Any]]) -> None:
        super().__init__(driver)
        self._loaded = LoadedOutcomes(outcomes)
        self._loaded.scope = ref(self)

    def __enter__(self) -> None:
        self._enter()
        self.driver.load(self._loaded)

    def __exit__(self, kind: object, *_: object) -> None:
        loaded = self.driver.unload(self._loaded)
        self.is_over = True
        if kind is None:
            loaded.check_empty()


class Setting(ChainScope[None]):
    """Scope in which the fields of handles can be set."""

    name = "setting"

    _works: dict[object, UnitOfWork]

    def __enter__(self) -> None:
        self._works = {}
        self._enter()

    def __exit__(self, kind: object, *_: object) -> None:
        try:
            if kind is None:
                self.settle()
        finally:
            self.is_over = True

    def unit_of_work(self, frame: Frame, layout: FieldsLayout) -> UnitOfWork:
        """Return the unit of work of a contract in this scope."""
        key = frame.address, layout
        if key not in self._works:
            self._works[key] = UnitOfWork(frame, layout)
            self._works[key].is_outside = False  # until the chain does something else
        return self._works[key]

    def settle(self) -> None:
        """Write what changed in place, and read everything again from then on."""
        works, self._works = self._works, {}
        if works:
            self._flush(works.values())

    @step
    def _flush(self, works: Iterable[UnitOfWork]) -> None:
        for work in works:
            work.flush()
            work.is_outside = True

    @step
    def write(self, address: bytes, slot: int, word: int) -> None:
        """Set a word of storage, outside of any transaction."""
        self.driver.set_word(address, slot, word)
        if self.driver.is_copy:
            self.driver.fetch()


def open_setting(driver: Driver) -> Setting | None:
    """Return the scope of this thread in which fields can be set, or None."""
    for scope in driver.scopes:
        entered = scope()
        if isinstance(entered, Setting) and not entered.is_over and entered.thread == get_ident():
            return entered
    return None


class Mocking(ChainScope[None]):
    """Scope in which an entry of one contract has a given result."""

    name = "mock"

    def __init__(self, driver: ChainDriver, mock: Mock) -> None:
        super().__init__(driver)
        self._mock = mock

    def __enter__(self) -> None:
        self._enter()
        machine = self.driver.machine
        machine.mocks = with_mock(machine.mocks, self._mock, ref(self))

    def __exit__(self, *_: object) -> None:
        self.is_over = True
