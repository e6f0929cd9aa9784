"""Play a transcript again, and show where the result differs.

$ boardchain replay play.jsonl
$ boardchain replay play.jsonl --update
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from chain.cli import output
from chain.cli.options import contracts_option
from chain.cli.progress import tracked
from chain.replays import BadTranscript, Replay, replay
from chain.replays.read_file import Recording, is_chain, recording_in
from chain.replays.transcript import TranscriptStep
from chain.simulator.catalogue import ContractCatalogue, ContractNotFound


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--update", is_flag=True, help="Write the present outcomes to FILE, and the activity beside it."
)
@click.option("--moves-only", is_flag=True, help="Do not compare the hash of the last block.")
@output.json_option
@contracts_option
def command(
    file: Path, update: bool, moves_only: bool, json: bool, offered: ContractCatalogue
) -> None:
    """Play FILE, a transcript or the file of a chain, on a new chain.

    The exit code is 1 if the result of a step differs from the transcript. The first such step is shown.
    """
    if update and is_chain(file):
        raise click.UsageError("only a transcript can be rewritten, not the file of a chain")
    try:
        text = recording_in(
            file, offered, lambda blocks: tracked(blocks, "reading", len(blocks))
        ).text
        played = replay(
            text, offered=[offered], to_the_end=update, moves_only=moves_only, through=_printed
        )
    except (BadTranscript, ContractNotFound) as error:
        raise click.UsageError(f"{file}: {error}") from None
    if update:
        _update(file, text, played)
        return
    if json:
        output.as_json({"ok": played.ok, "difference": played.difference})
    elif played.difference is not None:
        click.echo(f"{file}, {_coloured(str(played.difference))}")
    else:
        output.remark(f"{len(played.chain.receipts)} transactions have the recorded outcome")
    sys.exit(0 if played.ok else 1)


def _printed(steps: Sequence[TranscriptStep]) -> Iterator[TranscriptStep]:
    return tracked(steps, "replaying", len(steps))


def _update(file: Path, text: str, played: Replay) -> None:
    if played.text == text:
        output.remark(f"{file} is unchanged")
        return
    Recording(played.text, played.chain.activity()).write(file)
    output.remark(f"{file} is rewritten")


def _coloured(text: str) -> str:
    if not output.is_terminal():
        return text
    colours = {"-": "red", "+": "green"}
    return "\n".join(click.style(line, fg=colours.get(line[:1])) for line in text.split("\n"))
