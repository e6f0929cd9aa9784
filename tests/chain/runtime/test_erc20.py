"""A plain ERC-20, used by web3.py with the standard's own ABI, by bytecode, and by name."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
import vyper
from web3.exceptions import ContractCustomError

from chain import (
    Address,
    Chain,
    Contract,
    Key,
    Map,
    Revert,
    call,
    error,
    event,
    init,
    reverts,
    view,
)
from chain.replays import record, replay
from chain.simulator.handle import Handle
from chain.types import ZERO_ADDRESS, u8, u256


@event
class Transfer:
    from_: Key[Address]
    to: Key[Address]
    value: u256


@event
class Approval:
    owner: Key[Address]
    spender: Key[Address]
    value: u256


@error
class ERC20InsufficientBalance(Revert):
    sender: Address
    balance: u256
    needed: u256


@error
class ERC20InsufficientAllowance(Revert):
    from_: Address
    allowance: u256
    needed: u256


class Gold(Contract):
    balances: Map[Address, u256]
    allowances: Map[tuple[Address, Address], u256]
    supply: u256

    @init
    def mint(self, supply: u256) -> None:
        self.balances[self.caller] = self.supply = supply
        self.emit(Transfer(ZERO_ADDRESS, self.caller, supply))

    @view
    def name(self) -> str:
        return "Gold"

    @view
    def symbol(self) -> str:
        return "GLD"

    @view
    def decimals(self) -> u8:
        return 18

    @view(name="totalSupply")
    def total_supply(self) -> u256:
        return self.supply

    @view(name="balanceOf")
    def balance_of(self, account: Address) -> u256:
        return self.balances[account]

    @view
    def allowance(self, owner: Address, spender: Address) -> u256:
        return self.allowances[owner, spender]

    @call
    def transfer(self, to: Address, value: u256) -> bool:
        self._move(self.caller, to, value)
        return True

    @call
    def approve(self, spender: Address, value: u256) -> bool:
        self.allowances[self.caller, spender] = value
        self.emit(Approval(self.caller, spender, value))
        return True

    @call(name="transferFrom")
    def transfer_from(self, from_: Address, to: Address, value: u256) -> bool:
        allowed = self.allowances[from_, self.caller]
        if allowed < value:
            raise ERC20InsufficientAllowance(from_, allowed, value)
        self.allowances[from_, self.caller] = allowed - value
        self._move(from_, to, value)
        return True

    def _move(self, from_: Address, to: Address, value: int) -> None:
        held = self.balances[from_]
        if held < value:
            raise ERC20InsufficientBalance(from_, held, value)
        self.balances[from_] = held - value
        self.balances[to] += value
        self.emit(Transfer(from_, to, value))

    # The chain's own money

    @call(payable=True)
    def buy(self) -> bool:
        self.balances[self.caller] += self.value
        return self.transfer(self.caller, 0)

    @call
    def redeem(self, value: u256) -> None:
        self.balances[self.caller] -= value
        super().transfer(self.caller, value)


VAULT = """
# pragma version ^0.4.0
from ethereum.ercs import IERC20

token: public(IERC20)

@deploy
def __init__(token: IERC20):
    self.token = token

@external
def put(amount: uint256):
    assert extcall self.token.transferFrom(msg.sender, self, amount)

@external
def take(amount: uint256):
    assert extcall self.token.transfer(msg.sender, amount)

@external
@view
def holds() -> uint256:
    return staticcall self.token.balanceOf(self)
"""


def standard(kind: str, text: str) -> dict[str, Any]:
    """An item of a JSON ABI, from how the standard writes it."""
    name, inputs, outputs = re.fullmatch(r"(\w+)\((.*?)\)(?: (\w+))?", text).groups()  # type: ignore[union-attr]
    parameters = []
    for each in filter(None, inputs.split(", ")):
        written, *indexed, called = each.split()
        parameters.append(
            {"type": written, "name": called}
            | ({"indexed": bool(indexed)} if kind == "event" else {})
        )
    item: dict[str, Any] = {"type": kind, "name": name, "inputs": parameters}
    if kind == "event":
        return item | {"anonymous": False}
    results = [{"type": outputs, "name": ""}] if outputs else []
    is_view = name.startswith(("balanceOf", "total", "allow", "name", "symbol", "decimals"))
    return item | {"outputs": results, "stateMutability": "view" if is_view else "nonpayable"}


ERC20 = [
    *(standard("function", text) for text in (
        "name() string", "symbol() string", "decimals() uint8", "totalSupply() uint256", "balanceOf(address account) uint256",
        "allowance(address owner, address spender) uint256", "transfer(address to, uint256 value) bool",
        "approve(address spender, uint256 value) bool", "transferFrom(address from, address to, uint256 value) bool",
    )),
    standard("event", "Transfer(address indexed from, address indexed to, uint256 value)"),
    standard("event", "Approval(address indexed owner, address indexed spender, uint256 value)"),
]  # fmt: skip


@pytest.fixture
def gold(chain: Chain) -> Handle:
    return chain.deploy(Gold, 1_000)


def test_web3_uses_it_by_the_standard_abi(chain: Chain, gold: Handle) -> None:
    alice, bob, carol = map(str, chain.accounts[:3])
    token = chain.web3.eth.contract(address=str(gold.address), abi=ERC20)
    read = token.functions
    assert [read.name().call(), read.symbol().call(), read.decimals().call()] == ["Gold", "GLD", 18]
    assert read.transfer(bob, 300).call({"from": alice}) is True
    read.transfer(bob, 300).transact({"from": alice})
    read.approve(carol, 100).transact({"from": bob})
    done = read.transferFrom(bob, carol, 60).transact({"from": carol})
    receipt = chain.web3.eth.get_transaction_receipt(done)
    [log] = token.events.Transfer().process_receipt(receipt)
    assert dict(log["args"]) == {"from": bob, "to": carol, "value": 60}
    found = token.events.Transfer().get_logs(from_block=0, argument_filters={"from": bob})
    assert [each["args"]["value"] for each in found] == [60]
    assert [read.balanceOf(each).call() for each in (alice, bob, carol)] == [700, 240, 60]
    assert (read.allowance(bob, carol).call(), read.totalSupply().call()) == (40, 1_000)


def test_standard_abi_is_part_of_its_own(gold: Handle) -> None:
    def plain(item: dict[str, Any]) -> str:
        inputs = [{k: v for k, v in each.items() if k != "internalType"} for each in item["inputs"]]
        return json.dumps([item["type"], item["name"], inputs], sort_keys=True)

    assert set(map(plain, ERC20)) <= {plain(item) for item in gold.abi if "name" in item}


def test_custom_error_reaches_web3(chain: Chain, gold: Handle) -> None:
    alice, bob = map(str, chain.accounts[:2])
    with pytest.raises(ContractCustomError) as caught:
        gold.web3.functions.transferFrom(alice, bob, 5).call({"from": bob})
    assert ERC20InsufficientAllowance.__error__.decode(
        bytes.fromhex(str(caught.value.data)[2:])
    ) == ERC20InsufficientAllowance(Address(alice), 0, 5)
    [shown] = [item for item in gold.abi if item.get("name") == "ERC20InsufficientAllowance"]
    assert [each["name"] for each in shown["inputs"]] == ["from", "allowance", "needed"]


def test_bytecode_uses_it(chain: Chain, gold: Handle) -> None:
    alice = str(chain.accounts[0])
    code = vyper.compile_code(VAULT, output_formats=["abi", "bytecode"])
    factory = chain.web3.eth.contract(abi=code["abi"], bytecode=code["bytecode"])
    made = factory.constructor(str(gold.address)).transact({"from": alice})
    where = chain.web3.eth.get_transaction_receipt(made)["contractAddress"]
    vault = chain.web3.eth.contract(address=where, abi=code["abi"])
    gold.approve(Address(where), 500)
    vault.functions.put(400).transact({"from": alice})
    vault.functions.take(150).transact({"from": alice})
    assert (vault.functions.holds().call(), gold.balance_of(chain.accounts[0])) == (250, 750)


def test_own_transfer_and_that_of_the_chain(chain: Chain, gold: Handle) -> None:
    bob = chain.accounts[1]
    with reverts():
        gold.redeem(1, sender=bob)
    gold.buy(value=50, sender=bob)
    assert chain.events(Transfer, from_=bob, to=bob).count() == 1
    before = chain.balance(gold.address)
    gold.redeem(20, sender=bob)
    assert (before, chain.balance(gold.address), gold.balanceOf(bob)) == (50, 30, 30)


def test_field_from(chain: Chain, gold: Handle) -> None:
    alice, bob = chain.accounts[:2]
    gold.transfer(bob, 5)
    gold.approve(bob, 5)
    gold.transferFrom(from_=alice, to=bob, value=5, sender=bob)
    assert [each.value for each in chain.events(Transfer, from_=alice)] == [5, 5]
    assert chain.sql("select from_, value from Transfer where from_ = ?", alice)[0]["value"] == 5
    question = (
        "select json_extract(args, '$.from') found from receipts where entry = 'transfer_from'"
    )
    assert chain.sql(question)[0]["found"] == str(alice)
    ask = chain.node.request
    [first, _] = ask("chain_events", ["Transfer", {"where": {"from": str(alice)}}])
    assert first["fields"] == {"from": str(alice), "to": str(bob), "value": 5}
    assert ask("chain_receipts", [{"entry": "transferFrom"}])[0]["args"]["from"] == str(alice)
    args = {"from": str(alice), "to": str(bob), "value": 7}
    message = {"from": str(bob), "to": str(gold.address), "entry": "transferFrom", "args": args}
    error = ask("chain_send", [message])["error"]
    assert error["fields"] == {"from": str(alice), "allowance": 0, "needed": 7}


def test_transcript_is_played_again(chain: Chain, gold: Handle) -> None:
    bob = chain.accounts[1]
    gold.transfer(bob, 5)
    gold.transferFrom(bob, bob, 7, check=False)
    text = record(chain)
    assert '"entry":"transfer_from","args":{"from":"bob","to":"bob","value":7}' in text
    assert replay(text, contracts=[Gold]).ok
