"""What an image imports: Python's own modules as they are, but for a few functions of which others stand in their place.

Some change a list that they are given without asking it; some give out methods by a name. An image imports, and finds in every
module of Python, those that ask (`constants`). Of what reads files it has but a stand-in (`data_files`).
"""

from __future__ import annotations

import builtins
import dataclasses
import functools
import heapq
import operator
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any, Final

from chain.metering.bundled_files import imported_in
from chain.metering.costs import FREE
from chain.metering.frozen_collections import (
    asking,
    settable,
    taken,
)
from chain.metering.fuel import (
    INSTRUMENTED_BUILTINS,
    charge,
)
from chain.metering.method_costs import metered_method
from chain.metering.new_characters import new_letter
from chain.metering.ordered_sets import (
    VIEWS,
    OrderedDict,
    view,
    viewing,
)


def _attrgetter(*names: str) -> Callable[[Any], Any]:
    if any(part.startswith("_") for name in names for part in name.split(".")):
        raise ValueError("attrgetter is given a name with '_' before it, and that is nobody else's")
    found = operator.attrgetter(*names)
    if len(names) > 1:
        return lambda thing: tuple(map(named, found(thing)))
    return lambda thing: named(found(thing))


def _getattr(thing: Any, name: str, *default: Any) -> Any:
    return named(getattr(thing, name, *default))


def _setattr(thing: Any, name: str, value: Any) -> None:
    setattr(settable(thing), name, value)


def _delattr(thing: Any, name: str) -> None:
    delattr(settable(thing), name)


def _chr(number: int, /) -> str:
    made = chr(number)
    if number > 0x7F and new_letter(made):
        raise ValueError(f"not every version of Python knows the sign {new_letter(made)}")
    return made


def named(method: Any) -> Any:
    """What was got by a name that is told as a text."""
    return viewing(taken(method)) if getattr(method, "__name__", None) in VIEWS else taken(method)


def _methodcaller(name: str, /, *args: Any, **named: Any) -> Callable[[Any], Any]:
    def call(thing: Any) -> Any:
        _getattr(thing, name)  # refuses what may not be taken
        return view(metered_method(thing, name, *args, **named))

    return call


def _itemgetter(*keys: Any) -> Callable[[Any], Any]:
    found = operator.itemgetter(*keys)
    if len(keys) <= FREE:
        return found

    def items(thing: Any) -> Any:
        charge(len(keys))
        return found(thing)

    return items


def _marking(real: Callable[..., Any]) -> Callable[..., Any]:
    """A decorator that changes a class: not one that outlives the call."""

    @functools.wraps(real)
    def marked(cls: Any = None, /, **how: Any) -> Any:
        if cls is None:
            return lambda inner: marked(inner, **how)
        charge(_CLASS_MARKED)
        return real(settable(cls), **how)

    return marked


_CLASS_MARKED: Final = 2**16  # ticks to write the methods of a class
_HEAPS: Final = ("heapify", "heappop", "heappush", "heappushpop", "heapreplace")
# By module and name what stands in the place of Python's own.
_OTHERS: Final[dict[str, dict[str, Any]]] = {
    "collections": {"OrderedDict": OrderedDict},
    "heapq": {name: asking(getattr(heapq, name)) for name in _HEAPS},
    "operator": {
        "attrgetter": _attrgetter,
        "methodcaller": _methodcaller,
        "itemgetter": _itemgetter,
    },
    "dataclasses": {"dataclass": _marking(dataclasses.dataclass)},
    "functools": {"total_ordering": _marking(functools.total_ordering)},
}
_CLONES: dict[str, ModuleType] = {}
_INSTEAD: Final = {
    id(getattr(sys.modules[module], name)): other
    for module, others in _OTHERS.items()
    for name, other in others.items()
}


def instead(thing: Any) -> Any:
    """What an image has in the place of something that was imported outside of one."""
    if type(thing) is ModuleType:
        return _module(thing)
    return _INSTEAD.get(id(thing), thing)


def _module(module: ModuleType) -> ModuleType:
    name = module.__name__
    if name not in _OTHERS or sys.modules.get(name) is not module:
        return module
    if name not in _CLONES:
        clone = _CLONES[name] = ModuleType(name)
        vars(clone).update({**vars(module), **_OTHERS[name]})
    return _CLONES[name]


def _import(
    name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0
) -> Any:
    """`__import__` of instrumented copies."""
    found = imported_in(globals, name, fromlist, level)
    if found is not None:
        return found
    return instead(builtins.__import__(name, globals, locals, fromlist, level))


INSTRUMENTED_BUILTINS.update(
    {
        "__import__": _import,
        "chr": _chr,
        "getattr": _getattr,
        "setattr": _setattr,
        "delattr": _delattr,
    }
)
