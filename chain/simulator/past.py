"""The past of a chain, for reading: its state at the end of a block, or before or after a transaction."""

from __future__ import annotations

from copy import deepcopy
from typing import NoReturn

from chain.foundation.atomic_steps import READ_ONLY
from chain.foundation.sealed import put
from chain.ledger.blocks import Block, Blocks
from chain.ledger.ledger import Ledger
from chain.ledger.receipts import Receipt
from chain.machine.machine import Machine
from chain.simulator.driver import Driver
from chain.simulator.reader import ChainReader
from chain.values import short_repr
from chain.values.inputs import AccountLike


class PastDriver(Driver):
    """Access to a state of the past, which ends with a block or at a timeline index within it."""

    __slots__ = ("_block", "_moment")

    def __init__(self, machine: Machine, ledger: Ledger, block: Block, moment: int) -> None:
        super().__init__(machine, ledger, ledger.lock)
        self._block, self._moment = block, moment

    def view_block(self) -> Block:
        return self._block

    def next_block(self) -> Block:
        return self._block

    @property
    def timeline_index(self) -> int:
        return self._moment

    def begin_step(self) -> None:
        self.begun = READ_ONLY


class ChainAtBlock(ChainReader):
    """The result of `chain.at(block=17)`: handles, worlds and accounts as they were at that time.

    >>> past = chain.at(block=receipt.block_number)
    >>> past.handle(race).square_of(alice), past.balance(bob) > 0
    (4, True)
    >>> past.send(race.address)
    Traceback (most recent call last):
        ...
    TypeError: block 3 is over and cannot change: send this transaction to the chain itself, or to chain.fork(at=3)
    """

    __slots__ = ("block",)
    block: Block  # the block at whose end it is

    def __init__(self, machine: Machine, ledger: Ledger, block: Block, moment: int) -> None:
        super().__init__(PastDriver(machine, ledger, block, moment))
        put(self, "block", block)

    def send(
        self, to: AccountLike | None, data: bytes = b"", *, sender: AccountLike | None = None, value: int = 0,
        gas: int | None = None,
    ) -> NoReturn:  # fmt: skip
        """Refuse with a TypeError: the past cannot change. `chain.fork(at=…)` can."""
        program = None if to is None else self.machine.program_at(self.address_of(to, "to"))
        entry = program.spec.by_selector.get(data[:4]) if program else None
        description = f"{entry.contract}.{entry.name}" if entry else "this transaction"
        number = self.block.number
        raise TypeError(
            f"block {number} is over and cannot change: send {description} to the chain itself, or to chain.fork(at={number})"
        )

    def __repr__(self) -> str:
        return f"<Past at block {self.block.number}>"


def chain_at(block: Block, moment: int, ledger: Ledger, machine: Machine) -> ChainAtBlock:
    """Return the chain as it was at a timeline index, which is within a block or at its end."""
    return ChainAtBlock(machine.with_state(ledger.past.state(moment)), ledger, block, moment)


def scratch_chain(then: Ledger, machine: Machine, block: Block, moment: int) -> ChainAtBlock:
    """Return a view of a chain at a timeline index.

    It may be modified and is discarded after use. `then` is the ledger at that index, `moment` the index.
    """
    scratch_machine = machine.with_state(then.state)
    scratch_machine.loaded = deepcopy(machine.loaded)
    return ChainAtBlock(scratch_machine, then, block, moment)


def check_receipt(receipt: Receipt, ledger: Ledger) -> None:
    """Refuse anything that is not a receipt of this chain."""
    if not isinstance(receipt, Receipt):
        raise TypeError(f"{short_repr(receipt)} is not a receipt: pass one of chain.receipts")
    if not ledger.receipts.contains(receipt):
        raise LookupError("this transaction was undone, or belongs to another chain")


def block_at(blocks: Blocks, number: int) -> Block:
    """Return the closed block with that number."""
    if type(number) is not int or not 0 <= number < len(blocks):
        shown, last = number if isinstance(number, str) else short_repr(number), len(blocks) - 1
        raise ValueError(f"there is no block {shown}: the chain has blocks 0 to {last}")
    return blocks[number]
