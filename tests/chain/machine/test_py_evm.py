"""Transactions and messages in py-evm: their types, how they fail, how deep they go, the block they see."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import rlp
from eth.vm.forks.cancun.transactions import UnsignedBlobTransaction
from eth.vm.forks.prague.transactions import Authorization, UnsignedSetCodeTransaction
from eth_keys import keys

from chain import Address, Chain, Contract, InvalidTransaction, Revert, call
from chain.crypto.accounts import Account
from chain.ledger.receipts import Receipt
from chain.machine.transaction import Transaction
from chain.simulator.handle import Handle
from chain.types import u256
from tests.chain.helpers import Code, Place, failure_of

NOBODY = Address(b"\x0b" * 20)
SHA256 = Address(bytes(19) + b"\x02")
IDENTITY = bytes(19) + b"\x04"
ANSWER = (0, "MSTORE", 32, 0, "RETURN")  # return the word on the stack
FEE = 10**10


class Diver(Contract):
    """Sends messages to others, and gets them back."""

    word: u256

    @call
    def send(self, to: Address, data: bytes) -> bytes:
        child = self._frame.call(bytes(to), data)
        if child.failure is not None:
            raise Revert(f"{child.failure.kind}: {child.failure.text}")
        return child.output

    @call(nonreentrant=False)
    def dive(self, to: Address) -> u256:
        """Return how deeply messages of this kind can be nested."""
        child = self._frame.call(bytes(to), calldata("dive", to))
        return 1 + int.from_bytes(child.output) if child.failure is None else 0

    @call
    def stop(self) -> None:
        self.word = 1
        raise KeyboardInterrupt

    @call(nonreentrant=False)
    def add(self, step: u256) -> u256:
        self.word += step
        return self.word


def calldata(entry: str, *args: Any) -> bytes:
    return Diver.__spec__.entries[entry].encode_args(args, {})


@pytest.fixture
def chain() -> Chain:
    return Chain(guard=False)  # some contracts do what none may


@pytest.fixture
def diver(chain: Chain) -> Handle:
    return chain.deploy(Diver)


@pytest.fixture
def place(chain: Chain, evm: Code, initcode: Code) -> Place:
    """Puts bytecode on the chain."""
    return lambda *items: chain.send(None, initcode(evm(*items))).address


def number(receipt: Receipt) -> int:
    return int.from_bytes(receipt.output)


# How messages go


def test_precompiles_answer_python(diver: Handle) -> None:
    assert diver.send(SHA256, b"abc").return_value.hex().startswith("ba7816bf")


def test_precompiles_can_be_borrowed(chain: Chain, place: Place) -> None:
    code = (4, 0, "MSTORE", 32, 32, 32, 0, IDENTITY, "GAS", "DELEGATECALL", "POP", 32, 32, "RETURN")
    assert number(chain.send(place(*code))) == 4


def test_precompiles_take_transactions(chain: Chain) -> None:
    receipt = chain.send(SHA256, b"abc", value=4)
    assert (receipt.output.hex()[:8], chain.balance(SHA256)) == ("ba7816bf", 4)


@pytest.mark.parametrize(
    ("items", "text"),
    [
        (["POP"], "Wanted 1 stack item, had none"),
        ([7, "JUMP"], "Invalid Jump Destination"),
    ],
)
def test_halts_are_reported(diver: Handle, place: Place, items: list[int | str], text: str) -> None:
    halting = place(*items)
    error = diver.send(halting, b"", check=False).error
    assert error.text == f"halt: {halting}: {text}"


def test_reserved_code_is_refused(chain: Chain, evm: Code) -> None:
    receipt = chain.send(None, evm(0xEF, 0, "MSTORE8", 1, 0, "RETURN"), gas=100_000)
    assert (failure_of(receipt).kind, receipt.gas_used, chain.code(receipt.address)) == (
        "halt",
        100_000,
        b"",
    )


def test_too_long_code_is_refused(chain: Chain, evm: Code) -> None:
    receipt = chain.send(None, evm((24_577).to_bytes(2), 0, "RETURN"))
    assert (failure_of(receipt).kind, receipt.gas_used) == ("out of gas", receipt.gas)


def test_collisions_are_refused(chain: Chain, evm: Code, initcode: Code) -> None:
    sender = chain.accounts[3]
    with chain.anchor():
        where = chain.send(None, initcode(evm("STOP")), sender=sender).address
    chain.state.set_code(where, b"\x00")
    chain.state.close()
    receipt = chain.send(None, initcode(evm("STOP")), sender=sender, gas=90_000)
    assert (receipt.ok, receipt.gas_used, chain.nonce(sender)) == (False, 90_000, 1)


def test_interrupts_leave_nothing(chain: Chain, diver: Handle, place: Place) -> None:
    before = chain.nonce(chain.accounts[0]), chain.balance(chain.accounts[0])
    with pytest.raises(KeyboardInterrupt):
        diver.stop()
    assert (chain.nonce(chain.accounts[0]), chain.balance(chain.accounts[0])) == before
    assert diver.add(2).return_value == 2


# How deep they go


@pytest.fixture
def shallow() -> Iterator[None]:
    """Set the recursion limit to Python's default; some compilers raise it."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(1_000)
    yield
    sys.setrecursionlimit(before)


@pytest.mark.usefixtures("shallow")
def test_deepest_bytecode_is_safe(chain: Chain, evm: Code, initcode: Code) -> None:
    """A contract that calls itself, and returns how often it succeeded."""
    code = evm(32, 0, 0, 0, 0, "ADDRESS", "GAS", "CALL", 0, "MLOAD", "ADD", *ANSWER)
    frame, _ = chain.call(chain.send(None, initcode(code)).address, b"")
    assert int.from_bytes(frame.output) == 1_024


@pytest.mark.usefixtures("shallow")
def test_deepest_python_is_safe(chain: Chain, diver: Handle) -> None:
    frame, _ = chain.call(diver.address, calldata("dive", diver.address))
    assert frame.result == 1_024


@pytest.mark.usefixtures("shallow")
def test_deepest_mixture_is_safe(chain: Chain, diver: Handle, place: Place) -> None:
    """Python calls bytecode, which calls Python back, with the same message."""
    mirror = place(
        "CALLDATASIZE", 0, 0, "CALLDATACOPY", 32, 0, "CALLDATASIZE", 0, 0, "CALLER", "GAS", "CALL", "POP", 32, 0, "RETURN",
    )  # fmt: skip
    frame, _ = chain.call(diver.address, calldata("dive", mirror))
    assert frame.result == 512


@pytest.mark.usefixtures("shallow")
def test_depth_ends_with_gas(chain: Chain, diver: Handle) -> None:
    receipt = diver.dive(diver.address, gas=1_000_000)
    assert 100 < receipt.return_value < 1_024


# The block they see


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("NUMBER", lambda chain: chain.head.number),
        ("TIMESTAMP", lambda chain: chain.head.timestamp),
        ("PREVRANDAO", lambda chain: chain.head.prevrandao),
        ("BASEFEE", lambda chain: chain.head.base_fee),
        ("GASLIMIT", lambda chain: chain.head.gas_limit),
        ("CHAINID", lambda chain: 31337),
        ("BLOBBASEFEE", lambda chain: 1),
        ("GASPRICE", lambda chain: chain.head.base_fee),
        ("ORIGIN", lambda chain: int.from_bytes(chain.accounts[0])),
    ],
)
def test_bytecode_sees_the_block(
    chain: Chain, place: Place, name: str, value: Callable[[Chain], int]
) -> None:
    receipt = chain.send(place(name, *ANSWER))
    assert number(receipt) == value(chain)


def test_block_hashes_are_lazy(chain: Chain, evm: Code, place: Place) -> None:
    asked = list[int]()

    def hash_of(n: int) -> bytes:
        asked.append(n)
        return n.to_bytes(32)

    chain.machine.block_hash = hash_of
    contract = place(0, "CALLDATALOAD", "BLOCKHASH", *ANSWER)
    chain.mine(300)
    with chain.block() as block:
        looks = [block.number - back for back in (0, 1, 256, 257)]
        answers = [number(chain.send(contract, n.to_bytes(32), gas=100_000)) for n in looks]
    assert answers == [0, looks[1], looks[2], 0]
    assert asked == looks[1:3]


# Types of transactions that come in signed


def signed(chain: Chain, account: Account, unsigned: Any, **fields: Any) -> Transaction:
    """The transaction of `account`, as the machine takes it."""
    asked = {
        "chain_id": chain.chain_id,
        "nonce": chain.nonce(account),
        "max_priority_fee_per_gas": 0,
        "max_fee_per_gas": FEE,
        "gas": 500_000,
        "value": 0,
        "data": b"",
        "access_list": [],
        **fields,
    }
    made = unsigned(**asked).as_signed_transaction(keys.PrivateKey(account.key))
    return Transaction(
        bytes(account),
        made.to,
        made.data,
        made.value,
        made.gas,
        made.nonce,
        FEE,
        0,
        made.type_id,
        (),
        made,
        made.encode(),
    )


def authorization(chain: Chain, account: Account, to: Address, nonce: int) -> Authorization:
    """The permission of `account` to run the code at `to` in its name."""
    message = b"\x05" + rlp.encode([chain.chain_id, bytes(to), nonce])
    v, r, s = keys.PrivateKey(account.key).sign_msg(message).vrs
    return Authorization(chain.chain_id, bytes(to), nonce, v, r, s)


def set_code(
    chain: Chain, account: Account, *permissions: Authorization, **fields: Any
) -> Transaction:
    return signed(
        chain,
        account,
        UnsignedSetCodeTransaction,
        authorization_list=permissions,
        **{"to": bytes(NOBODY), **fields},
    )


def test_accounts_borrow_python(chain: Chain, diver: Handle) -> None:
    alice, bob = chain.accounts[:2]
    receipt = chain.send_transaction(
        set_code(chain, alice, authorization(chain, bob, diver.address, 0))
    )
    assert (receipt.ok, receipt.gas_used, chain.nonce(bob)) == (True, 36_800, 1)
    assert number(chain.send(bob, calldata("add", 4))) == 4
    assert (chain.storage(bob, 0), chain.storage(diver.address, 0)) == (4, 0)


def test_lenders_are_traced(chain: Chain, diver: Handle) -> None:
    alice, bob = chain.accounts[:2]
    lending = chain.send_transaction(
        set_code(chain, alice, authorization(chain, bob, diver.address, 0))
    )
    trace = chain.send(bob, calldata("add", 4)).trace
    assert lending.trace.gas_used == lending.gas_used
    assert (trace.name, trace.address, trace.code_address) == ("Diver.add", bob, diver.address)
    assert [str(write) for write in trace.writes] == ["Diver.word: 0 -> 4"]


def test_python_calls_borrowers(chain: Chain, diver: Handle) -> None:
    alice, bob = chain.accounts[:2]
    chain.send_transaction(set_code(chain, alice, authorization(chain, bob, diver.address, 0)))
    assert int.from_bytes(diver.send(bob, calldata("add", 4)).return_value) == 4
    assert chain.storage(bob, 0) == 4


def test_lent_precompiles_do_nothing(chain: Chain, diver: Handle) -> None:
    alice, bob = chain.accounts[:2]
    chain.send_transaction(set_code(chain, alice, authorization(chain, bob, SHA256, 0)))
    assert (chain.send(bob, b"abc").output, diver.send(bob, b"abc").return_value) == (b"", b"")


def test_stale_permissions_are_skipped(chain: Chain, diver: Handle) -> None:
    alice, bob = chain.accounts[:2]
    assert chain.send_transaction(
        set_code(chain, alice, authorization(chain, bob, diver.address, 7))
    ).ok
    assert (chain.code(bob), chain.nonce(bob)) == (b"", 0)


def test_permissions_outlive_failures(chain: Chain, diver: Handle) -> None:
    alice, bob = chain.accounts[:2]
    permit = authorization(chain, bob, diver.address, 0)
    receipt = chain.send_transaction(
        set_code(chain, alice, permit, to=bytes(diver.address), data=b"what")
    )
    assert (failure_of(receipt).kind, chain.nonce(bob)) == ("refused", 1)


def blob(chain: Chain, account: Account, **fields: Any) -> Transaction:
    asked = {
        "to": bytes(NOBODY),
        "max_fee_per_blob_gas": 3,
        "blob_versioned_hashes": [b"\x01" * 32],
        **fields,
    }
    return signed(chain, account, UnsignedBlobTransaction, **asked)


def test_blobs_are_paid_for(chain: Chain, place: Place) -> None:
    alice, reader = chain.accounts[0], place(0, "BLOBHASH", *ANSWER)
    before = chain.balance(alice)
    receipt = chain.send_transaction(blob(chain, alice, to=bytes(reader)))
    assert receipt.output == receipt.trace.output == b"\x01" * 32
    assert chain.balance(alice) == before - receipt.gas_used * receipt.gas_price - 2**17


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        (
            {"gas": 21_500, "data": b"x" * 100},
            "intrinsic gas too low: it has 21500 gas, its bytes alone take 25000",
        ),
        ({"blob_versioned_hashes": []}, "blob transaction missing blob hashes"),
        ({"blob_versioned_hashes": [bytes(32)]}, "blob 0 has invalid hash version"),
        (
            {"max_fee_per_blob_gas": 0},
            "max fee per blob gas less than block blob gas fee: it is 0 wei, the price 1",
        ),
        ({"nonce": 50}, "nonce too high: it is 50"),
    ],
)
def test_bad_blobs_change_nothing(chain: Chain, fields: dict[str, Any], text: str) -> None:
    alice = chain.accounts[0]
    before = chain.state.account(alice)
    with pytest.raises(InvalidTransaction, match=text):
        chain.send_transaction(blob(chain, alice, **fields))
    assert (chain.state.account(alice), len(chain.receipts), chain.state.changes) == (before, 0, [])


def test_permissions_must_be_paid(chain: Chain, diver: Handle) -> None:
    tx = set_code(
        chain,
        chain.accounts[0],
        authorization(chain, chain.accounts[1], diver.address, 0),
        gas=40_000,
    )
    with pytest.raises(
        InvalidTransaction,
        match="intrinsic gas too low: it has 40000 gas, its bytes alone take 46000",
    ):
        chain.send_transaction(tx)
