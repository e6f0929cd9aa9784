"""The code of a Python contract: the bytes that its account holds, and by which the chain finds the class again.

The first byte is `0xFE`, which is INVALID in any other EVM. A marker, a type byte and a digest of the contract follow. Init
code differs only in the type byte, and the constructor's arguments follow it, so any Ethereum tool can deploy it as
`bytecode + encoded args`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any, Final, TypeVar, cast

from chain.errors import UnknownSource
from chain.foundation.dataclass import dataclass
from chain.foundation.gc_pause import collector_paused
from chain.foundation.turn import in_turn
from chain.metering.counterparts import (
    ModuleNames,
    author_class,
    convert,
    convert_error,
    counterpart_in,
    former,
)
from chain.metering.stack_room import read_source
from chain.metering.watchdog import uninterrupted
from chain.schema.inputs import items
from chain.spec.contracts import ContractSpec

T = TypeVar("T")
E = TypeVar("E", bound=BaseException)

BYTECODE: Final = "__bytecode__"  # an attribute of classes that stand for contracts in bytecode
MARK: Final = b"\xfeboardchain"
_INIT: Final = b"\x00"
_CODE: Final = b"\x01"
_CODE_START: Final = MARK + _CODE

_programs: dict[type, Program] = {}  # by the author's class


@dataclass(frozen=True, eq=False)
class Program:
    """A contract on a chain: the spec of its author's class for readers, and of its instrumented copy for execution."""

    spec: ContractSpec
    digest: bytes
    instrumented: ContractSpec  # the spec of the instrumented copy, which runs
    # None if the instrumented copy is not in modules of its own.
    namespace: ModuleNames | None = None

    def __repr__(self) -> str:
        return f"<Program {self.spec.name} 0x{self.digest.hex()}>"

    @property
    def code(self) -> bytes:
        return _CODE_START + self.digest

    @property
    def initcode(self) -> bytes:
        return MARK + _INIT + self.digest

    def args_of(self, data: bytes) -> bytes:
        """Return the encoded arguments of `@init` in the data of a transaction that created the contract."""
        return data[len(self.initcode) :]

    def to_instrumented(self, problem: E) -> E:
        """Return an exception with the classes of the instrumented copy."""
        return convert_error(problem, counterpart_in(self.namespace))

    def to_author(self, value: T) -> T:
        """Return a value of the instrumented copy with the author's classes."""
        return cast(T, convert(value, author_class))

    @property
    def abi(self) -> list[dict[str, object]]:
        return self.spec.abi

    @property
    def bytecode(self) -> str:
        return "0x" + self.initcode.hex()


def bytecode_program(contract: type) -> Any:
    """Return the `BytecodeProgram` of a class that stands for contracts in bytecode; None for any other class."""
    return vars(contract).get(BYTECODE)


def require_contract_class(thing: object) -> None:
    """Refuse anything that is not a contract class, including a handle of a contract."""
    if not isinstance(thing, type) or not hasattr(thing, "__spec__"):
        raise TypeError(f"{thing!r} is not a contract: pass a class that derives from Contract")


def check_classes(contracts: object) -> None:
    """Refuse anything that is not a list of contract classes."""
    for contract in items(contracts, "contracts"):
        require_contract_class(contract)


def program_of(cls: type) -> Program:
    """Return the program of a contract class or of its instrumented copy. The same sources give the same digest everywhere."""
    require_contract_class(cls)
    if BYTECODE in vars(cls):
        raise TypeError(
            f"{cls.__name__} is bytecode that is known by its ABI: only chain.deploy and chain.handle accept it"
        )
    author = author_class(cls)
    if author not in _programs:
        if author in former:
            raise UnknownSource(author)
        # Imported late: instrumentation reads sources, which a chain that only reads its state never needs.
        with uninterrupted(), collector_paused():
            read_source(author, _make, author, import_module("chain.metering.build").build_program)
    return _programs[author]


def _make(author: type, make: Callable[[type], Program]) -> None:
    if author not in _programs:  # another thread may have built it meanwhile
        _programs[author] = make(author)


def namespace_in_use(module: str) -> ModuleNames | None:
    """Return the instrumented modules of the latest contract that runs a copy of this module; None if there is none."""
    spaces = [program.namespace for program in _programs.values() if program.namespace is not None]
    return next((space for space in reversed(spaces) if space.module_copy(module)), None)


def discard_copies(programs: Iterable[Program]) -> list[Program]:
    """Return these programs with new instrumented copies, which keep nothing of earlier runs, as in a new process."""
    _programs.clear()
    import_module("chain.metering.module_copies").forget()
    rebuilt = [
        program_of(program.spec.cls) for program in programs if program.namespace is not None
    ]
    by_digest = {program.digest: program for program in rebuilt}
    return [by_digest[program.digest] for program in programs if program.digest in by_digest]


def instrumented(thing: object) -> Any:
    """Return the instrumented copy of an imported module or class, which runs on chain; for tests that inject a fault there."""
    return in_turn(import_module("chain.metering.build").build_instrumented, thing)


def parse_code(code: bytes) -> bytes | None:
    """Return the digest in the code of a Python contract; None for any other bytes."""
    return code[len(_CODE_START) :] if code.startswith(_CODE_START) else None


def parse_initcode(data: bytes) -> tuple[bytes, bytes] | None:
    """Return the digest and the constructor arguments in the init code of a Python contract; None for any other bytes."""
    if not data.startswith(MARK + _INIT):
        return None
    start = len(MARK) + 1
    return data[start : start + 32], data[start + 32 :]
