"""Images of contracts that no module holds: made in a function, as tests do, or typed where a source can still be found.

There is nothing to be run anew, for such a class lives on what stood around it. So it is taken as it is, and its functions are
compiled again with ticks, on the same values around them; functions that it reaches, in the function around it or at the top
of a module, alike. All other classes are the very ones of the author: what their methods do is not counted.
"""

from __future__ import annotations

from copy import copy
from types import CellType, CodeType, FunctionType
from typing import Any

from chain.metering import fuel
from chain.metering.import_substitutes import instead
from chain.metering.recompile import ticked_code
from chain.metering.twins import register
from chain.spec.contracts import (
    ContractSpec,
    EntrySpec,
)


def instrument_local_class(cls: type) -> ContractSpec:
    """The contract as it runs."""
    made: ContractSpec = vars(LocalInstrumenter().contract(cls))["__spec__"]
    return made


class LocalInstrumenter:
    """Makes functions and contracts anew, each once."""

    def __init__(self) -> None:
        self._functions: dict[FunctionType, FunctionType] = {}
        self._spaces: dict[int, dict[str, Any]] = {}
        self._cells: dict[int, CellType] = {}
        self._classes: dict[type, type] = {}

    # Classes

    def contract(self, cls: type) -> type:
        """The contract class with its functions anew, and those of its parents."""
        if "__spec__" not in vars(cls) or cls.__module__.partition(".")[0] == "chain":
            return cls
        if cls not in self._classes:
            bases = tuple(map(self.contract, cls.__bases__))
            space = dict(vars(cls))
            made = type.__new__(type(cls), cls.__name__, bases, space)
            self._classes[cls] = made
            register(made, cls)
            for name, value in space.items():
                new = self._member(value)
                if new is not value:
                    setattr(made, name, new)
            made.__spec__ = self._spec(vars(cls)["__spec__"], made)  # type: ignore[attr-defined]
        return self._classes[cls]

    def _member(self, value: Any) -> Any:
        if isinstance(value, FunctionType):
            return self._function(value)
        if isinstance(value, staticmethod | classmethod):
            inner = self._member(value.__func__)
            return value if inner is value.__func__ else type(value)(inner)
        if isinstance(value, property):
            return property(*map(self._member, (value.fget, value.fset, value.fdel)))
        return value

    def _spec(self, spec: ContractSpec, made: type) -> ContractSpec:
        anew = copy(spec)
        entries = {name: self._entry(entry) for name, entry in spec.entries.items()}
        changes = {"cls": made, "entries": entries}
        for name in ("init", "setup"):
            entry = getattr(spec, name)
            changes[name] = None if entry is None else self._entry(entry)
        for name in ("by_selector", "unshared", "_called"):
            vars(anew).pop(name, None)
        vars(anew).update(changes)
        return anew

    def _entry(self, entry: EntrySpec) -> EntrySpec:
        anew = copy(entry)
        function = entry.function
        if isinstance(function, FunctionType):
            vars(anew)["function"] = self._function(function)
        return anew

    # Functions

    def _function(self, old: FunctionType) -> FunctionType:
        """The same with ticks; itself where its source is not the author's, or cannot be found."""
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
        """Somebody else's function around one that was made anew: a decorator's."""
        cells = old.__closure__ or ()
        inner = [each for each in map(cell_value, cells) if isinstance(each, FunctionType)]
        self._functions[old] = old
        if all(self._function(each) is each for each in inner):
            return old
        return self._make(old, old.__code__, old.__globals__)

    def _make(self, old: FunctionType, code: CodeType, space: dict[str, Any]) -> FunctionType:
        around = dict(zip(old.__code__.co_freevars, old.__closure__ or (), strict=True))
        cells = tuple(self._cell(name, around[name]) for name in code.co_freevars)
        made = FunctionType(code, space, old.__name__, old.__defaults__, cells)
        made.__kwdefaults__ = old.__kwdefaults__
        for name in ("__module__", "__qualname__", "__doc__", "__annotations__"):
            setattr(made, name, getattr(old, name))
        vars(made).update(vars(old))
        self._functions[old] = made
        for name in code.co_freevars:
            content = cell_value(around[name])
            if isinstance(content, FunctionType):
                self._cells[id(around[name])].cell_contents = self._function(content)
            elif name == "__class__" and isinstance(content, type):
                self._cells[id(around[name])].cell_contents = self.contract(content)
        return made

    def _cell(self, name: str, old: CellType) -> CellType:
        """A new one for what is made anew, else the same: what a test counts in it, it finds there."""
        if isinstance(cell_value(old), FunctionType) or name == "__class__":
            return self._cells.setdefault(id(old), CellType())
        return old

    def _space(self, old: dict[str, Any]) -> dict[str, Any]:
        """What stands at the top of a module, as it is now."""
        if id(old) not in self._spaces:
            names = {name: instead(thing) for name, thing in old.items()}
            self._spaces[id(old)] = {**names, "__builtins__": fuel.INSTRUMENTED_BUILTINS}
        return self._spaces[id(old)]

    def _reach(self, code: CodeType, old: dict[str, Any], space: dict[str, Any]) -> None:
        """Make functions anew that the code mentions."""
        for name in code.co_names:
            if isinstance(old.get(name), FunctionType) and space.get(name) is old[name]:
                space[name] = self._function(old[name])
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                self._reach(constant, old, space)


def cell_value(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # nothing yet
        return None
