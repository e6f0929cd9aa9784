"""A plain ERC-721: two entries `safeTransferFrom`, distinguished by Python, web3.py, a node and bytecode."""

from __future__ import annotations

from typing import Any

import pytest
import vyper

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
    require,
    reverts,
    view,
)
from chain.replays import record, replay
from chain.simulator.handle import Handle
from chain.types import ZERO_ADDRESS, bytes4, u256

RECEIVED = bytes.fromhex("150b7a02")  # the selector of onERC721Received
STANDARDS = {bytes.fromhex(text) for text in ("01ffc9a7", "80ac58cd")}  # ERC-165, ERC-721


@event
class Transfer:
    from_: Key[Address]
    to: Key[Address]
    token_id: Key[u256]


@event
class Approval:
    owner: Key[Address]
    approved: Key[Address]
    token_id: Key[u256]


@event
class ApprovalForAll:
    owner: Key[Address]
    operator: Key[Address]
    approved: bool


@error
class ERC721NonexistentToken(Revert):
    token_id: u256


@error
class ERC721InvalidReceiver(Revert):
    receiver: Address


class Receiver(Contract):
    """Accepts tokens, except those sent with the word 'no'."""

    @call(name="onERC721Received")
    def on_received(self, operator: Address, from_: Address, token_id: u256, data: bytes) -> bytes4:
        return RECEIVED if data != b"no" else bytes(4)


class Art(Contract):
    owners: Map[u256, Address]
    counts: Map[Address, u256]
    approved: Map[u256, Address]
    operators: Map[tuple[Address, Address], bool]

    @call
    def mint(self, to: Address, token_id: u256) -> None:
        require(self.owners[token_id] == ZERO_ADDRESS, "it is there already")
        self.owners[token_id] = to
        self.counts[to] += 1
        self.emit(Transfer(ZERO_ADDRESS, to, token_id))

    @view(name="ownerOf")
    def owner_of(self, token_id: u256) -> Address:
        owner = self.owners[token_id]
        if owner == ZERO_ADDRESS:
            raise ERC721NonexistentToken(token_id)
        return owner

    @view(name="balanceOf")
    def balance_of(self, owner: Address) -> u256:
        return self.counts[owner]

    @view(name="supportsInterface")
    def supports_interface(self, interface_id: bytes4) -> bool:
        return interface_id in STANDARDS

    @call
    def approve(self, to: Address, token_id: u256) -> None:
        require(self.owner_of(token_id) == self.caller, "not yours")
        self.approved[token_id] = to
        self.emit(Approval(self.caller, to, token_id))

    @view(name="getApproved")
    def get_approved(self, token_id: u256) -> Address:
        return self.approved[token_id]

    @call(name="setApprovalForAll")
    def set_approval_for_all(self, operator: Address, approved: bool) -> None:
        self.operators[self.caller, operator] = approved
        self.emit(ApprovalForAll(self.caller, operator, approved))

    @view(name="isApprovedForAll")
    def is_approved_for_all(self, owner: Address, operator: Address) -> bool:
        return self.operators[owner, operator]

    @call(name="transferFrom")
    def transfer_from(self, from_: Address, to: Address, token_id: u256) -> None:
        who = self.caller
        may = who == from_ or who == self.approved[token_id] or self.operators[from_, who]
        require(may and self.owner_of(token_id) == from_, "not yours")
        self.approved[token_id] = ZERO_ADDRESS
        self.owners[token_id] = to
        self.counts[from_] -= 1
        self.counts[to] += 1
        self.emit(Transfer(from_, to, token_id))

    @call(name="safeTransferFrom")
    def safe_transfer_from(self, from_: Address, to: Address, token_id: u256) -> None:
        self.safe_transfer_with_data(from_, to, token_id, b"")

    @call(name="safeTransferFrom")
    def safe_transfer_with_data(
        self, from_: Address, to: Address, token_id: u256, data: bytes
    ) -> None:
        self.transfer_from(from_, to, token_id)
        if not self.has_code(to):
            return
        answer = self.at(Receiver, to).on_received(self.caller, from_, token_id, data)
        if answer != RECEIVED:
            raise ERC721InvalidReceiver(to)


class Robber(Contract):
    """Sends on its tokens, by both entries."""

    @call(name="onERC721Received")
    def on_received(self, operator: Address, from_: Address, token_id: u256, data: bytes) -> bytes4:
        return RECEIVED

    @call
    def send_on(self, art: Address, to: Address, token_id: u256, data: bytes | None) -> None:
        if data is None:
            self.at(Art, art).safe_transfer_from(self.address, to, token_id)
        else:
            by_abi: Any = self.at(Art, art)
            by_abi.safeTransferFrom(self.address, to, token_id, data)


SENDER = """
# pragma version ^0.4.0
from ethereum.ercs import IERC721

@external
def send(token: IERC721, to: address, id: uint256):
    extcall token.safeTransferFrom(msg.sender, to, id)

@external
def send_with(token: IERC721, to: address, id: uint256, data: Bytes[64]):
    extcall token.safeTransferFrom(msg.sender, to, id, data)
"""


@pytest.fixture
def art(chain: Chain) -> Handle:
    art = chain.deploy(Art)
    for token in (1, 2):
        art.mint(chain.accounts[0], token)
    return art


def owners(art: Handle) -> list[Address]:
    return [art.ownerOf(1), art.ownerOf(2)]


def test_arguments_choose_the_overload(chain: Chain, art: Handle) -> None:
    alice, bob = chain.accounts[:2]
    art.safeTransferFrom(alice, bob, 1)
    art.safeTransferFrom(alice, to=bob, token_id=2, data=b"a gift", sender=alice)
    assert owners(art) == [bob, bob]
    names = ["safe_transfer_from", "safe_transfer_with_data"]
    assert [receipt.entry for receipt in chain.receipts[-2:]] == names
    assert chain.receipts.where(entry="safeTransferFrom").count() == 2
    assert [chain.receipts.where(entry=name).count() for name in names] == [1, 1]
    with pytest.raises(
        TypeError, match=r"no 'safeTransferFrom' takes these arguments; there are saf.*, saf"
    ):
        art.safeTransferFrom(alice)
    with pytest.raises(TypeError, match="token_id = 'x' is not a whole number"):
        art.safeTransferFrom(alice, bob, "x")


def test_each_by_the_name_of_its_method_and_its_signature(chain: Chain, art: Handle) -> None:
    alice, bob = chain.accounts[:2]
    art.safe_transfer_with_data(alice, bob, 1, b"")
    art["safeTransferFrom(address,address,uint256)"](alice, bob, 2)
    assert owners(art) == [bob, bob]
    assert art["safe_transfer_from"].spec is art.safe_transfer_from.spec
    with pytest.raises(
        LookupError, match=r"2 entries 'safeTransferFrom': choose one, safe.*\), safe"
    ):
        art["safeTransferFrom"]


def test_receiver_decides(chain: Chain, art: Handle) -> None:
    alice, taker = chain.accounts[0], chain.deploy(Receiver)
    art.safeTransferFrom(alice, taker.address, 1)
    with reverts(ERC721InvalidReceiver(taker.address)):
        art.safeTransferFrom(alice, taker.address, 2, b"no")
    assert owners(art) == [taker.address, alice]


BOTH = [(None, "safe_transfer_from"), (b"x", "safe_transfer_with_data")]


@pytest.mark.parametrize("data", [None, b"x"])
def test_contracts_use_both(chain: Chain, art: Handle, data: bytes | None) -> None:
    alice, bob = chain.accounts[:2]
    robber = chain.deploy(Robber)
    art.safeTransferFrom(alice, robber.address, 1)
    robber.send_on(art.address, bob, 1, data)
    assert art.ownerOf(1) == bob


@pytest.mark.parametrize(("data", "entry"), BOTH)
def test_traces_name_the_entry(data: bytes | None, entry: str) -> None:
    chain = Chain()
    art, robber = chain.deploy(Art), chain.deploy(Robber)
    art.mint(robber.address, 1)
    receipt = robber.send_on(art.address, chain.accounts[1], 1, data)
    assert [call.name for call in receipt.trace.calls] == [f"Art.{entry}"]


def test_web3_and_bytecode_use_both(chain: Chain, art: Handle) -> None:
    alice, bob = map(str, chain.accounts[:2])
    code = vyper.compile_code(SENDER, output_formats=["abi", "bytecode"])
    factory = chain.web3.eth.contract(abi=code["abi"], bytecode=code["bytecode"])
    made = factory.constructor().transact({"from": alice})
    where = chain.web3.eth.get_transaction_receipt(made)["contractAddress"]
    sender: Any = chain.web3.eth.contract(address=where, abi=code["abi"])
    art.web3.functions.setApprovalForAll(where, True).transact({"from": alice})
    sender.functions.send(str(art.address), bob, 1).transact({"from": alice})
    sender.functions.send_with(str(art.address), bob, 2, b"gift").transact({"from": alice})
    calls = art.web3.functions
    calls["safeTransferFrom(address,address,uint256)"](bob, alice, 1).transact({"from": bob})
    calls["safeTransferFrom(address,address,uint256,bytes)"](bob, alice, 2, b"").transact(
        {"from": bob}
    )
    assert [str(each) for each in owners(art)] == [alice, alice]
    assert art.supportsInterface(bytes.fromhex("80ac58cd"))
    kept = [(str(each.from_), each.token_id) for each in chain.events(Transfer)][-4:]
    assert kept == [(alice, 1), (alice, 2), (bob, 1), (bob, 2)]


def test_transcript_names_the_overload(chain: Chain, art: Handle) -> None:
    alice, bob = chain.accounts[:2]
    art.safeTransferFrom(alice, bob, 1)
    art.safeTransferFrom(alice, bob, 2, b"\1")
    text = record(chain)
    args = '"from":"alice","to":"bob","token_id"'
    assert f'"entry":"safe_transfer_from","args":{{{args}:1}}' in text
    assert f'"entry":"safe_transfer_with_data","args":{{{args}:2,"data":"0x01"}}' in text
    assert replay(text, contracts=[Art]).ok


def test_node_resolves_by_arguments(chain: Chain, art: Handle) -> None:
    alice, bob = map(str, chain.accounts[:2])
    message = {"to": str(art.address), "entry": "safeTransferFrom", "args": [alice, bob, 1]}
    assert chain.node.request("chain_send", [message])["entry"] == "safe_transfer_from"
    named = {"from": alice, "to": bob, "token_id": 2, "data": "0x01"}
    assert chain.node.request("chain_look", [message | {"args": named}])["ok"]
    exact = "safeTransferFrom(address,address,uint256,bytes)"
    sent = chain.node.request("chain_send", [message | {"entry": exact, "args": named}])
    assert (sent["entry"], sent["args"]["from"]) == ("safe_transfer_with_data", alice)
    with pytest.raises(
        Exception, match="2 entries 'safeTransferFrom', and none of them takes these"
    ):
        chain.node.request("chain_send", [message | {"args": [alice]}])
