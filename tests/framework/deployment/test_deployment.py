"""Scripted deployments: each step of a plan is done once, also if the process is killed in between."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from chain import Chain, Contract, World, view
from chain.cli.deployment_view import load_plan
from chain.deployment import Deployment
from chain.deployment.deployer import (
    CHANGED,
    LEAVE,
    Deployer,
    StepFailed,
)
from chain.deployment.journal import BadJournal, Journal, Record
from chain.types import Address, u8
from tests.framework.deployment.arcade import Bank, Table, apply, book, of, plan
from tests.framework.toys import Scoring

ROOT = Path(__file__).parents[3]
GAMES = ROOT / "scripts" / "deploy.py"


def test_plan_is_applied_in_order(chain: Chain, journal: Journal) -> None:
    assert apply(chain, journal) == [
        "create Bank", "create Table", "call Bank.pay_in", "call Bank.pay_in#2", "call Table.sit",
        "create arcade", "create arcade-Scoring", "call arcade.register",
        "call arcade.grant_writer(Score,Scoring)", "call arcade-Scoring.win",
    ]  # fmt: skip
    record = journal.read("Table")
    assert record is not None
    table = chain.handle(Table, Address(record["address"]))
    assert (table.fields.bank, table.fields.seats[0]) == (
        chain.receipts[0].address,
        chain.accounts[1],
    )
    assert chain.receipts[4].args["banks"] == [chain.receipts[0].address, table.address]


def test_journal_says_what_was_done(chain: Chain, journal: Journal) -> None:
    apply(chain, journal)
    record = json.loads((journal.folder or Path()).joinpath("Bank.json").read_text())
    assert record["abi"] == Bank.__spec__.abi
    assert record["digest"] == f"0x{chain.declare(Bank).digest.hex()}"
    assert (record["transaction"], record["block"]) == (f"0x{chain.receipts[0].tx_hash.hex()}", 1)


def test_second_run_sends_nothing(chain: Chain, journal: Journal) -> None:
    apply(chain, journal)
    before = len(chain.blocks), chain.state_root()
    assert apply(chain, journal) == []
    assert (len(chain.blocks), chain.state_root()) == before


def test_dry_run_shows_what_apply_does(chain: Chain, journal: Journal) -> None:
    deployer = Deployer(of(plan), chain, journal)
    told = [f"{each.action} {each.step.name}" for each in deployer.inspect()]
    assert len(chain.receipts) == 0
    assert told == apply(chain, journal)
    assert {each.action for each in deployer.inspect()} == {LEAVE}


class Killed(BaseException):
    """Raised in place of a kill of the process."""


class KilledJournal(Journal):
    """A journal that is killed before its write number `fatal`. What it wrote remains."""

    def __init__(self, lasting: Journal, fatal: int) -> None:
        super().__init__(lasting.folder)
        self._kept = lasting._kept
        self.left = fatal

    def write(self, step: str, record: Record) -> None:
        if not self.left:
            raise Killed
        self.left -= 1
        super().write(step, record)


def killed_everywhere(
    declare: Callable[[Deployment], None], folder: Path
) -> Iterator[tuple[Any, Any]]:
    """Yield the address book and state root of a run that was killed before each write and then continued."""
    for moment in range(2 * len(of(declare).steps)):
        chain, place = Chain(), folder / str(moment)
        with pytest.raises(Killed):
            apply(chain, KilledJournal(Journal(place), moment), declare)
        apply(chain, Journal(place), declare)
        yield book(chain, Journal(place), declare), chain.state_root()


def test_plan_killed_anywhere_continues(tmp_path: Path) -> None:
    chain, journal = Chain(), Journal(tmp_path / "whole")
    apply(chain, journal)
    whole = book(chain, journal), chain.state_root()
    assert all(each == whole for each in killed_everywhere(plan, tmp_path))


def test_games_killed_anywhere_continue() -> None:
    games = load_plan(GAMES)
    chain, kept = Chain(), Journal(None)
    [*Deployer(games, chain, kept).apply(lambda it: CHANGED)]
    root, steps = chain.state_root(), len(games.steps)
    for moment in range(1, 2 * steps, 2):  # the transaction is made, its record not written
        again, kept = Chain(), Journal(None)
        with pytest.raises(Killed):
            [*Deployer(games, again, KilledJournal(kept, moment)).apply(lambda it: CHANGED)]
        [*Deployer(games, again, kept).apply(lambda it: CHANGED)]
        assert (again.state_root(), len(again.receipts)) == (root, steps)


def test_node_is_deployed_to_as_a_chain_in_memory(tmp_path: Path) -> None:
    near, alone = Chain(), Chain()
    for contract in (World, Bank, Table, Scoring):
        near.declare(contract)
    whole, kept = Journal(tmp_path / "alone"), Journal(tmp_path / "node")
    apply(alone, whole)
    with pytest.raises(Killed):
        apply(Chain.connect(near.node), KilledJournal(kept, 5))
    apply(Chain.connect(near.node), Journal(tmp_path / "node"))
    assert book(near, Journal(tmp_path / "node")) == book(alone, whole)
    assert near.state_root() == alone.state_root()


def test_fresh_chain_is_deployed_again(journal: Journal) -> None:
    apply(Chain(), journal)
    again = Chain()
    again.mine(3)
    assert len(apply(again, journal)) == 10
    assert apply(again, journal) == []


def test_foreign_transaction_is_not_ours(chain: Chain, journal: Journal) -> None:
    journal.write("Table", {"status": "sending", "nonce": 0, "version": 1})
    chain.send(chain.accounts[5], value=1)  # which has the nonce that Table was to have
    assert apply(chain, journal)[1] == "create Table"


def test_refused_step_is_named_and_tried_again(chain: Chain, journal: Journal) -> None:
    def greedy(deployment: Deployment) -> None:
        deployment.deploy(Bank, deployment.accounts[0]).pay_in(amount)

    amount = 2000
    with pytest.raises(StepFailed, match=r"Bank\.pay_in was refused: too much"):
        apply(chain, journal, greedy)
    amount = 20
    assert apply(chain, journal, greedy) == ["call Bank.pay_in"]


def test_call_with_other_arguments_is_made_again(chain: Chain, journal: Journal) -> None:
    def paying(deployment: Deployment) -> None:
        deployment.deploy(Bank, deployment.accounts[0]).pay_in(amount)

    amount = 1
    apply(chain, journal, paying)
    amount = 2
    assert apply(chain, journal, paying) == ["call Bank.pay_in"]


# What a plan refuses


def test_plan_cannot_read_the_chain() -> None:
    class Viewed(Contract):
        @view
        def one(self) -> u8:
            return 1

    with pytest.raises(TypeError, match="it cannot ask a view, since nothing stands yet"):
        Deployment().deploy(Viewed).one()


def test_plan_checks_arguments_at_once() -> None:
    with pytest.raises(TypeError, match="new needs 'owner'"):
        Deployment().deploy(Bank)


def test_broken_record_is_named(chain: Chain, journal: Journal) -> None:
    apply(chain, journal)
    assert journal.folder is not None
    (journal.folder / "Table.json").write_text("{")
    with pytest.raises(BadJournal, match=r"Table\.json is not a record of a deployment"):
        apply(chain, journal)
