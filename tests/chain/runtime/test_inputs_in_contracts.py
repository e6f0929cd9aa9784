"""Wrong inputs from contracts: a wrong amount, account or class fails the message with a reason, and no amount moves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from chain import Chain, Contract, Reverted, call, view
from chain.types import Address, u64
from tests.chain.helpers import check_whole, failure_of, wei_of


@pytest.fixture
def chain() -> Chain:
    return Chain(guard=False)  # contracts and tests share lists and functions


ETHER = 10**18


class Bank(Contract):
    @call(payable=True)
    def pay(self) -> None:
        pass

    @view
    def who(self) -> Address:
        return self.caller


class Probe(Contract):
    """Does inside a contract what a test asks for."""

    @call(payable=True)
    def do(self, case: u64) -> None:
        INSIDE[case][0](self)


INSIDE: list[tuple[Callable[[Any], object], str]] = [
    (lambda c: c.transfer(c.caller, -50), "ValueError: amount = -50 is not in 0..2**256 - 1 wei"),
    (lambda c: c.transfer(c.caller, 0.5), "TypeError: amount = 0.5 is not a whole number of wei"),
    (lambda c: c.transfer("bob", 5), "TypeError: to = 'bob' is a text: only a chain knows accounts by name"),
    (lambda c: c.transfer(None, 5), "TypeError: to = None is not an account"),
    (lambda c: c.transfer(b"ab", 5), "ValueError: to = b'ab' has 2 bytes: an address has 20"),
    (lambda c: c.at(Bank, c.caller, value=-50).pay(), "ValueError: value = -50 is not in"),
    (lambda c: c.at(Bank, c.caller, gas=-50).pay(), "ValueError: gas = -50 is not in"),
    (lambda c: c.at(Bank, c.caller, gas=0.5).pay(), "TypeError: gas = 0.5 is not a whole number"),
    (lambda c: c.at(Bank, None).pay(), "TypeError: address = None is not an account"),
    (lambda c: c.at(5, c.caller), "TypeError: 5 is not a contract: pass a class that derives from Contract"),
    (lambda c: c.at(Bank, c.caller).who(), "there is no contract at 0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266, so who cannot"),
    (lambda c: c.abi(c.caller, Bank.__spec__.abi).pay(), "there is no contract at 0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"),
    (lambda c: c.abi(c.caller, [], value=1e18), "TypeError: value = 1e+18 is not a whole number of wei: write 10**18"),
    (lambda c: c.deploy(Bank, value=-50), "ValueError: value = -50 is not in"),
    (lambda c: c.deploy(Bank, value=0.5), "TypeError: value = 0.5 is not a whole number of wei"),
    (lambda c: c.deploy(5), "TypeError: 5 is not a contract"),
    (lambda c: c.random.below(2.5), "TypeError: n = 2.5 is not a whole number"),
    (lambda c: c.keccak("abc"), "TypeError: keccak hashes bytes, not 'abc': write text.encode()"),
    (lambda c: c.log(5), "TypeError: a log is a text, not 5: write an f-string, or emit an event"),
]  # fmt: skip


@pytest.mark.parametrize("case", range(len(INSIDE)))
def test_mistake_of_a_contract_fails_its_message(case: int) -> None:
    chain = Chain(guard=False)
    contract = chain.deploy(Probe)
    wei = wei_of(chain)
    receipt = contract.do(case, value=100, check=False)
    assert not receipt.ok and INSIDE[case][1] in failure_of(receipt).text
    assert failure_of(receipt).file == __file__
    assert (contract.balance, chain.balance("alice"), wei_of(chain)) == (
        0,
        10_000 * ETHER - sum(r.gas_used for r in chain.receipts) * 10**9,
        wei,
    )
    check_whole(chain)


def test_view_of_nobody_from_a_contract(chain: Chain) -> None:
    case = next(i for i, (_, says) in enumerate(INSIDE) if "who cannot" in says)
    with pytest.raises(Reverted, match="there is no contract at"):
        chain.deploy(Probe).do(case)
