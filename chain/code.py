"""The code of a Python contract: what its account holds, and how the chain finds the class again.

The first byte is `0xFE`, INVALID to any other EVM; a marker and a digest of the contract follow. Init code is the same with
one byte more and the constructor's arguments behind it, so any Ethereum tool can deploy it as `bytecode + encoded args`.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cache, cached_property
from types import FunctionType
from typing import Any, Final, TypeVar, cast

from chain.guard.packages import home_of, text_of
from chain.guard.sources import Module, read
from chain.hashing import keccak
from chain.image.border import author_of, turned, turned_error, twin_in
from chain.image.digest import digest_of
from chain.image.local import content_of, renewed
from chain.image.reach import Reach
from chain.image.sources import module_in, own_module
from chain.image.worlds import World, names_above, world_for
from chain.spec import ContractSpec

T = TypeVar("T")
E = TypeVar("E", bound=BaseException)

MARK: Final = b"\xfeboardchain"
_INIT: Final = b"\x00"
_CODE: Final = b"\x01"


@dataclass(frozen=True, eq=False)
class Program:
    """A contract as the chain holds it: its author's class for those who look, its image for what runs."""

    spec: ContractSpec
    digest: bytes
    image: ContractSpec  # of the class that runs
    world: World | None = None  # where its image lives; None if that is not in modules of its own

    @cached_property
    def code(self) -> bytes:
        return MARK + _CODE + self.digest

    @cached_property
    def initcode(self) -> bytes:
        return MARK + _INIT + self.digest

    def inward(self, problem: E) -> E:
        """An exception as the image knows it."""
        return turned_error(problem, twin_in(self.world))

    def outward(self, value: T) -> T:
        """A value of the image as its author knows it."""
        return cast(T, turned(value, author_of))

    @property
    def abi(self) -> list[dict[str, Any]]:
        return self.spec.abi

    @property
    def bytecode(self) -> str:
        return "0x" + self.initcode.hex()


def program_of(cls: type) -> Program:
    """The program of a contract class, or of the image of one: the same sources give the same digest everywhere."""
    return _program_of(author_of(cls))


@cache
def _program_of(cls: type) -> Program:
    spec: ContractSpec = cls.__spec__  # type: ignore[attr-defined]
    module = _module_of(cls)
    if module is not None:
        return _imaged(spec, module)
    if cls.__module__.partition(".")[0] == "chain":
        file = str(sys.modules[cls.__module__].__file__)
        ours = read(cls.__module__, file, text_of(file))  # the chain's own runs as it is
        return Program(spec, digest_of(cls.__qualname__, _reach_of(cls, ours)), spec)
    home = home_of(cls)
    if home is None:  # typed into a prompt: the compiled code must do
        return Program(spec, keccak(_compiled(cls, spec).encode()), renewed(cls))
    reach = Reach(home[1].module)
    reach.node(home[1].module, home[1].node)
    digest = digest_of(cls.__qualname__, reach, [str(spec.abi), *_values_around(cls)])
    return Program(spec, digest, renewed(cls))


def _module_of(cls: type) -> Module | None:
    """The module that holds the class and can be made anew."""
    found = sys.modules.get(cls.__module__)
    if getattr(cls, "__probe__", False):
        return None
    if found is None or names_above(vars(found), cls.__qualname__) is not cls:
        return None
    if cls.__module__ != "__main__" and cls.__module__.partition(".")[0] == "chain":
        return None
    return module_in(cls.__module__, getattr(found, "__file__", None))


def _reach_of(cls: type, module: Module) -> Reach:
    reach = Reach(module)
    reach.name(module, cls.__qualname__.partition(".")[0])
    return reach


def _imaged(spec: ContractSpec, module: Module) -> Program:
    cls, reach = spec.cls, _reach_of(spec.cls, module)
    digest = digest_of(cls.__qualname__, reach)
    world = world_for(reach)
    image = names_above(world.modules[module.name].space, cls.__qualname__)
    return Program(spec, digest, image.__spec__, world)


def image_of(thing: Any) -> Any:
    """The image of an imported module or class: what runs on chain in its place, for tests that plant a fault there."""
    name = thing.__module__ if isinstance(thing, type) else thing.__name__
    module = own_module(name)
    if module is None:
        raise TypeError(f"{name} has no image: it is no module of yours that lies in a file")
    reach = Reach(module)
    reach.whole(module)
    made = world_for(reach).modules[name].made
    return names_above(vars(made), thing.__qualname__) if isinstance(thing, type) else made


def split_code(code: bytes) -> bytes | None:
    """The digest in code of ours; None for any other bytes."""
    return code[len(MARK) + 1 :] if code.startswith(MARK + _CODE) else None


def split_initcode(data: bytes) -> tuple[bytes, bytes] | None:
    """The digest and the constructor arguments in init code of ours; None for any other bytes."""
    if not data.startswith(MARK + _INIT):
        return None
    start = len(MARK) + 1
    return data[start : start + 32], data[start + 32 :]


def _values_around(cls: type) -> list[str]:
    """The plain values that a class made in a function finds around it: another one is another contract."""
    found = set()
    for function in vars(cls).values():
        if isinstance(function, FunctionType):
            for name, cell in zip(
                function.__code__.co_freevars, function.__closure__ or (), strict=True
            ):
                value = content_of(cell)
                if isinstance(value, int | str | bytes | bool):
                    found.add(f"{name} = {value!a}")
    return sorted(found)


def _compiled(cls: type, spec: ContractSpec) -> str:
    parts = [cls.__qualname__, *map(str, spec.abi)]
    for parent in cls.__mro__:
        methods = [value for value in vars(parent).values() if isinstance(value, FunctionType)]
        if "__spec__" in vars(parent):
            parts += [
                f"{f.__qualname__}{f.__code__.co_code.hex()}{f.__code__.co_consts}" for f in methods
            ]
    return "\n".join(parts)
