"""What outlives a call, as an image holds it: it can be read, and whoever would change it is refused.

What stands at the top of a module or in a class is made once and then found by every call. A list there is a `list` that
refuses to be changed, however it is reached; likewise a dict, a set, a deque. They are read as Python reads them, and a copy,
a slice or a sum of them is a plain one again. An object of the author's own class, a class or a function cannot refuse by
itself, so it is noted here, and where an image sets an attribute it asks `settable` first.

Some functions of C write into a list without asking it: `list.append(row, 1)`, `heappush(row, 1)`. Where an image gets hold of
the former it gets one that asks (`taken`), and instead of the latter it imports one (`libraries`).
"""

from __future__ import annotations

import collections
import sys
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

from chain.metering.ordered_sets import (
    OrderedDict,
    OrderedSet,
)
from chain.source.word_sets import word_set
from chain.storage.frozen_list import (
    FrozenList,
    changeable,
)

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
    deque: _LIST - {"sort"} | word_set("appendleft extendleft popleft rotate"),
    OrderedDict: _DICT | {"move_to_end"},
    defaultdict: _DICT | {"__missing__"},
    Counter: _DICT | word_set("subtract __iadd__ __isub__ __iand__"),
}
_SIGNS: Final = {
    "__setitem__": "'[…] = …'", "__delitem__": "'del'", "__iadd__": "'+='", "__imul__": "'*='", "__ior__": "'|='",
    "__iand__": "'&='", "__isub__": "'-='", "__ixor__": "'^='", "__missing__": "a key that is not there",
}  # fmt: skip
# How many arguments these may be given so that `list.append(…)` with as many would change nothing.
_FREE: Final = {
    **dict.fromkeys(word_set("pop clear sort reverse popitem popleft rotate"), 0),
    **dict.fromkeys(word_set("append extend remove add discard appendleft extendleft move_to_end setdefault update"), 1),
    **dict.fromkeys(word_set("subtract difference_update intersection_update symmetric_difference_update"), 1),
    "insert": 2,
    "register": -1,
}  # fmt: skip
# Methods of every object by which its attributes are set.
MAKERS: Final = word_set(
    "__init__ __setattr__ __delattr__ __set__ __delete__ __setstate__ add_note with_traceback"
)
CHANGERS: Final = frozenset().union(*_CHANGES.values()) | MAKERS | {"register"}
_LOST: Final = "which outlives the call: a failed call would not undo it, and another machine would not have it"
_SHARED: Final = (type, ModuleType, FunctionType, BuiltinFunctionType, Field)
_FOREIGN: Final = sys.stdlib_module_names - {"__main__"} | {"chain", "builtins"}

_known: dict[int, tuple[object, str]] = {}  # by id: what outlives calls, and what it is called


class ConstantChanged(TypeError):
    """Something that outlives a call was to be changed."""


def note(thing: object, name: str) -> None:
    """From now on this outlives calls, as that which is called `name`."""
    _known[id(thing)] = thing, name


def is_noted(thing: object) -> bool:
    return id(thing) in _known


def name_of(thing: object) -> str:
    return _known[id(thing)][1] if id(thing) in _known else f"a {type(thing).__name__}"


def is_foreign(name: object) -> bool:
    """Whether a module of that name is the chain's or Python's own."""
    return isinstance(name, str) and name.partition(".")[0] in _FOREIGN


def _refuse(change: str, thing: object) -> NoReturn:
    raise ConstantChanged(
        f"{change} would change {name_of(thing)}, {_LOST}; keep it in a field of the contract, or change a copy"
    )


# Collections


def _refusing(base: type, name: str) -> Callable[..., NoReturn]:
    change = _SIGNS.get(name, name)

    def refuse(self: Any, *args: object, **named: object) -> NoReturn:
        if name == "__missing__" and self.default_factory is None:
            raise KeyError(*args)
        _refuse(change, self)

    return refuse


def _constant(base: type, *parts: Callable[[Any], Any]) -> type:
    """A subclass of a collection that cannot be changed. `parts` give what copies of it are made of, see `__reduce_ex__`."""

    def reduced(self: Any, protocol: Any) -> tuple[Any, ...]:
        return base, *(part(self) for part in parts)

    def made(cls: type, *args: Any, **named: Any) -> Any:
        return base(*args, **named)

    refusing = {name: _refusing(base, name) for name in _CHANGES[base]}
    space: dict[str, Any] = {"__slots__": (), "__new__": made, "__reduce_ex__": reduced, **refusing}
    return type(base.__name__, (base,), space)


def _nothing(_: Any) -> Any:
    return None


def _empty(_: Any) -> tuple[Any, ...]:
    return ()


def _pairs(items: Any) -> Any:
    return iter(items.items())


_CONSTANT: Final[dict[type, type]] = {
    list: _constant(list, _empty, _nothing, iter),
    dict: _constant(dict, _empty, _nothing, _nothing, _pairs),
    OrderedSet: _constant(OrderedSet, lambda items: (list(items),)),
    deque: _constant(deque, lambda items: ((), items.maxlen), _nothing, iter),
    OrderedDict: _constant(OrderedDict, _empty, _nothing, _nothing, _pairs),
    defaultdict: _constant(
        defaultdict, lambda items: (items.default_factory,), _nothing, _nothing, _pairs
    ),
    Counter: _constant(Counter, _empty, _nothing, _nothing, _pairs),
}
# What an image has in the place of Python's own, where one of those comes in.
_INSTEAD: Final[dict[type, type]] = {set: OrderedSet, collections.OrderedDict: OrderedDict}
CONSTANTS: Final = frozenset(_CONSTANT.values())
_REFUSING: Final = CONSTANTS | {FrozenList}


def is_collection(thing: Any) -> bool:
    return type(thing) in _CONSTANT or type(thing) in _INSTEAD


def begun(thing: Any) -> Any:
    """A constant in the place of `thing`, with nothing in it yet; None if it is no collection."""
    base: Any = _INSTEAD.get(type(thing), type(thing))
    if base not in _CONSTANT:
        return None
    made: Any = base.__new__(_CONSTANT[base])
    if base is defaultdict:
        defaultdict.__init__(made, thing.default_factory)
    elif base is deque:
        deque.__init__(made, (), thing.maxlen)
    return made


def fill(made: Any, items: list[Any]) -> None:
    """Put items into one that was begun; those of a dict come as pairs."""
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
    """`thing`, of which an attribute is about to be set: not if it outlives the call."""
    if id(thing) in _known or isinstance(thing, _SHARED):
        _ask(thing)
    return thing


def _ask(thing: object) -> None:
    if id(thing) not in _known:
        home = thing.__name__ if isinstance(thing, ModuleType) else getattr(thing, "__module__", "")
        if not isinstance(thing, Field) and not is_foreign(home):
            return  # it was made in this call, or the image is being made
        note(thing, f"{getattr(thing, '__name__', type(thing).__name__)} of {home}")
    raise ConstantChanged(
        f"this would set an attribute of {name_of(thing)}, {_LOST}; keep it in a field of the contract, or in an object"
        " that is made inside the call"
    )


# Functions of C


def taken(method: Any) -> Any:
    """A method that was taken from what may be a class: one of C, that writes without asking, asks first."""
    kind = type(method)
    if (
        kind in _BOUND
    ):  # most are, and most of something that neither outlives the call nor is a class
        holder = method.__self__
        if id(holder) in _known or isinstance(holder, ABCMeta):
            _ask_holder(holder, method.__name__)
        return method
    if kind is FunctionType:
        return asking(method) if method in _WRITERS or method.__name__ in MAKERS else method
    return asking(method) if kind in _UNBOUND else method


def _ask_holder(holder: Any, name: str) -> None:
    if id(holder) in _known:
        if isinstance(holder, ABCMeta) or name in MAKERS:
            _ask(holder)
    elif name == "register":
        settable(holder)


# Those of collections that are written in Python.
_WRITERS: Final = {
    each
    for base, names in _CHANGES.items()
    for name in names
    if isinstance(each := getattr(base, name, None), FunctionType)
}
_UNBOUND: Final = frozenset({MethodDescriptorType, WrapperDescriptorType})
_BOUND: Final = frozenset({MethodType, MethodWrapperType, BuiltinFunctionType})


@lru_cache(maxsize=256)
def asking(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that changes its first argument, asking that first."""

    def asked(*args: Any, **named: Any) -> Any:
        if args:
            first = args[0]
            if type(first) in _REFUSING:
                changeable(first, function.__name__)
                _refuse(function.__name__, first)
            if id(first) in _known:
                _ask(first)
        return function(*args, **named)

    asked.__name__ = asked.__qualname__ = function.__name__
    return asked


def changes_nothing(name: str, count: int) -> bool:
    """Whether `thing.name(…)` with so many arguments changes nothing but `thing`, even if that is a class."""
    return count <= _FREE.get(name, -1)
