"""A project with a plan for an arena, and commands in it."""

from __future__ import annotations

import json
from typing import Any

from click.testing import CliRunner, Result
from eth_account import Account

from chain import Chain
from chain.cli.main import cli

ARENA = """
from chain import Address, Contract, Map, call, init, require
from chain.types import u64


class Ladder(Contract):
    points: Map[Address, u64]

    @call
    def seed(self, who: Address, amount: u64) -> None:
        require(amount < 1000, "too many")
        self.points[who] += amount


class Purse(Contract):
    fee: u64

    @init
    def new(self, fee: u64) -> None:
        self.fee = fee


def plan(deployment, fee: int = 3, who: Address = Address(bytes(20)), open: bool = False, amount: int = 100):
    ladder = deployment.deploy(Ladder)
    deployment.deploy(Purse, fee)
    ladder.seed(who, amount)
"""
KEY = "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690e"  # of nobody
OWNER = Account.from_key(KEY).address
WORDS = "legal winner thank year wave sausage worth useful legal winner thank yellow"
BOB = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"


def run(*words: object, **options: Any) -> Result:
    return CliRunner().invoke(cli, [str(word) for word in words], **options)


def deploy(*words: object, **options: Any) -> Result:
    return run("deploy", "scripts/deploy.py", "--chain", "a.chain", *words, **options)


def facts(result: Result) -> Any:
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def senders(file: str = "a.chain") -> list[str]:
    with Chain.open(file) as chain:
        return [str(receipt.sender) for receipt in chain.receipts]
