"""Names of entries, in every executor and tool, and who may call a private one."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, overload

import pytest
from click.testing import CliRunner, Result

from chain import Chain, Contract, Key, System, call, event, model, reverts, view
from chain.cli.main import cli
from chain.deployment import Deployment
from chain.fuzz import Fuzz, by, invariant, proposes
from chain.plugins.pytest_plugin.gas_report import GasReport
from chain.simulator.handle import Handle
from chain.types import Address, u8, u64, u256
from tests.chain.helpers import failure_of


class Shop(Contract):
    """Overloads by number, by type, and with both fitting; names that every contract has."""

    sold: u64
    paid: u256

    @call
    def sell(self, count: u64) -> u64:
        self.sold += count
        return 1

    @call(name="sell")
    def sell_to(self, count: u64, to: Address) -> u64:
        self.sold += count
        return 2

    @call(name="sell")
    def sell_called(self, count: u64, to: str) -> u64:
        self.sold += count
        return 3

    @view(name="price")
    def price_small(self, of: u8) -> u8:
        return 1

    @view(name="price")
    def price_wide(self, of: u256) -> u8:
        return 2

    @view(name="chain")
    def chain_of_shops(self) -> str:
        return "a chain"

    @view(name="abi")
    def abi_text(self) -> str:
        return "an abi"

    @view
    def balance(self, of: Address) -> u64:
        return 7

    @view
    def at(self, x: u8, y: u8) -> u8:
        return x * y

    @call
    def deploy(self, troops: u64) -> u64:
        return troops

    @view
    def log(self, number: u64) -> u64:
        return max(number, 1).bit_length() - 1

    @call(payable=True)
    def transfer(self, to: Address) -> u256:
        super().transfer(to, self.value // 2)
        super().log("half of it")
        return super().balance

    def helper(self) -> None: ...


def parameters(*types: str) -> list[dict[str, str]]:
    return [{"name": f"x{i}", "type": each} for i, each in enumerate(types)]


SHOP_ABI = [
    {
        "type": "function",
        "name": "sell",
        "inputs": parameters(*types),
        "outputs": parameters("uint64"),
    }
    for types in (("uint64",), ("uint64", "string"))
]


class Customer(Contract):
    @call
    def visit(self, shop: Address, to: Address) -> list[u64]:
        there: Any = self.at(Shop, shop)
        return [there.sell(1), there.sell(1, to), there.sell(1, to="me"), there.sell_called(1, "x")]

    @call
    def ask(self, shop: Address, signature: str) -> u64:
        there: Any = self.abi(shop, SHOP_ABI)
        price: u64 = there.sell(1) if not signature else there[signature](1, "x")
        return price


@pytest.fixture
def shop(chain: Chain) -> Handle:
    return chain.deploy(Shop)


# Overloads


def test_arguments_choose(chain: Chain, shop: Handle) -> None:
    alice = chain.accounts[0]
    made = [shop.sell(1), shop.sell(1, alice, sender=alice), shop.sell(to="x", count=1)]
    assert [receipt.return_value for receipt in made] == [1, 2, 3]
    assert [receipt.entry for receipt in made] == ["sell", "sell_to", "sell_called"]
    assert shop.sell.simulate(1, "x").value == 3
    assert shop.sell.calldata(1) == shop["sell(uint64)"].calldata(1) == shop["sell"].calldata(1)


def test_ambiguous_arguments_are_refused(shop: Handle) -> None:
    assert (shop.price(2**60), shop.price_small(5), shop["price(uint256)"](5)) == (2, 1, 2)
    with pytest.raises(TypeError) as caught:
        shop.price(5)
    assert str(caught.value) == (
        "these arguments fit 2 of the entries called 'price': price(uint8), price(uint256);"
        " use the name of the method, or the signature in brackets, as in ['price(uint8)']"
    )


def test_contracts_choose_too(chain: Chain, shop: Handle) -> None:
    customer = chain.deploy(Customer)
    assert customer.visit(shop.address, chain.accounts[1]).return_value == [1, 2, 3, 3]
    assert customer.ask(shop.address, "").return_value == 1
    assert customer.ask(shop.address, "sell(uint64,string)").return_value == 3


def test_range_is_the_contract_s_to_refuse(shop: Handle) -> None:
    with reverts("sell: count = 18446744073709551616 does not fit u64 (0..2^64-1)"):
        shop.sell(2**64)


def test_abi_has_the_given_names(shop: Handle) -> None:
    named = [item["name"] for item in shop.abi if item["type"] == "function"]
    assert (named.count("sell"), named.count("price")) == (3, 2)
    assert {"transfer", "chain", "abi"} <= {*named}


# Well-known names


def test_entry_takes_the_place_of_a_word(chain: Chain, shop: Handle) -> None:
    bob = chain.accounts[1]
    before = chain.balance(bob)
    assert (shop.balance(bob), shop.at(3, 4), shop.log(1024)) == (7, 12, 10)
    assert shop.deploy(5).return_value == 5
    receipt = shop.transfer(bob, value=100)
    assert (receipt.return_value, receipt.logs[-1]) == (50, "half of it")
    assert chain.balance(bob) - before == 50


def test_handle_keeps_its_own(chain: Chain, shop: Handle) -> None:
    assert shop.chain is chain and isinstance(shop.abi, list)
    assert (shop["chain"](), shop.chain_of_shops(), shop["abi"]()) == (
        "a chain",
        "a chain",
        "an abi",
    )


def test_word_is_taken_in_a_local_contract_too(chain: Chain) -> None:
    class Purse(Contract):
        @call(payable=True)
        def transfer(self, to: Address) -> None:
            super().transfer(to, self.value)

    before = chain.balance(chain.accounts[1])
    chain.deploy(Purse).transfer(chain.accounts[1], value=3)
    assert chain.balance(chain.accounts[1]) - before == 3


def test_setters_and_typing_overloads_replace_nothing() -> None:
    class Game(Contract):
        count: u64

        @property
        def twice(self) -> int:
            return 2 * self.count

        @twice.setter
        def twice(self, value: int) -> None:
            self.count = value // 2

        @overload
        def helper(self, x: int) -> int: ...
        @overload
        def helper(self, x: str) -> str: ...
        def helper(self, x: Any) -> Any:
            return x

        @call
        def go(self) -> u64:
            self.twice = 8
            return self.helper(self.count)

    assert Chain().deploy(Game).go().return_value == 4


# Private entries


class Vault(Contract):
    settled: u64

    @call
    def close(self) -> u64:
        return self.at(Vault, self.address).settle(3)

    @call(private=True)
    def settle(self, count: u64) -> u64:
        self.settled += count
        return self.settled

    @call
    def again(self) -> u64:
        return self.at(Vault, self.address).close()

    @call(private=True)
    def twice(self) -> u64:
        there = self.at(Vault, self.address)
        return there.settle(1) + there.settle(1)

    @call
    def deep(self) -> u64:
        return self.at(Vault, self.address).twice()

    @call
    def enter(self, by: Address) -> None:
        self.at(Thief, by).knock(self.address)


class Thief(Contract):
    @call
    def knock(self, vault: Address) -> None:
        self.at(Vault, vault).settle(9)


def test_private_entry_is_called_by_the_contract_itself(chain: Chain) -> None:
    vault = chain.deploy(Vault)
    assert [vault.close().return_value, vault.deep().return_value] == [3, 4 + 5]
    assert vault.fields.settled == 5


def test_private_entry_is_refused_to_others(chain: Chain) -> None:
    vault, thief = chain.deploy(Vault), chain.deploy(Thief)
    refused = "Vault.settle is private: only the contract itself may call it"
    assert failure_of(vault.settle(1, check=False)).text == refused
    assert failure_of(thief.knock(vault.address, check=False)).text == refused
    assert failure_of(vault.enter(thief.address, check=False)).text == refused


def test_reentry_names_its_remedy(chain: Chain) -> None:
    assert failure_of(chain.deploy(Vault).again(check=False)).text == (
        "Vault.close cannot be re-entered: Vault is still busy with a call; "
        "@call(nonreentrant=False) allows an entry to run anyway"
    )


# The tools

Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    chain = ["--chain", str(tmp_path / "shop.chain")]

    def run(command: str, *words: str) -> Result:
        where = [] if command in ("inspect", "abi") else chain
        return CliRunner().invoke(cli, [command, *words, "--contracts", __name__, *where])

    assert run("deploy", "Shop").exit_code == 0
    return run


@pytest.mark.parametrize(
    ("entry", "args", "meant"),
    [
        ("sell", ["1"], "sell"),
        ("sell", ["1", "bob"], ""),
        ("sell(uint64,address)", ["1", "bob"], "sell_to"),
        ("sell_called", ["1", "bob"], "sell_called"),
        ("sell", ["1", "somebody"], "sell_called"),
        ("sell", ["one"], ""),
    ],
)
def test_command_calls_an_overload(run: Run, entry: str, args: list[str], meant: str) -> None:
    done = run("call", "Shop", entry, *args, "--json")
    if meant:
        assert json.loads(done.output)["entry"] == meant
    else:
        assert "there are 3 entries of that name, and" in done.stderr
        assert "choose one, sell(uint64), sell(uint64,address), sell(uint64,string)" in done.stderr


def test_command_shows_an_overload(run: Run) -> None:
    assert run("view", "Shop", "price(uint8)", "5").output == "1\n"
    assert run("view", "Shop", "price", "1000", "--block", "1").output == "2\n"


def test_typescript_has_all_overloads(run: Run) -> None:
    assert run("abi", "Shop", "--ts").output.count('"name": "sell"') == 3


@event
class Told:
    from_: Key[Address]


@model
class Kept:
    id: Key[u8]
    much: u64


class Teller(System):
    @call
    def tell(self) -> None:
        self.emit(Told(self.caller))
        self.world.write(Kept(1, 2))


class Nothing(Contract): ...


@pytest.mark.parametrize("name", ["Shop", "Vault", "Teller", "Nothing"])
def test_everything_can_be_inspected(run: Run, name: str) -> None:
    shown = run("inspect", name, "--json")
    assert shown.exit_code == 0 and json.loads(shown.output)["contract"] == name
    assert run("inspect", name).output.startswith(f"{name}, digest 0x")


def test_inspect_of_an_address_is_refused_with_a_message(run: Run) -> None:
    told = run("inspect", "0x5FbDB2315678afecb367f032d93F642f64180aa3")
    assert told.exit_code == 2 and "offers no contract '0x5FbD" in told.stderr


def test_gas_is_reported_by_method() -> None:
    report, chain = GasReport(), Chain()
    report.register_chain(chain)
    shop = chain.deploy(Shop)
    shop.sell(1)
    shop.sell(1, "x")
    report.end()
    assert list(report.lines()) == ["Shop.deploy", "Shop.sell", "Shop.sell_called"]


def test_plan_takes_an_overload() -> None:
    plan = Deployment(Chain())
    shop = plan.deploy(Shop)
    shop.sell(1, "x")
    shop["sell(uint64)"](2)
    assert [step.name for step in plan.steps] == [
        "Shop",
        "Shop.sell_called(1, 'x')",
        "Shop.sell(2)",
    ]


class ShopFuzz(Fuzz):
    contracts = (Shop,)
    excluded = ("price", "sell(uint64,string)", "Shop.sell_to")

    @invariant
    def sells_little(self) -> None:
        assert self.handle.fields.sold < 1_000

    @proposes("sell(uint64)")
    def ones(self) -> Any:
        yield by(self.accounts[0], 1)


def test_fuzz_calls_each_overload() -> None:
    with pytest.raises(AssertionError, match=r'shop\["sell"\]\(\d+, sender=alice\)'):
        ShopFuzz.run(max_examples=20)
