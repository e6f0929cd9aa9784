"""The py-evm executor: transactions and messages that run bytecode, on the same state as the direct executor.

Every message has a `Frame` in either executor, and each executor calls the other. The data that the messages of a transaction
share (logs, refunds, warm accounts, transient storage, self-destructed accounts) is kept once, in the journal of the state or
in the context. So the failure of a message undoes everything below it, whichever executor ran it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from eth.abc import (
    ComputationAPI,
    SetCodeAuthorizationAPI,
    SignedTransactionAPI,
)
from eth.constants import CREATE_CONTRACT_ADDRESS
from eth.exceptions import VMError
from eth.vm.forks.berlin.transactions import calculate_txn_intrinsic_gas_berlin
from eth.vm.forks.cancun.constants import BLOB_TX_TYPE, VERSIONED_HASH_VERSION_KZG
from eth.vm.forks.prague.state import PragueTransactionExecutor
from eth.vm.forks.spurious_dragon.state import SpuriousDragonTransactionExecutor
from eth_hash.auto import keccak as eth_keccak
from eth_hash.backends import pysha3
from eth_typing import Address
from eth_utils.exceptions import ValidationError

from chain.crypto.hashing import checksum_address, create_address
from chain.errors import InvalidTransaction, UndeclaredContract
from chain.machine import gas as cost
from chain.machine.block_context import BlockContext
from chain.machine.evm.forks import decode_transaction
from chain.machine.evm.messages import Computation, FrameMessage, computation_of
from chain.machine.evm.transaction_state import EvmState
from chain.machine.failure import Failure
from chain.machine.frame import Frame, TransactionContext
from chain.machine.hardforks import Fork
from chain.machine.machine import Machine
from chain.machine.state import START
from chain.machine.transaction import (
    BLOB_TYPE,
    NO_CREATION,
    SET_CODE_TYPE,
    Transaction,
    TransactionResult,
)
from chain.metering.fuel import GAS_PER_TICK

eth_keccak.hasher = pysha3.keccak256  # type: ignore[assignment]  # five times as fast as the default backend


class PyEvmExecutor:
    """The executor that runs transactions and messages of a machine with py-evm."""

    computation: type[Computation] = Computation

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._fork: Fork | None = None  # that of the last block, and its computations
        self._computation: type[Computation] = self.computation

    def transact(self, tx: Transaction, block: BlockContext) -> TransactionResult:
        """Run `tx` by the rules of the fork, or raise `InvalidTransaction` and change nothing."""
        machine, world_state = self._machine, self._machine.state
        evm_tx: Any = PyEvmTransaction(tx)
        price = min(tx.max_fee, block.base_fee + tx.tip)
        context = TransactionContext(
            machine, block, tx.sender, tx.nonce, price, evm_tx.blob_versioned_hashes, forced_random=machine.loaded,
            fuel=(tx.gas - evm_tx.intrinsic_gas) // GAS_PER_TICK,
        )  # fmt: skip
        state = self._state_of(context)
        state.is_free = tx.is_free
        world_state.access = {}
        try:
            computation: Any = state.apply_transaction(evm_tx)
        except BaseException as error:
            world_state.undo(START)
            world_state.close()
            if isinstance(error, ValidationError | VMError | UndeclaredContract):
                raise InvalidTransaction(str(error)) from None
            raise
        frame = computation.finish_frame()
        context.evm = None  # it refers to the context: a cycle would be work for the collector
        changes, logs = world_state.close()
        return TransactionResult(frame, context, state.gas_used, price, changes, logs)

    def run(self, frame: Frame) -> None:
        """Run one message with py-evm and record its outcome, also a failure, in the frame. The machine undoes a failure."""
        state = self._state_of(frame.context)
        if frame.kind == "create":
            apply, code = state.computation_class.apply_create_message, frame.data
        else:
            apply, code = (
                state.computation_class.apply_computation,
                state.world.code(frame.code_address),
            )
        message = FrameMessage(frame, code, is_delegation=frame.code_address != frame.address)
        try:
            computation: Any = apply(state, message, state.transaction_context)
        except VMError as error:  # the message was refused before it began
            frame.gas = 0
            frame.failure = Failure("halt", f"{frame.name}: {error}")
        else:
            computation.finish_frame()

    def _state_of(self, context: TransactionContext) -> EvmState:
        """Return py-evm's state of the transaction, made on first use."""
        state: EvmState | None = context.evm
        if state is None:
            fork = context.block.fork
            if fork is not self._fork:
                self._fork, self._computation = fork, computation_of(self.computation, fork)
            context.evm = state = EvmState(self._machine, context, self._computation, Executor)
        return state


def _signed(tx: Transaction) -> object:
    """Return py-evm's transaction object, decoded from the signed bytes if only they were kept."""
    return tx.signed or decode_transaction(tx.raw or b"")


class PyEvmTransaction:
    """A transaction with the interface that py-evm expects. The sender has been identified already."""

    s = 1  # stands in for a signature
    blob_versioned_hashes: tuple[bytes, ...] = ()
    max_fee_per_blob_gas = 0
    authorization_list: Sequence[SetCodeAuthorizationAPI] = ()

    def __init__(self, tx: Transaction) -> None:
        self.type_id = tx.type
        self.sender, self.nonce = tx.sender, tx.nonce
        self.to = CREATE_CONTRACT_ADDRESS if tx.to is None else Address(tx.to)
        self.data, self.value, self.gas = tx.data, tx.value, tx.gas
        self.access_list = tx.access_list
        self.max_fee_per_gas, self.max_priority_fee_per_gas = tx.max_fee, tx.tip
        if tx.type > 2:
            self._take_over(_signed(tx))
            return
        self.intrinsic_gas = calculate_txn_intrinsic_gas_berlin(cast(Any, self))
        if tx.to is None:  # py-evm charges this when the message starts (EIP-3860)
            self.intrinsic_gas += cost.INITCODE_WORD * cost.word_count(len(tx.data))

    def _take_over(self, body: Any) -> None:
        """Take over the fields that the type adds. In a rehearsal, fees, gas and nonce may differ from the signed ones."""
        self.intrinsic_gas = body.intrinsic_gas
        if self.type_id == BLOB_TX_TYPE:
            self.blob_versioned_hashes = tuple(body.blob_versioned_hashes)
            self.max_fee_per_blob_gas = body.max_fee_per_blob_gas
        else:
            self.authorization_list = body.authorization_list

    def validate(self) -> None:
        """Check the permissions to lend code. The machine has validated the rest."""
        for authorization in self.authorization_list:
            authorization.validate_for_transaction()


class Executor(PragueTransactionExecutor):
    """py-evm's transaction executor, adapted to our state and frames."""

    vm_state: EvmState

    def validate_transaction(self, transaction: SignedTransactionAPI) -> None:
        if transaction.type_id == BLOB_TX_TYPE:
            self._validate_blobs(transaction)
        elif transaction.type_id == SET_CODE_TYPE:
            _validate_set_code(transaction)
        gas, needed = transaction.gas, transaction.intrinsic_gas
        if gas < needed:  # py-evm would notice only after it has taken the fee
            raise ValidationError(
                f"intrinsic gas too low: it has {gas} gas, {needed} is needed before anything runs"
            )
        if not self.vm_state.is_free:
            super().validate_transaction(transaction)

    def _validate_blobs(self, transaction: SignedTransactionAPI) -> None:
        """Check the recipient, the blobs, and everything that may have to be paid; py-evm checks only a part of it."""
        if not transaction.to:
            raise ValidationError(NO_CREATION[BLOB_TYPE])
        hashes = transaction.blob_versioned_hashes
        block, count = self.vm_state.context.block, len(hashes)
        most = block.fork.max_transaction_blobs or block.fork.blobs.max
        if not count:
            raise ValidationError("blob transaction missing blob hashes: it has at least one blob")
        if count > most:
            raise ValidationError(
                f"blob transaction has too many blobs: {count}, a transaction has at most {most}"
            )
        for number, versioned_hash in enumerate(hashes):
            if versioned_hash[:1] != VERSIONED_HASH_VERSION_KZG:
                raise ValidationError(
                    f"blob {number} has invalid hash version: its hash begins with 0x{versioned_hash[:1].hex()}, not 0x01"
                )
        blob_fee, price = transaction.max_fee_per_blob_gas, self.vm_state.blob_base_fee
        if blob_fee < price and not self.vm_state.is_free:
            raise ValidationError(
                f"max fee per blob gas less than block blob gas fee: it is {blob_fee} wei, the price {price}"
            )
        fees = transaction.gas * transaction.max_fee_per_gas
        fees += count * cost.PER_BLOB * blob_fee
        balance = self.vm_state.get_balance(transaction.sender)
        if balance < transaction.value + fees:
            raise ValidationError(
                f"insufficient funds for gas * price + value: {checksum_address(transaction.sender)} has {balance} wei,"
                f" {transaction.value + fees} may be needed; set_balance gives it more"
            )

    def build_evm_message(self, transaction: Any) -> FrameMessage:
        """Take the fee, increment the nonce, and return the first message with its frame."""
        state, sender, to = self.vm_state, transaction.sender, transaction.to
        fee = transaction.gas * state.context.gas_price
        if transaction.type_id == BLOB_TX_TYPE:
            fee += self.calc_data_fee(transaction)
        state.delta_balance(sender, -fee)
        state.increment_nonce(sender)
        refund = self.calc_message_refund(transaction)
        if to:
            call_type, address = "call", to
            code, delegate = self.get_code_at_address(to)
        else:
            call_type, address = "create", create_address(sender, state.context.nonce)
            code, delegate = transaction.data, None
        state.mark_address_warm(address)
        frame = state.machine.frame(
            state.context, call_type, address, sender, transaction.value, transaction.data,
            transaction.gas - transaction.intrinsic_gas, code_address=delegate,
        )  # fmt: skip
        delegated = delegate is not None
        return FrameMessage(
            frame, code, should_transfer_value=True, is_delegation=delegated, refund=refund
        )

    def finalize_computation(
        self, transaction: SignedTransactionAPI, computation: ComputationAPI
    ) -> ComputationAPI:
        # Skips the step that deletes touched empty accounts: there are none.
        super(SpuriousDragonTransactionExecutor, self).finalize_computation(
            transaction, computation
        )
        used = transaction.gas - computation.get_gas_remaining()
        refund = self.calculate_gas_refund(computation, used)
        self.vm_state.gas_used = used - refund + computation.data_floor_gas
        return computation


def _validate_set_code(transaction: SignedTransactionAPI) -> None:
    """Check the recipient, and that code is lent to at least one account."""
    if not transaction.to:
        raise ValidationError(NO_CREATION[SET_CODE_TYPE])
    if not transaction.authorization_list:
        raise ValidationError("EIP-7702 transaction with empty auth list: it lends code to nobody")
