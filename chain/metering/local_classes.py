"""Instrumented copies of contracts that are not at the top of a module: defined in a function, as in tests, or typed at a
prompt.

Such a class cannot be run again from its source, as it depends on the variables of the function around it. So the class itself
is copied, and its functions are compiled again with ticks, with the same closures. So are the functions it reaches, in the
enclosing function or at the top of a module. All other classes are the author's originals: their methods are not metered.
"""

from __future__ import annotations

from copy import copy
from types import CellType, CodeType, FunctionType
from typing import Any

from chain.metering.counterparts import register
from chain.metering.import_substitutes import instead
from chain.metering.instrumented_builtins import INSTRUMENTED_BUILTINS
from chain.metering.recompile import ticked_code
from chain.source.compiled_code import cell_value, closure_of, paths_in
from chain.spec.contracts import ContractSpec, EntrySpec


def instrument_local_class(cls: type) -> ContractSpec:
    """Return the spec of the instrumented copy of a contract class."""
    spec: ContractSpec = vars(LocalInstrumenter().contract(cls))["__spec__"]
    return spec


class LocalInstrumenter:
    """A builder of instrumented functions and contract classes, one copy of each."""

    def __init__(self) -> None:
        self._functions: dict[FunctionType, FunctionType] = {}
        self._spaces: dict[int, dict[str, object]] = {}
        self._cells: dict[int, CellType] = {}
        self._classes: dict[type, type] = {}

    # Classes

    def contract(self, cls: type) -> type:
        """Return a copy of a contract class, in which its functions and those of its parents are instrumented."""
        if "__spec__" not in vars(cls) or cls.__module__.partition(".")[0] == "chain":
            return cls
        if cls not in self._classes:
            bases = tuple(map(self.contract, cls.__bases__))
            space = dict(vars(cls))
            copied_class = type.__new__(type(cls), cls.__name__, bases, space)
            self._classes[cls] = copied_class
            register(copied_class, cls)
            for name, value in space.items():
                new = self._member(value)
                if new is not value:
                    setattr(copied_class, name, new)
            copied_class.__spec__ = self._spec(vars(cls)["__spec__"], copied_class)  # type: ignore[attr-defined]
        return self._classes[cls]

    def _member(self, value: object) -> Any:
        """Return a member of a class with its functions instrumented."""
        if isinstance(value, FunctionType):
            return self._function(value)
        if isinstance(value, staticmethod | classmethod):
            inner = self._member(value.__func__)
            return value if inner is value.__func__ else type(value)(inner)
        if isinstance(value, property):
            return property(*map(self._member, (value.fget, value.fset, value.fdel)))
        return value

    def _spec(self, spec: ContractSpec, made: type) -> ContractSpec:
        """Return a copy of a spec for `made`, the copied class."""
        copied_spec = copy(spec)
        entries = {name: self._entry(entry) for name, entry in spec.entries.items()}
        changes = {"cls": made, "entries": entries}
        for name in ("init", "setup"):
            entry = getattr(spec, name)
            changes[name] = None if entry is None else self._entry(entry)
        for name in ("by_selector", "unshared", "_called"):
            vars(copied_spec).pop(name, None)
        vars(copied_spec).update(changes)
        return copied_spec

    def _entry(self, entry: EntrySpec) -> EntrySpec:
        copied_entry = copy(entry)
        function = entry.function
        if isinstance(function, FunctionType):
            vars(copied_entry)["function"] = self._function(function)
            vars(copied_entry).pop("invoke", None)
        return copied_entry

    # Functions

    def _function(self, old: FunctionType) -> FunctionType:
        """Return the instrumented copy of a function, or `old` itself if it has no source of the author's."""
        if old not in self._functions:
            code = ticked_code(old)
            if code is None:
                self._functions[old] = self._wrapper(old)
            else:
                space = self._space(old.__globals__)
                self._make(old, code, space)
                self._reach(code, old.__globals__, space)
        return self._functions[old]

    def _wrapper(self, old: FunctionType) -> FunctionType:
        """Return a copy of a function that a library decorator made, if it wraps an instrumented function."""
        closure = closure_of(old).values()
        wrapped = [value for value in closure if isinstance(value, FunctionType)]
        self._functions[old] = old
        if all(self._function(function) is function for function in wrapped):
            return old
        return self._make(old, old.__code__, old.__globals__)

    def _make(self, old: FunctionType, code: CodeType, space: dict[str, object]) -> FunctionType:
        """Return a copy of the function `old` with other code, and with the globals `space`."""
        cell_of = dict(zip(old.__code__.co_freevars, old.__closure__ or (), strict=True))
        cells = tuple(self._cell(name, cell_of[name]) for name in code.co_freevars)
        function = FunctionType(code, space, old.__name__, old.__defaults__, cells)
        function.__kwdefaults__ = old.__kwdefaults__
        for name in ("__module__", "__qualname__", "__doc__", "__annotations__"):
            setattr(function, name, getattr(old, name))
        vars(function).update(vars(old))
        self._functions[old] = function
        for name in code.co_freevars:
            content = cell_value(cell_of[name])
            if isinstance(content, FunctionType):
                self._cells[id(cell_of[name])].cell_contents = self._function(content)
            elif name == "__class__" and isinstance(content, type):
                self._cells[id(cell_of[name])].cell_contents = self.contract(content)
        return function

    def _cell(self, name: str, old: CellType) -> CellType:
        """Return a new cell if its content is copied, else the same one, so that a test sees what the contract stores there."""
        if isinstance(cell_value(old), FunctionType) or name == "__class__":
            return self._cells.setdefault(id(old), CellType())
        return old

    def _space(self, old: dict[str, object]) -> dict[str, object]:
        """Return the globals for instrumented functions of a module: its present names, with the instrumented builtins."""
        if id(old) not in self._spaces:
            names = {name: instead(thing) for name, thing in old.items()}
            self._spaces[id(old)] = {**names, "__builtins__": INSTRUMENTED_BUILTINS}
        return self._spaces[id(old)]

    def _reach(self, code: CodeType, old: dict[str, Any], space: dict[str, object]) -> None:
        """Instrument the functions that `code` names, in the globals `space`. `old` is the original globals."""
        for name in dict.fromkeys(path[0] for path in paths_in(code)):
            if isinstance(old.get(name), FunctionType) and space.get(name) is old[name]:
                space[name] = self._function(old[name])
