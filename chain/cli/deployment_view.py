"""Deployments on the command line: shown, confirmed and carried out."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext, redirect_stdout
from dataclasses import dataclass, replace
from functools import partial
from io import StringIO
from pathlib import Path

import click

from chain.cli import output
from chain.cli.progress import bar
from chain.crypto.accounts import Account
from chain.deployment import Deployment
from chain.deployment.address_book import write_book
from chain.deployment.chain_folder import ChainFolder, ChainWasReset, find_folder, locked
from chain.deployment.journal import REMOVED, Journal, latest
from chain.deployment.preview import Preview, Script, preview
from chain.deployment.steps import ADOPT, BESIDE, CHANGED, LEAVE, UPGRADE, Choices, StepStatus
from chain.errors import Reverted
from chain.ledger.receipts import Receipt
from chain.ledger.sql.json_values import portable
from chain.simulator.chain import Chain
from chain.types import Address


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


@dataclass(frozen=True)
class Job:
    """A plan, the chain on which it runs, and the options. Transactions of `signer` are signed here."""

    plan: Script
    chain: Chain
    wish: DeployOptions
    sender: Address
    signer: Account | None = None

    def run(self, base: Path, where: str) -> None:
        """Show what the plan does to a fork of the chain, then run it on the chain itself, if it is no dry run."""
        wish = self.wish
        with _folder(self.chain, base, where, wish) as folder:
            if folder.was_reset:
                _check_reset(folder, where, wish)
            journal = folder.journal(wish.plan, wish.parameters)
            choices = Choices(wish.choice or LEAVE, wish.resend)
            trial = self._try_out(journal, choices)
            if not wish.json:
                _show(trial.deployment)
            if wish.dry_run:
                _end_dry_run(trial, choices, wish)
                return
            chosen = _decide(trial.deployment, choices)
            if chosen != choices:
                trial = self._try_out(journal, chosen)
            if trial.failure is not None:
                output.remark("nothing was done")
                raise trial.failure
            adopted = trial.deployment.adopted
            if adopted or any(status.action != LEAVE for status in trial.deployment.steps):
                if not wish.yes and is_answered():
                    click.confirm("Apply?", abort=True, err=True)
                folder = folder.begin()
                journal = folder.journal(wish.plan, wish.parameters)
            journal.keep({**journal.records, **adopted}, dict.fromkeys(adopted, ADOPT))
            journal.rename(trial.renamed)
            self._apply(journal, chosen, trial, folder)

    def _try_out(self, journal: Journal, choices: Choices) -> Preview:
        """Return the preview of the plan. Without a journal it looks for the steps on the chain, and tells of them."""
        run = partial(
            preview, self.plan, self.chain, journal, sender=self.sender, signer=self.signer
        )
        with redirect_stdout(sys.stderr if self.wish.dry_run else StringIO()):
            if journal.records:
                return run(choices=choices)
            trial = run(choices=replace(choices, adopt=True))
            found = trial.deployment.adopted
            if self.wish.adopt or not found:
                return trial
            names = ", ".join(
                f"{name} at {record['address']}" if record["to"] is None else name
                for name, record in found.items()
            )
            output.remark(
                f"these steps are already on the chain, but not in this journal: {names}; --adopt takes them over"
            )
            return run(choices=choices)

    def _apply(
        self, journal: Journal, choices: Choices, trial: Preview, folder: ChainFolder
    ) -> None:
        """Run the plan on the chain. Even if there is nothing to do, the journal is updated to the plan."""
        gone, wish = _gone(trial.deployment), self.wish
        with bar("deploying", len(trial.deployment.steps)) as step:

            def watch(status: StepStatus) -> None:
                step(1)
                if not wish.json:
                    _report(status)

            deployment = Deployment(
                self.chain, journal, self.sender, self.signer, choices, watch=watch
            )
            otherwise = "nothing was done"
            try:
                with redirect_stdout(sys.stderr) if wish.json else nullcontext():
                    self.plan(deployment)
                deployment.finish()
                otherwise = "nothing to do"
            finally:
                _end(deployment, gone, "{} done{}", otherwise, wish)
                write_book(folder, wish.plan, deployment)


def _end_dry_run(trial: Preview, choices: Choices, wish: DeployOptions) -> None:
    """Tell what the plan would do, and what it would leave alone."""
    if not wish.json:
        for status in trial.deployment.steps:
            if status.record is not None:
                _report(status)
    otherwise = "nothing to do" if trial.failure is None else "nothing was done"
    text = "nothing was done; it would be {}{}"
    _end(trial.deployment, _gone(trial.deployment), text, otherwise, wish)
    for some in _undecided(trial.deployment, choices):
        if some:
            output.remark(_question(some))
    if trial.failure is not None:
        raise trial.failure


def _folder(
    chain: Chain, base: Path, where: str, wish: DeployOptions
) -> AbstractContextManager[ChainFolder]:
    """Return the folder of the chain, locked if something may be sent."""
    return (
        nullcontext(find_folder(base, chain, where)) if wish.dry_run else locked(base, chain, where)
    )


def _check_reset(folder: ChainFolder, where: str, wish: DeployOptions) -> None:
    """Ask whether to move the journals of an earlier chain aside."""
    text = f"{folder.path} belongs to another chain: {where} was restarted and has none of its transactions"
    if wish.reset:
        return
    if not is_answered():
        raise ChainWasReset(f"{text}; use --reset to move the folder aside and start over")
    click.confirm(f"{text}. Move the folder aside and start over?", abort=True, err=True)


def _gone(deployment: Deployment) -> list[str]:
    """Return the names of the steps that are gone since the last run."""
    return [name for name, record in deployment.gone.items() if record["status"] != REMOVED]


# Decisions


def _undecided(
    deployment: Deployment, choices: Choices
) -> tuple[list[StepStatus], list[StepStatus]]:
    """Return the changed contracts and the changed calls, if nothing says what to do with them."""
    changed = [each for each in deployment.steps if each.action == CHANGED]
    left = [each for each in changed if choices.decide(each) == LEAVE]
    return [each for each in left if each.is_contract], [
        each for each in left if not each.is_contract
    ]


def _decide(deployment: Deployment, choices: Choices) -> Choices:
    """Return the choices, with those of the person at the terminal."""
    contracts, calls = _undecided(deployment, choices)
    for changed in (contracts, calls):
        if changed and not is_answered():
            raise NeedsDecision(_question(changed))
    if contracts:
        for status in contracts:
            for line in status.obstacles:
                output.remark(f"cannot be upgraded: {line}")
        words = click.Choice([UPGRADE, BESIDE])
        choice = click.prompt(f"{_names(contracts)} changed", type=words, err=True)
        choices = replace(choices, changed=choice)
    if calls:
        text = f"{_names(calls)} changed. Send the changed call?"
        choices = replace(choices, resend=click.confirm(text, abort=True, err=True))
    return choices


def _question(changed: Sequence[StepStatus]) -> str:
    since = "since it was" if len(changed) == 1 else "since they were"
    if changed[0].is_contract:
        return (
            f"{_names(changed)} changed {since} deployed: use --upgrade to replace the old code, or "
            "--beside to deploy a second contract"
        )
    return f"{_names(changed)} changed {since} sent: use --resend to send what changed"


def _names(statuses: Sequence[StepStatus]) -> str:
    return ", ".join(status.name for status in statuses)


def is_answered() -> bool:
    """Return True if a person at a terminal can answer a question."""
    return sys.stdin.isatty() and sys.stderr.isatty()


# Output


def _show(deployment: Deployment) -> None:
    """Print a table of the steps, and what changed."""
    rows = [(status.name, status.action, _detail(status)) for status in deployment.steps]
    rows += [(name, "gone", "the script does not come to it") for name in _gone(deployment)]
    output.table(("step", "action", ""), rows, json=False)
    for status in deployment.steps:
        for line in status.changes:
            click.echo(f"{status.name}: {line}")


def _detail(status: StepStatus) -> str:
    """Return the address of a contract that is left, the cost of what is to do, or the number of changes."""
    if status.record is not None and status.did != LEAVE:
        return f"{latest(status.record)['gas']} gas"
    if status.action == LEAVE and status.record is not None and status.is_contract:
        return str(status.record["address"])
    return _count(len(status.changes), "change") if status.changes else ""


def _report(status: StepStatus) -> None:
    """Print what was done in a step, if there was something to do."""
    if status.action == LEAVE:
        return
    record = status.record
    where = f" at {record['address']}" if record and status.is_contract else ""
    gas = f", {latest(record)['gas']} gas" if record and status.did != LEAVE else ""
    click.echo(f"{status.did} {status.name}{where}{gas}")


def _end(
    deployment: Deployment, gone: list[str], text: str, otherwise: str, wish: DeployOptions
) -> None:
    """Print the transactions of a run and their cost; as JSON every step, and the addresses of all contracts."""
    steps = deployment.steps
    did = [latest(each.record) for each in steps if each.did != LEAVE and each.record]
    gas, cost = sum(each["gas"] for each in did), sum(int(each["cost"]) for each in did)
    if wish.json:
        contracts = {
            each.name: each.record["address"] for each in steps if each.record and each.is_contract
        }
        facts = {"plan": wish.plan, "steps": [_fact(each) for each in steps], "gone": gone}
        output.as_json({**facts, "gas": gas, "cost": portable(cost), "contracts": contracts})
    elif did:
        total = f", {gas} gas, {ether(cost)} ether"
        output.remark(text.format(_count(len(did), "step"), total))
    else:
        output.remark(otherwise)


def _fact(status: StepStatus) -> dict[str, object]:
    names, record = ("address", "transaction", "block", "gas", "cost"), status.record
    return {
        "step": status.name,
        "action": status.action,
        "changes": list(status.changes),
        "in_the_way": list(status.obstacles),
        **{name: record[name] for name in names if record},
    }


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"


def ether(wei: int) -> str:
    """Return an amount of wei in ether, without trailing zeros."""
    whole, rest = divmod(wei, 10**18)
    return f"{whole}.{rest:018d}".rstrip("0").rstrip(".")


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
