"""The imports of an instrumented copy: Python's own modules, with a few functions replaced by checked ones.

Some of these functions change a list argument without calling its methods, and some return a method for a name. An
instrumented copy gets versions that first check that the object may be changed (`chain.metering.frozen_collections`). Modules
that read files are replaced by stand-ins (`chain.metering.bundled_files`).
"""

from __future__ import annotations

import builtins
import functools
import operator
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from types import ModuleType
from typing import Any, Final

from chain.metering import weighed_heaps
from chain.metering.builtin_costs import FREE
from chain.metering.bundled_files import imported_in
from chain.metering.charged_deques import Deque
from chain.metering.dataclass_init import dataclass
from chain.metering.dataclass_replace import replace
from chain.metering.frozen_collections import asking, settable, taken
from chain.metering.fuel import INSTRUMENTED_BUILTINS, charge
from chain.metering.method_costs import metered_method
from chain.metering.newer_unicode import new_letter
from chain.metering.ordered_sets import VIEWS, Items, Keys, OrderedDict, view, viewing

_PRIVATE: Final = (
    "_",
    "gi_",
    "tb_",
)  # the names of what is internal to objects, generators and tracebacks


def _attrgetter(*names: str) -> Callable[[object], object]:
    if any(part.startswith(_PRIVATE) for name in names for part in name.split(".")):
        raise ValueError("attrgetter got a name that begins with '_' or another that is private")
    getter = operator.attrgetter(*names)
    if len(names) > 1:
        return lambda thing: tuple(map(named, getter(thing)))
    return lambda thing: named(getter(thing))


def _getattr(thing: object, name: str, *default: object) -> object:
    return named(getattr(thing, name, *default))


def _setattr(thing: object, name: str, value: object) -> None:
    charge(_SET)
    setattr(settable(thing), name, value)


def _delattr(thing: object, name: str) -> None:
    delattr(settable(thing), name)


def _chr(number: int, /) -> str:
    character = chr(number)
    if number > 0x7F and new_letter(character):
        raise ValueError(f"not every version of Python knows the character {new_letter(character)}")
    return character


def named(method: object) -> Any:
    """Return `method`, which was looked up by a name in a text, with the checks an attribute in the source gets."""
    return viewing(taken(method)) if getattr(method, "__name__", None) in VIEWS else taken(method)


def _methodcaller(name: str, /, *args: object, **named: object) -> Callable[[object], object]:
    def call(thing: object) -> object:
        charge(_SET)
        _getattr(thing, name)  # refuses a method that may not be taken
        return view(metered_method(thing, name, *args, **named))

    return call


def _itemgetter(*keys: object) -> Callable[[Any], object]:
    getter = operator.itemgetter(*keys)
    if len(keys) <= FREE:
        return getter

    def items(thing: Any) -> object:
        charge(len(keys))
        return getter(thing)

    return items


def _marking(real: Callable[..., object]) -> Callable[..., object]:
    """Return a class decorator that refuses a class that outlives the call, and charges for the methods it writes."""

    @functools.wraps(real)
    def marked(cls: object = None, /, **how: object) -> object:
        if cls is None:
            return lambda inner: marked(inner, **how)
        charge(_CLASS_MARKED)
        return real(settable(cls), **how)

    return marked


_SET: Final = (
    64  # ticks for an attribute, which may be a new one, or for a method found by its name
)
_CLASS_MARKED: Final = 2**16  # ticks for the methods that a decorator writes into a class
_HEAPS: Final = ("heapify", "heappop", "heappush", "heappushpop", "heapreplace")
# The replacements for Python's own functions and classes, by module and name.
_OTHERS: Final[dict[str, dict[str, object]]] = {
    "collections": {"OrderedDict": OrderedDict, "deque": Deque},
    "collections.abc": {"KeysView": Keys, "ItemsView": Items},
    "heapq": {name: asking(getattr(weighed_heaps, name)) for name in _HEAPS},
    "operator": {
        "attrgetter": _attrgetter,
        "methodcaller": _methodcaller,
        "itemgetter": _itemgetter,
    },
    "dataclasses": {"dataclass": _marking(dataclass), "replace": replace},
    "functools": {"total_ordering": _marking(functools.total_ordering)},
}
_CLONES: dict[str, ModuleType] = {}
_INSTEAD: Final = {
    id(getattr(import_module(module), name)): other
    for module, others in _OTHERS.items()
    for name, other in others.items()
}


def instead(thing: object) -> object:
    """Return the replacement that an instrumented copy uses for `thing`, or `thing` itself."""
    if type(thing) is ModuleType:
        return _module(thing)
    return _INSTEAD.get(id(thing), thing)


def _module(module: ModuleType) -> ModuleType:
    """Return the clone of a module with the replacements in it, or the module itself if it needs none."""
    name = module.__name__
    if name not in _OTHERS or sys.modules.get(name) is not module:
        return module
    if name not in _CLONES:
        clone = _CLONES[name] = ModuleType(name)
        parts = {part: instead(thing) for part, thing in vars(module).items()}
        vars(clone).update({**parts, **_OTHERS[name]})
    return _CLONES[name]


def _import(
    name: str,
    globals: dict[str, object] | None = None,
    locals: dict[str, object] | None = None,
    fromlist: Sequence[str] = (),
    level: int = 0,
) -> object:
    """Import a module, as the `__import__` of instrumented copies."""
    stand_in = imported_in(globals, name, fromlist, level)
    if stand_in is not None:
        return stand_in
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
