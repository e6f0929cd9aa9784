"""A script with everything in it, two contracts for small scripts, and a script that is run in one line."""

from __future__ import annotations

from typing import Any

from chain import Chain, Contract, Map, Vector, call, init, require, view
from chain.deployment import Deployment
from chain.deployment.journal import Journal
from chain.deployment.preview import Preview, Script, preview
from chain.deployment.steps import LEAVE, Choices, StepStatus
from chain.types import Address, u64
from tests.chain.toys import Score, Scoring


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


class Ladder(Contract):
    points: Map[Address, u64]

    @call(payable=True)
    def seed(self, who: Address, amount: u64) -> None:
        require(amount < 1000, "too many")
        self.points[who] += amount

    @view
    def of(self, who: Address) -> u64:
        return self.points[who]


class Purse(Contract):
    owner: str
    ladder: Address

    @init
    def new(self, owner: str, ladder: Address) -> None:
        self.owner = owner
        self.ladder = ladder


class Named(Contract):
    name: str

    @init
    def new(self, name: str) -> None:
        self.name = name


def plan(deployment: Deployment) -> None:
    host = deployment.account("host.testnet")
    bank = deployment.deploy(Bank, host, sender=host)
    table = deployment.deploy(Table, bank.address, host="me")
    bank.pay_in(5, sender=host)
    bank.pay_in(7, value=3)
    table.sit([bank.address, table.address], sender=deployment.accounts[1])
    world = deployment.deploy_world("arcade", systems=[Scoring], writers={Score: [Scoring]})
    world.system(Scoring).win(5)


def try_out(chain: Chain, journal: Journal, script: Script, choice: str = LEAVE) -> Preview:
    """Return the preview of a script; a choice is for contracts and calls."""
    choices = Choices(choice, resend=choice != LEAVE)
    return preview(script, chain, journal, choices=choices)


def inspect(chain: Chain, journal: Journal, script: Script) -> list[StepStatus]:
    trial = try_out(chain, journal, script)
    if trial.failure is not None:
        raise trial.failure
    return trial.deployment.steps


def deploy(chain: Chain, journal: Journal, script: Script, **options: Any) -> Deployment:
    """Run a script on the chain, without a preview."""
    deployment = Deployment(chain, journal, **options)
    script(deployment)
    deployment.finish()
    return deployment


def apply(chain: Chain, journal: Journal, script: Script = plan, choice: str = LEAVE) -> list[str]:
    """Run a script as the command does; return the steps that were done."""
    trial = try_out(chain, journal, script, choice)
    if trial.failure is not None:
        raise trial.failure
    journal.rename(trial.renamed)
    choices = Choices(choice, resend=choice != LEAVE)
    done = deploy(chain, journal, script, choices=choices)
    told = [f"{each.did} {each.name}" for each in trial.deployment.steps if each.did != LEAVE]
    assert told == [f"{each.did} {each.name}" for each in done.steps if each.did != LEAVE]
    return told
