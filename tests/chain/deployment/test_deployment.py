"""Scripted deployments: each step of a script is done once, also if the process is killed in between."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from chain import Chain, World
from chain.cli.plan_loader import AccountWords, load_plan
from chain.deployment import Deployment
from chain.deployment.deployment import StepFailed
from chain.deployment.journal import Journal
from chain.deployment.preview import Script, preview
from chain.deployment.steps import LEAVE
from chain.simulator.upgrade import OlderNode
from chain.types import Address
from tests.chain.deployment.arcade import (
    Bank,
    Ladder,
    Named,
    Purse,
    Table,
    apply,
    deploy,
    inspect,
    plan,
)
from tests.chain.toys import Scoring

ROOT = Path(__file__).parents[3]
GAMES = ROOT / "scripts" / "deploy.py"


def test_plan_is_applied_in_order(chain: Chain, journal: Journal) -> None:
    assert apply(chain, journal) == [
        "create Bank", "create Table", "call Bank.pay_in(5)", "call Bank.pay_in(7)", "call Table.sit([Bank, Table])",
        "create arcade", "create arcade-Scoring", "call arcade.register('arcade-Scoring', arcade-Scoring)",
        "call arcade.grant_writer('arcade-Score', arcade-Scoring)", "call arcade-Scoring.win(5)",
    ]  # fmt: skip
    table = chain.handle(Table, Address(journal.records["Table"]["address"]))
    assert (table.fields.bank, table.fields.seats[0]) == (
        chain.receipts[0].address,
        chain.accounts[1],
    )
    assert chain.receipts[4].args["banks"] == [chain.receipts[0].address, table.address]


def test_journal_says_what_was_done(chain: Chain, journal: Journal) -> None:
    apply(chain, journal)
    kept, receipt = json.loads((journal.path or Path()).read_text()), chain.receipts[0]
    record, (run,) = kept["steps"]["Bank"], kept["runs"]
    assert record["what"] == "Bank(host.testnet)"
    assert record["digest"] == f"0x{chain.declare(Bank).digest.hex()}"
    assert (record["transaction"], record["block"]) == (f"0x{receipt.tx_hash.hex()}", 1)
    assert record["cost"] == receipt.gas_used * receipt.gas_price
    assert [did["step"] for did in run["did"]] == list(kept["steps"])
    assert sum(did["gas"] for did in run["did"]) == sum(each.gas_used for each in chain.receipts)


def test_second_run_sends_nothing(chain: Chain, journal: Journal) -> None:
    apply(chain, journal)
    before = len(chain.blocks), chain.state_root()
    assert apply(chain, journal) == []
    assert (len(chain.blocks), chain.state_root()) == before


def test_preview_sends_nothing(chain: Chain, journal: Journal) -> None:
    told = [f"{each.action} {each.name}" for each in inspect(chain, journal, plan)]
    assert len(chain.receipts) == 0 and not journal.records
    assert told == apply(chain, journal)
    assert {each.action for each in inspect(chain, journal, plan)} == {LEAVE}


class Killed(BaseException):
    """Raised in place of a kill of the process."""


class Moments:
    """The moments at which a process can be killed: before and after each write and each transaction."""

    def __init__(self) -> None:
        self.passed, self.fatal = 0, -1

    def pass_one(self) -> None:
        self.passed += 1
        if self.passed - 1 == self.fatal:
            raise Killed

    def around(self, act: Callable[..., Any]) -> Callable[..., Any]:
        def acting(*args: Any, **named: Any) -> Any:
            self.pass_one()
            result = act(*args, **named)
            self.pass_one()
            return result

        return acting

    @contextmanager
    def killed_at(self, moment: int) -> Iterator[None]:
        self.passed, self.fatal = 0, moment
        with pytest.raises(Killed):
            yield
        self.fatal = -1


@pytest.fixture
def moments(monkeypatch: pytest.MonkeyPatch) -> Moments:
    made = Moments()
    monkeypatch.setattr("os.fsync", made.around(os.fsync))  # each file is synced once
    monkeypatch.setattr(Chain, "send", made.around(Chain.send))
    return made


def killed_everywhere(script: Script, moments: Moments, folder: Path, every: int = 1) -> int:
    """Kill a run at a moment, and the next one again, and compare what the third leaves; return the number of moments."""
    chain = Chain()
    deploy(chain, Journal(folder / "whole.json"), script)
    whole = Journal(folder / "whole.json").records, chain.state_root()
    last = moments.passed
    for moment in range(0, last, every):
        chain, place = Chain(), folder / f"{moment}.json"
        with moments.killed_at(moment):
            deploy(chain, Journal(place), script)
        if moment < last - 3:
            with moments.killed_at(1):
                deploy(chain, Journal(place), script)
        deploy(chain, Journal(place), script)
        assert (Journal(place).records, chain.state_root()) == whole, moment
    return last


def test_script_killed_anywhere_continues(moments: Moments, tmp_path: Path) -> None:
    assert killed_everywhere(plan, moments, tmp_path) == 60


def test_games_killed_anywhere_continue(moments: Moments, tmp_path: Path) -> None:
    games = load_plan(GAMES, {}, AccountWords())
    assert killed_everywhere(games, moments, tmp_path, every=3) > 100


def test_node_is_deployed_to_as_a_chain_in_memory(moments: Moments, tmp_path: Path) -> None:
    near, alone = Chain(), Chain()
    for contract in (World, Bank, Table, Scoring):
        near.declare(contract)
    whole, kept = Journal(tmp_path / "alone.json"), tmp_path / "node.json"
    apply(alone, whole)
    far = Chain.connect(near.node)
    with moments.killed_at(16):
        deploy(far, Journal(kept), plan)
    apply(far, Journal(kept))
    assert Journal(kept).records == whole.records
    assert near.state_root() == alone.state_root()


def test_node_without_a_class_refuses_before_anything_is_sent() -> None:
    near = Chain()
    near.declare(Ladder)

    def script(deployment: Deployment) -> None:
        deployment.deploy(Purse, "ann", deployment.deploy(Ladder))

    with pytest.raises(OlderNode, match="the code of Purse in the node differs from the code here"):
        apply(Chain.connect(near.node), Journal(), script)
    assert len(near.receipts) == 0


def test_fresh_chain_is_deployed_again(journal: Journal) -> None:
    apply(Chain(), journal)
    again = Chain()
    again.mine(3)
    assert len(apply(again, journal)) == 10
    assert apply(again, journal) == []


def announced_table(chain: Chain, journal: Journal, moments: Moments) -> bytes:
    """Kill a run that has announced the transaction of Table but not sent it; return its data."""
    with moments.killed_at(8):
        deploy(chain, journal, plan)
    assert len(chain.receipts) == 1
    assert journal.sending is not None
    return bytes.fromhex(journal.sending["data"][2:])


def test_foreign_transaction_is_not_ours(chain: Chain, journal: Journal, moments: Moments) -> None:
    announced_table(chain, journal, moments)
    chain.send(chain.accounts[5])  # which has the nonce that Table was to have
    assert apply(chain, Journal(journal.path))[:2] == ["create Table", "call Bank.pay_in(5)"]


def test_earlier_transaction_is_not_ours(chain: Chain, journal: Journal, moments: Moments) -> None:
    announced = announced_table(chain, journal, moments)
    chain.send(None, announced)
    assert journal.sending is not None
    journal.announce("Table", {**journal.sending, "nonce": chain.nonce(chain.accounts[0])})
    assert apply(chain, Journal(journal.path))[0] == "create Table"


def test_transaction_with_a_later_nonce_is_ours(
    chain: Chain, journal: Journal, moments: Moments
) -> None:
    announced = announced_table(chain, journal, moments)
    chain.send(chain.accounts[5], value=1)
    table = chain.send(None, announced)
    assert apply(chain, Journal(journal.path))[0] == "resume Table"
    assert Journal(journal.path).records["Table"]["address"] == str(table.address)


def test_transaction_of_another_plan_is_not_ours(
    chain: Chain, journal: Journal, moments: Moments
) -> None:
    announced = announced_table(chain, journal, moments)
    table = chain.send(None, announced)
    claimed = frozenset([f"0x{table.tx_hash.hex()}"])
    trial = preview(plan, chain, Journal(journal.path, claimed=claimed))
    assert [each.action for each in trial.deployment.steps][:2] == [LEAVE, "create"]


def test_refused_step_is_named_and_tried_again(chain: Chain, journal: Journal) -> None:
    def greedy(deployment: Deployment) -> None:
        deployment.deploy(Bank, deployment.accounts[0]).pay_in(amount)

    amount = 2000
    with pytest.raises(StepFailed, match=r"Bank\.pay_in\(2000\) was refused: too much"):
        deploy(chain, journal, greedy)
    assert (list(journal.records), journal.sending) == (["Bank"], None)
    amount = 20
    assert apply(chain, journal, greedy) == ["call Bank.pay_in(20)"]


# Scripts as people write them


def test_script_may_ask_the_chain(chain: Chain, journal: Journal) -> None:
    def script(deployment: Deployment) -> None:
        ladder = deployment.deploy(Ladder)
        if ladder.of(deployment.accounts[1]) < 100:
            ladder.seed(deployment.accounts[1], 100)

    assert apply(chain, journal, script) == ["create Ladder", "call Ladder.seed(bob, 100)"]
    assert apply(chain, journal, script) == []
    chain.revert(chain.snapshot_at_end_of(1))
    assert apply(chain, journal, script) == ["call Ladder.seed(bob, 100)"]


def test_steps_get_names_as_arguments(chain: Chain, journal: Journal) -> None:
    def script(deployment: Deployment) -> None:
        first = deployment.deploy(Ladder, name="first")
        deployment.deploy(Purse, "ann", first, name="purse")
        deployment.send("bob", value=5, name="pay bob")
        deployment.send("bob", value=5)

    told = ["create first", "create purse", "call pay bob", "call bob.0x()"]
    assert apply(chain, journal, script) == told
    assert apply(chain, journal, script) == []


def test_name_of_an_init_argument_is_that(chain: Chain) -> None:
    deployment = Deployment(chain)
    named = deployment.deploy(Named, name="Gold")
    assert (named.fields.name, deployment.steps[0].name) == ("Gold", "Named")


def test_receipts_of_done_steps_are_those_of_the_chain(chain: Chain, journal: Journal) -> None:
    sat = []

    def script(deployment: Deployment) -> None:
        table = deployment.deploy(Table, deployment.accounts[0], host="me")
        sat.append(table.sit([]))

    for _ in range(2):
        deploy(chain, journal, script)
    assert sat[0] == sat[1] == chain.receipts[1]
    assert sat[1].return_value == 1
