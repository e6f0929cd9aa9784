"""Deploy a contract, or everything that a script plans.

$ boardchain deploy Deblockle --chain duel.chain
$ boardchain deploy scripts/deploy.py --chain games.chain --dry-run
$ boardchain deploy scripts/deploy.py cubes=5 --chain http://127.0.0.1:8545 --upgrade
"""

from __future__ import annotations

from pathlib import Path

import click
from click.core import ParameterSource

from chain.cli import completion, deployment_view, lookup, options, output
from chain.cli.deployment_view import DeployOptions
from chain.cli.plan_loader import AccountWords, load_plan, split_parameters
from chain.cli.signers import signer_options
from chain.crypto.accounts import Account
from chain.deployment.chain_folder import default_base
from chain.deployment.signed import send_signed
from chain.runtime.contract import require_no_init_args
from chain.simulator.catalogue import ContractCatalogue
from chain.simulator.chain import MEMORY

_OF_PLANS = ("plan_name", "yes", "dry_run", "choice", "resend", "reset", "adopt", "base")


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("what", shell_complete=completion.classes)
@click.argument("args", nargs=-1, type=click.UNPROCESSED)
@lookup.sender_option
@lookup.value_option
@click.option("--yes", "-y", is_flag=True, help="A plan: do not ask.")
@click.option("--dry-run", is_flag=True, help="A plan: apply it to a fork of the chain only.")
@click.option(
    "--upgrade",
    "choice",
    flag_value="upgrade",
    help="A plan: replace the code of changed contracts.",
)
@click.option(
    "--beside",
    "choice",
    flag_value="beside",
    help="A plan: deploy changed contracts in addition to the old ones.",
)
@click.option("--resend", is_flag=True, help="A plan: send changed calls again.")
@click.option(
    "--reset", is_flag=True, help="A plan: the chain was restarted from scratch, so start over."
)
@click.option(
    "--adopt",
    is_flag=True,
    help="A plan without a journal here: take over the steps that are already on the chain.",
)
@click.option(
    "--name", "plan_name", help="A plan: its name on the chain; by default that of the script."
)
@options.deployments_option(
    "A plan: the folder of the journal; by default 'deployments' in the project of the script."
)
@signer_options
@options.chain_option
@options.contracts_option
@output.json_option
@click.pass_context
def command(
    context: click.Context, what: str, args: tuple[str, ...], sender: str, value: int, yes: bool, dry_run: bool,
    choice: str | None, resend: bool, reset: bool, adopt: bool, plan_name: str | None, base: Path | None,
    signer: Account | None, where: str, offered: ContractCatalogue, json: bool,
) -> None:  # fmt: skip
    """Deploy WHAT: a contract by name, with ARGS for its @init, or a script with plan(deployment, …), with name=value.

    A plan is applied step by step. Steps that were done before are skipped, so an interrupted plan can be run again.
    """
    given = {name for name in context.params if _is_given(context, name)}
    if signer is not None and "sender" in given:
        raise click.UsageError(
            "--from names another sender than the key that signs: use only one of them"
        )
    if not what.endswith(".py"):
        if given & {*_OF_PLANS}:
            raise click.UsageError(
                f"{what} is a contract, and the options 'A plan: …' are for a script"
            )
        _deploy_contract(what, args, value, sender, signer, where, offered, json=json)
        return
    if "value" in given:
        raise click.UsageError("--value is for a contract: in a plan each step has its own value")
    script, parameters = Path(what), split_parameters(args)
    name = plan_name or script.stem
    if Path(name).name != name:
        raise click.UsageError(f"--name {name!r} cannot be the name of a plan: it would be a path")
    accounts = AccountWords()
    who = accounts.read(sender, "--from") if signer is None else signer
    plan = load_plan(script, parameters, accounts)
    wish = DeployOptions(name, parameters, yes, dry_run, choice, resend, reset, adopt, json)
    folder = base or default_base(script.parent)
    reached = where if options.exists(where) or not dry_run else MEMORY
    with options.open_chain(reached, offered, make=True) as chain:
        deployment_view.Job(plan, chain, wish, who, signer).run(folder, where)


def _deploy_contract(
    what: str, args: tuple[str, ...], value: int, sender: str, signer: Account | None, where: str,
    offered: ContractCatalogue, *, json: bool,
) -> None:  # fmt: skip
    cls = options.contract_named(offered, what)
    with options.open_chain(where, offered, make=True) as chain:
        init = cls.__spec__.init
        if init is None and args:
            raise click.UsageError(f"{cls.__name__} has no @init, so it takes no arguments")
        values = options.arguments(chain, init, args) if init else {}
        data = init.encode_args((), values) if init else require_no_init_args(cls, (), {})
        program = chain.declare(cls)
        chain.need_code([program])
        receipt = (
            chain.send(
                None, program.initcode + data, sender=lookup.sender(chain, sender), value=value
            )
            if signer is None
            else send_signed(chain, signer, None, program.initcode + data, value)
        )
        deployment_view.deployed(receipt, cls, json=json)
    if where == MEMORY:
        output.remark(
            "this ran on a chain in memory, which no longer exists: use --chain FILE or URL to keep it"
        )


def _is_given(context: click.Context, name: str) -> bool:
    """Return True if an option was given on the command line."""
    return context.get_parameter_source(name) == ParameterSource.COMMANDLINE
