"""A plan with everything in it, two contracts for small plans, and a plan applied in one line."""

from __future__ import annotations

from collections.abc import Callable

from chain import Chain, Contract, Map, Vector, call, init, require, view
from chain.deployment import Deployment
from chain.deployment.deployer import Deployer
from chain.deployment.examination import LEAVE, StepStatus
from chain.deployment.journal import Journal
from chain.types import Address, u64
from tests.chain.toys import Score, Scoring

Plan = Callable[[Deployment], object]


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


def plan(deployment: Deployment) -> None:
    host = deployment.account("host.testnet")
    bank = deployment.deploy(Bank, host, sender=host)
    table = deployment.deploy(Table, bank.address, host="me")
    bank.pay_in(5, sender=host)
    bank.pay_in(7, value=3)
    table.sit([bank.address, table.address], sender=deployment.accounts[1])
    world = deployment.deploy_world("arcade", systems=[Scoring], writers={Score: [Scoring]})
    world.system(Scoring).win(5)


def of(declare: Plan) -> Deployment:
    made = Deployment()
    declare(made)
    return made


def inspect(chain: Chain, journal: Journal, declare: Plan) -> list[StepStatus]:
    return Deployer(of(declare), chain, journal).inspect()


def apply(chain: Chain, journal: Journal, declare: Plan = plan, choice: str = LEAVE) -> list[str]:
    """Applies a plan and returns the steps that were done."""
    done = Deployer(of(declare), chain, journal).apply(lambda status: choice)
    return [f"{each.action} {each.name}" for each, _ in done if each.action != LEAVE]
