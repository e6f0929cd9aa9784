"""The format of a transcript.

    boardchain transcript 1
    chain base_fee=7
    contract Race = races.race:Race

    account first.testnet
    1 +1s alice: deploy Race()
        = @Race [163456 gas]
    2 +66s first.testnet: Race.roll(3)
        with loaded [('die', 5)]
        | five!
        Moved(player=@first.testnet, square=6)
        = 6 [68123 gas]
    end 2 0x…

A class that was played in several versions, because of an upgrade, has a line for each, with the digest of its source:

    contract Race = races.race:Race 0x…
    contract Race@2 = races.race:Race 0x…
    3 +9s alice: upgrade Race to Race@2

Bytecode that is known by its ABI has a line with its name, its address and that ABI, so nothing else is needed to read it:

    bytecode Token 0x5FbDB2315678afecb367f032d93F642f64180aa3 [{"type":"function","name":"pay",…}]

The line of a step is not indented. It begins with the number of its block and the seconds since the first block. The indented
lines below it hold the other parts of the request (`with …`), then the outcome. `account` and `set` are changes that a test
makes to a chain between transactions. They belong to the block of the next step.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import field
from typing import Any, Final, NamedTuple

from chain.foundation.dataclass import dataclass
from chain.ledger.bytecode_classes import contract_of_abi
from chain.metering.program import Program, bytecode_program
from chain.types import Address
from chain.values import inputs
from chain.values.nesting import shallow

FIRST: Final = "boardchain transcript 1"
INDENT: Final = "    "
_WITH: Final = f"{INDENT}with "
_MOVE: Final = re.compile(
    r"(?P<block>\d+) \+(?P<time>\d+)s (?:(?P<who>[^\s:]+): (?P<what>.+)|block)"
)
_DIGEST: Final = re.compile("0x[0-9a-f]{64}")
_SET: Final = re.compile(r"set (?P<what>nonce|balance|code|storage) (?P<who>\S+) (?P<to>.+)")


class BadTranscript(ValueError):
    """The text cannot be played. The message has the line and the reason.

    >>> replay("nonsense")
    Traceback (most recent call last):
        ...
    chain.replays.transcript.BadTranscript: line 1: this is not a transcript: it does not begin with 'boardchain transcript 1'
    """

    def __init__(self, line: int, why: str) -> None:
        super().__init__(f"line {line}: {why}")
        self.line = line  # the line that is wrong


@dataclass
class TranscriptStep:
    """One step: a request, with the lines of its outcome."""

    line: int
    request: str
    block: int = 0  # 0: in the block of the next step
    time: int = 0
    sender: str | None = None
    what: str = ""
    asked: dict[str, str] = field(default_factory=dict)
    outcome: list[str] = field(default_factory=list)

    def value(self, name: str) -> Any:
        """Return the value of `with name …`; None if there is no such line."""
        text = self.asked.get(name)
        if text is None:
            return None
        try:
            return bytes.fromhex(text[2:]) if text.startswith("0x") else ast.literal_eval(text)
        except (ValueError, SyntaxError):
            raise BadTranscript(self.line, f"'with {name} {text}' cannot be read") from None


class Bytecode(NamedTuple):
    """A contract in bytecode: its name in the transcript, where it is, and what its ABI says."""

    name: str
    address: Address
    program: Program

    def __str__(self) -> str:
        abi = json.dumps(self.program.spec.abi, separators=(",", ":"))
        return f"bytecode {self.name} {self.address} {abi}"


@dataclass
class Transcript:
    """A parsed transcript."""

    settings: dict[str, object] = field(default_factory=dict)
    # By the name in the transcript: the full name, and the digest if there is one.
    contracts: dict[str, tuple[str, bytes | None]] = field(default_factory=dict)
    bytecode: list[Bytecode] = field(default_factory=list)
    steps: list[TranscriptStep] = field(default_factory=list)
    end: tuple[int, str, int] | None = None  # number and hash of the last block, and the line


def parse(text: str) -> Transcript:
    """Parse the text of a transcript."""
    lines = enumerate(inputs.text(text, "the transcript").split("\n"), 1)
    if next(lines)[1] != FIRST:
        raise BadTranscript(1, f"this is not a transcript: it does not begin with '{FIRST}'")
    transcript = Transcript()
    for number, line in lines:
        if line.startswith(INDENT):
            _below(transcript, number, line)
        elif line:
            _at_margin(transcript, number, line)
    return transcript


def _below(made: Transcript, number: int, line: str) -> None:
    """Add an indented line to the last step."""
    if not made.steps:
        raise BadTranscript(number, "this belongs to no step")
    step = made.steps[-1]
    if line.startswith(_WITH) and not step.outcome:
        name, _, value = line.removeprefix(_WITH).partition(" ")
        step.asked[name] = value
    else:
        step.outcome.append(line)


def _at_margin(made: Transcript, number: int, line: str) -> None:
    """Add a line that is not indented."""
    word, _, rest = line.partition(" ")
    move = _MOVE.fullmatch(line)
    if move is not None:
        who, what = move["who"], move["what"] or ""
        made.steps.append(
            TranscriptStep(number, line, int(move["block"]), int(move["time"]), who, what)
        )
    elif word == "account" or (word == "set" and _SET.fullmatch(line)):
        made.steps.append(TranscriptStep(number, line, what=line))
    elif word == "chain":
        made.settings = dict(_settings(number, rest))
    elif word == "contract" and " = " in rest:
        name, _, full = rest.partition(" = ")
        made.contracts[name] = _version(number, full)
    elif word == "bytecode":
        made.bytecode.append(_bytecode(number, rest))
    elif word == "end" and len(rest.split()) == 2 and rest.split()[0].isdigit():
        block, block_hash = rest.split()
        made.end = int(block), block_hash, number
    else:
        raise BadTranscript(number, f"'{line[:60]}' is not a line of a transcript")


def _version(number: int, text: str) -> tuple[str, bytes | None]:
    """Return the full name of a contract, and the digest of its version if there is one."""
    full, _, digest = text.partition(" ")
    if digest and not _DIGEST.fullmatch(digest):
        raise BadTranscript(
            number, f"'{digest[:70]}' is not the digest of a contract: 0x and 64 digits"
        )
    return full, bytes.fromhex(digest[2:]) if digest else None


def _bytecode(number: int, text: str) -> Bytecode:
    """Return the contract in bytecode of a line."""
    try:
        name, address, items = text.split(" ", 2)
        program = bytecode_program(
            contract_of_abi(json.loads(shallow(items)), name.partition("#")[0])
        )
        assert program is not None
        return Bytecode(name, Address(address), program)
    except (ValueError, TypeError, LookupError):
        why = f"'{text[:60]}' is not a name, an address and an ABI"
        raise BadTranscript(number, why) from None


def _settings(number: int, text: str) -> Iterator[tuple[str, object]]:
    """Yield the names and values of the settings of a chain."""
    for word in text.split():
        name, _, value = word.partition("=")
        try:
            is_text = value.startswith("0x") or value.islower()
            yield name, value if is_text else ast.literal_eval(value)
        except (ValueError, SyntaxError):
            raise BadTranscript(number, f"'{word}' is not a setting of a chain") from None


def set_line(line: str) -> tuple[str, str, str]:
    """Return what a `set` line sets, of which account, and to which value; empty texts if it is not a `set` line."""
    match = _SET.fullmatch(line)
    return (match["what"], match["who"], match["to"]) if match else ("", "", "")
