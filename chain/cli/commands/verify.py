"""Play a chain again in several interpreters, and compare every block.

$ boardchain verify play.jsonl
"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from chain.cli import output
from chain.cli.options import contracts_option
from chain.cli.progress import bar, tracked
from chain.replays import BadTranscript
from chain.replays.read_file import recording_in
from chain.replays.subprocess_runs import Failed
from chain.replays.verify import verify
from chain.simulator.catalogue import ContractCatalogue


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@output.json_option
@contracts_option
def command(file: Path, json: bool, offered: ContractCatalogue) -> None:
    """Play FILE, a transcript or the file of a chain, in new interpreters: under five hash seeds, with all contracts reloaded
    halfway, and on every other Python version on this machine that can run Boardchain. Ticks are compared as well.

    If the results differ, the exit code is 1 and the first difference is shown: contract, entry, field.
    """
    try:
        text = recording_in(
            file, offered, lambda blocks: tracked(blocks, "reading", len(blocks))
        ).text
        with bar("verifying", None) as step:
            verdict = verify(
                text, [offered.package], watch=lambda done, total: step(done, f"of {total}")
            )
    except (BadTranscript, Failed) as error:
        raise click.UsageError(f"{file}: {error}") from None
    if json:
        output.as_json({"ok": verdict.ok, **vars(verdict)})
    else:
        click.echo(f"{file}: {verdict}")
    sys.exit(0 if verdict.ok else 1)
