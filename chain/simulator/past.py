"""The past of a chain, for reading: its state as it was at the end of a block, apart from the chain and never to change."""

from __future__ import annotations

from copy import deepcopy
from threading import RLock
from typing import NoReturn

from chain.ledger.blocks import Block, Blocks
from chain.ledger.ledger import Ledger
from chain.machine.executor import Machine
from chain.machine.state import State
from chain.schema.inputs import AccountLike
from chain.schema.validation import short_repr
from chain.simulator.reader import ChainReader


class ChainAtBlock(ChainReader):
    """What `chain.at(block=17)` gives: handles, worlds and accounts as they were then."""

    __slots__ = ("begun", "block", "border", "ledger", "machine", "scopes", "state")

    def __init__(
        self, ledger: Ledger, machine: Machine, block: Block, state: State | None = None
    ) -> None:
        self.begun, self.scopes, self.border = None, (), RLock()
        self.block = block
        self.ledger = ledger
        self.state = state_at(ledger, block.end_moment) if state is None else state
        self.machine = machine.with_state(self.state)

    @property
    def view_block(self) -> Block:
        return self.block

    @property
    def timeline_index(self) -> int:
        return self.block.end_moment

    def send(
        self, to: AccountLike | None, data: bytes = b"", *, sender: AccountLike | None = None, value: int = 0,
        gas: int | None = None,
    ) -> NoReturn:  # fmt: skip
        program = None if to is None else self.machine.program_at(self.address_of(to, "to"))
        entry = program.spec.by_selector.get(data[:4]) if program else None
        what = f"{entry.contract}.{entry.name}" if entry else "this transaction"
        n = self.block.number
        raise TypeError(
            f"block {n} is over and cannot change: send {what} to the chain itself, or to chain.fork(at={n})"
        )

    def __repr__(self) -> str:
        return f"<Past at block {self.block.number}>"


class Aside(ChainAtBlock):
    """A moment of a chain as long as that stands still. It may be changed, and is then thrown away."""

    __slots__ = ("_moment",)

    def __init__(self, then: Ledger, machine: Machine, block: Block, moment: int) -> None:
        super().__init__(then, machine, block, then.state)
        self.machine.loaded = deepcopy(machine.loaded)
        self._moment = moment

    @property
    def timeline_index(self) -> int:
        return self._moment


def block_at(blocks: Blocks, number: int) -> Block:
    """The closed block with that number."""
    if type(number) is not int or not 0 <= number < len(blocks):
        told, last = number if isinstance(number, str) else short_repr(number), len(blocks) - 1
        raise ValueError(f"there is no block {told}: the chain has blocks 0 to {last}")
    return blocks[number]


def state_at(ledger: Ledger, moment: int) -> State:
    """A copy of the state as it was when the timeline was `moment` long."""
    state = ledger.state.copy()
    for changes in reversed(ledger.timeline[moment:]):
        state.undo_changes(changes)
    return state
