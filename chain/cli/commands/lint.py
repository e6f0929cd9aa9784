"""Check contracts for mistakes in declarations, for lost data and for results that may differ between machines.

$ boardchain lint contracts.blokus
$ boardchain lint my_game.py
"""

from __future__ import annotations

import sys

import click

from chain.cli import output
from chain.cli.checked_files import findings_in
from chain.guard import Finding


@click.command()
@click.argument("targets", nargs=-1, required=True, metavar="TARGET…")
@output.json_option
def command(targets: tuple[str, ...], json: bool) -> None:
    """Check the contracts in each TARGET: a package (contracts.blokus), a folder or a file.

    The files with contracts are imported, and all code that the contracts reach is checked, as every deploy does. A file that
    cannot be imported is checked as text, and so is a TARGET without contracts, such as a file of rules.

    Each finding shows its location, the problem, the reason and the alternative. If there are findings, the exit code is 1.
    """
    try:
        findings = sorted({finding for target in targets for finding in findings_in(target)})
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
    texts = [text for text in (finding.what, finding.why, finding.instead) if text]
    if output.is_terminal():
        place = click.style(finding.place, bold=True)
        click.echo(f"{place}: " + "\n    ".join(texts))
    else:
        click.echo(f"{finding.place}: {'; '.join(texts)}")
