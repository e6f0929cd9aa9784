"""A contract's storage as those see it who look from outside: `game.fields.count`, at whatever time they ask.

No message runs, so nobody pays, nothing is touched, and nothing but reading is possible. A word is read between two steps
of the chain, never in the middle of what another thread does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from chain.accounts import ACCOUNTS
from chain.concurrency.atomic_steps import undisturbed
from chain.machine.frame import (
    Frame,
    TransactionContext,
)

if TYPE_CHECKING:
    from chain.metering.program import Program
    from chain.simulator.reader import ChainReader


class FieldsFrame(Frame):
    """What such a contract stands on instead of a message."""

    __slots__ = ("_chain", "border")

    def __init__(self, chain: ChainReader, address: bytes, program: Program | None) -> None:
        self._chain, self.border = chain, chain.border
        self.context = TransactionContext(chain.machine, chain.view_block, bytes(ACCOUNTS[0]), 0, 0)
        self.state, self.kind, self.static = chain.state, "fields", True
        self.address = self.code_address = address
        self.caller, self.value, self.depth, self.gas = bytes(ACCOUNTS[0]), 0, 0, 0
        self.program, self.entry = program, None
        self.view_logs = []

    def charge(self, gas: int) -> None:
        """Nobody pays."""

    def touch(self, address: bytes) -> None:
        """Nobody is told."""

    def at_address(self, address: bytes) -> FieldsFrame:
        made = FieldsFrame(self._chain, address, self.program)
        made.entry = self.entry
        return made

    @undisturbed
    def sload(self, slot: int) -> int:
        return self._chain.state.word(self.address, slot)

    def read_if_unchanged(self, words: dict[int, int]) -> bool:
        return False

    @property
    def journal(self) -> tuple[()]:
        return ()

    def call(self, *_: Any, **__: Any) -> Any:
        raise self._only_reads("call")

    def create(self, *_: Any, **__: Any) -> Any:
        raise self._only_reads("deploy")
