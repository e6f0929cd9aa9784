"""Constants: the values that outlive a call, at the top of a module or in a class. A message may read them, not change them.

State belongs in storage: what a call leaves in a Python object would not be undone when the call fails, and another machine
would not have it. So the collections there are replaced, once and in place, by equal ones that refuse changes while a message
runs, and are ordinary at any other time; so are objects of the author's own classes. What remembers something by nature, such
as an iterator, is found when a contract is deployed.
"""

from __future__ import annotations

import ast
import operator
import re
import sys
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable
from copy import copy
from enum import Enum
from functools import cached_property, lru_cache, partial
from itertools import repeat
from operator import attrgetter, itemgetter
from types import (
    BuiltinFunctionType,
    FrameType,
    FunctionType,
    GenericAlias,
    MappingProxyType,
    MethodType,
    ModuleType,
    UnionType,
)
from typing import Any, Final, TypeVar

from chain.foundation.turn import is_mine
from chain.guard.finding import Finding, Rule
from chain.metering.as_data import attributes_of, enum_attributes_of, is_method
from chain.metering.fuel import is_counted
from chain.metering.ordered_sets import OrderedFrozenSet, OrderedSet
from chain.metering.reach import Name, Reach
from chain.source.import_paths import imports_of
from chain.source.location import Source
from chain.source.own_modules import is_own, own_modules
from chain.source.syntax_trees import text_tree
from chain.spec.invocation import INVOKE

T = TypeVar("T")
_LOST: Final = "which outlives the call: a failed call would not undo it, and another machine would not have it"
_WITHIN: Final = "create it inside the function, or use a tuple"
CHANGING: Final = Rule("changing", "'{name}' is or holds {thing}", "it outlives the call", _WITHIN)
MOVING: Final = Rule(
    "moving",
    "'{name}' is or holds {thing}",
    "it keeps its position, and outlives the call",
    _WITHIN,
)
ROUNDED: Final = Rule(
    "rounded",
    "'{name}' is or holds {thing}",
    "floats are rounded, and the rules of a game must be exact",
    "count in whole numbers",
)
REBOUND: Final = Rule(
    "rebound",
    "'{name}' is a variable that a call sets, and it lives on",
    "a failed call would not undo it, and another machine would not have it",
    "keep it in a field of the contract",
)
UNORDERED: Final = Rule(
    "unordered",
    "'{name}' is or holds {thing}",
    "its items cannot be sorted, and their order differs in every run",
    "make it a tuple",
)
_CHANGES: Final = {
    list: "append extend insert pop remove clear sort reverse __setitem__ __delitem__ __iadd__ __imul__",
    defaultdict: "pop popitem setdefault update clear __setitem__ __delitem__ __ior__ __missing__",
    dict: "pop popitem setdefault update clear move_to_end __setitem__ __delitem__ __ior__",
    OrderedSet: "add discard remove pop clear update difference_update intersection_update symmetric_difference_update"
    " __iand__ __ior__ __isub__ __ixor__",
    deque: "append appendleft extend extendleft insert pop popleft remove clear reverse rotate"
    " __setitem__ __delitem__ __iadd__",
    object: "__setattr__ __delattr__",
}
_STILL: Final = (
    int, str, bytes, type(None), type(...), type(NotImplemented), range, slice, re.Pattern, itemgetter, attrgetter,
    BuiltinFunctionType, FunctionType, type, staticmethod, classmethod, property, partial, cached_property, ModuleType,
    GenericAlias, UnionType, repeat,
)  # fmt: skip
_OF_CHAIN_OR_PYTHON: Final = ("chain", "typing", "types", "enum", "dataclasses", "abc", "functools")
_ORDERED: Final[dict[object, type]] = {set: OrderedSet, frozenset: OrderedFrozenSet}
_COLLECTIONS: Final = (list, dict, deque)
_OURS: Final = 2  # references to an original that only `_originals` holds, while they are counted
# Each list, dict and queue whose place a constant took, its content then, and the constant; as long as something else holds it.
_originals: Final[list[tuple[Any, Any, Any]]] = []
_names: Final[dict[int, tuple[object, Name]]] = {}  # by id: each constant, and where it stands


class ConstantChanged(TypeError):
    """An attempt of a message to change a value that outlives it."""


class _Changes:
    """The number of changes to constants so far, by tests and the like."""

    count = 0


def changes_so_far() -> int:
    return _Changes.count


def follow_originals() -> None:
    """Change the constants whose originals have changed: a test may undo a patch from before the deployment."""
    _originals[:] = [held for held in _originals if sys.getrefcount(held[0]) > _OURS]
    for i, (original, before, constant) in enumerate(_originals):
        if original != before:
            _originals[i] = original, copy(original), constant
            constant.clear()
            constant.update(original) if isinstance(original, dict) else constant.extend(original)


def _is_refused() -> bool:
    """Return True if a message of a chain with a guard runs in this thread."""
    frame: FrameType | None = sys._getframe(1) if is_counted() and is_mine() else None
    while frame is not None and frame.f_code is not INVOKE:
        frame = frame.f_back
    return frame is not None and frame.f_locals["contract"]._frame.context.machine.guards


def _refusing(base: type, change: str) -> Callable[..., Any]:
    method = getattr(base, change)

    def changed(self: Any, *args: object, **named: object) -> Any:
        if id(self) in _names:
            is_missing = change == "__missing__" and self.default_factory is None
            if not is_missing and _is_refused():
                place = place_of(*_names[id(self)][1])
                raise ConstantChanged(
                    f"{change} would change {place}, {_LOST}; keep it in a field of the contract, or change a copy"
                )
            _Changes.count += 1
        return method(self, *args, **named)

    return changed


@lru_cache
def _constant(base: type) -> type:
    """Return the subclass of a collection, or of an author's class, that refuses changes. Copies of it are ordinary."""
    kind = next(kind for kind in _CHANGES if issubclass(base, kind))
    space: dict[str, object] = {
        "__slots__": (),
        "__module__": base.__module__,
        "__qualname__": base.__qualname__,
        **{name: _refusing(base, name) for name in _CHANGES[kind].split() if hasattr(base, name)},
    }
    space["__class__"] = property(lambda self: base)
    space["__reduce_ex__"] = lambda self, protocol: _reduced_as(base, self, protocol)
    return type(base.__name__, (base,), space)


def _reduced_as(base: Any, value: object, protocol: object) -> tuple[object, ...]:
    """Return the parts from which `copy` and `pickle` make an ordinary object, one of the class `base`."""
    cls, reduced = type(value), base.__reduce_ex__(value, protocol)
    made_by, args, *rest = reduced
    args = tuple(base if arg is cls else arg for arg in args)
    return (base if made_by is cls else made_by, args, *rest)


def place_of(module: str, name: str) -> str:
    """Return a name with the place where it is bound."""
    return f"{Source(*_place(module, name))}: '{name}'"


def _place(module: str, name: str) -> tuple[str, int]:
    space = vars(sys.modules.get(module, sys))
    file = space.get("__file__") or module
    tree, last = text_tree(file), name.rpartition(".")[2]
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id == last and isinstance(node.ctx, ast.Store):
            return file, node.lineno
    home, _, origin = imports_of(tree, module, "__path__" in space).get(name, "").rpartition(".")
    return _place(home, origin) if home in sys.modules and home != module else (file, 1)


def freeze(reach: Reach) -> list[Finding]:
    """Make the values that a contract reaches refuse changes by messages, and return what is wrong with them."""
    freezing = _Freezing()
    replaced: dict[int, object] = {}
    for name, (place, value) in reach.values.items():
        is_code = isinstance(value, FunctionType | type | ModuleType)
        if is_own(name[0]) and (not is_code or value in _ORDERED):
            new = freezing.named(name, value)
            if new is not value:
                replaced |= {} if is_code else {id(value): new}
                place.put(new)
                reach.values[name] = place, new
    for space in map(vars, own_modules() if replaced else ()):
        for variable, value in list(space.items()):
            if id(value) in replaced:
                space[variable] = replaced[id(value)]  # imported from the module that makes it
    for cls in reach.classes:
        if vars(cls).get("__repr__", cls.__repr__) is object.__repr__:  # it shows an address
            cls.__repr__ = _repr  # type: ignore[method-assign, assignment]
    reach.remember()
    return [*freezing.findings, *map(_rebound, reach.rebound)]


def _rebound(name: Name) -> Finding:
    return REBOUND.at(*_place(*name), 1, name=name[1])


def _repr(thing: object) -> str:
    return f"<{type(thing).__qualname__} object>"


class _Freezing:
    def __init__(self) -> None:
        self.findings: list[Finding] = []
        self._done: dict[int, tuple[object, object]] = {}
        self._name: Name = "", ""

    def named(self, name: Name, value: object) -> object:
        """Return the value of this name, such that it refuses changes."""
        self._name = name
        return self._frozen(value)

    def _frozen(self, value: Any) -> Any:
        """Return the same value, or one that is equal and refuses changes."""
        kind = type(value)
        if kind in (int, str, bool, bytes) or value is None:
            return value
        if value is set or value is frozenset:  # as a default factory, or in a table
            return _ORDERED[value]
        if id(value) not in self._done:
            self._done[id(value)] = value, value
            self._done[id(value)] = value, self._made(value, kind)
        return self._done[id(value)][1]

    def _made(self, value: Any, kind: Any) -> object:
        if kind is list or kind is deque:
            size = (value.maxlen,) if kind is deque else ()
            return self._follows(value, _constant(kind)(map(self._frozen, value), *size))
        if kind in (dict, OrderedDict, defaultdict, Counter):
            made = kind.__new__(_constant(kind))
            if kind is defaultdict:
                made.default_factory = self._frozen(value.default_factory)
            for key, item in value.items():
                kind.__setitem__(made, self._frozen(key), self._frozen(item))
            return self._follows(value, made)
        if kind is set or kind is frozenset:
            return self._set(value, _constant(OrderedSet) if kind is set else OrderedFrozenSet)
        if isinstance(value, tuple):
            items = [*map(self._frozen, value)]
            is_same = all(map(operator.is_, items, value))
            return value if is_same else tuple.__new__(kind, items)
        if kind is MappingProxyType:
            is_known = id(value) in _names
            return value if is_known else self._known(kind(self._frozen(dict(value))))
        if kind is MethodType or (kind is BuiltinFunctionType and is_method(value)):
            holder = self._frozen(value.__self__)
            return value if holder is value.__self__ else getattr(holder, value.__name__)
        if kind is partial:
            return self._partial(value)
        if isinstance(
            value, _COLLECTIONS
        ):  # an author's, or a constant since an earlier deployment
            self._freeze_items(value)
            if id(value) not in _names:
                value.__class__ = _constant(kind)
                self._known(value)
        elif isinstance(value, Enum | BaseException) or is_own(value.__class__.__module__):
            self._object(value, kind)
        elif not isinstance(value, _STILL) and not hasattr(kind, "__get__"):
            self._look_at(value, kind)
        return value

    def _freeze_items(self, value: Any) -> None:
        put = next(kind.__setitem__ for kind in _COLLECTIONS if isinstance(value, kind))
        for key, item in list(value.items() if isinstance(value, dict) else enumerate(value)):
            new = self._frozen(item)
            if new is not item:
                put(value, key, new)

    def _partial(self, value: partial[Any]) -> object:
        parts = value.func, *value.args, *value.keywords.values()
        function, *args = new = self._frozen(parts)
        named = {name: args.pop() for name in reversed(value.keywords)}
        return value if new is parts else partial(function, *args, **named)

    def _set(self, value: Iterable[Any], kind: type) -> object:
        """Sets that were made while a module was imported have no order yet: they get that of their values."""
        try:
            items = sorted(
                value, key=lambda item: (type(item).__name__, getattr(item, "name", item))
            )
        except TypeError:
            self._report(UNORDERED, value)
            return value
        return self._known(kind(map(self._frozen, items)))

    def _object(self, value: object, kind: type) -> None:
        """Freeze the attributes of an object, and the object too if they can be set."""
        parts = enum_attributes_of(value) if isinstance(value, Enum) else attributes_of(value)
        for name, part in list(parts):
            new = self._frozen(part)
            if new is not part:
                object.__setattr__(value, name, new)
        params = getattr(kind, "__dataclass_params__", None)
        if not isinstance(value, Enum | BaseException) and not (params and params.frozen):
            if id(value) not in _names:
                value.__class__ = _constant(kind)
            self._known(value)

    def _look_at(self, value: object, kind: type) -> None:
        if isinstance(value, float | complex):
            self._report(ROUNDED, value)
        elif hasattr(kind, "__next__"):
            self._report(MOVING, value)
        elif (kind.__module__ or "").partition(".")[0] not in _OF_CHAIN_OR_PYTHON:
            self._report(CHANGING, value)

    def _follows(self, original: object, constant: T) -> T:
        _originals.append((original, copy(original), constant))
        return self._known(constant)

    def _known(self, value: T) -> T:
        _names[id(value)] = value, self._name
        return value

    def _report(self, rule: Rule, value: object) -> None:
        file, line = _place(*self._name)
        thing = f"a {type(value).__name__}"
        self.findings.append(rule.at(file, line, 1, name=self._name[1], thing=thing))
