"""What in a contract may be lost or not be the same on every machine."""

from __future__ import annotations

import sys

import click

from chain.cli import output
from chain.guard import (
    Finding,
    check,
)


@click.command()
@click.argument("targets", nargs=-1, required=True, metavar="TARGET…")
@output.json_option
def command(targets: tuple[str, ...], json: bool) -> None:
    """Read each TARGET, a package (contracts.blokus), a folder or a file; nothing of it is run.

    Of a file with contracts that is what they reach, as every deploy does; of others, and of a package, all that stands there.
    Of a folder without Python, as that of a project, every file below that has contracts.

    What is found is told with its place, what it is, why it matters, and what to write instead. The exit code is then 1.
    """
    try:
        found = [finding for target in targets for finding in check(target)]
    except (FileNotFoundError, UnicodeDecodeError) as wrong:
        raise click.UsageError(str(wrong)) from None
    if json:
        output.as_json(found)
    else:
        for finding in found:
            _tell(finding)
        output.remark(f"{len(found)} found" if found else "nothing found")
    sys.exit(1 if found else 0)


def _tell(finding: Finding) -> None:
    if output.is_terminal():
        place = click.style(finding.place, bold=True)
        click.echo(f"{place}: {finding.what}\n    {finding.why}\n    {finding.instead}")
    else:
        click.echo(str(finding))
