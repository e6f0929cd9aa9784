"""What a contract pays for the name of its caller, and how a text that cannot be encoded is logged."""

from __future__ import annotations

import pytest

from chain import Chain, Contract, call, require
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
