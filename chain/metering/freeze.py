"""Freezes what outlives a call, once the modules of an image are made: everything that can be reached from their names.

Collections are replaced by constants wherever something holds them: in a module, a class, an object, another collection, a
closure, the defaults of a function. Objects, classes and functions stay and are noted. What remembers how far it was read, and
what nobody knows how to freeze, is refused where it is made.
"""

from __future__ import annotations

import ast
import sys
from collections import ChainMap, UserDict, UserList, UserString
from collections.abc import Callable, Iterable
from dataclasses import Field
from enum import Enum, Flag
from functools import cached_property, partial, partialmethod
from types import (
    BuiltinFunctionType,
    CellType,
    FunctionType,
    MappingProxyType,
    MemberDescriptorType,
    MethodType,
    MethodWrapperType,
    ModuleType,
)
from typing import Any, Final

from chain.errors import DeclarationError
from chain.guard.allowlist import SETTINGS
from chain.metering import frozen_collections
from chain.metering.frozen_collections import (
    CONSTANTS,
    note,
    settable,
)
from chain.source.location import Source
from chain.source.modules import Module
from chain.source.word_sets import word_set

_PLAIN: Final = frozenset({int, str, bytes, bool, float, complex, type(None), range, ModuleType})
# Modules of Python whose objects do not change, or only by an attribute that is set.
_STILL: Final = word_set(
    """
    __future__ _abc _collections _operator abc builtins collections collections.abc dataclasses datetime decimal enum fractions
    functools numbers operator pathlib re string types typing typing_extensions uuid
    """
)
_CHANGING: Final = (list, dict, set, bytearray)
_CHANGEABLE: Final = (*_CHANGING, memoryview, ChainMap, UserDict, UserList, UserString)
# What an author may set between two underscores, and hold a list in.
_AUTHORS: Final = SETTINGS - {"__doc__", "__test__"} | {"__annotations__"}


class Called:
    """A `functools.partial` that cannot be changed."""

    __slots__ = ("args", "func", "keywords")

    def __init__(self, func: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> None:
        self.func, self.args, self.keywords = func, args, MappingProxyType(keywords)

    def __call__(self, *args: Any, **named: Any) -> Any:
        return self.func(*self.args, *args, **{**self.keywords, **named})


class Freezing:
    """One walk over the modules of a world."""

    def __init__(self, spaces: dict[Module, dict[str, Any]]) -> None:
        self._spaces = spaces
        self._names = {module.name for module in spaces}
        self._done: dict[int, tuple[Any, Any]] = {}  # by id: what was there, and what is now
        self._seen: set[int] = set()  # cells
        self._source: Module | None = None
        self._name = ""
        self._part = ""  # of what is called so: "a default of "

    def run(self) -> None:
        for is_own in (True, False):  # a thing is called as it is where it was made
            for module, space in self._spaces.items():
                self._source = module
                for name in [name for name in space if not _is_pythons(name)]:
                    known = module.names.get(name)
                    if is_own == (known is not None and not isinstance(known.node, ast.alias)):
                        space[name] = self._named(name, space[name])

    def _named(self, name: str, value: Any) -> Any:
        """What stands in the place of `value`, which is called so."""
        before, (self._name, self._part) = (self._name, self._part), (name, "")
        try:
            return self.frozen(value)
        finally:
            self._name, self._part = before

    def _note(self, thing: Any) -> None:
        if not frozen_collections.is_noted(thing):
            note(thing, f"{self._part}'{self._name}' ({self._place()})")

    def _place(self) -> Source:
        source = self._source
        assert source is not None
        first, *rest = self._name.split(".")
        known = source.names.get(first)
        node: Any = known.node if known is not None else None
        for each in rest:
            node = next((inner for inner in getattr(node, "body", ()) if _sets(inner, each)), node)
        return Source(source.file, getattr(node, "lineno", 1))

    def _refuse(self, value: Any, why: str, remedy: str) -> None:
        kind = type(value).__name__
        raise DeclarationError(
            f"{self._place()}: {self._part}'{self._name}' is or holds a {kind}, {why}, and it outlives the call; {remedy}"
        )

    # Values

    def frozen(self, value: Any) -> Any:
        """What stands in the place of a value: itself where it cannot change, or can be noted."""
        kind = type(value)
        if kind in _PLAIN or kind in CONSTANTS:
            return value
        if id(value) not in self._done:
            self._done[id(value)] = value, self._anew(value, kind)
        return self._done[id(value)][1]

    def _anew(self, value: Any, kind: type) -> Any:
        made = frozen_collections.begun(value)
        if made is not None:
            return self._collection(value, made)
        for known, change in _KINDS.items():
            if isinstance(value, known):
                return change(self, value)
        if kind.__module__ in self._names:
            return self._object(value)
        if isinstance(value, BaseException):
            self._refuse(value, "which changes when it is raised", "make it where it is raised")
        elif (
            kind.__name__ == "_lru_cache_wrapper"
        ):  # what it remembers would be shared by all calls
            return self.frozen(value.__wrapped__)
        elif kind.__module__.partition(".")[0] != "chain":
            self._foreign(value, kind)
        return value

    def _foreign(self, value: Any, kind: type) -> None:
        if hasattr(kind, "__next__"):
            self._refuse(
                value,
                "which remembers how far it was read",
                "make it inside the function, or keep a number in storage",
            )
        is_still = kind.__module__ in _STILL and not isinstance(value, _CHANGEABLE)
        if not is_still:
            self._refuse(
                value, "which may change", "make it inside the function, or hold a tuple or bytes"
            )
        self._note(value)

    def _collection(self, value: Any, made: Any) -> Any:
        self._done[id(value)] = value, made
        self._note(made)
        if isinstance(value, dict):
            pairs = [(self.frozen(key), self.frozen(each)) for key, each in value.items()]
            frozen_collections.fill(made, pairs)
        else:
            frozen_collections.fill(made, self._each(value))
        return made

    def _each(self, items: Iterable[Any]) -> list[Any]:
        return [self.frozen(each) for each in items]

    def _tuple(self, value: tuple[Any, ...]) -> Any:
        items = self._each(value)
        if id(value) in self._done:  # it holds itself
            return self._done[id(value)][1]
        if all(a is b for a, b in zip(items, value, strict=True)):
            return value
        made: Any = tuple.__new__(type(value), items)
        vars(made).update(vars(value)) if hasattr(value, "__dict__") else None
        return made

    def _frozenset(self, value: frozenset[Any]) -> Any:
        self._each(value)
        return value

    def _proxy(self, value: Any) -> Any:
        if frozen_collections.is_noted(value):
            return value
        made = MappingProxyType(self.frozen(value.copy()))
        self._note(made)
        return made

    def _partial(self, value: Any) -> Any:
        named = {name: self.frozen(each) for name, each in value.keywords.items()}
        return Called(self.frozen(value.func), tuple(self._each(value.args)), named)

    def _partial_method(self, value: Any) -> Any:
        value.func, value.args = self.frozen(value.func), tuple(self._each(value.args))
        value.keywords = self.frozen(value.keywords)
        return value

    def _method(self, value: Any) -> Any:
        """A method that was taken off something, as in `push = rows.append`."""
        holder = self.frozen(value.__self__)
        if isinstance(value, MethodType):
            self.frozen(value.__func__)
        if value.__name__ in frozen_collections.MAKERS:
            self._refuse(value, "which sets attributes", "call it inside the function")
        return value if holder is value.__self__ else getattr(holder, value.__name__)

    # What stays as it is and is noted

    def _object(self, value: Any) -> Any:
        if isinstance(value, _CHANGING):
            self._refuse(
                value,
                f"which is a {next(each.__name__ for each in _CHANGING if isinstance(value, each))} that may change",
                "make it inside the function, or hold a plain one",
            )
        self._done[id(value)] = value, value
        self._note(value)
        name = self._name
        for attribute, each in list(getattr(value, "__dict__", {}).items()):
            value.__dict__[attribute] = self._named(f"{name}.{attribute}", each)
        for cls in type(value).__mro__:
            for attribute, slot in list(vars(cls).items()):
                if isinstance(slot, MemberDescriptorType) and hasattr(value, attribute):
                    each = slot.__get__(value)
                    new = self._named(f"{name}.{attribute}", each)
                    if new is not each:
                        slot.__set__(value, new)
        self.frozen(type(value))
        return value

    def _function(self, value: FunctionType) -> FunctionType:
        space = value.__globals__
        self._done[id(value)] = value, value
        if str(space.get("__name__")).partition(".")[0] == "chain":
            return value
        is_own = any(space is each for each in self._spaces.values())
        if is_own:
            self._note(value)
        before, self._part = self._part, "what is around "
        for cell in value.__closure__ or ():
            self._cell(cell, is_own)
        if is_own or space.get("__name__") not in sys.modules:  # as that of a named tuple
            self._part = "a default of "
            if value.__defaults__:
                value.__defaults__ = tuple(self._each(value.__defaults__))
            _renew(value.__kwdefaults__ or {}, self.frozen)
            self._part = "an attribute of "
            _renew(vars(value), self.frozen)
        self._part = before
        return value

    def _cell(self, cell: CellType, is_own: bool) -> None:
        """What Python's own functions keep around them, as that of a dataclass which writes it out, is theirs."""
        if id(cell) not in self._seen:
            self._seen.add(id(cell))
            try:
                content = cell.cell_contents
            except ValueError:  # nothing yet
                return
            if not is_own and frozen_collections.is_collection(content):
                return
            new = self.frozen(content)
            if new is not content:
                cell.cell_contents = new

    def _class(self, cls: type) -> type:
        self._done[id(cls)] = cls, cls
        if cls.__module__ not in self._names:
            return cls
        name = self._name if _is_inner(cls) else cls.__qualname__
        before, (self._name, self._part) = (self._name, self._part), (name, "")
        self._note(cls)
        for each in cls.__bases__:
            self.frozen(each)
        for attribute, value in list(vars(cls).items()):
            if attribute == "__dataclass_fields__":
                self._fields(value.values())
            elif isinstance(value, FunctionType | staticmethod | classmethod | property):
                self.frozen(value)
            elif not _is_pythons(attribute) and not (
                issubclass(cls, Enum) and attribute.startswith("_")
            ):
                new = self._named(f"{name}.{attribute}", value)
                if new is not value:
                    type.__setattr__(cls, attribute, new)
        if issubclass(cls, Flag):
            _close(cls)
        if issubclass(cls, Enum):
            self._members(cls)
            for member, value in cls._member_map_.items():
                self._named(f"{name}.{member}", value)
        self._name, self._part = before
        return cls

    def _members(self, cls: type[Enum]) -> None:
        """Each version of Python answers otherwise whether a class or a partial function in an Enum is a member."""
        for name, value in vars(cls).items():
            inner = value._value_ if isinstance(value, Enum) else value
            if isinstance(inner, type | partial | Called) and not name.startswith("_"):
                self._name = f"{cls.__qualname__}.{name}"
                self._refuse(
                    inner, "which is a member on some versions of Python", "put it beside the Enum"
                )

    def _fields(self, fields: Iterable[Field[Any]]) -> None:
        for field in fields:
            field.default = self.frozen(field.default)
            field.default_factory = self.frozen(field.default_factory)
            field.metadata = self.frozen(field.metadata)

    def _wrapper(self, value: Any) -> Any:
        """A function in a class, as it is called there."""
        if isinstance(value, property):
            self._each((value.fget, value.fset, value.fdel))
        else:
            self.frozen(value.__func__)
        return value

    def _remembered(self, value: Any) -> Any:
        return property(self.frozen(value.func))


_KINDS: Final[dict[Any, Callable[[Freezing, Any], Any]]] = {
    FunctionType: Freezing._function,
    type: Freezing._class,
    tuple: Freezing._tuple,
    frozenset: Freezing._frozenset,
    MappingProxyType: Freezing._proxy,
    partial: Freezing._partial,
    partialmethod: Freezing._partial_method,
    MethodType | BuiltinFunctionType | MethodWrapperType: Freezing._method,
    staticmethod | classmethod | property: Freezing._wrapper,
    cached_property: Freezing._remembered,
}


def _renew(named: dict[str, Any], frozen: Callable[[Any], Any]) -> None:
    named.update({name: frozen(each) for name, each in named.items()})


def _close(cls: type[Flag]) -> None:
    """Two flags together are a member that Python makes when it is first asked for, and keeps: it has Python's attributes."""

    def __setattr__(self: Flag, name: str, value: Any) -> None:  # noqa: N807
        if not name.startswith("_"):
            note(self, str(self))
            settable(self)
        object.__setattr__(self, name, value)

    type.__setattr__(cls, "__setattr__", __setattr__)


def _is_inner(cls: type) -> bool:
    return "<locals>" in cls.__qualname__


def _is_pythons(name: str) -> bool:
    return name.startswith("__") and name.endswith("__") and name not in _AUTHORS


def _sets(node: ast.AST, name: str) -> bool:
    """Whether a statement in a class gives a name its value."""
    if isinstance(node, ast.Assign):
        return any(isinstance(each, ast.Name) and each.id == name for each in node.targets)
    if isinstance(node, ast.AnnAssign):
        return isinstance(node.target, ast.Name) and node.target.id == name
    return getattr(node, "name", None) == name
