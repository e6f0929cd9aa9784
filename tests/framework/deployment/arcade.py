"""A plan with everything in it, and what comes of it on a chain."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from chain import Chain, Contract, Vector, call, init, require
from chain.deployment import Deployment
from chain.deployment.deployer import (
    CHANGED,
    LEAVE,
    Deployer,
)
from chain.deployment.journal import Journal
from chain.types import Address, u64
from tests.framework.toys import Score, Scoring


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
