"""Bytecode with an ABI: deployed from the files of compilers, and spoken of as Python contracts are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import vyper

from chain import Address, Chain, Contract, Reverted, call, compiled
from chain.ledger.bytecode_classes import contract_of_abi
from chain.metering.program import program_of
from chain.replays import record, replay
from chain.replays.transcript import FIRST, BadTranscript
from tests.chain.helpers import Code, untyped

TOKEN = """
event Paid:
    sender: indexed(address)
    receiver: indexed(address)
    amount: uint256

balances: public(HashMap[address, uint256])
owner: public(address)

@deploy
def __init__(supply: uint256):
    self.owner = msg.sender
    self.balances[msg.sender] = supply

@external
def pay(receiver: address, amount: uint256) -> bool:
    assert self.balances[msg.sender] >= amount, "too poor"
    self.balances[msg.sender] -= amount
    self.balances[receiver] += amount
    log Paid(sender=msg.sender, receiver=receiver, amount=amount)
    return True

@external
@view
def both(who: address) -> (uint256, address):
    return self.balances[who], self.owner
"""
PAY = [
    {
        "type": "function", "name": "pay", "stateMutability": "nonpayable", "outputs": [{"type": "bool"}],
        "inputs": [{"name": "receiver", "type": "address"}, {"name": "amount", "type": "uint256"}],
    },
    {
        "type": "function", "name": "both", "stateMutability": "view", "inputs": [{"name": "who", "type": "address"}],
        "outputs": [{"type": "uint256"}, {"type": "address"}],
    },
]  # fmt: skip
TOO_MUCH = {
    "type": "error", "name": "TooMuch",
    "inputs": [{"name": "most", "type": "uint256"}, {"name": "", "type": "address"}],
}  # fmt: skip


@pytest.fixture(scope="module")
def output() -> dict[str, Any]:
    made: dict[str, Any] = vyper.compile_code(TOKEN, output_formats=["abi", "bytecode"])
    return made


@pytest.fixture
def token(output: dict[str, Any], tmp_path: Path) -> type[Contract]:
    file = tmp_path / "Token.json"
    file.write_text(json.dumps(output))
    return compiled(file)


def files(output: dict[str, Any]) -> dict[str, Any]:
    """The same contract as each tool writes it."""
    items, code = output["abi"], output["bytecode"]
    whole = {"abi": items, "evm": {"bytecode": {"object": code[2:]}}}
    return {
        "foundry": {"abi": items, "bytecode": {"object": code, "linkReferences": {}}},
        "hardhat": {"contractName": "Token", "abi": items, "bytecode": code},
        "solc": {"contracts": {"src/Token.sol": {"Token": whole}}, "sources": {}},
        "combined": {"contracts": {"src/Token.sol:Token": {"abi": json.dumps(items), "bin": code[2:]}}},
        "vyper": {"Token.vy": {"abi": items, "bytecode": code}, "version": "0.4"},
    }  # fmt: skip


@pytest.mark.parametrize("tool", ["foundry", "hardhat", "solc", "combined", "vyper"])
def test_files_of_compilers_are_deployed(
    chain: Chain, output: dict[str, Any], tool: str, tmp_path: Path
) -> None:
    file = tmp_path / "Token.json"
    file.write_text(json.dumps(files(output)[tool]))
    token = chain.deploy(compiled(file), 100, sender="bob")
    assert (token.balances("bob"), token.owner()) == (100, chain.address_of("bob"))
    assert token.contract.__name__ == "Token"


def test_receipts_name_it(chain: Chain, token: type[Contract]) -> None:
    handle = chain.deploy(token, 100)
    receipt = handle.pay("bob", 7)
    assert (receipt.contract, receipt.entry, receipt.return_value) == ("Token", "pay", True)
    assert receipt.args == {"receiver": chain.address_of("bob"), "amount": 7}
    assert receipt.events.one("Paid").amount == 7
    assert chain.receipts.where(contract="Token", entry="pay").count() == 1
    assert chain.events("Paid", receiver="bob").one().sender == chain.accounts[0]
    row = chain.sql("select contract, entry from receipts")[-1]
    assert (row["contract"], row["entry"]) == ("Token", "pay")
    assert handle.both("bob") == (7, chain.accounts[0])
    lines = chain.node.request("chain_activity").splitlines()
    assert lines[0].startswith("1 +1s alice: deploy Token(100) ok")
    assert lines[1].startswith("2 +2s alice: Token.pay(bob, 7) -> True")
    assert lines[2].strip().startswith("Paid(")


class Payer(Contract):
    @call
    def pay(self, token: Address, receiver: Address) -> bool:
        proxy = self.abi(token, PAY)
        return bool(proxy.pay(receiver, 1 if proxy.both(receiver)[0] else 0))


def test_inner_calls_name_it(chain: Chain, token: type[Contract]) -> None:
    handle = chain.deploy(token, 100)
    asked, paid = chain.deploy(Payer).pay(handle.address, "bob").calls
    assert (asked.contract, asked.entry, asked.return_value) == (
        "Token",
        "both",
        (0, chain.accounts[0]),
    )
    assert (paid.entry, paid.args) == ("pay", {"receiver": chain.address_of("bob"), "amount": 0})
    assert repr(paid) == "<Call Token.pay: ok>"


def test_transcripts_contain_it_and_need_no_file(chain: Chain, token: type[Contract]) -> None:
    for _ in range(2):
        chain.deploy(token, 100).pay("bob", 7)
    chain.contract("Token").pay("bob", 101, check=False)
    chain.deploy(Payer).pay(chain.contract("Token#2").address, "frank")
    text = record(chain)
    paid = '{"event":"Paid","fields":{"sender":"alice","receiver":"bob","amount":7}}'
    assert (
        f'"to":"Token#2","entry":"pay","args":{{"receiver":"bob","amount":7}},"result":true,"logs":[{paid}]'
        in text
    )
    assert '"args":{"token":"Token#2","receiver":"frank"}' in text and '"error":"too poor"' in text
    assert replay(text, contracts=[Payer]).difference is None
    assert replay(text.replace('"amount":7', '"amount":8', 1), contracts=[Payer]).difference


@pytest.mark.parametrize("abi", ["[7]", '[{"type":"function"}]'])
def test_transcripts_with_bad_abis_are_refused(abi: str) -> None:
    text = f'{FIRST}}}\n{{"bytecode":"Token","address":"0x{"12" * 20}","abi":{abi}}}\n'
    with pytest.raises(BadTranscript, match="line 2: the ABI of Token cannot be read"):
        replay(text)


def test_failures_and_traces_name_it(chain: Chain, token: type[Contract]) -> None:
    handle, other = (chain.deploy(token, 100) for _ in range(2))
    with pytest.raises(Reverted, match="too poor"):
        handle.pay("bob", 101)
    receipt = other.pay("bob", 1)
    assert str(receipt.trace).startswith("alice: Token#2.pay(bob, 1) -> True")
    assert chain.contract("Token#2").address == other.address
    assert chain.fork().contract("Token").balances("bob") == 0


def test_declared_errors_are_read(chain: Chain, evm: Code, initcode: Code) -> None:
    selector = contract_of_abi([TOO_MUCH], "Cap").__spec__.errors["TooMuch"].selector
    words = [selector.ljust(32, b"\0"), bytes(3) + b"\5" + bytes(28)]
    code = evm(words[0], 0, "MSTORE", words[1], 32, "MSTORE", 68, 0, "REVERT")
    cap = chain.load(chain.send(None, initcode(code)).address, [TOO_MUCH], name="Cap")
    failed = chain.node.request("chain_send", [{"to": str(cap.address), "data": "0x12345678"}])
    assert (failed["error"]["name"], failed["error"]["fields"]) == (
        "TooMuch",
        {"most": 5, "_1": str(Address(bytes(20)))},
    )
    receipt = chain.send(cap.address, b"")
    assert receipt.error is not None
    assert receipt.error.text.startswith("TooMuch(most=5, ")
    assert "failed: TooMuch(most=5, " in chain.activity()
    assert "failed: TooMuch(most=5, " in str(receipt.trace)
    assert chain.sql("select error from receipts")[-1]["error"] == receipt.error.text
    assert '"error":"TooMuch(most=5, ' in record(chain)


def test_existing_contract_is_loaded(chain: Chain, output: dict[str, Any]) -> None:
    supply = (50).to_bytes(32)
    address = chain.send(None, bytes.fromhex(output["bytecode"][2:]) + supply).address
    pay = contract_of_abi(output["abi"], "Coin").__spec__.entries["pay"]
    chain.send(address, pay.encode_args(("bob", 1), {}, chain))
    with pytest.raises(TypeError, match="no contract on this chain has an entry 'pay'"):
        chain.receipts.where(entry="pay")
    coin = chain.load(address, output["abi"], name="Coin")
    assert [receipt.contract for receipt in chain.receipts] == ["Coin", "Coin"]
    first, second = chain.node.request("chain_activity").splitlines()[:2]
    assert "deploy Coin() ok" in first and "Coin.pay(bob, 1)" in second
    assert str(chain.receipts[0].trace).startswith("alice: deploy Coin() as Coin")
    assert chain.receipts.where(contract="Coin", entry="pay").count() == 1
    with pytest.raises(TypeError, match="Coin has no bytecode"):
        chain.deploy(coin.contract, 5)


def test_overloads_go_by_their_arguments(chain: Chain, evm: Code, initcode: Code) -> None:
    items = [
        {"type": "function", "name": "give", "inputs": [{"name": "n", "type": kind}], "outputs": []}
        for kind in ("uint256", "string")
    ]  # fmt: skip
    handle = chain.load(chain.send(None, initcode(evm("STOP"))).address, items, name="Both")
    entries = [handle.give("text").entry, handle["give(uint256)"](5).entry]
    assert entries == ["give(string)", "give(uint256)"]


@pytest.mark.parametrize(
    ("content", "name", "words"),
    [
        ("[", None, "is not JSON"),
        ("[]", None, "there are none"),
        ('{"abi": []}', None, "it has no bytecode"),
        ('{"abi": [], "bytecode": "0x__lib__"}', None, "must be linked"),
        ('{"a": {"abi": []}, "b": {"abi": []}}', None, "name one of its contracts; there are a, b"),
        ('{"a": {"abi": []}, "b": {"abi": []}}', "c", "there is no contract c"),
    ],
)  # fmt: skip
def test_other_files_are_refused(
    tmp_path: Path, content: str, name: str | None, words: str
) -> None:
    file = tmp_path / "it.json"
    file.write_text(content)
    with pytest.raises((ValueError, LookupError), match=words):
        compiled(file, name)


def test_it_cannot_become_python_code(token: type[Contract]) -> None:
    with pytest.raises(TypeError, match="Token is bytecode that is known by its ABI"):
        program_of(token)


def test_wrong_names_and_abis_are_refused(chain: Chain) -> None:
    with pytest.raises(ValueError, match="not a name for a contract"):
        chain.load(chain.accounts[0], [], name="a b")
    with pytest.raises(TypeError, match="is not a JSON ABI"):
        chain.load(chain.accounts[0], untyped("abi"))
