"""Direct access to a contract's storage from outside: `game.fields.count`, always the current value.

No message runs, so reading costs no gas and makes no account warm. A word is read between two steps of the chain, never during
a step of another thread. Inside `with chain.setting():` a field can also be set, which is not a transaction either.
"""

from __future__ import annotations

from typing import NoReturn

from chain import simulator
from chain.foundation.atomic_steps import locked
from chain.machine.frame import Frame, TransactionContext
from chain.metering.program import Program
from chain.simulator.driver import DEFAULT_SENDER, Driver
from chain.storage.fields import FieldsLayout
from chain.storage.unit_of_work import UnitOfWork


class FieldsFrame(Frame):
    """The frame that a contract object reads through if there is no message."""

    __slots__ = ("_driver", "lock")

    def __init__(self, driver: Driver, address: bytes, program: Program | None) -> None:
        self._driver, self.lock = driver, driver.lock
        block = driver.view_block()
        self.context = TransactionContext(driver.machine, block, DEFAULT_SENDER, 0, 0)
        self.state, self.kind = driver.state, "fields"
        self.address = self.code_address = address
        self.caller, self.value, self.depth, self.gas = DEFAULT_SENDER, 0, 0, 0
        self.program, self.entry = program, None
        self.view_logs = []

    def charge(self, gas: int) -> None:
        """Do nothing: reading from outside costs no gas."""

    def touch(self, address: bytes) -> None:
        """Do nothing: no account becomes warm."""

    def at_address(self, address: bytes) -> FieldsFrame:
        frame = FieldsFrame(self._driver, address, self.program)
        frame.entry = self.entry
        return frame

    def unit_of_work(self, layout: FieldsLayout) -> UnitOfWork:
        setting = simulator.open_setting(self._driver)
        return UnitOfWork(self, layout) if setting is None else setting.unit_of_work(self, layout)

    @property
    def static(self) -> bool:  # type: ignore[override]
        """True outside of a scope in which fields can be set."""
        return simulator.open_setting(self._driver) is None

    @property
    def unpaid(self) -> FieldsFrame:  # type: ignore[override]
        return self

    def peek(self, slot: int) -> int:
        return self.sload(slot)

    @locked
    def sload(self, slot: int) -> int:
        return self._driver.state.word(self.address, slot)

    def read_again(self, words: dict[int, int]) -> bool:
        return False

    def sstore(self, slot: int, word: int) -> None:
        setting = simulator.open_setting(self._driver)
        if setting is None:
            raise self.refusal("write")
        setting.write(self.address, slot, word)

    def call(self, *_: object, **__: object) -> NoReturn:
        raise self.refusal("call")

    def create(self, *_: object, **__: object) -> NoReturn:
        raise self.refusal("deploy")
