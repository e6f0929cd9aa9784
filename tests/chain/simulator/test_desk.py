"""Conveniences for people: contracts by name, receipts of deployments, help, fields that are set, mocks, pranks."""

from __future__ import annotations

import inspect
import pydoc
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from chain import Address, Chain, Contract, Map, Reverted, Vector, call, init, require, view
from chain.errors import InvalidTransaction
from chain.simulator.handle import as_written
from chain.types import bytes32, felt252, u8, u64, u256
from tests.chain.helpers import failure_of, untyped
from tests.chain.toys import Counter, Relay, TooMuch


class Oracle(Contract):
    prices: Map[str, u64]
    history: Vector[u64]
    owner: Address | None

    @init
    def start(self, price: u64) -> None:
        require(price, "a price is not nothing")
        self.prices["gold"] = price

    @call
    def set_price(self, what: str, price: u64 = 3) -> u64:
        """Set what something costs."""
        self.prices[what] = price
        return price

    @view
    def price(self, what: str) -> u64:
        return self.prices[what]


class Shop(Contract):
    oracle: Address
    sold: u8

    @init
    def open(self, oracle: Address) -> None:
        self.oracle = oracle

    @call
    def buy(self, what: str) -> u64:
        self.sold += 1
        return self.at(Oracle, self.oracle).price(what)

    @call
    def spawn(self) -> Address:
        return self.deploy(Counter)


# Contracts by name


def test_contract_is_found_by_name(chain: Chain) -> None:
    first, second = chain.deploy(Counter), chain.deploy(Counter)
    assert chain.contract("Counter").address == first.address
    assert chain.contract("Counter#2").address == second.address
    assert chain.contract(second.address).contract is Counter
    assert chain.contract(str(second.address)).total() == 0
    first.add(3)
    assert chain.at(block=2).contract("Counter").total() == 0


def test_unknown_contract_is_reported_with_those_that_exist(chain: Chain) -> None:
    chain.deploy(Counter)
    with pytest.raises(
        LookupError, match=r"no contract 'Counte' on this chain; there are Counter$"
    ):
        chain.contract("Counte")
    with pytest.raises(LookupError, match="there is no contract at 0x"):
        chain.contract(chain.accounts[0])


# Deployments


def test_handle_has_the_receipt_of_its_deployment(chain: Chain) -> None:
    oracle = chain.deploy(Oracle, 7)
    assert oracle.deployment == chain.receipts.last()
    assert oracle.deployment.args == {"price": 7}
    shop = chain.deploy(Shop, oracle)
    child = chain.handle(Counter, shop.spawn().return_value)
    assert child.deployment.entry == "spawn"


def test_failed_deployment_can_be_looked_at(chain: Chain) -> None:
    with pytest.raises(Reverted, match="a price is not nothing"):
        chain.deploy(Oracle, 0)
    failed = chain.deploy(Oracle, 0, check=False)
    assert failed.deployment.error is not None
    assert failed.deployment.error.text == "a price is not nothing"
    with pytest.raises(ValueError, match="there is no contract at"):
        failed.price("gold")
    with pytest.raises(TypeError, match="check"):
        chain.deploy(Oracle, 1, check=untyped("no"))


# Help


@pytest.mark.parametrize(
    ("annotation", "text"),
    [
        (u64, "u64"),
        (tuple[u256, ...], "tuple[u256, ...]"),
        (dict[felt252, list[bytes32]], "dict[felt252, list[bytes32]]"),
        (Address | None, "Address | None"),
        (str, "str"),
        ("Map[u8, Piece]", "Map[u8, Piece]"),
    ],
)
def test_types_are_shown_as_written(annotation: object, text: str) -> None:
    """Also in a file without postponed annotations, where Python has made more of them."""
    assert as_written(annotation) == text


def test_entry_has_the_signature_and_docstring_of_its_method(chain: Chain) -> None:
    oracle = chain.deploy(Oracle, 7)
    assert (
        str(inspect.signature(oracle.set_price))
        == "(what: 'str', price: 'u64' = 3, *, sender=None, value=None, gas=None, check=True) -> 'Receipt'"
    )
    assert str(inspect.signature(oracle.price)).endswith("gas=None) -> 'u64'")
    text = pydoc.plain(pydoc.render_doc(oracle.set_price))
    assert "set_price(" in text
    assert "Set what something costs." in text


# Fields that are set


@pytest.mark.parametrize("place", ["memory", "file", "node"])
def test_fields_are_set_in_a_setting(place: str, tmp_path: Path) -> None:
    near = Chain() if place != "file" else Chain.open(tmp_path / "oracle.chain", contracts=[Oracle])
    chain = Chain.connect(near.node, contracts=[Oracle]) if place == "node" else near
    near.declare(Oracle)
    with chain:
        oracle = chain.deploy(Oracle, 7)
        with chain.setting():
            oracle.fields.prices["gold"] = 9
            oracle.fields.history.append(4)
            oracle.fields.owner = chain.accounts[3]
        assert oracle.price("gold") == 9
        assert list(oracle.fields.history) == [4]
        assert oracle.fields.owner == chain.accounts[3]
        assert len(chain.receipts) == 1
        with pytest.raises(AttributeError, match=r"in a test write 'with chain.setting\(\):'"):
            oracle.fields.prices["gold"] = 5
        with (
            pytest.raises(AttributeError, match=r"handle\.fields\.prices"),
            chain.setting(),
        ):
            oracle.prices = 5


def test_setting_refuses_what_does_not_fit_and_undoes_with_an_anchor(chain: Chain) -> None:
    oracle = chain.deploy(Oracle, 7)
    root = chain.state_root()
    with chain.anchor(), chain.setting():
        with pytest.raises(Exception, match=r"prices\['gold'\]"):
            oracle.fields.prices["gold"] = -1
        oracle.fields.prices["gold"] = 1
    chain.mine()
    assert (chain.state_root(), oracle.price("gold")) == (root, 7)


# Mocks


def test_mocked_entry_has_the_given_result(chain: Chain) -> None:
    oracle, other = chain.deploy(Oracle, 7), chain.deploy(Oracle, 8)
    shop = chain.deploy(Shop, oracle)
    with chain.mock(oracle.price, returns=99), chain.mock(oracle.price, "tin", returns=1):
        assert (oracle.price("gold"), oracle.price("tin"), other.price("gold")) == (99, 1, 8)
        receipt = shop.buy("gold")
        assert (receipt.return_value, shop.fields.sold) == (99, 1)
        assert "Oracle.price('gold') static -> 99" in str(shop.buy.trace("gold"))
    assert shop.buy("gold").return_value == oracle.price("gold") == 7


def test_mocked_entry_can_revert(chain: Chain) -> None:
    oracle = chain.deploy(Oracle, 7)
    with chain.mock(oracle.price, reverts="closed"), pytest.raises(Reverted, match="closed"):
        oracle.price("gold")
    with chain.mock(oracle.set_price, reverts=TooMuch(5)):
        receipt = oracle.set_price("gold", check=False)
        assert (failure_of(receipt).cause, oracle.price("gold")) == (TooMuch(5), 7)


def test_mock_holds_on_one_chain_only(chain: Chain) -> None:
    twin = Chain()
    oracle, of_twin = chain.deploy(Oracle, 7), twin.deploy(Oracle, 7)
    assert oracle.address == of_twin.address
    with chain.mock(oracle.price, returns=1):
        assert (oracle.price("gold"), of_twin.price("gold")) == (1, 7)


def test_wrong_mocks_are_refused(chain: Chain, tmp_path: Path) -> None:
    oracle = chain.deploy(Oracle, 7)
    wrong: list[tuple[Callable[[], AbstractContextManager[None]], str]] = [
        (
            lambda: chain.mock(oracle.price, returns="dear"),
            "returns: .*'dear' is not a whole number",
        ),
        (lambda: chain.mock(untyped(oracle), returns=1), "is not an entry"),
        (lambda: chain.mock(Chain().deploy(Oracle, 1).price, returns=1), "of another chain"),
        (lambda: chain.mock(oracle.price, returns=1, reverts="no"), "either a result"),
    ]
    for mock, says in wrong:
        with pytest.raises(TypeError, match=says), mock():
            pass
    with Chain.open(tmp_path / "a.chain") as kept:
        entry = kept.deploy(Oracle, 7).price
        with pytest.raises(TypeError, match="in memory"), kept.mock(entry, returns=1):
            pass


# Pranks


def test_contract_without_wei_can_be_spoken_for(chain: Chain) -> None:
    oracle = chain.deploy(Oracle, 7)
    shop = chain.deploy(Shop, oracle)
    receipt = oracle.set_price("gold", 8, sender=shop)
    assert (receipt.ok, receipt.sender, receipt.gas_price) == (True, shop.address, 0)
    assert chain.balance(shop) == 0
    assert "set_price" in str(receipt.trace)
    with pytest.raises(InvalidTransaction, match="insufficient funds"):
        chain.send(oracle, b"", sender=shop, value=1)


# At a prompt


def test_values_show_themselves_in_a_line(chain: Chain) -> None:
    counter, relay = chain.deploy(Counter), chain.deploy(Relay)
    receipt = relay.keep(counter, 2)
    shown = {
        "<Chain at block 3>": chain,
        "<Blocks 0 to 3>": chain.blocks,
        "<Block 3 at 1704067203, 1 transaction>": chain.head,
        "<Block 4 at 1704067204, 0 transactions>": chain.pending,
        f"<Counter at {counter.address}, since block 1>": chain.contracts[0],
        f"<Program Relay 0x{receipt.program and receipt.program.digest.hex()}>": receipt.program,
        "<Receipt Relay.keep in block 3: ok>": receipt,
        "(<Call Counter.keep: ok>,)": receipt.calls,
    }
    assert [repr(value) for value in shown.values()] == list(shown)


def test_inner_call_reads_as_its_receipt_does(chain: Chain) -> None:
    counter, relay = chain.deploy(Counter), chain.deploy(Relay)
    (sent,) = relay.keep(counter, 2).calls
    assert (sent.ok, sent.contract, sent.entry, sent.args) == (True, "Counter", "keep", {"n": 2})
    assert (sent.address, sent.caller, sent.return_value) == (counter.address, relay.address, None)
