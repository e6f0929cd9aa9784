"""Call a game's entries at random to find what breaks it.

$ boardchain fuzz contracts.deblockle
"""

from __future__ import annotations

from pathlib import Path

import click

from chain.cli.error_report import NO
from chain.fuzz import Fuzz, NoHypothesis
from chain.fuzz.fuzz_targets import descriptions
from chain.simulator.catalogue import ContractNotFound

_SOME = click.IntRange(min=1)


@click.command()
@click.argument("target")
@click.option("--examples", type=_SOME, default=1000, show_default=True, help="How many plays.")
@click.option(
    "--steps", type=_SOME, default=30, show_default=True, help="Calls in a play, at most."
)
@click.option("--seed", default=0, show_default=True, help="Another number, other plays.")
@click.option("--no-lines", is_flag=True, help="Do not trace lines: faster, but blinder.")
@click.option(
    "--write",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Where to write the test that fails, with pictures of the board before and after beside it.",
)
def command(
    target: str, examples: int, steps: int, seed: int, no_lines: bool, write: Path | None
) -> int:
    """Fuzz TARGET, a module such as contracts.deblockle, or one description in it: module:Name.

    A report of the run is printed. If an invariant breaks or a contract raises, a test that fails in the same way is printed
    too, and the exit code is 1.
    """
    try:
        exit_codes = [
            _run(description, examples, steps, seed, not no_lines, write)
            for description in descriptions(target)
        ]
    except (NoHypothesis, ContractNotFound) as error:
        raise click.UsageError(str(error)) from error
    return max(exit_codes)


def _run(
    description: type[Fuzz], examples: int, steps: int, seed: int, lines: bool, write: Path | None
) -> int:
    # Not `except FuzzFailure`: the run may also end in a plain AssertionError.
    try:
        click.echo(description.run(examples, steps, seed, lines))
    except AssertionError as failure:
        click.echo(f"{getattr(failure, 'report', '')}\n\n{failure}")
        if write is not None and hasattr(failure, "test") and hasattr(failure, "pictures"):
            write.write_text(failure.test, "utf-8")
            for name, picture in zip(("before", "after"), failure.pictures, strict=False):
                path = write.with_name(f"{write.stem}-{name}.svg")
                path.write_text(picture.svg(dark=True), "utf-8")
        return NO
    return 0
