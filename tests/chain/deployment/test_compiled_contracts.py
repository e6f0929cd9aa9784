"""Scripts with the bytecode of compilers: its steps are named, matched and called as those of Python contracts."""

from __future__ import annotations

import pytest
from web3._utils.contract_sources.contract_data import emitter_contract as emitter
from web3._utils.contract_sources.contract_data import math_contract as math

from chain import Chain, Contract
from chain.deployment import Deployment
from chain.deployment.journal import Journal
from chain.deployment.steps import CHANGED
from chain.ledger.bytecode_classes import contract_of_abi
from chain.ledger.known_contracts import ForeignContracts
from tests.chain.deployment.arcade import apply, inspect


def compiled_class(source: object, name: str) -> type[Contract]:
    abi, code = (getattr(source, f"{name.upper()}_CONTRACT_{part}") for part in ("ABI", "BYTECODE"))
    return contract_of_abi(abi, name, bytes.fromhex(code.removeprefix("0x")))


MATH, EMITTER = compiled_class(math, "Math"), compiled_class(emitter, "Emitter")


def plan(deployment: Deployment) -> None:
    deployment.deploy(MATH)["incrementCounter(uint256)"](5)


def test_bytecode_is_deployed_by_name(chain: Chain, journal: Journal) -> None:
    assert apply(chain, journal, plan) == ["create Math", "call Math.incrementCounter(uint256)(5)"]
    assert chain.contract("Math").counter() == 5
    assert [receipt.contract for receipt in chain.receipts] == ["Math"] * 2
    assert apply(chain, journal, plan) == []


def test_bytecode_is_known_again_in_another_process(chain: Chain, journal: Journal) -> None:
    apply(chain, journal, plan)
    chain.ledger.foreign = ForeignContracts()
    assert apply(chain, journal, plan) == []
    assert chain.contract("Math").counter() == 5


def test_conditions_ask_bytecode(chain: Chain, journal: Journal) -> None:
    def again(deployment: Deployment) -> None:
        counter = deployment.deploy(MATH)
        with deployment.step("up", unless=lambda chain: chain.handle(counter).counter() > 0):
            counter["incrementCounter()"]()

    assert apply(chain, journal, again) == ["create Math", "call up"]
    assert apply(chain, journal, again) == []


def test_other_bytecode_is_a_change(chain: Chain, journal: Journal) -> None:
    apply(chain, journal, plan)

    def changed(deployment: Deployment) -> None:
        with deployment.step("Math"):
            deployment.deploy(EMITTER)

    (status,) = inspect(chain, journal, changed)
    assert (status.action, status.changes, status.obstacles) == (
        CHANGED, ["its bytecode"], ["it is bytecode"],
    )  # fmt: skip


def test_bytecode_without_code_is_refused(chain: Chain) -> None:
    with pytest.raises(TypeError, match="Math has no bytecode"):
        Deployment(chain).deploy(contract_of_abi(MATH.__spec__.abi, "Math"))
