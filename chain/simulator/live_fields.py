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


class FieldsFrame(Frame):
    """The frame that a contract object reads through if there is no message."""

    __slots__ = ("_driver", "lock")

    def __init__(self, driver: Driver, address: bytes, program: Program | None) -> None:
        self._driver, self.lock = driver, driver.lock
        block = driver.view_block()
        self.context = TransactionContext(driver.machine, block, DEFAULT_SENDER, 0, 0)
        self.state, self.kind, self.static = driver.state, "fields", True
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

    @locked
    def sload(self, slot: int) -> int:
        return self._driver.state.word(self.address, slot)

    def read_again(self, words: dict[int, int]) -> bool:
        return False

    def sstore(self, slot: int, word: int) -> None:
        setting = simulator.open_setting(self._driver)
        if setting is None:
            raise self._only_reads("write")
        setting.write(self.address, slot, word)

    @property
    def journal(self) -> tuple[()]:
        return ()

    def call(self, *_: object, **__: object) -> NoReturn:
        raise self._only_reads("call")

    def create(self, *_: object, **__: object) -> NoReturn:
        raise self._only_reads("deploy")
