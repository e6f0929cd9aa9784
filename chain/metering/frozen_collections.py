"""The values of an instrumented copy that outlive a call: they can be read, and any change is refused.

A value at the top of a module or in a class is created once and shared by all calls. A list there is a `list` that refuses
changes, however it is reached; so is a dict, a set or a deque. Reading is as usual, and a copy, slice or sum is an ordinary
list again. An object of the author's own class, a class or a function cannot refuse changes by itself. So it is recorded here,
and an instrumented copy calls `settable` before it sets an attribute.

Some C functions write into a list without calling its methods: `list.append(row, 1)`, `heappush(row, 1)`. Where an
instrumented copy takes the former off its class, it gets a function that checks first (`taken`). Instead of the latter it
imports such a function (`chain.metering.import_substitutes`).
"""

from __future__ import annotations

import collections
from abc import ABCMeta
from collections import Counter, defaultdict, deque
from collections.abc import Callable
from dataclasses import Field
from functools import lru_cache
from types import (
    BuiltinFunctionType,
    FunctionType,
    MethodDescriptorType,
    MethodType,
    MethodWrapperType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any, Final, NoReturn, TypeVar

from chain.metering.charged_deques import Deque
from chain.metering.ordered_sets import OrderedDict, OrderedSet
from chain.source.top_level import FOREIGN
from chain.source.word_sets import word_set
from chain.storage.frozen_list import FrozenList, changeable

T = TypeVar("T")

_LIST: Final = word_set(
    "append extend insert pop remove clear sort reverse __setitem__ __delitem__ __iadd__ __imul__ __init__"
)
_DICT: Final = word_set(
    "pop popitem setdefault update clear __setitem__ __delitem__ __ior__ __init__"
)
_CHANGES: Final[dict[type, frozenset[str]]] = {
    list: _LIST,
    dict: _DICT,
    OrderedSet: word_set(
        """
        add discard remove pop clear update difference_update intersection_update symmetric_difference_update
        __iand__ __ior__ __isub__ __ixor__ __init__
        """
    ),
    Deque: _LIST - {"sort"} | word_set("appendleft extendleft popleft rotate"),
    OrderedDict: _DICT | {"move_to_end"},
    defaultdict: _DICT | {"__missing__"},
    Counter: _DICT | word_set("subtract __iadd__ __isub__ __iand__"),
}
_SIGNS: Final = {
    "__setitem__": "'[…] = …'", "__delitem__": "'del'", "__iadd__": "'+='", "__imul__": "'*='", "__ior__": "'|='",
    "__iand__": "'&='", "__isub__": "'-='", "__ixor__": "'^='", "__missing__": "a key that is missing",
}  # fmt: skip
# By method: up to this many arguments, a call on the class changes nothing. `list.append(row, 1)` has one more.
_FREE: Final = {
    **dict.fromkeys(word_set("pop clear sort reverse popitem popleft rotate"), 0),
    **dict.fromkeys(word_set("append extend remove add discard appendleft extendleft move_to_end setdefault update"), 1),
    **dict.fromkeys(word_set("subtract difference_update intersection_update symmetric_difference_update"), 1),
    "insert": 2,
    "register": -1,
}  # fmt: skip
# Methods of any object that set its attributes.
MAKERS: Final = word_set(
    "__init__ __setattr__ __delattr__ __set__ __delete__ __setstate__ add_note with_traceback"
)
CHANGERS: Final = frozenset().union(*_CHANGES.values()) | MAKERS | {"register"}
_LOST: Final = "which outlives the call: a failed call would not undo it, and another machine would not have it"
_SHARED: Final = (type, ModuleType, FunctionType, BuiltinFunctionType, Field)

_known: dict[
    int, tuple[object, object]
] = {}  # by id: each recorded value, and its name in messages


class ConstantChanged(TypeError):
    """An attempt to change a value that outlives the call."""


def record_name(thing: object, name: object) -> None:
    """Record that `thing` outlives calls. The text of `name` describes it in messages."""
    _known[id(thing)] = thing, name


def is_recorded(thing: object) -> bool:
    return id(thing) in _known


def name_of(thing: object) -> str:
    return str(_known[id(thing)][1]) if id(thing) in _known else f"a {type(thing).__name__}"


def is_foreign(name: object) -> bool:
    """True if `name` names a module of the chain or of the standard library."""
    return isinstance(name, str) and name.partition(".")[0] in FOREIGN


def _refuse(change: str, thing: object) -> NoReturn:
    raise ConstantChanged(
        f"{change} would change {name_of(thing)}, {_LOST}; keep it in a field of the contract, or change a copy"
    )


# Collections


def _refusing(base: type, name: str) -> Callable[..., NoReturn]:
    """Return a method that refuses the change that the method `name` makes."""
    change = _SIGNS.get(name, name)

    def refuse(self: Any, *args: object, **named: object) -> NoReturn:
        if name == "__missing__" and self.default_factory is None:
            raise KeyError(*args)
        _refuse(change, self)

    return refuse


def _constant(base: type, *parts: Callable[[Any], object]) -> type:
    """Return an immutable subclass of a collection. `parts` compute the values from which `__reduce_ex__` makes a copy."""

    def reduced(self: object, protocol: object) -> tuple[object, ...]:
        return base, *(part(self) for part in parts)

    def new(cls: type, *args: object, **named: object) -> object:
        return base(*args, **named)

    refusing = {name: _refusing(base, name) for name in _CHANGES[base]}
    namespace: dict[str, object] = {
        "__slots__": (),
        "__new__": new,
        "__reduce_ex__": reduced,
        **refusing,
    }
    return type(base.__name__, (base,), namespace)


def _nothing(_: object) -> object:
    return None


def _empty(_: object) -> tuple[object, ...]:
    return ()


def _pairs(items: dict[object, object]) -> object:
    return iter(items.items())


_CONSTANT: Final[dict[type, type]] = {
    list: _constant(list, _empty, _nothing, iter),
    dict: _constant(dict, _empty, _nothing, _nothing, _pairs),
    OrderedSet: _constant(OrderedSet, lambda items: (list(items),)),
    Deque: _constant(Deque, lambda items: ((), items.maxlen), _nothing, iter),
    OrderedDict: _constant(OrderedDict, _empty, _nothing, _nothing, _pairs),
    defaultdict: _constant(
        defaultdict, lambda items: (items.default_factory,), _nothing, _nothing, _pairs
    ),
    Counter: _constant(Counter, _empty, _nothing, _nothing, _pairs),
}
# The types that replace Python's own in an instrumented copy.
_INSTEAD: Final[dict[type, type]] = {
    set: OrderedSet,
    collections.OrderedDict: OrderedDict,
    deque: Deque,
}
CONSTANTS: Final = frozenset(_CONSTANT.values())
_REFUSING: Final = CONSTANTS | {FrozenList}


def is_collection(thing: object) -> bool:
    return type(thing) in _CONSTANT or type(thing) in _INSTEAD


def begun(thing: Any) -> object:
    """Return an empty constant to replace the collection `thing`, None if that is not a collection."""
    base: Any = _INSTEAD.get(type(thing), type(thing))
    if base not in _CONSTANT:
        return None
    constant: Any = base.__new__(_CONSTANT[base])
    if base is defaultdict:
        defaultdict.__init__(constant, thing.default_factory)
    elif base is Deque:
        deque.__init__(constant, (), thing.maxlen)
    return constant


def fill(made: object, items: list[Any]) -> None:
    """Put items into a constant returned by `begun`. The items of a dict are pairs."""
    if isinstance(made, dict):
        base = OrderedDict if isinstance(made, OrderedDict) else dict
        for key, value in items:
            base.__setitem__(made, key, value)
    elif isinstance(made, OrderedSet):
        OrderedSet.update(made, items)
    else:
        sequence: Any = deque if isinstance(made, deque) else list
        sequence.extend(made, items)


# Attributes


def settable(thing: T) -> T:
    """Return `thing`, an attribute of which is about to be set. Refuse if it outlives the call."""
    if id(thing) in _known or isinstance(thing, _SHARED):
        _ask(thing)
    return thing


def _ask(thing: object) -> None:
    """Refuse to set an attribute of `thing`, unless it was made in this call."""
    if id(thing) not in _known:
        module_name = (
            thing.__name__ if isinstance(thing, ModuleType) else getattr(thing, "__module__", "")
        )
        if not isinstance(thing, Field) and not is_foreign(module_name):
            return  # it was made in this call, or the instrumented copy is still being built
        record_name(thing, f"{getattr(thing, '__name__', type(thing).__name__)} of {module_name}")
    raise ConstantChanged(
        f"this would set an attribute of {name_of(thing)}, {_LOST}; keep it in a field of the "
        "contract, or in an object that is created inside the call"
    )


# C functions


def taken(method: Any) -> Any:
    """Return `method`, which was taken off an object or a class. A C method that writes into its first argument is checked."""
    method_type = type(method)
    if method_type in _BOUND:  # the usual case; most are methods of objects that need no check
        holder = method.__self__
        if id(holder) in _known or isinstance(holder, ABCMeta):
            _ask_holder(holder, method.__name__)
        return method
    if method_type is FunctionType:
        return asking(method) if method in _WRITERS or method.__name__ in MAKERS else method
    return asking(method) if method_type in _UNBOUND else method


def _ask_holder(holder: object, name: str) -> None:
    """Refuse the bound method `name` of `holder` if it would change a class, or set attributes of a recorded object."""
    if id(holder) in _known:
        if isinstance(holder, ABCMeta) or name in MAKERS:
            _ask(holder)
    elif name == "register":
        settable(holder)


# Changing methods of collections that are written in Python.
_WRITERS: Final = {
    each
    for base, names in _CHANGES.items()
    for name in names
    if isinstance(each := getattr(base, name, None), FunctionType)
}
_UNBOUND: Final = frozenset({MethodDescriptorType, WrapperDescriptorType})
_BOUND: Final = frozenset({MethodType, MethodWrapperType, BuiltinFunctionType})


@lru_cache(maxsize=256)
def asking(function: Callable[..., object]) -> Callable[..., object]:
    """Return `function`, which changes its first argument, with a check that the argument may be changed."""

    def checked(*args: object, **named: object) -> object:
        if args:
            first = args[0]
            if type(first) in _REFUSING:
                changeable(first, function.__name__)
                _refuse(function.__name__, first)
            if id(first) in _known:
                _ask(first)
        return function(*args, **named)

    checked.__name__ = checked.__qualname__ = function.__name__
    return checked


def changes_nothing(name: str, count: int) -> bool:
    """True if `thing.name(…)` with `count` arguments changes nothing but `thing`, even if `thing` is a class."""
    return count <= _FREE.get(name, -1)
