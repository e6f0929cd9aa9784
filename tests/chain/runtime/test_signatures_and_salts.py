"""What Ethereum offers contracts besides messages: signers, the chain's id, and addresses determined by a salt."""

from __future__ import annotations

from typing import Any

import pytest
from eth_account import Account
from eth_account.messages import encode_defunct

from chain import Address, Chain, Contract, call, init, view
from chain.crypto.hashing import create2_address, keccak
from chain.metering.program import program_of
from chain.simulator.handle import Handle
from chain.types import u64
from tests.chain.helpers import failure_of, untyped

WALLET = Account.from_key("0x" + "57" * 32)
HASH = keccak(b"a move")
SALT = bytes(31) + b"\7"


class Table(Contract):
    number: u64

    @init
    def begin(self, number: u64) -> None:
        self.number = number


class House(Contract):
    @call
    def open_table(self, salt: bytes, number: u64) -> Address:
        return self.create2(Table, salt, number)

    @view
    def table_at(self, salt: bytes, number: u64) -> Address:
        return self.create2_address(Table, salt, number)

    @view
    def signer(self, digest: bytes, signature: bytes) -> Address | None:
        return self.ecrecover(digest, signature)

    @view
    def signers(self, digest: bytes, signature: bytes, times: u64) -> None:
        for _ in range(times):
            self.ecrecover(digest, signature)

    @view
    def where(self) -> u64:
        return self.chain_id


@pytest.fixture
def house(chain: Chain) -> Handle:
    return chain.deploy(House)


def test_contracts_know_the_chain() -> None:
    assert Chain(chain_id=777).deploy(House).where() == 777


def test_signers_are_found(house: Handle) -> None:
    signature = bytes(WALLET.unsafe_sign_hash(HASH).signature)
    assert house.signer(HASH, signature) == Address(WALLET.address)
    message = WALLET.sign_message(encode_defunct(b"a move"))
    assert house.signer(bytes(message.message_hash), bytes(message.signature)) == Address(
        WALLET.address
    )


@pytest.mark.parametrize(
    "change",
    [lambda raw: raw[:-1], lambda raw: bytes(65), lambda raw: raw[:-1] + b"\0", lambda raw: b"\xff" * 64 + raw[-1:]],
    ids=["short", "zero", "parity", "high"],
)  # fmt: skip
def test_wrong_signatures_have_no_signer(house: Handle, change: Any) -> None:
    signature = bytes(WALLET.unsafe_sign_hash(HASH).signature)
    assert house.signer(HASH, change(signature)) is None


@pytest.mark.parametrize("v", [27, 28])
def test_signers_are_those_of_the_precompiled_contract(chain: Chain, house: Handle, v: int) -> None:
    signature = bytes(WALLET.unsafe_sign_hash(HASH).signature)[:64] + bytes((v,))
    raw = chain.send(Address(bytes(19) + b"\1"), HASH + v.to_bytes(32) + signature[:64]).output
    assert house.signer(HASH, signature) == Address(raw[12:])


def test_signatures_have_a_price(house: Handle) -> None:
    signature = bytes(WALLET.unsafe_sign_hash(HASH).signature)
    asked = house.signer.simulate(HASH, signature)
    assert asked.gas_used == 3_000
    assert house.signers(HASH, signature, 100) is None
    never = house.signers.simulate(HASH, signature, 10**6, gas=10**6)
    assert "ran out of gas" in failure_of(untyped(never)).text
    short = house.signer.simulate(b"short", signature)
    assert "a hash has 32 bytes" in failure_of(untyped(short)).text


def test_salts_decide_addresses(chain: Chain, house: Handle) -> None:
    initcode = program_of(Table).initcode + (5).to_bytes(32)
    expected = create2_address(house.address, SALT, initcode)
    assert house.table_at(SALT, 5) == expected
    receipt = house.open_table(SALT, 5)
    assert receipt.return_value == expected == house.table_at(SALT, 5)
    assert chain.handle(Table, Address(expected)).fields.number == 5
    assert house.open_table(SALT, 6).return_value != expected
    again = house.open_table(SALT, 5, check=False)
    assert "there already is a contract" in failure_of(again).text
    assert "a salt has 32 bytes" in failure_of(house.open_table(b"short", 1, check=False)).text
    assert "a salt has 32 bytes" in failure_of(untyped(house.table_at.simulate(b"short", 1))).text


def test_traces_name_the_operation(chain: Chain, house: Handle) -> None:
    tx_hash = "0x" + house.open_table(SALT, 5).tx_hash.hex()
    _, made = chain.node.request("trace_transaction", [tx_hash])
    assert made["action"]["creationMethod"] == "create2"
    tree = chain.node.request("debug_traceTransaction", [tx_hash, {"tracer": "callTracer"}])
    assert [each["type"] for each in tree["calls"]] == ["CREATE2"]


def test_addresses_are_those_of_bytecode(chain: Chain, evm: Any, initcode: Any) -> None:
    """Both executors give the same address and the same gas for the same code."""
    made = evm("STOP")
    code = evm(
        made.ljust(32, b"\0"), 0, "MSTORE", SALT, 1, 0, 0, "CREATE2", 0, "MSTORE", 32, 0, "RETURN"
    )
    factory = chain.send(None, initcode(code)).address
    assert chain.send(factory).output[12:] == create2_address(factory, SALT, made)
