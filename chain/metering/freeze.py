"""Freeze the values that outlive a call, after the modules of an instrumented copy have run: everything that their names
reach.

Collections are replaced by constants (`chain.metering.frozen_collections`) wherever they are held: in a module, a class, an
object, another collection, a closure, the defaults of a function. Objects, classes and functions stay and are recorded there.
An iterator, which remembers its position, and a value of a type that cannot be frozen are refused where they are made.
"""

from __future__ import annotations

import ast
import sys
from collections import ChainMap, UserDict, UserList, UserString
from collections.abc import Callable, Iterable
from dataclasses import Field
from enum import Enum
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
from typing import Any, Final, NamedTuple

from chain.errors import DeclarationError
from chain.guard.allowlist import SETTINGS
from chain.metering import frozen_collections
from chain.metering.frozen_collections import CONSTANTS, record_name
from chain.source.location import Source
from chain.source.modules import Module
from chain.source.word_sets import word_set

_PLAIN: Final = frozenset({int, str, bytes, bool, float, complex, type(None), range, ModuleType})
# Standard library modules whose objects do not change, except by setting an attribute.
_STILL: Final = word_set(
    """
    __future__ _abc _collections _operator abc builtins collections collections.abc dataclasses datetime decimal enum fractions
    functools numbers operator pathlib re string types typing typing_extensions uuid
    """
)
_CHANGING: Final = (list, dict, set, bytearray)
_CHANGEABLE: Final = (*_CHANGING, memoryview, ChainMap, UserDict, UserList, UserString)
# Names with double underscores that an author may bind, and that may hold a list.
_AUTHORS: Final = SETTINGS - {"__doc__", "__test__"} | {"__annotations__"}


class Called:
    """An immutable `functools.partial`."""

    __slots__ = ("args", "func", "keywords")

    def __init__(
        self, func: Callable[..., object], args: tuple[object, ...], keywords: dict[str, object]
    ) -> None:
        self.func, self.args, self.keywords = func, args, MappingProxyType(keywords)

    def __call__(self, *args: object, **named: object) -> object:
        return self.func(*self.args, *args, **{**self.keywords, **named})


class _Described(NamedTuple):
    """The description of a value that outlives calls, for messages. It is computed on demand, because few are needed."""

    part: str
    name: str
    place: Source

    def __str__(self) -> str:
        return f"{self.part}'{self.name}' ({self.place})"


class Freezing:
    """A walk that freezes the modules of one module namespace."""

    def __init__(self, spaces: dict[Module, dict[str, object]]) -> None:
        self._spaces = spaces
        self._names = {module.name for module in spaces}
        self._done: dict[int, tuple[object, object]] = {}  # by id: the original and the frozen
        self._seen: set[int] = set()  # ids of the cells visited
        self._source: Module | None = None
        self._name = ""
        self._part = ""  # a prefix for messages, such as "a default of "

    def run(self) -> None:
        """Freeze the values of all names of all modules, in place."""
        # The names defined in a module come first, so that messages call a value by the name of its definition.
        for is_own in (True, False):
            for module, space in self._spaces.items():
                self._source = module
                for name in [name for name in space if not _is_pythons(name)]:
                    definition = module.names.get(name)
                    if is_own == (
                        definition is not None and not isinstance(definition.node, ast.alias)
                    ):
                        space[name] = self._named(name, space[name])

    def _named(self, name: str, value: object) -> object:
        """Return the frozen form of `value`, described as `name` in messages."""
        before, (self._name, self._part) = (self._name, self._part), (name, "")
        try:
            return self.frozen(value)
        finally:
            self._name, self._part = before

    def _record(self, thing: object) -> None:
        """Record that `thing` outlives calls."""
        if not frozen_collections.is_recorded(thing):
            record_name(thing, _Described(self._part, self._name, self._place()))

    def _place(self) -> Source:
        """Return the location at which the current name is bound."""
        source = self._source
        assert source is not None
        first, *rest = self._name.split(".")
        definition = source.names.get(first)
        node: object = definition.node if definition is not None else None
        for part in rest:
            node = next((inner for inner in getattr(node, "body", ()) if _sets(inner, part)), node)
        return Source(source.file, getattr(node, "lineno", 1))

    def _refuse(self, value: object, why: str, remedy: str) -> None:
        type_name = type(value).__name__
        raise DeclarationError(
            f"{self._place()}: {self._part}'{self._name}' is or holds a {type_name}, {why}, and it outlives the call; {remedy}"
        )

    # Values

    def frozen(self, value: object) -> Any:
        """Return the frozen form of a value: the value itself if it cannot change, or if it is recorded."""
        value_type = type(value)
        if value_type in _PLAIN or value_type in CONSTANTS:
            return value
        if id(value) not in self._done:
            self._done[id(value)] = value, self._copy(value, value_type)
        return self._done[id(value)][1]

    def _copy(self, value: Any, kind: type) -> object:
        """Return the frozen form of a value that is not frozen yet. `kind` is its type."""
        constant = frozen_collections.begun(value)
        if constant is not None:
            return self._collection(value, constant)
        for handled_type, freeze in _KINDS.items():
            if isinstance(value, handled_type):
                return freeze(self, value)
        if kind.__module__ in self._names:
            return self._object(value)
        if isinstance(value, BaseException):
            self._refuse(value, "which changes when it is raised", "create it where it is raised")
        elif kind.__name__ == "_lru_cache_wrapper":
            # All calls would share its cache.
            return self.frozen(value.__wrapped__)
        elif kind.__module__.partition(".")[0] != "chain":
            self._foreign(value, kind)
        return value

    def _foreign(self, value: object, kind: type) -> None:
        """Record an object of another package. Refuse an iterator, and an object that may change."""
        if hasattr(kind, "__next__"):
            self._refuse(
                value,
                "which keeps its position",
                "create it inside the function, or keep a number in storage",
            )
        if kind.__module__ not in _STILL or isinstance(value, _CHANGEABLE):
            self._refuse(
                value, "which may change", "create it inside the function, or use a tuple or bytes"
            )
        self._record(value)

    def _collection(self, value: Any, made: object) -> object:
        """Fill `made`, the empty constant for a collection, with its frozen items. Return it."""
        self._done[id(value)] = value, made
        self._record(made)
        if isinstance(value, dict):
            pairs = [(self.frozen(key), self.frozen(item)) for key, item in value.items()]
            frozen_collections.fill(made, pairs)
        else:
            frozen_collections.fill(made, self._each(value))
        return made

    def _each(self, items: Iterable[object]) -> list[object]:
        return [self.frozen(item) for item in items]

    def _tuple(self, value: tuple[object, ...]) -> object:
        items = self._each(value)
        if id(value) in self._done:  # the tuple holds itself
            return self._done[id(value)][1]
        if all(a is b for a, b in zip(items, value, strict=True)):
            return value
        frozen_tuple: object = tuple.__new__(type(value), items)
        vars(frozen_tuple).update(vars(value)) if hasattr(value, "__dict__") else None
        return frozen_tuple

    def _frozenset(self, value: frozenset[object]) -> object:
        self._each(value)
        return value

    def _proxy(self, value: MappingProxyType[object, object]) -> object:
        if frozen_collections.is_recorded(value):
            return value
        proxy = MappingProxyType(self.frozen(value.copy()))
        self._record(proxy)
        return proxy

    def _partial(self, value: partial[object]) -> object:
        named = {name: self.frozen(argument) for name, argument in value.keywords.items()}
        return Called(self.frozen(value.func), tuple(self._each(value.args)), named)

    def _partial_method(self, value: partialmethod[object]) -> object:
        value.func, value.args = self.frozen(value.func), tuple(self._each(value.args))
        value.keywords = self.frozen(value.keywords)
        return value

    def _method(self, value: Any) -> object:
        """Return a bound method of a frozen object, as in `push = rows.append`."""
        holder, name = self.frozen(value.__self__), value.__name__
        if isinstance(value, MethodType):
            self.frozen(value.__func__)
        if name in frozen_collections.MAKERS:
            self._refuse(value, "which sets attributes", "call it inside the function")
        return value if holder is value.__self__ else getattr(holder, name)

    # Values that stay as they are and are recorded

    def _object(self, value: object) -> object:
        """Freeze the attributes of an object of the author's own class, and record it."""
        if isinstance(value, _CHANGING):
            self._refuse(
                value,
                f"which is a {next(base.__name__ for base in _CHANGING if isinstance(value, base))} that may change",
                "create it inside the function, or use a plain one",
            )
        self._done[id(value)] = value, value
        self._record(value)
        name = self._name
        for attribute, held in list(getattr(value, "__dict__", {}).items()):
            value.__dict__[attribute] = self._named(f"{name}.{attribute}", held)
        for cls in type(value).__mro__:
            for attribute, slot in list(vars(cls).items()):
                if isinstance(slot, MemberDescriptorType) and hasattr(value, attribute):
                    held = slot.__get__(value)
                    frozen_value = self._named(f"{name}.{attribute}", held)
                    if frozen_value is not held:
                        slot.__set__(value, frozen_value)
        self.frozen(type(value))
        return value

    def _function(self, value: FunctionType) -> FunctionType:
        """Freeze the closure, defaults and attributes of a function, and record it if it is the author's own."""
        space = value.__globals__
        self._done[id(value)] = value, value
        if str(space.get("__name__")).partition(".")[0] == "chain":
            return value
        is_own = any(space is module_space for module_space in self._spaces.values())
        if is_own:
            self._record(value)
        before, self._part = self._part, "what is around "
        for cell in value.__closure__ or ():
            self._cell(cell, is_own)
        # The methods of a named tuple have globals of no imported module.
        if is_own or space.get("__name__") not in sys.modules:
            self._part = "a default of "
            if value.__defaults__:
                value.__defaults__ = tuple(self._each(value.__defaults__))
            _renew(value.__kwdefaults__ or {}, self.frozen)
            self._part = "an attribute of "
            _renew(vars(value), self.frozen)
        self._part = before
        return value

    def _cell(self, cell: CellType, is_own: bool) -> None:
        """Freeze the content of a closure cell. A collection in the closure of a library function is left alone.

        An example is the `repr` of a dataclass, which keeps a set there. `is_own` is true for a function of the author's.
        """
        if id(cell) not in self._seen:
            self._seen.add(id(cell))
            try:
                content = cell.cell_contents
            except ValueError:  # the cell is empty
                return
            if is_own or not frozen_collections.is_collection(content):
                new = self.frozen(content)
                if new is not content:
                    cell.cell_contents = new

    def _class(self, cls: type) -> type:
        """Freeze the bases and attributes of the author's own class, and record it."""
        self._done[id(cls)] = cls, cls
        if cls.__module__ not in self._names:
            return cls
        name = self._name if _is_inner(cls) else cls.__qualname__
        before, (self._name, self._part) = (self._name, self._part), (name, "")
        self._record(cls)
        for base in cls.__bases__:
            self.frozen(base)
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
        if issubclass(cls, Enum):
            self._members(cls)
            for member, value in cls._member_map_.items():
                self._named(f"{name}.{member}", value)
        self._name, self._part = before
        return cls

    def _members(self, cls: type[Enum]) -> None:
        """Refuse a class or a partial function in an Enum. Python versions disagree on whether it is a member."""
        for name, value in vars(cls).items():
            inner = value._value_ if isinstance(value, Enum) else value
            if isinstance(inner, type | partial | Called) and not name.startswith("_"):
                self._name = f"{cls.__qualname__}.{name}"
                self._refuse(
                    inner, "which is a member on some versions of Python", "put it next to the Enum"
                )

    def _fields(self, fields: Iterable[Field[object]]) -> None:
        for field in fields:
            field.default = self.frozen(field.default)
            field.default_factory = self.frozen(field.default_factory)
            field.metadata = self.frozen(field.metadata)

    def _wrapper(self, value: Any) -> object:
        """Freeze the functions in a property, static method or class method."""
        if isinstance(value, property):
            self._each((value.fget, value.fset, value.fdel))
        else:
            self.frozen(value.__func__)
        return value

    def _remembered(self, value: cached_property[object]) -> object:
        """Return a plain property for a cached one, as all calls would share its cache."""
        return property(self.frozen(value.func))


_KINDS: Final[dict[Any, Callable[[Freezing, Any], object]]] = {
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


def _renew(named: dict[str, object], frozen: Callable[[object], object]) -> None:
    """Replace the values of a dict by their frozen forms, in place."""
    named.update({name: frozen(value) for name, value in named.items()})


def _is_inner(cls: type) -> bool:
    return "<locals>" in cls.__qualname__


def _is_pythons(name: str) -> bool:
    return name.startswith("__") and name.endswith("__") and name not in _AUTHORS


def _sets(node: ast.AST, name: str) -> bool:
    """True if a statement binds `name`."""
    if isinstance(node, ast.Assign):
        return any(isinstance(target, ast.Name) and target.id == name for target in node.targets)
    if isinstance(node, ast.AnnAssign):
        return isinstance(node.target, ast.Name) and node.target.id == name
    return getattr(node, "name", None) == name
