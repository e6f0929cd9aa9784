"""Call a game's entries at random to find what breaks it.

$ boardchain fuzz contracts.deblockle
$ boardchain fuzz contracts.deblockle --rounds 20 --workers 8 --corpus corpus
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from chain.cli.error_report import NO
from chain.cli.progress import bar
from chain.foundation.folder_lock import FolderInUse
from chain.fuzz import Fuzz
from chain.fuzz.fuzz_targets import descriptions
from chain.fuzz.rounds import UNITS, Campaign, RoundPlan, UnitFailed, UnitLost
from chain.simulator.catalogue import ContractNotFound

_NO_INVARIANTS = "no invariants: only exceptions were looked for; a class derived from chain.fuzz.Fuzz says what must hold"
_SOME = click.IntRange(min=1)


@click.command()
@click.argument("target")
@click.option(
    "--examples",
    type=_SOME,
    default=1000,
    show_default=True,
    help="Number of plays; with --rounds, in each round.",
)
@click.option(
    "--steps", type=_SOME, default=30, show_default=True, help="Maximum number of calls in a play."
)
@click.option("--seed", default=0, show_default=True, help="Another seed gives other plays.")
@click.option("--no-lines", is_flag=True, help="Do not trace lines: faster, but finds less.")
@click.option(
    "--write",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the failing test to this file, with pictures of the board before and after next to it.",
)
@click.option(
    "--rounds",
    type=_SOME,
    help="Number of rounds; each builds on what the earlier ones reached.",
)
@click.option(
    "--workers",
    type=_SOME,
    default=1,
    show_default=True,
    help="Number of processes that play the rounds; it does not change the findings.",
)
@click.option(
    "--corpus",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder in which rounds keep what they reached, to continue from there.  [default: not kept]",
)
def command(
    target: str,
    examples: int,
    steps: int,
    seed: int,
    no_lines: bool,
    write: Path | None,
    rounds: int | None,
    workers: int,
    corpus: Path | None,
) -> int:
    """Fuzz TARGET, a module such as contracts.deblockle, or one description in it: module:Name.

    A report of the run is printed. If an invariant breaks or a contract raises, a test that fails in the same way is printed
    too, and the exit code is 1.
    """
    if rounds is None and (corpus is not None or workers > 1):
        raise click.UsageError("several processes and a corpus are for rounds: set --rounds")  # fmt: skip
    try:
        found = descriptions(target)
        if rounds is None:
            codes = [_run(each, examples, steps, seed, not no_lines, write) for each in found]
            return max(codes)
        options = {"examples": examples, "steps": steps, "seed": seed, "lines": not no_lines}
        codes = []
        for index, each in enumerate(found):
            plan = RoundPlan.of(target, index, **options)
            with ExitStack() as scope:
                folder = corpus or Path(scope.enter_context(TemporaryDirectory()))
                codes.append(_run_rounds(plan, folder / each.__name__, rounds, workers, write))
    except ContractNotFound as error:
        raise click.UsageError(str(error)) from error
    except (FolderInUse, UnitFailed, UnitLost) as error:
        raise click.ClickException(str(error)) from error
    return max(codes)


def _run_rounds(
    plan: RoundPlan, folder: Path, rounds: int, workers: int, write: Path | None
) -> int:
    with bar("fuzzing", UNITS * rounds) as step:
        state = Campaign(plan, folder).run(rounds, workers, step)
    click.echo(f"{state.rounds} rounds: {state.report}")
    if state.failure is None:
        return 0
    click.echo(f"\n{state.failure['text']}")
    if write is not None and state.failure["test"] is not None:
        _write(write, state.failure["test"], state.failure["pictures"])
    return NO


def _run(
    description: type[Fuzz], examples: int, steps: int, seed: int, lines: bool, write: Path | None
) -> int:
    # Not `except FuzzFailure`: the run may also end in a plain AssertionError.
    try:
        with bar("fuzzing", examples) as step:
            report = description.run(examples, steps, seed, lines, step)
        click.echo(report)
        if not description.invariants():
            click.echo(_NO_INVARIANTS)
    except AssertionError as failure:
        click.echo(f"{getattr(failure, 'report', '')}\n\n{failure}")
        if write is not None and hasattr(failure, "test") and hasattr(failure, "pictures"):
            _write(write, failure.test, [picture.svg(dark=True) for picture in failure.pictures])
        return NO
    return 0


def _write(file: Path, test: str, pictures: Sequence[str]) -> None:
    """Write a test, and pictures of the board before and after its last call."""
    file.write_text(test, "utf-8")
    for name, picture in zip(("before", "after"), pictures, strict=False):
        file.with_name(f"{file.stem}-{name}.svg").write_text(picture, "utf-8")
