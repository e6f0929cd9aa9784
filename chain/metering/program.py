"""The code of a Python contract: the bytes that its account holds, and by which the chain finds the class again.

The first byte is `0xFE`, which is INVALID in any other EVM. A marker, a type byte and a digest of the contract follow. Init
code differs only in the type byte, and the constructor's arguments follow it, so any Ethereum tool can deploy it as
`bytecode + encoded args`.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, TypeVar

from chain.foundation.dataclass import dataclass
from chain.foundation.gc_pause import collector_paused
from chain.foundation.turn import in_turn
from chain.foundation.watchdog import uninterrupted
from chain.metering.as_data import KEPT
from chain.spec.contracts import ContractSpec
from chain.values.inputs import items

if TYPE_CHECKING:
    from chain.guard import Finding

BYTECODE: Final = "__bytecode__"  # an attribute of classes that stand for contracts in bytecode
DEPLOYED: Final = "__deployed__"  # of those that stand for a deployed version, and have no code
MARK: Final = b"\xfeboardchain"
_INIT: Final = b"\x00"
_CODE: Final = b"\x01"
_CODE_START: Final = MARK + _CODE
T = TypeVar("T")
_builds: Final[dict[type, Any]] = {}
_by_digest: Final[dict[bytes, Any]] = {}


@dataclass(frozen=True, eq=False)
class Program:
    """A contract on a chain: the spec of its class, and the digest of all that it reaches."""

    spec: ContractSpec
    digest: bytes

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

    @property
    def is_kept(self) -> bool:
        """True if it runs from what was kept of it, not from modules that were imported."""
        return self.spec.cls.__module__.startswith(KEPT)

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
    """Return the program of a contract class. The same sources give the same digest everywhere."""
    require_contract_class(cls)
    if BYTECODE in vars(cls):
        raise TypeError(
            f"{cls.__name__} is bytecode that is known by its ABI: only chain.deploy and chain.handle accept it"
        )
    program: Program = vars(cls).get(DEPLOYED) or build_of(cls).program
    return program


def findings_of(cls: type) -> list[Finding]:
    """Return the findings of the guard in all that a contract class reaches. From now on, its constants refuse changes."""
    build = build_of(cls, is_to_freeze=True)
    found: list[Finding] = build.findings if build.is_frozen else _alone(lambda: build.findings)
    return found


def build_of(cls: type, is_to_freeze: bool = False) -> Any:
    """Return the `Build` of a contract class. It is made again after a test has changed what the class reaches.

    What is to become a constant may have changed since the first one, so before that it is made again too.
    """

    def known() -> Any:
        build = _builds.get(cls)
        is_known = build is not None and (build.is_frozen or not is_to_freeze) and build.is_current
        return build if is_known else None

    return known() or _alone(lambda: known() or _built(cls))


def _built(cls: type) -> Any:
    # Imported late: a chain that only reads its state never reads sources.
    build = import_module("chain.metering.build").Build(cls)
    _builds[cls] = _by_digest[build.program.digest] = build
    return build


def sentence_on_changes(program: Program) -> str:
    """Return a sentence if a test, for example, has changed what a contract reaches since its deployment; else nothing."""
    build = _by_digest.get(program.digest)
    names = [] if build is None or build.is_current else build.reach.changes()
    told = f"{program.spec.name} does not run as it was deployed: {', '.join(names)} changed since"
    return told if names else ""


def _alone(make: Callable[[], T]) -> T:
    with collector_paused():
        return uninterrupted(in_turn, make)


def parse_code(code: bytes) -> bytes | None:
    """Return the digest in the code of a Python contract; None for any other bytes."""
    return code[len(_CODE_START) :] if code.startswith(_CODE_START) else None


def parse_initcode(data: bytes) -> tuple[bytes, bytes] | None:
    """Return the digest and the constructor arguments in the init code of a Python contract; None for any other bytes."""
    if not data.startswith(MARK + _INIT):
        return None
    start = len(MARK) + 1
    return data[start : start + 32], data[start + 32 :]
