"""Replay of a transcript on a new chain: the outcome of each step is compared with the recorded one.

Contracts are looked up among the classes or in the packages that the caller passes. A transcript cannot import anything else.
The replay ends at the first difference, unless the whole transcript is to be rewritten.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from difflib import unified_diff
from pathlib import Path
from typing import Any, Final

from chain.errors import InvalidTransaction
from chain.foundation.dataclass import dataclass
from chain.ledger.artifacts import full_name
from chain.ledger.blocks import ChainConfig
from chain.ledger.receipts import Receipt
from chain.machine.forced_random import RecordedOutcomes
from chain.machine.hardforks import fork_named
from chain.metering.kept import Kept, NotKept, keep, run_kept
from chain.metering.program import check_classes, program_of
from chain.replays.recorder import Named, Recorder, settings_of, transcript_of
from chain.replays.step_requests import StepRequests
from chain.replays.transcript import BadTranscript, Transcript, TranscriptStep, parse
from chain.runtime.contract import Contract
from chain.runtime.world import World
from chain.simulator.catalogue import ContractCatalogue, ContractNotFound
from chain.simulator.chain import Chain
from chain.source.location import line_of

_WIDEST: Final = 140  # characters shown of a line that differs
_BEFORE: Final = 50  # characters of these before the difference
_BEHIND_A_HASH: Final = "the code of a contract changed, or words in storage that no step changed"


@dataclass(frozen=True)
class Difference:
    """The first step whose outcome differs from the transcript.

    >>> text = record(chain).replace("= 4 [", "= 5 [")
    >>> difference = replay(text, contracts=[Race, League]).difference
    >>> difference.line, difference.entry, difference.written[-1][:7], difference.found[-1][:7]
    (10, 'roll', '    = 5', '    = 4')
    """

    line: int  # in the transcript
    what: str  # a description of the difference
    step: str  # the request
    written: Sequence[str] = ()  # the lines of the transcript
    found: Sequence[str] = ()  # the lines of the replay
    contract: str | None = None  # the contract that was called
    entry: str | None = None  # the entry that was called
    place: str = ""  # in the contract's source
    missing: Sequence[str] = ()  # the versions of contracts whose source is not available

    def __str__(self) -> str:
        lines = [f"line {self.line}: {self.what}", *([f"  {self.step}"] if self.step else [])]
        lines += _compared(self.written, self.found)
        if self.missing:
            lines.append(
                f"the source of {' and '.join(self.missing)} is missing: the present version was played instead"
            )
        return "\n".join(lines)


def _differing(step: TranscriptStep, receipt: Receipt, found: list[str]) -> Difference:
    """Return the difference between the recorded outcome of a step and the new one."""
    called = ".".join(filter(None, (receipt.contract, receipt.entry))) or "this step"
    location = _location(receipt)
    what = f"{called} has a different outcome" + (f" ({location})" if location else "")
    return Difference(
        step.line,
        what,
        step.request,
        step.outcome,
        found,
        receipt.contract,
        receipt.entry,
        location,
    )


def _compared_in(step: TranscriptStep, outcome: Sequence[str]) -> Sequence[str]:
    """Return the outcome of a step without the gas of a deployment or upgrade.

    That gas depends on the digest of the code, whose zero bytes are cheaper. So a changed rule shows at the first move that it
    affects, and a mere change of code shows in the last hash.
    """
    if not step.what.startswith(("deploy ", "upgrade ")) or not outcome:
        return outcome
    return [*outcome[:-1], outcome[-1].rpartition(" [")[0]]


def _compared(written: Sequence[str], found: Sequence[str]) -> Iterator[str]:
    """Yield the lines that differ, each with one line before it. Long lines are truncated around the difference."""
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
    """Return the length of the common prefix of two lines."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((i for i, (a, b) in pairs if a != b), min(len(one), len(other)))


@dataclass(frozen=True)
class Replay:
    """A transcript that was replayed. `difference` is None if all outcomes are as recorded.

    >>> played = replay(record(chain), contracts=[Race, League])
    >>> played.ok, played.difference, played.chain.head.number == chain.head.number, played.text == record(chain)
    (True, None, True, True)
    """

    chain: Chain  # the new chain
    difference: Difference | None  # the first step with a different outcome

    @property
    def ok(self) -> bool:
        """True if all outcomes are as recorded."""
        return self.difference is None

    @property
    def text(self) -> str:
        """The transcript of the replay."""
        return transcript_of(self.chain)


def replay(
    text: str,
    *,
    contracts: Collection[type[Contract]] = (),
    offered: Sequence[ContractCatalogue] = (),
    to_the_end: bool = False,
    moves_only: bool = False,
    through: Callable[[Sequence[TranscriptStep]], Iterable[TranscriptStep]] = iter,
    anew: bool = False,
) -> Replay:
    """Play a transcript on a new chain, up to the first difference or to the end.

    With `moves_only` the hash of the last block may differ, as it does whenever the code of a contract changes. `through`
    wraps the steps, to watch the progress. With `anew` all contracts are loaded again halfway, as on a machine that starts at
    that point: any state that they keep outside of storage is lost.

    >>> replay(record(chain), contracts=[Race, League]).ok
    True
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
    """Raise an AssertionError with the first difference. For tests that keep a transcript as a golden file.

    >>> from pathlib import Path
    >>> Path("race.txt").write_text(record(chain)) > 0
    True
    >>> check_transcript("race.txt", contracts=[Race, League])
    """
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
        for _, address, program in text.bytecode:
            self.chain.ledger.load_abi(address, program)
        self._writer = Recorder(self.chain.ledger, named, text.bytecode)
        self._requests = StepRequests(self.chain, self._writer.known, classes)
        self._waiting: list[TranscriptStep] = []  # set from outside, in the block of the next step

    def play(
        self,
        to_the_end: bool,
        through: Callable[[Sequence[TranscriptStep]], Iterable[TranscriptStep]],
    ) -> Difference | None:
        """Play all steps. Return the first difference, or None."""
        first: Difference | None = None
        kept = [] if self.anew_at is None else [*self._kept()]
        for i, step in enumerate(through(self.steps)):
            if i == self.anew_at:
                for program in kept:
                    self._load_again(program)
            difference = self.step(step)
            first = first or difference
            if first is not None and not to_the_end:
                return first
        self._finish()
        return first

    def _kept(self) -> Iterator[Kept]:
        """Yield the contracts that can be loaded again."""
        for program in self.chain.machine.programs.values():
            with suppress(NotKept):
                yield keep(program.spec.cls)

    def _load_again(self, program: Kept) -> None:
        with suppress(NotKept):
            self.chain.machine.declare(self.chain.declare(run_kept(program)))

    def step(self, step: TranscriptStep) -> Difference | None:
        """Play one step. Return its difference, or None."""
        if not step.block:
            self._waiting.append(step)
            return None
        self._turn_to(step)
        if step.sender is None:
            return None
        try:
            tx = self._requests.transaction(step)
            self.chain.machine.loaded = RecordedOutcomes(step.value("loaded") or ())
            receipt = self.chain.add_to_open_block(tx)
        except (InvalidTransaction, LookupError) as error:
            return Difference(
                step.line, f"this request is no longer possible: {error}", step.request
            )
        finally:
            self.chain.machine.loaded = None
        outcome = list(self._writer.outcome(receipt))
        is_same = _compared_in(step, outcome) == _compared_in(step, step.outcome)
        return None if is_same else _differing(step, receipt, outcome)

    def _turn_to(self, step: TranscriptStep) -> None:
        """Open the block of a step and apply the settings that precede it."""
        chain = self.chain
        if chain.ledger.open is None or chain.ledger.open.number != step.block:
            self._close()
            if step.block != chain.head.number + 1:
                raise BadTranscript(step.line, f"block {chain.head.number + 1} is missing")
            if self._start + step.time <= chain.head.timestamp:
                raise BadTranscript(step.line, "its block is not after the one before")
            block = chain.pending.with_fields(timestamp=self._start + step.time)
            block = self._requests.block(step, block)
            self._set_waiting()
            chain.driver.begin_block(block)
            chain.ledger.open = block
        self._set_waiting()

    def _set_waiting(self) -> None:
        """Apply the settings that wait for the block of the next step."""
        for step in self._waiting:
            self._requests.set(step)
            name = step.what.removeprefix("account ")
            if name != step.what:
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
        """Return a difference if the hash of the last block is not the recorded one."""
        if self._text.end is None:
            return None
        number, block_hash, line = self._text.end
        actual = (self.chain.head.number, f"0x{self.chain.block_hash().hex()}")
        if actual == (number, block_hash):
            return None
        what = f"all outcomes are as recorded, except the hash of the chain: {_BEHIND_A_HASH}"
        ends = (f"end {number} {block_hash}", f"end {actual[0]} {actual[1]}")
        return Difference(line, what, "", ends[:1], ends[1:])


def _chain(text: Transcript) -> Chain:
    """Return a new chain with the settings of a transcript."""
    settings = settings_of(Chain())
    unknown = [name for name in text.settings if name not in settings]
    if unknown:
        raise BadTranscript(
            2, f"a chain has no setting '{unknown[0]}'; it has {', '.join(settings)}"
        )
    settings |= text.settings
    seed = settings.pop("seed").removeprefix("0x")
    guard, time, fee = (settings.pop(name) for name in ("guard", "genesis_time", "base_fee"))
    fork = fork_named(settings.pop("fork"))
    return Chain.with_rules(
        ChainConfig(seed=bytes.fromhex(seed), fork=fork, **settings), time, fee, guard=guard
    )


def classes_of(
    text: Transcript, contracts: Iterable[type[Contract]], offered: Sequence[ContractCatalogue]
) -> tuple[dict[str, type[Contract]], list[str]]:
    """Return the classes of a transcript under the names that it gives them, and the versions that are missing.

    A missing version is replaced by the present class of that name.
    """
    available: list[type[Contract]] = [
        World,
        *contracts,
        *(cls for catalogue in offered for cls in catalogue.classes),
    ]
    by_full_name: dict[str, list[type[Contract]]] = {}
    for cls in available:
        by_full_name.setdefault(full_name(cls), []).append(cls)
    classes, missing = {}, []
    for name, (full, digest) in text.contracts.items():
        if full not in by_full_name:
            packages = ", ".join(catalogue.package for catalogue in offered) or "no package"
            raise ContractNotFound(
                f"{full} is not among the available contracts, those of {packages}"
            )
        matching = [cls for cls in by_full_name[full] if digest in (None, program_of(cls).digest)]
        classes[name] = (matching or by_full_name[full])[-1]
        if not matching and digest is not None:
            missing.append(f"{name} as of 0x{digest.hex()[:8]}…")
    return classes, missing


def _location(receipt: Receipt) -> str:
    """Return the location to look at: the line that refused, otherwise the entry."""
    if receipt.error is not None and receipt.error.place:
        return receipt.error.place
    entry: Any = receipt.entry_spec
    return line_of(entry.function) if entry is not None else ""
