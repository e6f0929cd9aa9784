"""Write a play as a transcript that can be replayed.

$ boardchain record scripts/play_deblockle.py -o play.jsonl
$ boardchain record duel.chain -o duel.jsonl
"""

from __future__ import annotations

import runpy
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path

import click

from chain.cli import output
from chain.cli.options import contracts_option
from chain.cli.progress import tracked
from chain.cli.script_loader import takes_chain
from chain.foundation import creation_hooks
from chain.replays.read_file import Recording, is_chain, recording_in, recording_of
from chain.replays.transcript import parse
from chain.simulator.catalogue import ContractCatalogue
from chain.simulator.chain import Chain
from chain.source.user_modules import add_folder, add_project


@click.command()
@click.argument("source", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("args", nargs=-1, type=click.UNPROCESSED)
@click.option("-o", "--out", type=click.Path(dir_okay=False, path_type=Path), help="Write it to a file.")  # fmt: skip
@click.option(
    "--nth", type=click.IntRange(1), help="The number of the chain, if a script plays on several."
)
@contracts_option
def command(
    source: Path,
    args: tuple[str, ...],
    out: Path | None,
    nth: int | None,
    offered: ContractCatalogue,
) -> None:
    """Record SOURCE: a script, which is run with ARGS, or the file of a chain.

    If the script creates no chain, its main(chain) is run on a new one. Its contracts must be in modules that can be imported,
    not in the script itself. Options of the script go after --. The activity is written as text beside a file that ends in
    .jsonl, into one that ends in .txt.
    """
    if is_chain(source):
        recording = recording_in(
            source, offered, lambda blocks: tracked(blocks, "reading", len(blocks))
        )
    elif source.suffix == ".py":
        recording = _chosen(_played(source, args), nth)
    else:
        raise click.UsageError(
            f"{source} is neither a script, which ends in .py, nor the file of a chain"
        )
    if out is None:
        click.echo(recording.text, nl=False)
    else:
        recording.write(out)
        output.remark(f"{out}: {recording.text.count(chr(10))} lines")


def _played(script: Path, args: tuple[str, ...]) -> list[Recording]:
    """Return a recording of each chain that the script created."""
    with _witnessed() as chains, redirect_stdout(sys.stderr):
        old_argv, sys.argv = sys.argv, [str(script), *args]
        add_folder(Path.cwd())
        add_project(script.resolve().parent)
        try:
            main = runpy.run_path(str(script), run_name="__main__").get("main")
            if not chains and callable(main) and takes_chain(main):
                main(Chain())  # as `boardchain run` does
        except SystemExit as end:
            if end.code not in (None, 0):
                raise click.ClickException(f"{script} ended with {end.code}") from None
        finally:
            sys.argv = old_argv
    return list(dict.fromkeys(_recording(chain) for chain in chains if len(chain.receipts)))


@contextmanager
def _witnessed() -> Iterator[list[Chain]]:
    """Collect the chains that are created within the scope."""
    chains: list[Chain] = []
    creation_hooks.creation_listeners.append(chains.append)
    try:
        yield chains
    finally:
        creation_hooks.creation_listeners.remove(chains.append)


def _recording(chain: Chain) -> Recording:
    """Return the recording of a chain. Refuse contracts that a replay cannot import."""
    recording = recording_of(chain)
    for name, full, _ in parse(recording.text).contracts.values():
        if full.startswith("__main__") or "<locals>" in full:
            raise click.ClickException(
                f"{name} is defined in the script itself, from which a replay cannot import it: move it to a module of its own"
            )
    return recording


def _chosen(played: list[Recording], nth: int | None) -> Recording:
    """Return the recording that `--nth` selects."""
    if not played:
        raise click.ClickException("the script sent no transaction to any chain")
    if nth is None and len(played) > 1:
        raise click.UsageError(f"it played on {len(played)} chains: choose one with --nth")
    if nth is not None and nth > len(played):
        raise click.UsageError(f"there is no chain {nth}: it played on {len(played)}")
    return played[(nth or 1) - 1]
