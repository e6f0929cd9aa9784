"""The short path of an ordinary call: from its arguments to the mined block in one function.

A call is ordinary if it is a transaction without value to a Python contract, with a block of its own, on a chain without
special settings. Most calls are. `LocalDriver.send`, `Machine.transact` and `Ledger.append` pass a transaction through a
dozen functions, which takes a fifth of the time of a small call. `call_and_mine` does the same work in one function. It
decides before it changes anything: a call that is not ordinary, or that will be refused, takes the general path. Tests send
the same calls on both paths and compare all results.
"""

from __future__ import annotations

from typing import Final

from chain.ledger.calls import call_rows
from chain.ledger.receipts import Receipt
from chain.machine import gas as cost
from chain.machine.dispatch import run_call
from chain.machine.frame import TransactionContext
from chain.machine.state import ACCOUNT, NO_ACCOUNT, START, Mark
from chain.metering.fuel import GAS_PER_TICK
from chain.schema.inputs import NONCE
from chain.simulator.driver import ChainDriver
from chain.simulator.predeployed import has_history

_PAID: Final[Mark] = (4, 0, 0)  # the fee is the first change, and a change has four items


def call_and_mine(driver: ChainDriver, to: bytes, data: bytes, sender: bytes) -> Receipt | None:
    """Send a call and mine its block. Return None, and change nothing, if the call is not ordinary."""
    ledger, machine, state = driver.ledger, driver.machine, driver.state
    is_special = driver.overrides or machine.evm_only or not driver.automine or has_history(state)
    if is_special or ledger.open is not None or driver.held is not None:
        return None
    block, accounts = driver.next_block(), state.accounts
    gas, price, program = block.gas_left, block.base_fee, machine.program_at(to)
    nonce, balance, code_hash = accounts.get(sender, NO_ACCOUNT)
    tokens = cost.calldata_tokens(data)
    message_gas = gas - cost.TRANSACTION - cost.TOKEN * tokens
    floor = cost.TRANSACTION + cost.FLOOR_PER_TOKEN * tokens
    is_refused = gas < floor or balance < gas * price or nonce == NONCE
    if program is None or is_refused or block.rules.has_large_blocks:
        return None
    prepaid = nonce + 1, balance - gas * price, code_hash
    state.changes += (sender, ACCOUNT, accounts.get(sender), prepaid)
    accounts[sender] = prepaid
    state.access = {sender: {}, block.coinbase: {}, to: {}}
    loaded, ticks = machine.loaded, message_gas // GAS_PER_TICK
    context = TransactionContext(
        machine, block, sender, nonce, price, forced_random=loaded, fuel=ticks
    )
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
        used -= min(context.refund, used // cost.REFUND_SHARE)
    if used < floor:
        used = floor
    state.refund_fee(sender, prepaid, (gas - used) * price)
    if context.evm is not None:
        context.evm.delete_doomed()
    changes, logs = state.close()
    # The row of `receipt_tuple`.
    row = (
        block.first_receipt, block.number, 0, 2, sender, to, data, 0, gas, nonce, price, 0, (), None, to, program.digest,
        frame.output, frame.failure, used, price, changes, logs, context.undone_changes, context.undone_logs,
        call_rows(frame) if frame.children else (), () if loaded is None else loaded.drain_record(), context.ticks,
    )  # fmt: skip
    receipt = ledger.append_alone(row, changes, used, block)
    driver.clock = block.timestamp
    return receipt
