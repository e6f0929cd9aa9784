"""Write the report of played games, a page of HTML.

$ boardchain play-report runs/blokus
"""

from __future__ import annotations

from pathlib import Path

import click

from chain.arena.report import write_report
from chain.arena.store import NoResults


@click.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "-o",
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The file to write.  [default: report.html in FOLDER]",
)
def command(folder: Path, out: Path | None) -> None:
    """Write the report of the results that `boardchain play` saved in FOLDER.

    It is one page that needs no network and no script.
    """
    try:
        click.echo(write_report(folder, out))
    except NoResults as problem:
        raise click.UsageError(str(problem)) from None
