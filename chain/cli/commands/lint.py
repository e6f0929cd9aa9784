"""Check contracts for lost data and for results that may differ between machines.

$ boardchain lint contracts.blokus
$ boardchain lint my_game.py
"""

from __future__ import annotations

import sys

import click

from chain.cli import output
from chain.guard import Finding, check


@click.command()
@click.argument("targets", nargs=-1, required=True, metavar="TARGET…")
@output.json_option
def command(targets: tuple[str, ...], json: bool) -> None:
    """Check each TARGET, a package (contracts.blokus), a folder or a file, without running it.

    In a file with contracts this covers the code that they reach, as every deploy does. In any other file, and in a package, it
    covers all code. In a folder without Python files at its top, such as a project, it covers every file below with contracts.

    Each finding shows its location, the problem, the reason and the alternative. If there are findings, the exit code is 1.
    """
    try:
        findings = [finding for target in targets for finding in check(target)]
    except (FileNotFoundError, UnicodeDecodeError) as error:
        raise click.UsageError(str(error)) from None
    if json:
        output.as_json(findings)
    else:
        for finding in findings:
            _print_finding(finding)
        output.remark(f"findings: {len(findings)}" if findings else "no findings")
    sys.exit(1 if findings else 0)


def _print_finding(finding: Finding) -> None:
    if output.is_terminal():
        location = click.style(finding.place, bold=True)
        click.echo(f"{location}: {finding.what}\n    {finding.why}\n    {finding.instead}")
    else:
        click.echo(str(finding))
