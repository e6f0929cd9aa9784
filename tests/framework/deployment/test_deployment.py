"""Scripted deployments: what a plan does once, does not do twice, and goes on with where it was killed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from chain import Chain, Contract, Vector, World, call, init, require, view
from chain.cli.deployment_view import load_plan
from chain.cli.script_loader import loaded
from chain.deployment import Deployment
from chain.deployment.deployer import (
    BESIDE,
    CHANGED,
    LEAVE,
    UPGRADE,
    Deployer,
    StepFailed,
)
from chain.deployment.journal import BadJournal, Journal, Record
from chain.simulator.upgrade import CannotUpgrade
from chain.types import Address, u8, u64
from tests.framework.toys import Score, Scoring

ROOT = Path(__file__).parents[3]
GAMES = ROOT / "scripts" / "deploy.py"


class Bank(Contract):
    owner: Address
    total: u64

    @init
    def new(self, owner: Address) -> None:
        self.owner = owner

    @call(payable=True)
    def pay_in(self, amount: u64) -> None:
        require(amount < 1000, "too much")
        self.total += amount


class Table(Contract):
    bank: Address
    seats: Vector[Address]

    @init
    def new(self, bank: Address, host: str) -> None:
        self.bank = bank

    @call
    def sit(self, banks: list[Address]) -> u64:
        self.seats.append(self.caller)
        return len(self.seats)


def plan(deployment: Deployment) -> None:
    host = deployment.account("host.testnet")
    bank = deployment.deploy(Bank, host, sender=host)
    table = deployment.deploy(Table, bank.address, host="me")
    bank.pay_in(5, sender=host)
    bank.pay_in(7, value=3)
    table.sit([bank.address, table.address], sender=deployment.accounts[1])
    world = deployment.deploy_world("arcade", systems=[Scoring], writers={Score: [Scoring]})
    world.system(Scoring).win(5)


def of(declare: Callable[[Deployment], None]) -> Deployment:
    made = Deployment()
    declare(made)
    return made


def apply(
    chain: Chain,
    journal: Journal,
    declare: Callable[[Deployment], None] = plan,
    choice: str = CHANGED,
) -> list[str]:
    """Applies a plan; what was done, and nothing for what was left."""
    deployer = Deployer(of(declare), chain, journal)
    done = deployer.apply(lambda finding: choice)
    return [f"{each.action} {each.step.name}" for each, _ in done if each.action != LEAVE]


def book(chain: Chain, journal: Journal, declare: Callable[[Deployment], None] = plan) -> Any:
    records = {step.name: journal.read(step.name) for step in of(declare).steps}
    return {
        name: record and {k: v for k, v in record.items() if k != "status"}
        for name, record in records.items()
    }


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(tmp_path / "deployments")


@pytest.fixture
def chain() -> Chain:
    return Chain()


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


def test_look_says_what_apply_does(chain: Chain, journal: Journal) -> None:
    deployer = Deployer(of(plan), chain, journal)
    told = [f"{each.action} {each.step.name}" for each in deployer.inspect()]
    assert len(chain.receipts) == 0
    assert told == apply(chain, journal)
    assert {each.action for each in deployer.inspect()} == {LEAVE}


class Killed(BaseException):
    """As if the process had ended here."""


class KilledJournal(Journal):
    """A journal that lasts, before whose write number `fatal` the process is killed."""

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
    """Address book and state root of a run that was killed and went on, for every moment there is."""
    for moment in range(2 * len(of(declare).steps)):
        chain, place = Chain(), folder / str(moment)
        with pytest.raises(Killed):
            apply(chain, KilledJournal(Journal(place), moment), declare)
        apply(chain, Journal(place), declare)
        yield book(chain, Journal(place), declare), chain.state_root()


def test_killed_anywhere_it_goes_on(tmp_path: Path) -> None:
    chain, journal = Chain(), Journal(tmp_path / "whole")
    apply(chain, journal)
    whole = book(chain, journal), chain.state_root()
    assert all(each == whole for each in killed_everywhere(plan, tmp_path))


def test_games_killed_anywhere_go_on() -> None:
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


def test_node_is_deployed_to_alike(tmp_path: Path) -> None:
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


def test_node_is_upgraded_in_place(tmp_path: Path, chain: Chain, journal: Journal) -> None:
    before, after = version(FIRST, tmp_path, "before"), version(VERSIONS["rules"][0], tmp_path)
    for plan_of in (before, after):
        chain.declare(of(plan_of).steps[0].program.spec.cls)  # type: ignore[union-attr]
    far = Chain.connect(chain.node)
    apply(far, journal, before)
    assert apply(far, journal, after, UPGRADE) == ["changed Game"]
    assert apply(far, journal, after) == []
    assert far.block_hash() == chain.block_hash()
    assert [receipt.entry for receipt in chain.receipts] == [None, "upgrade"]


def test_fresh_chain_is_deployed_anew(journal: Journal) -> None:
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


# A class that changes from one version to the next

FIRST = """
    class Game(Contract):
        count: u64
        names: Map[u64, str]

        @call
        def add(self, n: u64) -> u64:
            self.count += n
            return self.count
"""
OTHER = "Game.names was Map[u64, str] and is Map[u64, u64]"
GONE = "Game.names was removed: its slots must not be used for anything else"
MOVED = "Game.count moved from word 0, byte 0 to word 1, byte 0: put new fields last"
VERSIONS = {
    "rules": (FIRST.replace("+= n", "+= 2 * n"), ["the rules only: ABI and storage are as they were"], []),
    "abi": (
        FIRST.replace("add(self, n: u64)", "add(self, n: u8)"),
        ["new function add(uint8)", "gone function add(uint64)"], [],
    ),
    "new field last": (
        FIRST.replace("str]", "str]\n        extra: u64"), ["new field Game.extra: u64"], [],
    ),
    "new field first": (
        FIRST.replace("count: u64", "extra: Vector[u64]\n        count: u64"), None,
        [MOVED, MOVED.replace("word 1", "word 2").replace("word 0", "word 1").replace("count", "names")],
    ),
    "other type": (FIRST.replace("Map[u64, str]", "Map[u64, u64]"), None, [OTHER]),
    "field gone": (FIRST.replace("names: Map[u64, str]", ""), None, [GONE]),
}  # fmt: skip


LEAGUE = """
    from chain import Address, Key, System, call, model

    @model
    class Score:
        player: Key[Address]
        points: u64
        lives: u8

    class Game(System):
        @call
        def win(self, points: u64) -> None:
            self.world.write(Score(self.caller, points, 3))
"""
LEAGUES = {
    "member last": (LEAGUE.replace("lives: u8", "lives: u8\n        name: str").replace("points, 3", "points, 3, ''"), []),
    "member first": (LEAGUE.replace("points: u64\n        lives: u8", "lives: u8\n        points: u64"),
        ["Score.points moved from word 0, byte 1 to word 0, byte 2: put new fields last",
         "Score.lives moved from word 0, byte 9 to word 0, byte 1: put new fields last"]),
    "other type": (LEAGUE.replace("lives: u8", "lives: u64"), ["Score.lives was u8 and is u64"]),
    "other key": (LEAGUE.replace("Key[Address]", "Key[u64]"),
        ["the keys of model Score were player: Address and are player: u64"]),
}  # fmt: skip


@pytest.mark.parametrize(("text", "hindered"), LEAGUES.values(), ids=LEAGUES.keys())
def test_models_must_lie_as_before(
    text: str, hindered: list[str], tmp_path: Path, chain: Chain, journal: Journal
) -> None:
    apply(chain, journal, league(LEAGUE, tmp_path, "before"))
    changed = Deployer(of(league(text, tmp_path, "after")), chain, journal).inspect()[1]
    assert (changed.step.name, changed.action) == ("league-Game", CHANGED)
    assert list(changed.obstacles) == hindered


def league(text: str, folder: Path, name: str) -> Callable[[Deployment], None]:
    """A plan of a world with the system of that text."""
    system = class_of(text, folder, name)

    def plan(deployment: Deployment) -> None:
        deployment.deploy_world("league", systems=[system])

    return plan


def version(text: str, folder: Path, name: str = "after") -> Callable[[Deployment], None]:
    """A plan of the class with that text."""
    game = class_of(text, folder, name)

    def plan(deployment: Deployment) -> None:
        deployment.deploy(game)

    return plan


def class_of(text: str, folder: Path, name: str) -> Any:
    file = folder / f"{name}.py"
    imports = "from chain import Contract, Map, Vector, call\nfrom chain.types import u8, u64\n"
    file.write_text(imports + dedent(text))
    return loaded(file).Game


@pytest.mark.parametrize(("text", "told", "hindered"), VERSIONS.values(), ids=VERSIONS.keys())
def test_change_is_told(
    text: str,
    told: list[str] | None,
    hindered: list[str],
    tmp_path: Path,
    chain: Chain,
    journal: Journal,
) -> None:
    apply(chain, journal, version(FIRST, tmp_path, "before"))
    (found,) = Deployer(of(version(text, tmp_path)), chain, journal).inspect()
    assert found.action == CHANGED
    assert told is None or list(found.changes) == told
    assert list(found.obstacles) == hindered


def test_upgrade_keeps_address_and_storage(tmp_path: Path, chain: Chain, journal: Journal) -> None:
    before, after = version(FIRST, tmp_path, "before"), version(VERSIONS["rules"][0], tmp_path)
    apply(chain, journal, before)
    where = chain.receipts[0].address
    chain.handle(of(before).steps[0].program.spec.cls, where).add(5)  # type: ignore[union-attr]
    assert apply(chain, journal, after, UPGRADE) == ["changed Game"]
    game = chain.handle(of(after).steps[0].program.spec.cls, where)  # type: ignore[union-attr]
    assert game.add(5).return_value == 15
    assert apply(chain, journal, after) == []


def test_upgrade_in_the_way_names_the_field(tmp_path: Path, chain: Chain, journal: Journal) -> None:
    apply(chain, journal, version(FIRST, tmp_path, "before"))
    root = chain.state_root()
    with pytest.raises(
        CannotUpgrade, match=r"Game cannot be upgraded in place: Game\.names is gone"
    ):
        apply(chain, journal, version(VERSIONS["field gone"][0], tmp_path), UPGRADE)
    assert (chain.state_root(), len(chain.receipts)) == (root, 1)


def test_new_version_stands_beside(tmp_path: Path, chain: Chain, journal: Journal) -> None:
    apply(chain, journal, version(FIRST, tmp_path, "before"))
    after = version(VERSIONS["other type"][0], tmp_path)
    assert apply(chain, journal, after, BESIDE) == ["changed Game"]
    old, new = journal.read("Game@1"), journal.read("Game")
    assert old is not None and new is not None
    assert (old["version"], new["version"]) == (1, 2)
    assert old["address"] != new["address"]
    assert apply(chain, journal, after) == []


def test_calls_follow_a_new_version(tmp_path: Path, chain: Chain, journal: Journal) -> None:
    first, second = (
        version(text, tmp_path, name)
        for text, name in ((FIRST, "one"), (VERSIONS["abi"][0], "two"))
    )

    def calling(declare: Callable[[Deployment], None]) -> Callable[[Deployment], None]:
        def both(deployment: Deployment) -> None:
            declare(deployment)
            game = deployment.steps[0]
            deployment.handle(game.program.spec.cls, game.placeholder).add(1)  # type: ignore[union-attr]

        return both

    apply(chain, journal, calling(first))
    assert apply(chain, journal, calling(second), BESIDE) == ["changed Game", "call Game.add"]


def test_other_arguments_cannot_be_upgraded(chain: Chain, journal: Journal) -> None:
    def banking(deployment: Deployment) -> None:
        deployment.deploy(Bank, deployment.accounts[owner])

    owner = 0
    apply(chain, journal, banking)
    owner = 1
    with pytest.raises(CannotUpgrade, match="its @init had other arguments, and runs once"):
        apply(chain, journal, banking, UPGRADE)


# What a plan refuses


def test_plan_cannot_look() -> None:
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
