"""Makes the program of a contract class: its digest, and its image."""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from types import FunctionType
from typing import Any

from chain.crypto.hashing import keccak
from chain.errors import DeclarationError
from chain.metering.digest import digest_of
from chain.metering.import_effects import (
    acts,
    refuse_acts,
)
from chain.metering.local_classes import (
    cell_value,
    instrument_local_class,
)
from chain.metering.module_copies import (
    ModuleNamespace,
    namespace_for,
)
from chain.metering.program import (
    Program,
    program_of,
)
from chain.metering.program_sources import ProgramSources
from chain.metering.twins import (
    register,
    resolve_qualname,
)
from chain.source.current_definition import (
    class_node,
    first_line,
    is_as_written,
    text_of_code,
)
from chain.source.discovery import (
    locate_class,
    read_text,
)
from chain.source.modules import (
    Definition,
    Module,
    is_main,
    parse_module,
)
from chain.source.top_level import (
    author_module,
    module_in,
    top_of,
)
from chain.spec.contracts import ContractSpec
from chain.spec.references import (
    functions_in,
    paths_in,
)


def build_program(cls: type) -> Program:
    spec: ContractSpec = cls.__spec__  # type: ignore[attr-defined]
    module = _module_of(cls)
    node = None if module is None else _definition_in(cls, module)
    if module is not None and node is not None:
        return _program_from_module(spec, module, node)
    if cls.__module__.partition(".")[0] == "chain":
        file = str(sys.modules[cls.__module__].__file__)
        ours = parse_module(cls.__module__, file, read_text(file))  # the chain's own runs as it is
        sources = ProgramSources(ours)
        sources.add_name(ours, cls.__qualname__)
        return Program(spec, digest_of(cls.__qualname__, sources), spec)
    home = locate_class(cls)
    if home is None or not _is_written_in(cls, home[1]):  # the compiled code must do
        return Program(spec, keccak(_compiled(cls, spec).encode()), instrument_local_class(cls))
    sources = ProgramSources(home[1].module)
    sources.add_node(home[1].module, home[1].node)
    digest = digest_of(cls.__qualname__, sources, [str(spec.abi), *_closure_values(cls)])
    return Program(spec, digest, instrument_local_class(cls))


def _module_of(cls: type) -> Module | None:
    """The module that holds the class and can be made anew."""
    found = sys.modules.get(cls.__module__)
    if getattr(cls, "__probe__", False):
        return None
    if found is None or resolve_qualname(vars(found), cls.__qualname__) is not cls:
        return None
    if cls.__module__ != "__main__" and cls.__module__.partition(".")[0] == "chain":
        return None
    return module_in(cls.__module__, getattr(found, "__file__", None))


def _definition_in(cls: type, module: Module) -> ast.ClassDef | None:
    """The definition of the class; None if what stands around it, at the top of the module, does more than define."""
    name = cls.__qualname__.partition(".")[0]
    if name not in top_of(module).meanings:
        return None  # the file says nothing of it: something put it there at run time
    node = class_node(cls, module)
    if node is None:
        _refuse_edited(cls, module)
        return None
    around = _statement_around(node, module)
    return None if is_main(around) or acts(module, around) else node


def _statement_around(node: ast.ClassDef, module: Module) -> ast.stmt:
    """The statement at the top of a module in which this stands, or which it is."""
    return next(each for each in module.tree.body if (each.end_lineno or 0) >= node.lineno)


def _refuse_edited(cls: type, module: Module) -> None:
    """Nothing may run that the class at hand is not: its file was edited since it was imported."""
    source = getattr(vars(cls)["__spec__"], "source", None)
    classes = (node for node in ast.walk(module.tree) if isinstance(node, ast.ClassDef))
    if any(node.name == cls.__name__ and is_as_written(cls, module, node) for node in classes):
        return  # in a loop or the like
    if source is not None and Path(source.file).resolve() == Path(module.file).resolve():
        raise DeclarationError(
            f"{source}: {cls.__qualname__} is not what its file says now, as that was edited since it was imported;"
            f" import {cls.__module__} again, or start anew"
        )


def _is_written_in(cls: type, definition: Definition) -> bool:
    return isinstance(definition.node, ast.ClassDef) and is_as_written(
        cls, definition.module, definition.node
    )


def _program_from_module(spec: ContractSpec, module: Module, node: ast.ClassDef) -> Program:
    sources = ProgramSources(module)
    sources.add_node(module, _statement_around(node, module))
    refuse_acts(spec.cls, sources)
    digest = digest_of(spec.cls.__qualname__, sources)
    world = namespace_for(sources)
    image = resolve_qualname(world.modules[module.name].space, spec.cls.__qualname__)
    if image is None or not first_line(node) <= image.__spec__.source.line <= (
        node.end_lineno or 0
    ):
        return Program(
            spec, digest, instrument_local_class(spec.cls)
        )  # there its name stands for another class
    register(image, spec.cls)
    return Program(spec, digest, image.__spec__, world)


def build_instrumented(thing: Any) -> Any:
    """The image of an imported module or class."""
    name = thing.__module__ if isinstance(thing, type) else thing.__name__
    module = author_module(name, name.partition(".")[0])
    if module is None:
        raise TypeError(f"{name} has no image: it is no module of yours that lies in a file")
    world = _world_of(thing, name)
    if world is None:
        sources = ProgramSources(module)
        sources.add_module(module)
        world = namespace_for(sources)
    made = world.modules[name].made
    return resolve_qualname(vars(made), thing.__qualname__) if isinstance(thing, type) else made


def _world_of(thing: Any, module: str) -> ModuleNamespace | None:
    """The world in which the contracts run that are in a module, or are `thing`."""
    found = [thing] if isinstance(thing, type) else list(vars(thing).values())
    contracts = (
        each
        for each in found
        if isinstance(each, type) and each.__module__ == module and "__spec__" in vars(each)
    )
    worlds = (program_of(each).world for each in contracts)
    return next((world for world in worlds if world is not None), None)


def _closure_values(cls: type) -> list[str]:
    """The plain values that a class made in a function finds around it: another one is another contract."""
    found = set()
    for function in vars(cls).values():
        if isinstance(function, FunctionType):
            for name, cell in zip(
                function.__code__.co_freevars, function.__closure__ or (), strict=True
            ):
                value = cell_value(cell)
                if isinstance(value, int | str | bytes | bool):
                    found.add(f"{name} = {value!a}")
    return sorted(found)


def _compiled(cls: type, spec: ContractSpec) -> str:
    """What is known of a class without a source: the code of its functions, and of those that they mention."""
    parts = [cls.__qualname__, *map(str, spec.abi)]
    waiting = [
        function
        for parent in cls.__mro__
        if "__spec__" in vars(parent)
        for function in functions_in(vars(parent).values())
    ]
    seen: set[FunctionType] = set()
    while waiting:
        function = waiting.pop(0)
        if function in seen:
            continue
        seen.add(function)
        parts.append(f"{function.__qualname__} {text_of_code(function.__code__)}")
        for name in dict.fromkeys(path[0] for path in paths_in(function.__code__)):
            value = function.__globals__.get(name)
            if isinstance(value, FunctionType):
                waiting.append(value)
            elif isinstance(value, int | str | bytes | bool):
                parts.append(f"{name} = {value!a}")
    return "\n".join(parts)
