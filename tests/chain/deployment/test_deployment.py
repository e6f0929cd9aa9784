"""Scripted deployments: each step of a plan is done once, also if the process is killed in between."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from chain import Chain, Contract, World, view
from chain.cli.plan_loader import load_plan
from chain.deployment import Deployment
from chain.deployment.deployer import Deployer, StepFailed
from chain.deployment.examination import LEAVE
from chain.deployment.journal import Journal, Record
from chain.types import Address, u8
from tests.chain.deployment.arcade import Bank, Plan, Table, apply, of, plan
from tests.chain.toys import Scoring

ROOT = Path(__file__).parents[3]
GAMES = ROOT / "scripts" / "deploy.py"


def test_plan_is_applied_in_order(chain: Chain, journal: Journal) -> None:
    assert apply(chain, journal) == [
        "create Bank", "create Table", "call Bank.pay_in(5)", "call Bank.pay_in(7)", "call Table.sit([Bank, Table])",
        "create arcade", "create arcade-Scoring", "call arcade.register('arcade-Scoring', arcade-Scoring)",
        "call arcade.grant_writer(Score, Scoring)", "call arcade-Scoring.win(5)",
    ]  # fmt: skip
    record = journal.read("Table")
    assert record is not None
    table = chain.handle(Table, Address(record["address"]))
    assert (table.fields.bank, table.fields.seats[0]) == (
        chain.receipts[0].address,
        chain.accounts[1],
    )
    assert chain.receipts[4].args["banks"] == [chain.receipts[0].address, table.address]


@pytest.mark.parametrize("name", ["bob", "host.testnet"])
def test_name_is_the_same_account_as_on_a_chain(chain: Chain, name: str) -> None:
    assert Deployment().account(name) == chain.account(name)


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


def test_dry_run_shows_what_apply_does(chain: Chain, journal: Journal) -> None:
    deployer = Deployer(of(plan), chain, journal)
    told = [f"{each.action} {each.name}" for each in deployer.inspect()]
    assert len(chain.receipts) == 0
    assert told == apply(chain, journal)
    assert {each.action for each in deployer.inspect()} == {LEAVE}


class Killed(BaseException):
    """Raised in place of a kill of the process."""


class KilledJournal(Journal):
    """A journal that is killed before its write number `fatal`. What it wrote remains."""

    def __init__(self, lasting: Journal, fatal: int) -> None:
        super().__init__(lasting.path)
        self.lasting, self.left = lasting, fatal

    def keep(self, records: dict[str, Record], actions: Mapping[str, str] | None = None) -> None:
        if not self.left:
            raise Killed
        self.left -= 1
        super().keep(records, actions)
        self.lasting.records = self.records


def killed_everywhere(declare: Plan, folder: Path) -> Iterator[tuple[dict[str, Record], bytes]]:
    """Yield the records and state root of a run that was killed before each write and then continued."""
    for moment in range(2 * len(of(declare).steps) + 1):
        chain, place = Chain(), folder / f"{moment}.json"
        with pytest.raises(Killed):
            apply(chain, KilledJournal(Journal(place), moment), declare)
        apply(chain, Journal(place), declare)
        yield Journal(place).records, chain.state_root()


def test_plan_killed_anywhere_continues(tmp_path: Path) -> None:
    chain, journal = Chain(), Journal(tmp_path / "whole.json")
    apply(chain, journal)
    whole = journal.records, chain.state_root()
    assert all(each == whole for each in killed_everywhere(plan, tmp_path))


def test_games_killed_anywhere_continue() -> None:
    games = load_plan(GAMES)
    chain, kept = Chain(), Journal(None)
    [*Deployer(games, chain, kept).apply()]
    root, steps = chain.state_root(), len(games.steps)
    for moment in range(2, 2 * steps + 1, 2):  # the transaction is made, its record not written
        again, kept = Chain(), Journal(None)
        with pytest.raises(Killed):
            [*Deployer(games, again, KilledJournal(kept, moment)).apply()]
        [*Deployer(games, again, kept).apply()]
        assert (again.state_root(), len(again.receipts)) == (root, steps)


def test_node_is_deployed_to_as_a_chain_in_memory(tmp_path: Path) -> None:
    near, alone = Chain(), Chain()
    for contract in (World, Bank, Table, Scoring):
        near.declare(contract)
    whole, kept = Journal(tmp_path / "alone.json"), Journal(tmp_path / "node.json")
    apply(alone, whole)
    with pytest.raises(Killed):
        apply(Chain.connect(near.node), KilledJournal(kept, 6))
    apply(Chain.connect(near.node), Journal(tmp_path / "node.json"))
    assert Journal(tmp_path / "node.json").records == whole.records
    assert near.state_root() == alone.state_root()


def test_fresh_chain_is_deployed_again(journal: Journal) -> None:
    apply(Chain(), journal)
    again = Chain()
    again.mine(3)
    assert len(apply(again, journal)) == 10
    assert apply(again, journal) == []


def announced_table(chain: Chain, journal: Journal) -> bytes:
    """Kill a run that has announced the transaction of Table but not sent it; return its data."""
    with pytest.raises(Killed):
        apply(chain, KilledJournal(journal, 4))
    chain.revert(chain.snapshot_at_end_of(1))
    assert journal.records["Table"]["status"] == "sending"
    return bytes.fromhex(journal.records["Table"]["data"][2:])


def test_foreign_transaction_is_not_ours(chain: Chain, journal: Journal) -> None:
    announced_table(chain, journal)
    chain.send(chain.accounts[5])  # which has the nonce that Table was to have
    assert apply(chain, Journal(journal.path))[:2] == ["create Table", "call Bank.pay_in(5)"]


def test_transaction_with_a_later_nonce_is_ours(chain: Chain, journal: Journal) -> None:
    announced = announced_table(chain, journal)
    chain.send(chain.accounts[5], value=1)
    table = chain.send(None, announced)
    assert apply(chain, Journal(journal.path))[0] == "resume Table"
    assert Journal(journal.path).records["Table"]["address"] == str(table.address)


def test_transaction_of_another_plan_is_not_ours(chain: Chain, journal: Journal) -> None:
    announced = announced_table(chain, journal)
    table = chain.send(None, announced)
    claimed = frozenset([f"0x{table.tx_hash.hex()}"])
    statuses = Deployer(of(plan), chain, Journal(journal.path), None, claimed).inspect()
    assert [each.action for each in statuses][:2] == [LEAVE, "create"]


def test_refused_step_is_named_and_tried_again(chain: Chain, journal: Journal) -> None:
    def greedy(deployment: Deployment) -> None:
        deployment.deploy(Bank, deployment.accounts[0]).pay_in(amount)

    amount = 2000
    with pytest.raises(StepFailed, match=r"Bank\.pay_in\(2000\) was refused: too much"):
        apply(chain, journal, greedy)
    assert list(journal.records) == ["Bank"]
    amount = 20
    assert apply(chain, journal, greedy) == ["call Bank.pay_in(20)"]


# What a plan refuses


def test_plan_cannot_read_the_chain() -> None:
    class Viewed(Contract):
        @view
        def one(self) -> u8:
            return 1

    with pytest.raises(TypeError, match="it cannot call a view, because nothing is deployed yet"):
        Deployment().deploy(Viewed).one()


def test_plan_checks_arguments_at_once() -> None:
    with pytest.raises(TypeError, match="new needs 'owner'"):
        Deployment().deploy(Bank)
