"""Verification that a play has the same results in every interpreter.

A play is repeated under five hash seeds, with the contracts loaded again halfway, and on every installed version of Python.
All block hashes are compared, and results, gas and ticks, which are not part of a block.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from chain.foundation.dataclass import dataclass
from chain.replays.outcomes import Divergence, first_divergence
from chain.replays.player import classes_of
from chain.replays.subprocess_runs import SEEDS, SubprocessRun, other_versions, play_in
from chain.replays.transcript import parse
from chain.simulator.catalogue import ContractCatalogue

VerifyWatch: TypeAlias = Callable[[int, int], object]


def _look_away(done: int, total: int) -> None:
    pass


@dataclass(frozen=True)
class VerifyResult:
    """The result of a verification.

    `divergence` is the first difference between two runs, `difference` one between all runs and the transcript.
    """

    seeds: Sequence[int]
    versions: Sequence[str]  # of Python, other than that of this process
    blocks: int
    divergence: Divergence | None = None
    diverging_seeds: tuple[str, str] | None = None  # descriptions of the two runs
    difference: str | None = None

    @property
    def ok(self) -> bool:
        """True if all runs have the recorded results."""
        return self.diverging_seeds is None and self.difference is None

    def __str__(self) -> str:
        if self.diverging_seeds is not None:
            if self.divergence is None:
                return (
                    f"the blocks or ticks {self.diverging_seeds[0]} and {self.diverging_seeds[1]} differ, though every"
                    " transaction has the same outcome"
                )
            return self.divergence.told(*self.diverging_seeds)
        if self.difference is not None:
            return f"it has the same result {len(self.seeds)} times, but not the recorded one: {self.difference}"
        others = "".join(f", on Python {version}" for version in self.versions)
        return (
            f"{self.blocks} blocks are the same under {len(self.seeds)} hash seeds,"
            f" with the contracts loaded again halfway{others}"
        )


def verify(
    text: str,
    packages: Sequence[str],
    seeds: Sequence[int] = SEEDS,
    *,
    watch: VerifyWatch = _look_away,
) -> VerifyResult:
    """Play a transcript in each interpreter. `watch` is called after each play, with 1 and the total number.

    An invalid text, or one whose contracts are not offered, is refused before any interpreter starts.
    """
    classes_of(parse(text), (), [ContractCatalogue(package) for package in packages])
    others = other_versions()
    runs = [*map(SubprocessRun, seeds), SubprocessRun(anew=True), *others]
    answers = play_in(runs, text, packages, watch=lambda: watch(1, len(runs)))
    first, blocks = answers[0], len(answers[0]["hashes"])
    versions = [run.version for run in others]
    for run, answer in zip(runs, answers, strict=True):
        if any(answer[each] != first[each] for each in ("hashes", "outcomes")):
            divergence = first_divergence(first["outcomes"], answer["outcomes"])
            return VerifyResult(seeds, versions, blocks, divergence, (str(runs[0]), str(run)))
    return VerifyResult(seeds, versions, blocks, difference=first["difference"])
