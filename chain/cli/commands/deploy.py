"""Deploy a contract, or everything that a script plans."""

from __future__ import annotations

from pathlib import Path

import click

from chain.cli import deployment_view, lookup, options, output
from chain.runtime.contract import require_no_init_args
from chain.simulator.catalogue import ContractCatalogue
from chain.simulator.chain import MEMORY


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("what")
@click.argument("args", nargs=-1, type=click.UNPROCESSED)
@lookup.sender_option
@click.option("--value", type=click.IntRange(min=0), default=0, help="Wei to send along.")
@click.option("--yes", "-y", is_flag=True, help="A plan: do not ask.")
@click.option("--dry-run", is_flag=True, help="A plan: only say what there is to do.")
@click.option(
    "--upgrade",
    "choice",
    flag_value="upgrade",
    help="A plan: put changed contracts in the place of the old ones.",
)
@click.option(
    "--beside",
    "choice",
    flag_value="beside",
    help="A plan: deploy changed contracts anew, beside the old ones.",
)
@click.option(
    "--journal",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("deployments"),
    show_default=True,
    help="A plan: where it is kept what was done.",
)
@options.chain_option
@options.contracts_option
@output.json_option
def command(
    what: str,
    args: tuple[str, ...],
    sender: str,
    value: int,
    yes: bool,
    dry_run: bool,
    choice: str | None,
    journal: Path,
    where: str,
    offered: ContractCatalogue,
    json: bool,
) -> None:
    """Deploy WHAT: a contract by name, with ARGS for its @init, or a script with plan(deployment).

    A plan is applied step by step. Steps that were done before are skipped, so an interrupted plan can be run again.
    """
    if what.endswith(".py"):
        if args:
            raise click.UsageError(f"a plan takes no arguments: {' '.join(args)}")
        choices, plan = (
            deployment_view.DeployOptions(yes, dry_run, choice, json),
            deployment_view.load_plan(Path(what)),
        )
        if dry_run and not options.exists(where):
            where = MEMORY  # there is no chain yet, so every step of the plan remains
        with options.open_chain(where, offered, make=True) as chain:
            deployment_view.run_plan(plan, chain, journal, where, choices)
        return
    cls = options.contract_named(offered, what)
    with options.open_chain(where, offered, make=True) as chain:
        init = cls.__spec__.init
        if init is None and args:
            raise click.UsageError(f"{cls.__name__} has no @init, so it takes no arguments")
        values = options.arguments(chain, init, args) if init else {}
        data = init.encode_args((), values) if init else require_no_init_args(cls, (), {})
        account = lookup.sender(chain, sender)
        program = chain.declare(cls)
        chain.need_code([program])
        receipt = chain.send(None, program.initcode + data, sender=account, value=value)
        deployment_view.deployed(receipt, cls, json=json)
    if where == MEMORY:
        output.remark(
            "this ran on a chain in memory, which no longer exists: use --chain FILE or URL to keep it"
        )
