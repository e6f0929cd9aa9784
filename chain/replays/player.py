"""Replay of a transcript on a new chain: the outcome of each step is compared with the recorded one.

Contracts are looked up among the classes or in the packages that the caller passes. A transcript cannot import anything else.
The replay ends at the first difference, unless the whole transcript is to be rewritten.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from chain.abi.json_abi import JsonObject
from chain.foundation.dataclass import dataclass
from chain.ledger.artifacts import full_name
from chain.ledger.blocks import ChainConfig
from chain.ledger.receipts import Receipt
from chain.ledger.signing import TYPES, decode_signed, tx_type
from chain.ledger.sql.json_values import portable
from chain.machine.forced_random import RecordedOutcomes
from chain.machine.hardforks import fork_named
from chain.machine.transaction import Transaction
from chain.metering.kept import Kept, NotKept, keep, run_kept
from chain.metering.program import check_classes, program_of
from chain.replays.outcomes import FieldDifference, differences
from chain.replays.recorder import Recorder, settings_of, transcript_of
from chain.replays.transcript import (
    BadTranscript,
    Named,
    Transcript,
    TranscriptStep,
    octets,
    parse,
    whole,
)
from chain.runtime.contract import Contract
from chain.runtime.world import World
from chain.simulator.catalogue import ContractCatalogue, ContractNotFound
from chain.simulator.chain import Chain
from chain.source.location import line_of
from chain.spec.contracts import UPGRADE
from chain.types import Address

_MOST: Final = 20  # fields shown of a step that differs
_BEHIND_A_HASH: Final = "the code of a contract changed, or words in storage that no step changed"
_OF_BLOCK: Final = ("coinbase", "base_fee", "excess_blob_gas", "forced_prevrandao")
_OF_TRANSACTION: Final = ("gas", "max_fee", "tip", "type", "access_list")


@dataclass(frozen=True)
class Difference:
    """The first step whose outcome differs from the transcript.

    >>> text = record(chain).replace('"result":4', '"result":5')
    >>> difference = replay(text, contracts=[Race, League]).difference
    >>> difference.line, difference.entry, difference.fields
    (7, 'roll', [('result', '5', '4')])
    """

    line: int  # in the transcript
    what: str  # a description of the difference
    step: str  # the request
    fields: Sequence[FieldDifference] = ()  # each that differs: its value there, and now
    contract: str | None = None  # the contract that was called
    entry: str | None = None  # the entry that was called
    place: str = ""  # in the contract's source
    missing: Sequence[str] = ()  # the versions of contracts whose source is not available

    def __str__(self) -> str:
        lines = [f"line {self.line}: {self.what}", *([f"  {self.step}"] if self.step else [])]
        for field, written, found in self.fields[:_MOST]:
            lines += [] if written is None else [f"- {field}: {written}"]
            lines += [] if found is None else [f"+ {field}: {found}"]
        if len(self.fields) > _MOST:
            lines.append(f"and {len(self.fields) - _MOST} more fields differ")
        if self.missing:
            lines.append(
                f"the source of {' and '.join(self.missing)} is missing: the present version was played instead"
            )
        return "\n".join(lines)


def _compared_in(step: TranscriptStep, outcome: JsonObject) -> JsonObject:
    """Return the outcome of a step without the gas of a deployment or upgrade.

    That gas depends on the digest of the code, whose zero bytes are cheaper. So a changed rule shows at the first move that it
    affects, and a mere change of code shows in the last hash.
    """
    is_of_code = {"create", "upgrade"} & step.told.keys()
    return outcome | {"gas_used": None} if is_of_code else outcome


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
    >>> Path("race.jsonl").write_text(record(chain)) > 0
    True
    >>> check_transcript("race.jsonl", contracts=[Race, League])
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
        self._classes, self.missing = classes_of(text, contracts, offered)
        named = {
            self.chain.declare(cls).digest: Named(name, full_name(cls))
            for name, cls in self._classes.items()
        }
        for _, address, program in text.bytecode:
            self.chain.ledger.load_abi(address, program)
        self._recorder = Recorder(self.chain.ledger, named, text.bytecode)
        self._known = self._recorder.known
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
        if "block" not in step.told:
            self._waiting.append(step)
            return None
        self._turn_to(step)
        if "sender" not in step.told:
            return None
        try:
            tx = self._transaction(step)
            self.chain.machine.loaded = RecordedOutcomes(step.told.get("forced_random", ()))
            receipt = self.chain.add_to_open_block(tx)
        except (ValueError, LookupError) as error:  # InvalidTransaction is one
            why = f"this request is no longer possible: {error}"
            return Difference(step.line, why, step.request)
        finally:
            self.chain.machine.loaded = None
        outcome = self._recorder.outcome(receipt)
        fields = [*differences(_compared_in(step, step.outcome), _compared_in(step, outcome))]
        if not fields:
            return None
        contract, entry, place = receipt.contract, receipt.entry, _location(receipt)
        what = f"{'.'.join(filter(None, (contract, entry))) or 'this step'} has a different outcome"
        what += f" ({place})" if place else ""
        return Difference(step.line, what, step.request, fields, contract, entry, place)

    # Blocks

    def _turn_to(self, step: TranscriptStep) -> None:
        """Open the block of a step and apply the settings that precede it."""
        chain, number = self.chain, step.told["block"]
        if chain.ledger.open is None or chain.ledger.open.number != number:
            self._close()
            last = chain.head
            if number != last.number + 1:
                raise BadTranscript(step.line, f"block {last.number + 1} is missing")
            time = step.told.get("timestamp", last.timestamp + 1)
            if time <= last.timestamp:
                raise BadTranscript(step.line, "its block is not after the one before")
            told = {name: step.told[name] for name in _OF_BLOCK if name in step.told}
            block = chain.pending.with_fields(timestamp=time, **told)
            self._set_waiting()
            chain.driver.begin_block(block)
            chain.ledger.open = block
        elif {"timestamp", *_OF_BLOCK} & step.told.keys():
            raise BadTranscript(
                step.line, "its block has begun: its first line tells its properties"
            )
        self._set_waiting()

    def _set_waiting(self) -> None:
        """Apply the settings that wait for the block of the next step."""
        for step in self._waiting:
            self._set(step)
        self._waiting.clear()

    def _set(self, step: TranscriptStep) -> None:
        """Create a named account, or set a property of an account."""
        chain, told = self.chain, step.told
        if "set" not in told:
            self._known.add(told["account"], bytes(chain.account(told["account"])))
            return
        try:
            address, value = self._known.find(told["account"]), told["to"]
            match told:
                case {"set": "nonce"}:
                    chain.set_nonce(address, whole(value))
                case {"set": "balance"}:
                    chain.set_balance(address, whole(value))
                case {"set": "code"}:
                    chain.set_code(address, octets(value))
                case {"set": "storage", "slot": slot}:
                    chain.set_storage(address, slot, whole(value))
                case _:
                    raise ValueError("it sets nonce, balance, code, or storage with its slot")
        except (ValueError, TypeError, AttributeError) as error:
            raise BadTranscript(step.line, f"{step.request} cannot be set: {error}") from None

    def _close(self) -> None:
        if self.chain.ledger.open is not None:
            self.chain.mine()

    def _finish(self) -> None:
        """Close the last block, unless it was open when the transcript was written."""
        block, end = self.chain.ledger.open, self._text.end
        if block is not None and (end is None or end.told["end"] >= block.number):
            self._close()
        self._set_waiting()

    def end(self) -> Difference | None:
        """Return a difference if the hash of the last block is not the recorded one."""
        if self._text.end is None:
            return None
        step = self._text.end
        actual = {"end": self.chain.head.number, "hash": self.chain.block_hash()}
        what = f"all outcomes are as recorded, except the hash of the chain: {_BEHIND_A_HASH}"
        fields = [*differences(portable(step.told), portable(actual))]
        return Difference(step.line, what, "", fields) if fields else None

    # Requests

    def _transaction(self, step: TranscriptStep) -> Transaction:
        """Return the transaction that a step sends."""
        chain, told = self.chain, step.told
        if "raw" in told:
            return _signed(told["raw"], chain.chain_id)
        block, sender = chain.pending, bytes(self._known.find(told["sender"]))
        to = self._known.find(told["to"]) if "to" in told else None
        options = {name: told[name] for name in _OF_TRANSACTION if name in told}
        usual = Transaction(
            sender,
            to,
            self._data(step, to),
            told.get("value", 0),
            block.gas_left,
            chain.state.account(sender)[0],
            block.base_fee,
        )
        return usual._replace(is_free=options.get("max_fee") == 0, **options)

    def _data(self, step: TranscriptStep, to: Address | None) -> bytes:
        told, chain = step.told, self.chain
        if "data" in told:
            return bytes(told["data"])
        if "upgrade" in told:
            digest = chain.declare(self._classes[told["upgrade"]]).digest
            return UPGRADE.encode_args((digest,), {})
        if "create" in told:
            program = chain.declare(self._classes[told["create"]])
            code, entry = program.initcode, program.spec.init
        elif "entry" in told:
            target = to and (chain.machine.program_at(to) or chain.ledger.foreign.get(to))
            code, entry = b"", target.spec.entries.get(told["entry"]) if target else None
            if entry is None:
                raise LookupError(f"{told.get('to')} has no entry '{told['entry']}'")
        else:
            return b""
        args = self._known.read_args(entry, told.get("args", {}))
        return code + (entry.encode_args(args, {}) if entry else b"")


def _signed(raw: bytes, chain_id: int) -> Transaction:
    """Return the transaction of a signed envelope. Those that only py-evm reads need a module that starts slowly."""
    if tx_type(raw) in TYPES:
        return decode_signed(raw, chain_id)
    tx: Transaction = import_module("chain.rpc.typed_transactions").decode_raw(raw, chain_id)
    return tx


def _chain(text: Transcript) -> Chain:
    """Return a new chain with the settings of a transcript."""
    settings = settings_of(Chain())
    unknown = [name for name in text.settings if name not in settings]
    if unknown:
        raise BadTranscript(
            1, f"a chain has no setting '{unknown[0]}'; it has {', '.join(settings)}"
        )
    settings |= text.settings
    seed = octets(settings.pop("seed"))
    guard, time, fee = (settings.pop(name) for name in ("guard", "genesis_time", "base_fee"))
    fork = fork_named(settings.pop("fork"))
    return Chain.with_rules(ChainConfig(seed=seed, fork=fork, **settings), time, fee, guard=guard)


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
    for name, full, digest in text.contracts.values():
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
