"""How the command line shows a deployment, asks for confirmation and carries it out."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from chain.cli import output
from chain.cli.progress import bar
from chain.cli.script_loader import loaded
from chain.deployment.deployer import BESIDE, CHANGED, LEAVE, UPGRADE, Deployer, StepStatus
from chain.deployment.journal import Journal, folder_for
from chain.deployment.plan import Deployment
from chain.errors import Reverted
from chain.ledger.receipts import Receipt
from chain.simulator.chain import MEMORY, Chain


@dataclass(frozen=True)
class DeployOptions:
    """The options of the command."""

    yes: bool
    dry_run: bool
    choice: str | None
    json: bool


class NeedsDecision(ValueError):
    """A contract changed, and no option says whether to upgrade it or to deploy the new version beside it."""


def run_plan(plan: Deployment, chain: Chain, base: Path, where: str, wish: DeployOptions) -> None:
    """Show what a plan would do to the chain, then apply it."""
    deployer = Deployer(plan, chain, Journal(None if where == MEMORY else folder_for(where, base)))
    choice = wish.choice
    findings = deployer.inspect(lambda finding: choice or CHANGED)
    changed = [finding for finding in findings if finding.action == CHANGED]
    if not wish.json:
        _show(findings)
    if all(finding.action == LEAVE for finding in findings):
        _end(wish, [], "nothing to do")
        return
    if wish.dry_run:
        _end(wish, findings, "nothing was done")
        return
    if changed and choice is None:
        choice = _choose(changed)
    if choice == UPGRADE:
        for finding in changed:
            finding.check_upgrade()
    if not wish.yes and _confirmed():
        click.confirm("Apply?", abort=True, err=True)
    _apply(deployer, choice or CHANGED, len(findings), wish)


def load_plan(script: Path) -> Deployment:
    """Return the deployment that the `plan` function of a script declares."""
    if not script.exists():
        raise click.UsageError(f"there is no script {script}")
    declare = getattr(loaded(script), "plan", None)
    if not callable(declare):
        raise click.UsageError(f"{script} has no plan(deployment): write one, it says what is deployed")  # fmt: skip
    deployment = Deployment()
    declare(deployment)
    return deployment


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


def _apply(deployer: Deployer, choice: str, total: int, wish: DeployOptions) -> None:
    done = []
    with bar("deploying", total) as step:
        for finding, record in deployer.apply(lambda finding: choice):
            step(1)
            if finding.action != LEAVE:
                done.append(finding)
                _report(finding, choice, record["address"], wish)
    _end(wish, done, f"{len(done)} step{'s' * (len(done) != 1)} done")


def _report(finding: StepStatus, choice: str, address: str, wish: DeployOptions) -> None:
    if not wish.json:
        action = choice if finding.action == CHANGED else finding.action
        where = f" at {address}" if finding.step.to is None else ""
        click.echo(f"{action} {finding.step.name}{where}")


def _end(wish: DeployOptions, findings: Sequence[StepStatus], text: str) -> None:
    if wish.json:
        output.as_json([_fact(finding) for finding in findings])
    else:
        output.remark(text)


def _fact(finding: StepStatus) -> dict[str, object]:
    return {
        "step": finding.step.name,
        "action": finding.action,
        "changes": list(finding.changes),
        "in_the_way": list(finding.obstacles),
    }


def _show(found: Sequence[StepStatus]) -> None:
    rows = [(finding.step.name, finding.action, _detail(finding)) for finding in found]
    output.table(("step", "action", ""), rows, json=False)
    for finding in found:
        for line in finding.changes:
            click.echo(f"{finding.step.name}: {line}")


def _detail(finding: StepStatus) -> str:
    if finding.action == LEAVE and finding.record is not None and finding.step.to is None:
        return str(finding.record["address"])
    count = len(finding.changes)
    return f"{count} change{'s' * (count != 1)}" if count else ""


def _choose(changed: Sequence[StepStatus]) -> str:
    names = ", ".join(finding.step.name for finding in changed)
    if not _confirmed():
        raise NeedsDecision(
            f"{names} changed since it was deployed: say --upgrade to put it in place of the old one,"
            " or --beside for a new version beside it"
        )
    for finding in changed:
        for line in finding.obstacles:
            output.remark(f"cannot be upgraded: {line}")
    words = click.Choice([UPGRADE, BESIDE])
    chosen: str = click.prompt(f"{names} changed", type=words, err=True)
    return chosen


def _confirmed() -> bool:
    """Return True if a person at a terminal can answer a question."""
    return sys.stdin.isatty() and sys.stderr.isatty()
