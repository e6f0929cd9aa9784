"""The deployments of a project: plans, steps, addresses, runs and costs.

$ boardchain deployments
$ boardchain deployments games --addresses
$ boardchain deployments --chain games.chain
"""

from __future__ import annotations

from collections.abc import Iterator
from os.path import relpath
from pathlib import Path
from typing import Any

import click

from chain.cli import options, output
from chain.cli.deployment_view import ether
from chain.deployment.address_book import FILE, typescript
from chain.deployment.chain_folder import chain_folders, default_base, find_folder
from chain.deployment.journal import DONE, SENDING, Journal, Record, is_on_chain, read_json
from chain.simulator.chain import MEMORY, Chain

DeploymentRow = tuple[object, ...]


@click.command()
@click.argument("name", metavar="[CHAIN]", required=False)
@click.option("--addresses", "shown", flag_value="addresses", help="The address book.")
@click.option("--history", "shown", flag_value="history", help="The runs, and what each did.")
@click.option(
    "--typescript",
    "--ts",
    "shown",
    flag_value="typescript",
    help="The address book as a TypeScript module.",
)
@click.option(
    "--out", type=click.Path(dir_okay=False, path_type=Path), help="Write the module to a file."
)
@options.deployments_option(
    "The folder of the deployments; by default 'deployments' in this project."
)
@options.chain_option
@output.json_option
def command(
    name: str | None, shown: str | None, out: Path | None, base: Path | None, where: str, json: bool
) -> None:  # fmt: skip
    """List what plans have deployed: on all chains, or each step on CHAIN, a folder of the deployments.

    With --chain, show the plans on that chain, and look up each step on it.
    """
    folder = base or default_base(Path.cwd())
    if name is not None:
        where = MEMORY  # CHAIN is given, so the one of the environment does not count
    if out is not None and shown != "typescript":
        raise click.UsageError("--out is for --typescript")
    if name is None and shown is None and where == MEMORY:
        _show(_plans(folder), _PLANS, json=json)
        return
    if where == MEMORY:
        _show_chain(_chosen(folder, name), shown, out, None, json=json)
        return
    with options.open_chain(where) as chain:
        found = find_folder(folder, chain, where)
        if found.path is None or not found.plans:
            raise click.UsageError(f"{folder} has no deployments to {where}")
        _show_chain(found.path, shown, out, chain, json=json)


_PLANS = ("chain", "at", "plan", "steps", "contracts", "runs", "gas", "ether")
_STEPS = ("plan", "step", "status", "address", "block", "gas", "ether")
_ADDRESSES = ("plan", "name", "contract", "address")
_HISTORY = ("plan", "run", "step", "action", "address", "block", "transaction", "gas", "ether")


def _show_chain(
    folder: Path, shown: str | None, out: Path | None, chain: Chain | None, *, json: bool
) -> None:
    if shown == "history":
        _show(_history(folder), _HISTORY, json=json)
    elif shown is None:
        _show(_steps(folder, chain), _STEPS, json=json)
    else:
        _show_book(read_json(folder / FILE) or {"plans": {}}, shown, out, json=json)


def _show_book(book: dict[str, Any], shown: str, out: Path | None, *, json: bool) -> None:
    if shown == "typescript":
        text = typescript(book)
        click.echo(text) if out is None else out.write_text(f"{text}\n", "utf-8")
    elif json:
        output.as_json(book)
    else:
        contracts = [
            (plan, name, contract["contract"], contract["address"])
            for plan, found in book["plans"].items()
            for name, contract in found.items()
        ]
        output.table(_ADDRESSES, contracts, json=False)


def _show(rows: Iterator[DeploymentRow], columns: tuple[str, ...], *, json: bool) -> None:
    output.table(columns, rows, json=json)


def _place(base: Path, at: str | None) -> str | None:
    """Return the location of a chain; for a file, the path relative to the working directory."""
    return at if at is None or "://" in at else relpath(base / at)


def _plans(base: Path) -> Iterator[DeploymentRow]:
    for folder, identity in chain_folders(base):
        for plan, journal in _journals(folder):
            records = [record for record in journal.records.values() if record["status"] == DONE]
            contracts = sum(record["to"] is None for record in records)
            did = [each for run in journal.runs for each in run["did"]]
            gas, cost = sum(each["gas"] for each in did), sum(int(each["cost"]) for each in did)
            yield (
                folder.name, _place(base, identity["at"]), plan, len(records), contracts, len(journal.runs), gas, ether(cost),
            )  # fmt: skip


def _steps(folder: Path, chain: Chain | None) -> Iterator[DeploymentRow]:
    for plan, journal in _journals(folder):
        sending = {} if journal.sending is None else {journal.sending["step"]: journal.sending}
        for name, record in {**journal.records, **sending}.items():
            yield plan, name, _status(record, chain), *_transaction(record, "address", "block")


def _history(folder: Path) -> Iterator[DeploymentRow]:
    for plan, journal in _journals(folder):
        for run in journal.runs:
            for did in run["did"]:
                names = ("step", "action", "address", "block", "transaction")
                yield plan, run["run"], *_transaction(did, *names)


def _transaction(record: Record, *names: str) -> DeploymentRow:
    """Return these values of a record, its gas and its cost. A step that is being sent has none."""
    cost = ether(int(record["cost"])) if "cost" in record else None
    return *(record.get(name) for name in names), record.get("gas"), cost


def _status(record: Record, chain: Chain | None) -> str:
    """Return the status of a step; `lost` if the chain does not have its transaction."""
    is_lost = chain is not None and record["status"] != SENDING and not is_on_chain(chain, record)
    return "lost" if is_lost else str(record["status"])


def _journals(folder: Path) -> Iterator[tuple[str, Journal]]:
    for path in sorted(folder.glob("plans/*.json")):
        yield path.stem, Journal(path)


def _chosen(base: Path, name: str | None) -> Path:
    """Return the folder of that name, or the only one."""
    known = [folder for folder, _ in chain_folders(base)]
    chosen = [folder for folder in known if name in (None, folder.name)]
    if len(chosen) == 1:
        return chosen[0]
    names = ", ".join(folder.name for folder in known) or "none"
    what = "no chain of that name" if name else f"{len(known)} chains"
    raise click.UsageError(f"{base} has {what}; there are {names}")
