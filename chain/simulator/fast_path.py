"""The short path of an ordinary call: from its arguments to the mined block in one function.

A call is ordinary if it is a transaction without value to a Python contract, with a block of its own, on a chain without
special settings. Most calls are. `ChainDriver.send`, `Machine.transact` and `Ledger.append` pass a transaction through a
dozen functions, which takes a fifth of the time of a small call. `call_and_mine` does the same work in one function. It
decides before it changes anything: a call that is not ordinary, or that will be refused, takes the general path. Tests send
the same calls on both paths and compare all results.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from chain.ledger.blocks import Block, BlockRow, Mining
from chain.ledger.calls import call_rows
from chain.ledger.receipts import Receipt, ReceiptRow
from chain.machine.dispatch import run_call
from chain.machine.frame import TransactionContext
from chain.machine.gas import (
    FLOOR_PER_TOKEN,
    REFUND_SHARE,
    TOKEN,
    TRANSACTION,
    calldata_tokens,
)
from chain.machine.state import ACCOUNT, NO_ACCOUNT, START, Mark
from chain.metering.fuel import GAS_PER_TICK
from chain.simulator.predeployed import HISTORY
from chain.values.inputs import NONCE

if TYPE_CHECKING:
    from chain.simulator.driver import ChainDriver

# Rows of all their values; a NamedTuple takes longer to make one.
_block: Final = partial(tuple.__new__, BlockRow)
_mining: Final = partial(tuple.__new__, Mining)
_receipt: Final = partial(tuple.__new__, ReceiptRow)
_PAID: Final[Mark] = (4, 0, 0)  # the fee is the first change, and a change has four items


def call_and_mine(driver: ChainDriver, to: bytes, data: bytes, sender: bytes) -> Receipt | None:
    """Send a call and mine its block. Return None, and change nothing, if the call is not ordinary."""
    ledger, machine, state = driver.ledger, driver.machine, driver.state
    accounts, parent = state.accounts, ledger.blocks.head
    rules = parent.rules
    clock, automine, interval, overrides = driver.mining
    is_special = overrides or not automine or HISTORY in accounts
    if is_special or ledger.open is not None or driver.held is not None:
        return None
    account = accounts.get(sender)
    program = machine._by_code.get(accounts.get(to, NO_ACCOUNT)[2])
    if program is None or account is None:
        return None
    # As `ChainDriver.next_block` makes it.
    number, time, price, coinbase, _, _, first, position, _, _, blob_gas, excess = parent.row
    if rules.elastic_fees:
        price = parent.next_base_fee
    if blob_gas or excess:
        excess = parent.next_excess_blob_gas
    if driver.wall is not None:
        clock = driver.now
    number, time = number + 1, clock if clock > time else time + interval
    gas, tokens = rules.max_transaction_gas, calldata_tokens(data)
    message_gas = gas - TRANSACTION - TOKEN * tokens
    floor = TRANSACTION + FLOOR_PER_TOKEN * tokens
    nonce, balance, code_hash = account
    if gas < floor or balance < gas * price or nonce == NONCE:
        return None
    block = Block(
        rules, _block((number, time, price, coinbase, first, position, first, position, 0, None, 0, excess))
    )  # fmt: skip
    prepaid = nonce + 1, balance - gas * price, code_hash
    state.changes += (sender, ACCOUNT, account, prepaid)
    accounts[sender] = prepaid
    state.access = {sender: {}, coinbase: {}, to: {}}
    loaded, ticks = machine.loaded, message_gas // GAS_PER_TICK
    context = TransactionContext(machine, block, sender, nonce, price, (), loaded, ticks)
    frame = machine.frame(context, "call", to, sender, 0, data, message_gas)
    try:
        try:
            run_call(frame, program)
        except BaseException as error:
            machine.fail(frame, context, error, _PAID, 0)
    except BaseException:  # an interrupt, not a failure of the contract
        state.undo(START)
        state.close()
        raise
    used = gas - frame.gas
    if context.refund:
        used -= min(context.refund, used // REFUND_SHARE)
    if used < floor:
        used = floor
    if accounts.get(sender) is prepaid:  # as `State.refund_fee` corrects the payment
        state.changes[3] = accounts[sender] = nonce + 1, balance - used * price, code_hash
    else:
        state.refund_fee(sender, prepaid, (gas - used) * price)
    if context.evm is not None:
        context.evm.delete_doomed()
    changes, logs = state.close()
    # The row of `receipt_row`.
    row = _receipt((
        position, number, 0, 2, sender, to, data, 0, gas, nonce, price, 0, (), None, to, program.digest,
        frame.output, frame.failure, used, price, changes, logs, context.undone_changes, context.undone_logs,
        call_rows(frame) if frame.children else (), () if loaded is None else loaded.drain_record(), context.ticks,
    ))  # fmt: skip
    # As `Ledger.append` and `Ledger.close` leave it.
    end = ledger.append_alone(row, changes)
    ledger.blocks._close(
        block,
        _block(
            (
                number,
                time,
                price,
                coinbase,
                first,
                position,
                end,
                position + 1,
                used,
                None,
                0,
                excess,
            )
        ),
    )
    driver.mining = _mining((time, True, interval, ()))
    return Receipt(ledger, row)
