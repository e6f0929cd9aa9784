"""Build the program of a contract class: its digest and its instrumented copy."""

from __future__ import annotations

import ast
import sys
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from types import FunctionType
from typing import Any, Final

from chain.crypto.hashing import keccak
from chain.errors import DeclarationError
from chain.metering.counterparts import ModuleNames, register, resolve_qualname
from chain.metering.digest import digest_of
from chain.metering.import_effects import acts, refuse_acts
from chain.metering.module_copies import namespace_for
from chain.metering.program import Program, namespace_in_use, program_of
from chain.metering.program_sources import ProgramSources
from chain.source.compiled_code import closure_of, functions_in, functions_reached
from chain.source.current_definition import class_node, first_line, is_as_written, text_of_code
from chain.source.discovery import locate_class, read_text
from chain.source.modules import Definition, Module, is_main, parse_module
from chain.source.top_level import author_module, module_in, top_of
from chain.spec.contracts import ContractSpec
from chain.spec.references import is_own_code

_PLAIN: Final = (int, str, bytes, bool)


def build_program(cls: type) -> Program:
    """Return the program of the contract class `cls`, from the best available source.

    A class at the top of a module is instrumented together with what it reaches (`chain.metering.module_copies`). A class that
    has a source but no such definition is instrumented as it is (`chain.metering.local_classes`). A class without a source is
    identified by its compiled code.
    """
    spec: ContractSpec = cls.__spec__  # type: ignore[attr-defined]
    module = _module_of(cls)
    node = None if module is None else _definition_in(cls, module)
    if module is not None and node is not None:
        return _program_from_module(spec, module, node)
    if cls.__module__.partition(".")[0] == "chain":
        file = str(sys.modules[cls.__module__].__file__)
        # The chain's own contracts run uninstrumented.
        ours = parse_module(cls.__module__, file, read_text(file))
        sources = ProgramSources(ours)
        sources.add_name(ours, cls.__qualname__)
        return Program(spec, digest_of(cls.__qualname__, sources), spec)
    located = locate_class(cls)
    if located is None or not _is_written_in(cls, located[1]):  # identified by its compiled code
        return Program(spec, keccak(_compiled(cls, spec).encode()), _copied_alone(cls))
    sources = ProgramSources(located[1].module)
    sources.add_node(located[1].module, located[1].node)
    digest = digest_of(cls.__qualname__, sources, [str(spec.abi), *_closure_values(cls)])
    return Program(spec, digest, _copied_alone(cls))


def _copied_alone(cls: type) -> ContractSpec:
    """Return the spec of the instrumented copy of a class that is copied as it is, without its module."""
    copies = import_module("chain.metering.local_classes")
    spec: ContractSpec = copies.instrument_local_class(cls)
    return spec


def _module_of(cls: type) -> Module | None:
    """Return the module that holds the class, None if it cannot be run again from its source."""
    module = sys.modules.get(cls.__module__)
    if getattr(cls, "__probe__", False):
        return None
    if module is None or resolve_qualname(vars(module), cls.__qualname__) is not cls:
        return None
    if cls.__module__ != "__main__" and cls.__module__.partition(".")[0] == "chain":
        return None
    return module_in(cls.__module__, getattr(module, "__file__", None))


def _definition_in(cls: type, module: Module) -> ast.ClassDef | None:
    """Return the definition of the class, None if its statement cannot be run again."""
    name = cls.__qualname__.partition(".")[0]
    if name not in top_of(module).meanings:
        return None  # the file does not define it: it was added to the module at run time
    node = class_node(cls, module)
    if node is None:
        _refuse_edited(cls, module)
        return None
    statement = _statement_around(node, module)
    return None if is_main(statement) or acts(module, statement) else node


def _statement_around(node: ast.ClassDef, module: Module) -> ast.stmt:
    """Return the top-level statement of the module that contains `node`, or is `node`."""
    return next(
        statement for statement in module.tree.body if (statement.end_lineno or 0) >= node.lineno
    )


def _refuse_edited(cls: type, module: Module) -> None:
    """Refuse a class whose file was edited since it was imported: the file would run other code than the class."""
    source = getattr(vars(cls)["__spec__"], "source", None)
    classes = (node for node in ast.walk(module.tree) if isinstance(node, ast.ClassDef))
    if any(node.name == cls.__name__ and is_as_written(cls, module, node) for node in classes):
        return  # the definition is in the file, in a loop or the like
    if source is not None and Path(source.file).resolve() == Path(module.file).resolve():
        raise DeclarationError(
            f"{source}: {cls.__qualname__} differs from its file, which was edited after the import; "
            f"import {cls.__module__} again, or restart the process"
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
    namespace = namespace_for(sources)
    copied_class = resolve_qualname(namespace.modules[module.name].space, spec.cls.__qualname__)
    if copied_class is None or not first_line(node) <= copied_class.__spec__.source.line <= (
        node.end_lineno or 0
    ):
        # Its name refers to another class in the copy.
        return Program(spec, digest, _copied_alone(spec.cls))
    register(copied_class, spec.cls)
    return Program(spec, digest, copied_class.__spec__, namespace)


def build_instrumented(thing: Any) -> Any:
    """Return the instrumented copy of `thing`, an imported module or class."""
    name = thing.__module__ if isinstance(thing, type) else thing.__name__
    module = author_module(name, name.partition(".")[0])
    if module is None:
        raise TypeError(
            f"{name} has no instrumented copy: it is not one of your own modules in a file"
        )
    namespace = _namespace_of(thing, name) or namespace_in_use(name)
    if namespace is None:
        sources = ProgramSources(module)
        sources.add_module(module)
        namespace = namespace_for(sources)
    copied_module = namespace.module_copy(name)
    if not isinstance(thing, type):
        return copied_module
    return resolve_qualname(vars(copied_module), thing.__qualname__)


def _namespace_of(thing: object, module: str) -> ModuleNames | None:
    """Return the module namespace of the contract `thing`, or of the contracts in the module `thing`, or None."""
    candidates = [thing] if isinstance(thing, type) else list(vars(thing).values())
    contracts = (
        candidate
        for candidate in candidates
        if isinstance(candidate, type)
        and candidate.__module__ == module
        and "__spec__" in vars(candidate)
    )
    namespaces = (program_of(candidate).namespace for candidate in contracts)
    return next((namespace for namespace in namespaces if namespace is not None), None)


def _closure_values(cls: type) -> list[str]:
    """Return the plain values in the closures of a class made in a function. They are part of its digest."""
    functions = [value for value in vars(cls).values() if isinstance(value, FunctionType)]
    return sorted({text for function in functions for text in _plain(closure_of(function))})


def _plain(values: Mapping[str, object]) -> list[str]:
    return [f"{name} = {value!a}" for name, value in values.items() if isinstance(value, _PLAIN)]


def _compiled(cls: type, spec: ContractSpec) -> str:
    """Describe a class without a source: the code of its functions, and of the functions they mention."""
    parts = [cls.__qualname__, *map(str, spec.abi)]
    parents = [parent for parent in cls.__mro__ if "__spec__" in vars(parent)]
    methods = [method for parent in parents for method in functions_in(vars(parent).values())]
    for function, named in functions_reached(methods, is_own_code(cls)):
        parts += [f"{function.__qualname__} {text_of_code(function.__code__)}", *_plain(named)]
    return "\n".join(parts)
