"""The code of a Python contract: what its account holds, and how the chain finds the class again.

The first byte is `0xFE`, INVALID to any other EVM; a marker and a digest of the contract follow. Init code is the same with
one byte more and the constructor's arguments behind it, so any Ethereum tool can deploy it as `bytecode + encoded args`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from chain.concurrency.turn import in_turn
from chain.errors import UnknownSource
from chain.metering.stack_room import read_source
from chain.metering.twins import (
    author_class,
    convert,
    convert_error,
    counterpart_in,
    former,
)
from chain.metering.watchdog import uninterrupted
from chain.schema.inputs import items
from chain.spec.contracts import ContractSpec

if TYPE_CHECKING:
    from chain.metering.module_copies import ModuleNamespace

T = TypeVar("T")
E = TypeVar("E", bound=BaseException)

MARK: Final = b"\xfeboardchain"
_INIT: Final = b"\x00"
_CODE: Final = b"\x01"

_programs: dict[type, Program] = {}  # by the author's class


@dataclass(frozen=True, eq=False)
class Program:
    """A contract as the chain holds it: its author's class for those who look, its image for what runs."""

    spec: ContractSpec
    digest: bytes
    image: ContractSpec  # of the class that runs
    world: ModuleNamespace | None = (
        None  # where its image lives; None if that is not in modules of its own
    )

    @cached_property
    def code(self) -> bytes:
        return MARK + _CODE + self.digest

    @cached_property
    def initcode(self) -> bytes:
        return MARK + _INIT + self.digest

    def to_instrumented(self, problem: E) -> E:
        """An exception as the image knows it."""
        return convert_error(problem, counterpart_in(self.world))

    def to_author(self, value: T) -> T:
        """A value of the image as its author knows it."""
        return cast(T, convert(value, author_class))

    @property
    def abi(self) -> list[dict[str, Any]]:
        return self.spec.abi

    @property
    def bytecode(self) -> str:
        return "0x" + self.initcode.hex()


def require_contract_class(thing: object) -> None:
    """Refuse what is no contract class, a handle for one."""
    if not isinstance(thing, type) or not hasattr(thing, "__spec__"):
        raise TypeError(f"{thing!r} is no contract: give a class that derives from Contract")


def check_classes(contracts: object) -> None:
    """Refuse what is no list of contract classes."""
    for contract in items(contracts, "contracts"):
        require_contract_class(contract)


def program_of(cls: type) -> Program:
    """The program of a contract class, or of the image of one: the same sources give the same digest everywhere."""
    require_contract_class(cls)
    author = author_class(cls)
    if author not in _programs:
        if author in former:
            raise UnknownSource(author)
        # What makes images reads sources, which a chain that only looks never does.
        with uninterrupted():
            read_source(author, _make, author, import_module("chain.metering.build").build_program)
    return _programs[author]


def _make(author: type, make: Callable[[type], Program]) -> None:
    if author not in _programs:  # another thread may have made it meanwhile
        _programs[author] = make(author)


def begin_anew(programs: Iterable[Program]) -> list[Program]:
    """These programs, with images that know of nothing that ran before, as on a machine that starts now."""
    _programs.clear()
    import_module("chain.metering.module_copies").forget()
    again = [program_of(program.spec.cls) for program in programs if program.world is not None]
    known = {program.digest: program for program in again}
    return [known[program.digest] for program in programs if program.digest in known]


def instrumented(thing: Any) -> Any:
    """The image of an imported module or class: what runs on chain in its place, for tests that plant a fault there."""
    return in_turn(import_module("chain.metering.build").build_instrumented, thing)


def parse_code(code: bytes) -> bytes | None:
    """The digest in code of ours; None for any other bytes."""
    return code[len(MARK) + 1 :] if code.startswith(MARK + _CODE) else None


def parse_initcode(data: bytes) -> tuple[bytes, bytes] | None:
    """The digest and the constructor arguments in init code of ours; None for any other bytes."""
    if not data.startswith(MARK + _INIT):
        return None
    start = len(MARK) + 1
    return data[start : start + 32], data[start + 32 :]
