"""Deployments on the command line: shown, confirmed and carried out."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import click

from chain.cli import output
from chain.cli.progress import bar
from chain.crypto.accounts import Account
from chain.deployment.address_book import write_book
from chain.deployment.chain_folder import ChainFolder, ChainWasReset, find_folder, locked
from chain.deployment.deployer import Deployer
from chain.deployment.examination import (
    ADOPT,
    BESIDE,
    CHANGED,
    LEAVE,
    RESEND,
    UPGRADE,
    Decide,
    StepStatus,
    undecided,
)
from chain.deployment.journal import REMOVED, Record
from chain.deployment.plan import Deployment
from chain.errors import Reverted
from chain.foundation.dataclass import dataclass
from chain.ledger.receipts import Receipt
from chain.ledger.sql.json_values import portable
from chain.simulator.chain import Chain


@dataclass(frozen=True)
class DeployOptions:
    """The options of the command for a plan."""

    plan: str  # its name
    parameters: dict[str, str]
    yes: bool
    dry_run: bool
    choice: str | None  # for changed contracts
    resend: bool  # changed calls
    reset: bool  # the chain was started again
    adopt: bool  # what to do with steps on the chain that have no journal
    json: bool


class NeedsDecision(ValueError):
    """A step changed, and no option says what to do."""


def run_plan(
    plan: Deployment, chain: Chain, base: Path, where: str, wish: DeployOptions, signer: Account | None = None,
) -> None:  # fmt: skip
    """Show what a plan would do to the chain, then apply it; a dry run applies it to a fork."""
    with _folder(chain, base, where, wish) as folder:
        if folder.was_reset:
            _check_reset(folder, where, wish)
        journal = folder.journal(wish.plan)
        deployer = Deployer(plan, chain, journal, signer, folder.claimed(wish.plan))
        adopted = {} if journal.records else _adopted(deployer, wish)
        deployer.journal = journal.draft(adopted)
        view = _View(deployer, wish)
        if wish.dry_run:
            view.dry_run()
            return
        if adopted or view.has_something_to_do():
            view.confirm()
            folder = folder.begin()
        deployer.journal = folder.journal(wish.plan, wish.parameters)
        if adopted:
            deployer.journal.keep(adopted, dict.fromkeys(adopted, ADOPT))
        try:
            view.apply()
        finally:
            write_book(folder, chain)


def _folder(
    chain: Chain, base: Path, where: str, wish: DeployOptions
) -> AbstractContextManager[ChainFolder]:
    """Return the folder of the chain, locked if something may be sent."""
    return (
        nullcontext(find_folder(base, chain, where)) if wish.dry_run else locked(base, chain, where)
    )


def _adopted(deployer: Deployer, wish: DeployOptions) -> dict[str, Record]:
    """Return the records of steps that are on the chain but in no journal here, if they are to be taken over."""
    found = deployer.find_on_chain()
    if found and not wish.adopt:
        names = ", ".join(
            f"{name} at {record['address']}" if record["to"] is None else name
            for name, record in found.items()
        )
        output.remark(
            f"these steps are already on the chain, but not in this journal: {names}; --adopt takes them over"
        )
    return found if wish.adopt else {}


def _check_reset(folder: ChainFolder, where: str, wish: DeployOptions) -> None:
    """Ask whether to move the journals of an earlier chain aside."""
    text = f"{folder.path} belongs to another chain: {where} was restarted and has none of its transactions"
    if wish.reset:
        return
    if not is_answered():
        raise ChainWasReset(f"{text}; use --reset to move the folder aside and start over")
    click.confirm(f"{text}. Move the folder aside and start over?", abort=True, err=True)


class _View:
    """The output of a deployment for a person."""

    def __init__(self, deployer: Deployer, wish: DeployOptions) -> None:
        self._deployer, self._wish = deployer, wish
        self._choice = wish.choice
        self._resend = wish.resend
        self._did: list[tuple[StepStatus, Record | None]] = []
        self._found = deployer.inspect(lambda status: self._choice or LEAVE)
        gone = deployer.gone.items()
        self._gone = [name for name, record in gone if record["status"] != REMOVED]
        if not wish.json:
            self._show()

    def has_something_to_do(self) -> bool:
        return any(status.action != LEAVE for status in self._found)

    def confirm(self) -> None:
        """Decide what to do with changed steps, and ask whether to continue."""
        changed = [status for status in self._found if status.action == CHANGED]
        contracts = [status for status in changed if status.is_contract]
        calls = [status for status in changed if not status.is_contract]
        if contracts and self._choice is None:
            self._choice = _choose(contracts)
        if calls and not self._resend:
            self._resend = _resends(calls)
        if self._choice == UPGRADE:
            for status in contracts:
                status.check_upgrade()
        if not self._wish.yes and is_answered():
            click.confirm("Apply?", abort=True, err=True)

    def apply(self) -> None:
        """Apply the plan. Even if there is nothing to do, the journal is updated to the plan."""
        self._run(self._deployer, self._decide, "{} done{}")

    def dry_run(self) -> None:
        """Apply the plan to a fork, and say what it left alone."""
        self._run(self._deployer.on_fork(), self._guess, "nothing was done; it would be {}{}")
        left = [each for each in self._found if each.action == CHANGED]
        left = [each for each in left if self._guess(each) == LEAVE]
        for is_contract in (True, False):
            if some := [each for each in left if each.is_contract == is_contract]:
                output.remark(_question(some))

    def _run(self, deployer: Deployer, decide: Decide, text: str) -> None:
        otherwise = "nothing was done"
        try:
            with bar("deploying", len(self._found)) as step:
                for status, record in deployer.apply(decide):
                    step(1)
                    action = decide(status) if status.action == CHANGED else status.action
                    if action != LEAVE:
                        self._did.append((status, record))
                    if status.action != LEAVE and not self._wish.json:
                        _report(status, record, action)
            otherwise = "nothing to do"
        finally:
            total = f", {self._sum('gas')} gas, {ether(self._sum('cost'))} ether"
            done = text.format(_count(len(self._did), "step"), total)
            self._end(done if self._did else otherwise)

    def _end(self, text: str) -> None:
        if self._wish.json:
            output.as_json(self._facts())
        else:
            output.remark(text)

    def _decide(self, status: StepStatus) -> str:
        if status.is_contract and self._choice is not None:
            return self._choice
        if not status.is_contract and self._resend:
            return RESEND
        raise NeedsDecision(_question([status]))

    def _guess(self, status: StepStatus) -> str:
        """In a dry run, leave changed steps alone if no option covers them."""
        if status.is_contract:
            return self._choice or undecided(status)
        return RESEND if self._resend else undecided(status)

    def _sum(self, name: str) -> int:
        """Return the totals of this run's transactions."""
        sent = [{**record, **record.get("upgrade", {})} for _, record in self._did if record]
        return sum(int(record[name]) for record in sent)

    def _show(self) -> None:
        rows = [(status.name, status.action, _detail(status)) for status in self._found]
        rows += [(name, "gone", "no longer in the plan") for name in self._gone]
        output.table(("step", "action", ""), rows, json=False)
        for status in self._found:
            for line in status.changes:
                click.echo(f"{status.name}: {line}")

    def _facts(self) -> dict[str, object]:
        """Return the result as JSON: every step, and the addresses of all contracts."""
        did = {status.name: (status, record) for status, record in self._did}
        steps = [did.get(status.name, (status, status.record)) for status in self._found]
        return {
            "plan": self._wish.plan,
            "steps": [_fact(status, record) for status, record in steps],
            "gone": self._gone,
            "gas": self._sum("gas"),
            "cost": portable(self._sum("cost")),
            "contracts": {
                status.name: record["address"] for status, record in steps if record and status.is_contract
            },
        }  # fmt: skip


def deployed(receipt: Receipt, cls: type, *, json: bool) -> None:
    """Print the address of a contract that was just deployed. Raise `Reverted` if the deployment failed."""
    if receipt.error is not None:
        raise Reverted(receipt)
    facts = {
        "contract": cls.__name__,
        "address": receipt.address,
        "transaction": receipt.tx_hash,
        "block": receipt.block_number,
        "gas": receipt.gas_used,
    }
    output.key_values(facts, json=json)


def ether(wei: int) -> str:
    """Return an amount of wei in ether, without trailing zeros."""
    whole, rest = divmod(wei, 10**18)
    return f"{whole}.{rest:018d}".rstrip("0").rstrip(".")


def _report(status: StepStatus, record: Record | None, action: str) -> None:
    where = f" at {record['address']}" if record and status.is_contract else ""
    gas = f", {record.get('upgrade', record)['gas']} gas" if record and action != LEAVE else ""
    click.echo(f"{action} {status.name}{where}{gas}")


def _fact(status: StepStatus, record: Record | None) -> dict[str, object]:
    names = ("address", "transaction", "block", "gas", "cost")
    return {
        "step": status.name,
        "action": status.action,
        "changes": list(status.changes),
        "in_the_way": list(status.obstacles),
        **{name: record[name] for name in names if record},
    }


def _detail(status: StepStatus) -> str:
    if status.action == LEAVE and status.record is not None and status.is_contract:
        return str(status.record["address"])
    return _count(len(status.changes), "change") if status.changes else ""


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"


def _question(changed: Sequence[StepStatus]) -> str:
    names = ", ".join(status.name for status in changed)
    since = "since it was" if len(changed) == 1 else "since they were"
    if changed[0].is_contract:
        return (
            f"{names} changed {since} deployed: use --upgrade to replace the old code, or "
            "--beside to deploy a second contract"
        )
    return f"{names} changed {since} sent: use --resend to send what changed"


def _choose(changed: Sequence[StepStatus]) -> str:
    if not is_answered():
        raise NeedsDecision(_question(changed))
    for status in changed:
        for line in status.obstacles:
            output.remark(f"cannot be upgraded: {line}")
    words = click.Choice([UPGRADE, BESIDE])
    names = ", ".join(status.name for status in changed)
    chosen: str = click.prompt(f"{names} changed", type=words, err=True)
    return chosen


def _resends(changed: Sequence[StepStatus]) -> bool:
    if not is_answered():
        raise NeedsDecision(_question(changed))
    names = ", ".join(status.name for status in changed)
    return click.confirm(f"{names} changed. Send the changed call?", abort=True, err=True)


def is_answered() -> bool:
    """Return True if a person at a terminal can answer a question."""
    return sys.stdin.isatty() and sys.stderr.isatty()
