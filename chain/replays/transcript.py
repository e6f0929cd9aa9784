"""The format of a transcript: lines of JSON, one for each step.

    {"transcript":2,"base_fee":7}
    {"contract":"Race","class":"races.race:Race"}
    {"account":"first.testnet"}
    {"block":1,"sender":"alice","create":"Race","args":{},"address":"Race","gas_used":163456}
    {"block":2,"timestamp":1704067266,"sender":"first.testnet","to":"Race","entry":"roll","args":{"times":3},
     "forced_random":[["die",5]],"result":6,"logs":[{"text":"five!"},{"event":"Moved","fields":{"square":6}}],"gas_used":68123}
    {"end":2,"hash":"0x…"}

The first key says which line it is. The first one has the settings that differ from those of `Chain()`. A step has its block,
whose time is told if it is not a second after the one before, then the request, then the outcome: `address` to `gas_used`. Its
keys are the names of a receipt's attributes, and its values have the form of `chain.ledger.sql.json_values`, with accounts and
contracts by name. `account` and `set` are changes that a test makes to a chain between transactions. They belong to the block
of the next step.

A class that was played in several versions, because of an upgrade, has a line for each, with the digest of its source:

    {"contract":"Race@2","class":"races.race:Race","digest":"0x…"}
    {"block":3,"sender":"alice","to":"Race","upgrade":"Race@2","gas_used":56789}

Bytecode that is known by its ABI has a line with its name, its address and that ABI, so nothing else is needed to read it:

    {"bytecode":"Token","address":"0x5FbDB2315678afecb367f032d93F642f64180aa3","abi":[{"type":"function","name":"pay",…}]}
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any, Final, NamedTuple

from chain.abi.json_abi import JsonObject
from chain.foundation.dataclass import dataclass
from chain.ledger.bytecode_classes import contract_of_abi
from chain.ledger.sql.json_values import to_hex, to_json
from chain.metering.program import Program, bytecode_program
from chain.types import Address
from chain.values import inputs
from chain.values.nesting import shallow

VERSION: Final = 2
FIRST: Final = f'{{"transcript":{VERSION}'
OUTCOME: Final = ("address", "error", "result", "logs", "undone_logs", "gas_used")
_LONGEST: Final = 60  # characters of a line that an error shows


class BadTranscript(ValueError):
    """The text cannot be played. The message has the line and the reason.

    >>> replay("nonsense")
    Traceback (most recent call last):
        ...
    chain.replays.transcript.BadTranscript: line 1: this is not a transcript: it does not begin with '{"transcript":2'
    """

    def __init__(self, line: int, why: str) -> None:
        super().__init__(f"line {line}: {why}")
        self.line = line  # the line that is wrong


class TranscriptStep(NamedTuple):
    """One line: a request with its outcome, a change between transactions, or the end."""

    line: int
    text: str
    told: JsonObject  # its values, read

    @property
    def request(self) -> str:
        """The step without its outcome."""
        shown = json.loads(self.text)
        return to_json({name: value for name, value in shown.items() if name not in OUTCOME})

    @property
    def outcome(self) -> JsonObject:
        return {name: value for name, value in self.told.items() if name in OUTCOME}


class Named(NamedTuple):
    """A contract class in a transcript: its name there, and the full name by which it is imported.

    The digest identifies the version of the class if there was more than one, or if it is not the present one.
    """

    name: str
    full: str
    digest: bytes | None = None

    @property
    def line(self) -> JsonObject:
        version = {} if self.digest is None else {"digest": to_hex(self.digest)}
        return {"contract": self.name, "class": self.full, **version}


class Bytecode(NamedTuple):
    """A contract in bytecode: its name in the transcript, where it is, and what its ABI says."""

    name: str
    address: Address
    program: Program

    @property
    def line(self) -> JsonObject:
        return {"bytecode": self.name, "address": str(self.address), "abi": self.program.spec.abi}


@dataclass
class Transcript:
    """A parsed transcript."""

    settings: JsonObject
    contracts: dict[str, Named] = field(default_factory=dict)  # by name
    bytecode: list[Bytecode] = field(default_factory=list)
    steps: list[TranscriptStep] = field(default_factory=list)
    end: TranscriptStep | None = None


def whole(value: Any) -> int:
    """Return a whole number, which is text if it does not fit in 64 bits."""
    return inputs.whole_number(int(value, 0) if isinstance(value, str) else value, "the number")


def octets(value: Any) -> bytes:
    """Return the bytes of a text of hex digits after `0x`."""
    if not value.startswith("0x"):
        raise ValueError
    return bytes.fromhex(value[2:])


def _text(value: object) -> str:
    return inputs.text(value, "the name")


def _object(value: Any) -> JsonObject:
    return {**value}


def _draws(value: Any) -> tuple[tuple[str, object], ...]:
    return tuple(
        (_text(tag), tuple(drawn) if isinstance(drawn, list) else drawn) for tag, drawn in value
    )


def _access_list(value: Any) -> tuple[tuple[bytes, tuple[int, ...]], ...]:
    return tuple((octets(address), tuple(map(whole, slots))) for address, slots in value)


_SET: Final = {"account": _text, "slot": whole, "to": lambda value: value}
# How the values of each sort of line are read.
_LINES: Final[Mapping[str, Mapping[str, Callable[[Any], Any]]]] = {
    "contract": {"contract": _text, "class": _text, "digest": octets},
    "bytecode": {"bytecode": _text, "address": Address, "abi": list},
    "account": {"account": _text},
    "set": {"set": _text, **_SET},
    "block": {
        **dict.fromkeys(
            ("block", "timestamp", "base_fee", "excess_blob_gas", "forced_prevrandao"), whole
        ),
        "coinbase": octets,
        **dict.fromkeys(("sender", "to", "create", "upgrade", "entry"), _text),
        **dict.fromkeys(("value", "gas", "max_fee", "tip", "type"), whole),
        **dict.fromkeys(("data", "raw"), octets),
        "args": _object,
        "access_list": _access_list,
        "forced_random": _draws,
        **dict.fromkeys(OUTCOME, lambda value: value),
    },
    "end": {"end": whole, "hash": octets},
}


def parse(text: str) -> Transcript:
    """Parse the text of a transcript."""
    lines = inputs.text(text, "the transcript").split("\n")
    if not lines[0].startswith(FIRST):
        raise BadTranscript(1, f"this is not a transcript: it does not begin with '{FIRST}'")
    settings = _json(1, lines[0])
    del settings["transcript"]
    transcript = Transcript(settings)
    for number, line in enumerate(lines[1:], 2):
        if line:
            _add(transcript, TranscriptStep(number, line, _read(number, line)))
    return transcript


def _json(number: int, line: str) -> JsonObject:
    try:
        told = json.loads(shallow(line))
    except ValueError:
        told = None
    if not isinstance(told, dict):
        raise BadTranscript(number, f"'{line[:_LONGEST]}' is not a JSON object")
    return told


def _read(number: int, line: str) -> JsonObject:
    """Return the values of a line."""
    told = _json(number, line)
    known = _LINES.get(next(iter(told), ""))
    if known is None:
        raise BadTranscript(
            number, f"'{line[:_LONGEST]}' does not begin with {' or '.join(_LINES)}"
        )
    for name, value in told.items():
        if name not in known:
            raise BadTranscript(number, f"there is no '{name}' here; there are {', '.join(known)}")
        try:
            told[name] = known[name](value)
        except (ValueError, TypeError, AttributeError):
            shown = to_json({name: value})[1:-1][:_LONGEST]
            raise BadTranscript(number, f"{shown} cannot be read") from None
    return told


def _add(made: Transcript, step: TranscriptStep) -> None:
    """Add a line to a transcript."""
    match step.told:
        case {"contract": name, "class": full}:
            made.contracts[name] = Named(name, full, step.told.get("digest"))
        case {"bytecode": name, "address": address, "abi": abi}:
            try:
                program = bytecode_program(contract_of_abi(abi, name.partition("#")[0]))
            except (ValueError, TypeError, LookupError) as error:
                raise BadTranscript(
                    step.line, f"the ABI of {name} cannot be read: {error}"
                ) from None
            assert program is not None
            made.bytecode.append(Bytecode(name, address, program))
        case {"end": _, "hash": _}:
            made.end = step
        case {"create": name} | {"upgrade": name} if name not in made.contracts:
            raise BadTranscript(step.line, f"no line defines the contract {name}")
        case {"account": _} | {"set": _, "account": _, "to": _} | {"block": _}:
            made.steps.append(step)
        case _:
            kind = next(iter(step.told))
            raise BadTranscript(step.line, f"'{kind}' lacks one of {', '.join(_LINES[kind])}")
