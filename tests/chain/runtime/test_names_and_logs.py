"""What a contract pays for the name of its caller, and how a text that cannot be encoded is logged."""

from __future__ import annotations

from typing import Any

import pytest

from chain import Account, Chain, Contract, call, require, view
from chain.machine.gas import COLD_ACCOUNT, COLD_SLOAD, WARM
from chain.types import u8


class Herald(Contract):
    @call
    def ask(self, times: u8) -> None:
        self.log("more gas than the floor of calldata")
        for _ in range(times):
            require(self.caller_id != "", "a caller has a name")

    @call
    def log_half_a_character(self) -> None:
        self.log("half: \ud800")


@pytest.mark.parametrize("name", ["herald.testnet", "alice"])
def test_caller_id_costs_a_read_of_the_registry(chain: Chain, name: str) -> None:
    herald, sender = chain.deploy(Herald), chain.account(name)
    none, once, twice = (herald.ask(times, sender=sender).gas_used for times in (0, 1, 2))
    byte = 12  # of calldata, where 0 is cheaper
    assert once - none == COLD_ACCOUNT + COLD_SLOAD + byte
    assert twice - once == 2 * WARM


def test_half_a_character_is_logged_as_a_question_mark(chain: Chain) -> None:
    assert chain.deploy(Herald).log_half_a_character().logs == ["half: ?"]


class Register(Contract):
    @view
    def named(self, account: str) -> str:
        return self.account_id(account)

    @view
    def mine(self) -> list[str]:
        return [self.caller_id, self.origin_id]


def test_accounts_of_every_chain_have_their_names(chain: Chain, bob: Account) -> None:
    register = chain.deploy(Register)
    assert register.mine(sender=bob) == ["bob", "bob"]


@pytest.mark.parametrize("capitals", [str, str.lower])
def test_names_and_addresses_come_to_one_form(chain: Chain, capitals: Any) -> None:
    register, first = chain.deploy(Register), chain.account("first.testnet")
    stranger = "0x000000000000000000000000000000000000dEaD"
    asked = [str(first), str(chain.accounts[1]), "bob", stranger, "0xname"]
    told = [register.named(capitals(account)) for account in asked]
    assert told == ["first.testnet", "bob", "bob", stranger, "0xname"]
