"""Makes the program of a contract class: its digest, and its image."""

from __future__ import annotations

import sys
from types import FunctionType
from typing import Any

from chain.code import Program
from chain.guard.packages import home_of, text_of
from chain.guard.sources import Module, read
from chain.hashing import keccak
from chain.image.border import names_above
from chain.image.digest import digest_of
from chain.image.local import content_of, renewed
from chain.image.reach import Reach
from chain.image.sources import module_in, own_module, top_of
from chain.image.worlds import world_for
from chain.spec import ContractSpec


def make_program(cls: type) -> Program:
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
    module = module_in(cls.__module__, getattr(found, "__file__", None))
    if module is None or cls.__qualname__.partition(".")[0] not in top_of(module).meanings:
        return None  # the file says nothing of it: something put it there at run time
    return module


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


def make_image(thing: Any) -> Any:
    """The image of an imported module or class."""
    name = thing.__module__ if isinstance(thing, type) else thing.__name__
    module = own_module(name, name.partition(".")[0])
    if module is None:
        raise TypeError(f"{name} has no image: it is no module of yours that lies in a file")
    reach = Reach(module)
    reach.whole(module)
    made = world_for(reach).modules[name].made
    return names_above(vars(made), thing.__qualname__) if isinstance(thing, type) else made


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
