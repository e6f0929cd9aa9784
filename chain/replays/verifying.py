"""Whether a play comes out the same in every interpreter: it is played under five hash seeds, and all block hashes compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from chain.offered import Offered
from chain.replays.deeds import Parting, parting
from chain.replays.form import read
from chain.replays.fresh import SEEDS, Answer, play_under
from chain.replays.playing import classes_of


@dataclass(frozen=True)
class Verdict:
    """What came out. `parting` tells where two runs differ, `difference` where all differ from what is written."""

    seeds: Sequence[int]
    blocks: int
    parting: Parting | None = None
    parted: tuple[int, int] | None = None  # the seeds
    difference: str | None = None

    @property
    def ok(self) -> bool:
        return self.parted is None and self.difference is None

    def __str__(self) -> str:
        if self.parted is not None:
            one, other = (f"under hash seed {seed}" for seed in self.parted)
            if self.parting is None:
                return f"the blocks {one} and {other} differ, though no transaction tells how"
            return self.parting.told(one, other)
        if self.difference is not None:
            return f"it comes out the same {len(self.seeds)} times, but not as it is written: {self.difference}"
        return f"{self.blocks} blocks came out the same under {len(self.seeds)} hash seeds"


def verify(text: str, packages: Sequence[str], seeds: Sequence[int] = SEEDS) -> Verdict:
    """Play a transcript under each hash seed.

    A text that is none, or whose contracts are not offered, is refused before any interpreter starts.
    """
    classes_of(read(text), (), [Offered(package) for package in packages])
    answers = play_under(seeds, text, packages)
    first = answers[0]
    for seed, answer in zip(seeds, answers, strict=True):
        if _came(answer) != _came(first):
            parted = seeds[0], seed
            one, other = play_under(parted, text, packages, deeds=True)
            return Verdict(
                seeds, len(first["hashes"]), parting(one["deeds"], other["deeds"]), parted
            )
    return Verdict(seeds, len(first["hashes"]), difference=first["difference"])


def _came(answer: Answer) -> tuple[object, object]:
    """All that must be the same: the hashes, and what is in no block, as what calls returned."""
    return answer["hashes"], answer["text"]
