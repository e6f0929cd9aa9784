"""Playing a transcript again, on a fresh chain: what comes of each step is compared with what is written there.

Contracts are looked for among classes that are given, or in packages that are offered; a transcript can have nothing else
imported. Playing ends at the first difference, unless all shall be written anew.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import unified_diff
from pathlib import Path
from typing import Any, Final

from chain.errors import InvalidTransaction
from chain.ledger.artifacts import full_name
from chain.ledger.blocks import ChainConfig
from chain.ledger.receipts import Receipt
from chain.metering.program import (
    begin_anew,
    check_classes,
    program_of,
)
from chain.replays.recorder import (
    Named,
    Writer,
    record,
    settings_of,
)
from chain.replays.step_requests import StepRequests
from chain.replays.transcript import (
    BadTranscript,
    Step,
    Transcript,
    parse,
)
from chain.runtime.contract import Contract
from chain.runtime.forced_random import RecordedOutcomes
from chain.runtime.world import World
from chain.simulator.catalogue import (
    ContractCatalogue,
    ContractNotFound,
)
from chain.simulator.chain import Chain
from chain.source.location import line_of

_WIDEST: Final = 140  # characters of a line that differs
_BEFORE: Final = 50  # of these before the difference
_BEHIND_A_HASH: Final = "the code of a contract changed, or words in storage that no step tells of"


@dataclass(frozen=True)
class Difference:
    """The first step of which something else came than is written."""

    line: int  # in the transcript
    what: str
    step: str
    written: Sequence[str] = ()
    found: Sequence[str] = ()
    contract: str | None = None
    entry: str | None = None
    place: str = ""  # in the contract's source
    missing: Sequence[str] = ()  # the versions of contracts whose source is not here

    def __str__(self) -> str:
        lines = [f"line {self.line}: {self.what}", *([f"  {self.step}"] if self.step else [])]
        lines += _compared(self.written, self.found)
        if self.missing:
            lines.append(
                f"the source of {' and '.join(self.missing)} is not here: what these classes are now was played in its place"
            )
        return "\n".join(lines)


def _differing(step: Step, receipt: Receipt, found: list[str]) -> Difference:
    called = ".".join(filter(None, (receipt.contract, receipt.entry))) or "this step"
    place = _place(receipt)
    what = f"something else comes of {called}" + (f" ({place})" if place else "")
    return Difference(
        step.line, what, step.request, step.outcome, found, receipt.contract, receipt.entry, place
    )


def _compared_in(step: Step, outcome: Sequence[str]) -> Sequence[str]:
    """All that came of a step, but for the gas of a deployment or upgrade: it sends the digest of the code, whose zeros
    are cheaper.

    So a changed rule shows at the first move that it changes; that the code is another one shows in the last hash.
    """
    if not step.what.startswith(("deploy ", "upgrade ")) or not outcome:
        return outcome
    return [*outcome[:-1], outcome[-1].rpartition(" [")[0]]


def _compared(written: Sequence[str], found: Sequence[str]) -> Iterator[str]:
    """The lines that differ, each with one before it; of long ones the part that does."""
    lines = list(unified_diff(written, found, n=1, lineterm=""))[2:]  # without the names of files
    for i, line in enumerate(lines):
        if line.startswith("@@"):
            continue
        other = lines[i - 1 if line[0] == "+" else (i + 1) % len(lines)]
        sign, text = line[:1], line[1:]
        if len(text) > _WIDEST and {sign, other[:1]} == {"-", "+"}:
            start = max(0, _same(text, other[1:]) - _BEFORE)
            end = start + _WIDEST
            text = ("…" if start else "") + text[start:end] + ("…" if text[end:] else "")
        yield f"{sign} {text}"


def _same(one: str, other: str) -> int:
    """How many characters two lines begin with in common."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((i for i, (a, b) in pairs if a != b), min(len(one), len(other)))


@dataclass(frozen=True)
class Replay:
    """A transcript that was played again. `difference` is None where all came as it is written."""

    chain: Chain
    difference: Difference | None

    @property
    def ok(self) -> bool:
        return self.difference is None

    @property
    def text(self) -> str:
        """The transcript as it is now."""
        return record(self.chain)


def replay(
    text: str,
    *,
    contracts: Collection[type[Contract]] = (),
    offered: Sequence[ContractCatalogue] = (),
    to_the_end: bool = False,
    moves_only: bool = False,
    through: Callable[[Sequence[Step]], Iterable[Step]] = iter,
    anew: bool = False,
) -> Replay:
    """Play a transcript on a fresh chain, up to the first difference or to the end.

    With `moves_only` the hash of the last block may be another one, as it is whenever the code of a contract changes.
    `through` sees each step go by. With `anew` all contracts are loaded a second time half way, as on a machine that starts
    then: what they remember outside of storage is lost.
    """
    check_classes(contracts)
    player = Replayer(parse(text), contracts, offered)
    if anew:
        player.anew_at = len(player.steps) // 2
    difference = player.play(to_the_end, through) or (None if moves_only else player.end())
    if difference is not None:
        difference = replace(difference, missing=player.missing)
    return Replay(player.chain, difference)


def check_transcript(
    path: str | Path, *, contracts: Collection[type[Contract]] = (), packages: Sequence[str] = (), moves_only: bool = False
) -> None:  # fmt: skip
    """For a test that keeps a transcript as a golden file: an AssertionError tells the first difference."""
    __tracebackhide__ = True
    path, offered = Path(path), [ContractCatalogue(package) for package in packages]
    text = path.read_bytes().decode()
    played = replay(text, contracts=contracts, offered=offered, moves_only=moves_only)
    if played.difference is not None:
        raise AssertionError(f"{path.name}, {played.difference}")


class Replayer:
    """Plays the steps of one transcript."""

    def __init__(
        self,
        text: Transcript,
        contracts: Iterable[type[Contract]],
        offered: Sequence[ContractCatalogue],
    ) -> None:
        self._text, self.steps = text, text.steps
        self.anew_at: int | None = None  # the step before which all contracts are loaded again
        self.chain = _chain(text)
        self._start = self.chain.head.timestamp
        classes, self.missing = classes_of(text, contracts, offered)
        named = {
            self.chain.declare(cls).digest: Named(name, full_name(cls))
            for name, cls in classes.items()
        }
        self._writer = Writer(self.chain.ledger, named)
        self._requests = StepRequests(self.chain, self._writer.known, classes)
        self._waiting: list[Step] = []  # what is set from outside, in the block of the next step

    def play(
        self, to_the_end: bool, through: Callable[[Sequence[Step]], Iterable[Step]]
    ) -> Difference | None:
        first: Difference | None = None
        for i, step in enumerate(through(self.steps)):
            if i == self.anew_at:
                for program in begin_anew(list(self.chain.machine.programs.values())):
                    self.chain.machine.declare(program)
            difference = self.step(step)
            first = first or difference
            if first is not None and not to_the_end:
                return first
        self._finish()
        return first

    def step(self, step: Step) -> Difference | None:
        if not step.block:
            self._waiting.append(step)
            return None
        self._turn_to(step)
        if step.who is None:
            return None
        try:
            tx = self._requests.transaction(step)
            self.chain.machine.loaded = RecordedOutcomes(step.value("loaded") or ())
            receipt = self.chain.add_to_open_block(tx)
        except (InvalidTransaction, LookupError) as no:
            return Difference(step.line, f"this cannot be asked any more: {no}", step.request)
        finally:
            self.chain.machine.loaded = None
        found = list(self._writer.outcome(receipt))
        is_same = _compared_in(step, found) == _compared_in(step, step.outcome)
        return None if is_same else _differing(step, receipt, found)

    def _turn_to(self, step: Step) -> None:
        """The block of a step is open, and what was set before it is set."""
        chain = self.chain
        if chain.ledger.open is None or chain.ledger.open.number != step.block:
            self._close()
            if step.block != chain.head.number + 1:
                raise BadTranscript(step.line, f"block {chain.head.number + 1} is missing")
            if self._start + step.time <= chain.head.timestamp:
                raise BadTranscript(step.line, "its block is not after the one before")
            block = replace(chain.pending, timestamp=self._start + step.time)
            chain.ledger.open = self._requests.block(step, block)
        self._set_waiting()

    def _set_waiting(self) -> None:
        for waiting in self._waiting:
            self._requests.set(waiting)
            name = waiting.what.removeprefix("account ")
            if name != waiting.what:
                self._writer.known.add(name, bytes(self.chain.account(name)))
        self._waiting.clear()

    def _close(self) -> None:
        if self.chain.ledger.open is not None:
            self.chain.mine()

    def _finish(self) -> None:
        """Close the last block, unless it was open when the transcript was written."""
        block = self.chain.ledger.open
        if block is not None and (self._text.end is None or self._text.end[0] >= block.number):
            self._close()
        self._set_waiting()

    def end(self) -> Difference | None:
        """Whether the last block has another hash than is written."""
        if self._text.end is None:
            return None
        number, block_hash, line = self._text.end
        now = (self.chain.head.number, f"0x{self.chain.block_hash().hex()}")
        if now == (number, block_hash):
            return None
        what = f"all came as it is written, but the hash of the chain: {_BEHIND_A_HASH}"
        ends = (f"end {number} {block_hash}", f"end {now[0]} {now[1]}")
        return Difference(line, what, "", ends[:1], ends[1:])


def _chain(text: Transcript) -> Chain:
    settings = settings_of(Chain())
    wrong = [name for name in text.settings if name not in settings]
    if wrong:
        raise BadTranscript(2, f"a chain has no setting '{wrong[0]}'; it has {', '.join(settings)}")
    settings |= text.settings
    seed = settings.pop("seed").removeprefix("0x")
    guard, time, fee = (settings.pop(name) for name in ("guard", "genesis_time", "base_fee"))
    return Chain.with_rules(
        ChainConfig(seed=bytes.fromhex(seed), **settings), time, fee, guard=guard
    )


def classes_of(
    text: Transcript, contracts: Iterable[type[Contract]], offered: Sequence[ContractCatalogue]
) -> tuple[dict[str, type[Contract]], list[str]]:
    """The classes of a transcript, each under the name that it has there; the versions that are not among those given.

    In the place of such a version stands the class of that name as it is now.
    """
    there: list[type[Contract]] = [
        World,
        *contracts,
        *(cls for each in offered for cls in each.classes),
    ]
    known: dict[str, list[type[Contract]]] = {}
    for cls in there:
        known.setdefault(full_name(cls), []).append(cls)
    found, missing = {}, []
    for name, (full, digest) in text.contracts.items():
        if full not in known:
            packages = ", ".join(each.package for each in offered) or "no package"
            raise ContractNotFound(
                f"{full} is not among the contracts that are offered here, those of {packages}"
            )
        version = [cls for cls in known[full] if digest in (None, program_of(cls).digest)]
        found[name] = (version or known[full])[-1]
        if not version and digest is not None:
            missing.append(f"{name} as of 0x{digest.hex()[:8]}…")
    return found, missing


def _place(receipt: Receipt) -> str:
    """Where to look: at the line that refused, or at the entry."""
    if receipt.error is not None and receipt.error.place:
        return receipt.error.place
    entry: Any = receipt.entry_spec
    return line_of(entry.function) if entry is not None else ""
