"""Prices of methods of texts and collections that do much work in one call: they are charged before they run.

Methods are recognized by name. A method of an author's own class under such a name contains its own ticks.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Callable, Iterable
from functools import partial
from string import Formatter, Template
from typing import Any, Final

from chain.metering.builtin_costs import (
    BUILT,
    KEYS,
    charge_items,
    charge_shown,
    charge_text,
    metered,
    pay_keys,
    pay_pairs,
    size_of,
    sort,
)
from chain.metering.emptied_dicts import lose
from chain.metering.foreign_methods import (
    FOREIGN,
    HASHED_AT_ONCE,
    collection_method,
    foreign_method,
)
from chain.metering.format_costs import formatted_by_braces, formatted_by_map
from chain.metering.frozen_collections import taken
from chain.metering.fuel import charge, charge_8, out_of_fuel
from chain.metering.lookup_costs import contains, moved
from chain.metering.newer_unicode import ASKING, check_known
from chain.metering.regex import METHODS as PATTERN_METHODS
from chain.metering.regex import by_pattern
from chain.metering.text_costs import (
    cased,
    coded,
    expanded,
    from_hex,
    sought,
    sought_backwards,
    stripped,
    substituted,
    translated,
    whole,
    widened,
)
from chain.metering.value_size import ByClass, key, weigh
from chain.schema.storage_collection import StorageCollection
from chain.source.newer_python import METHODS as _NEWER
from chain.source.newer_python import check_method

_Args = tuple[object, ...]
_Named = dict[str, object]
_TEXTS: Final = (str, bytes, bytearray)
_PLAIN: Final = (*_TEXTS, list, tuple, dict, set, frozenset, deque, range, int, memoryview)
_OWNERS: Final = (*_PLAIN, Formatter, Template)
_OF_CLASSES: Final = frozenset({"fromkeys", "maketrans", "from_bytes", "fromhex", "_make"})
_JOINED: Final = (list, tuple)
_TEMPLATE: Final = 512  # ticks to read a template of `re`
_PARTS: Final = 128  # ticks for taking a named tuple apart
_LONGEST: Final = 256  # bytes of a number
WORD: Final = 32  # bytes that are read as one number at no extra cost


def metered_method(thing: Any, name: str, *args: Any, **named: Any) -> Any:
    """Return `thing.name(…)`, charged before it runs."""
    category = _category_of[type(thing)]
    if category == _OWN:
        if name == "keccak" and args and isinstance(args[0], bytes):
            charge(1 + len(args[0]) // HASHED_AT_ONCE)
        return getattr(thing, name)(*args, **named)
    if category == _STORED:
        return collection_method(thing, name, args, named)
    if category == _PRICED:
        charge_8()
        if name in _NEWER:
            check_method(thing, name)
        price, is_asking, special = _WAYS.get(name, _ANY)
        args = price(thing, args) or args
        if is_asking and not (type(thing) is str and thing.isascii()):
            check_known(thing, name)
        if special is not None:
            return special(thing, name, args, named)
        return getattr(thing, name)(*args, **named)
    if category == _PATTERN:
        return by_pattern(thing, name, args, named)
    if category == _OTHER:
        return foreign_method(thing, name, args, named)
    is_owner = issubclass(thing, _OWNERS)
    if is_owner and name not in _OF_CLASSES and args and isinstance(args[0], thing):
        return metered_method(*args[:1], name, *args[1:], **named)  # as in str.ljust("a", 9)
    if is_owner:
        charge_8()
        args = _PRICES.get(name, _asked)(thing, args) or args
    return taken(getattr(thing, name))(*args, **named)


_PRICED, _CLASS, _PATTERN, _OTHER, _OWN, _STORED = range(6)


@ByClass
def _category_of(kind: type) -> int:
    if issubclass(kind, _PLAIN):
        return _PRICED
    if issubclass(kind, type):
        return _CLASS
    if issubclass(kind, re.Pattern | re.Match):
        return _PATTERN
    if issubclass(kind, StorageCollection):
        return _STORED
    return _OTHER if kind.__module__ in FOREIGN else _OWN


def bound(thing: object, name: str, *already: object) -> object:
    """Return the method `thing.name`, to be called later. `already` holds it if it was looked up before."""
    if name in _NEWER:
        check_method(thing, name)
    method = already[0] if already else getattr(thing, name)
    category = _category_of[type(thing)]
    if category in (_PRICED, _STORED) or (isinstance(thing, type) and issubclass(thing, _OWNERS)):
        charge_8()
        return partial(metered_method, thing, name)
    if category in (_PATTERN, _OTHER):
        return partial(metered_method, thing, name) if callable(method) else method
    return taken(method)


# Prices


def _copied(thing: object, args: _Args) -> None:
    """Charge as `whole` does, or for the keys of a copy."""
    if isinstance(thing, set | frozenset | dict):
        charge_items(thing, KEYS)
    else:
        whole(thing, args)


def _both(thing: object, args: _Args) -> _Args:
    if not isinstance(thing, type):
        charge_items(thing, KEYS)
    return tuple(map(pay_keys, args))


def _more_keys(thing: object, args: _Args) -> _Args:
    if isinstance(thing, dict) and not isinstance(thing, Counter):
        return tuple(map(pay_pairs, args))
    return tuple(map(pay_keys, args))


def _named_parts(thing: Any, args: _Args) -> None:
    """Charge for the parts of a named tuple, which become entries of a dict."""
    charge(_PARTS + KEYS * len(thing))


def _fromkeys(thing: object, args: _Args) -> _Args:
    return tuple(pay_keys(arg) if i == 0 else arg for i, arg in enumerate(args))


def _others(thing: object, args: _Args) -> _Args:
    return tuple(charge_items(arg, BUILT) for arg in args)


def _one_more(thing: object, args: _Args) -> None:
    for arg in args:
        if type(arg) is int and arg.bit_length() > 128:
            charge(arg.bit_length() // 32)


def _moved(thing: object, args: _Args) -> None:
    """Charge for moving half the items, unless the last item is inserted or removed."""
    if args and isinstance(thing, dict):
        key(args[0])
        lose(thing)
    elif args and (isinstance(thing, deque) or args[0] != -1):
        moved(thing)


def _asked(thing: object, args: _Args) -> None:
    if args:
        weigh(args[0])


def _counted(thing: object, args: _Args) -> None:
    charge_items(thing, 32)


def _expanded(thing: object, args: _Args) -> None:
    """Charge for a template that `re` reads again for each match."""
    if isinstance(thing, re.Match):
        charge(_TEMPLATE + sum(map(size_of, args)) * _PARTS)


def _counted_groups(thing: object, args: _Args) -> None:
    if isinstance(thing, re.Match):
        charge(BUILT * KEYS * thing.re.groups)


def _new_key(thing: object, args: _Args) -> None:
    if args:
        key(args[0])


def _removed(thing: object, args: _Args) -> None:
    if isinstance(thing, set | dict):
        _asked(thing, args)
    else:
        sought(thing, args)


def _join(thing: Any, args: _Args) -> _Args:
    items = args[0] if args else ()
    if not isinstance(items, _JOINED):
        return (list(map(charge_shown, metered(items))),) if isinstance(items, Iterable) else args
    try:
        held: Any = list if isinstance(items, list) else tuple
        texts = sum(map(len, held.__iter__(items)))
    except TypeError:  # not texts: the method itself reports that
        return args
    charge_text(texts + len(thing) * len(items) if not isinstance(thing, type) else texts)
    return (charge_items(items, BUILT), *args[1:])


def _number(thing: object, args: _Args) -> None:
    """Charge for `int.from_bytes`."""
    for digits in args[:1]:
        number(digits)


def number(digits: object) -> object:
    """Return `digits`, the bytes that `int.from_bytes` reads next, charged for their length."""
    charge_8()
    size = size_of(digits)
    if size > _LONGEST:
        out_of_fuel()
    if size > WORD:
        charge(size)
    return digits


def _nothing(thing: object, args: _Args) -> None:
    return None


# Methods with an implementation of their own


def _sorted_in_place(thing: Any, name: str, args: tuple[Any, ...], named: dict[str, Any]) -> None:
    if isinstance(thing, list) and type(thing).sort is list.sort:
        return sort(thing, *args, **named)
    thing.sort(*args, **named)
    return None


def _formatted(thing: object, name: str, args: tuple[object, ...], named: _Named) -> object:
    if not isinstance(thing, str) or getattr(type(thing), name) is not getattr(str, name):
        return getattr(thing, name)(*args, **named)
    by_map = name == "format_map"
    return formatted_by_map(thing, *args) if by_map else formatted_by_braces(thing, args, named)


def _index(thing: object, name: str, args: _Args, named: _Named) -> object:
    """Return `thing.index(…)` or `thing.count(…)`; membership in a range is decided by arithmetic."""
    if isinstance(thing, range) and args and not contains(args[0], thing):
        if name == "count":
            return 0
        raise ValueError(f"{args[0]!r} is not in range")
    if isinstance(thing, range) and isinstance(args[0], int):
        args = (int(args[0]), *args[1:])
    return getattr(thing, name)(*args, **named)


def _replaced(thing: Any, name: str, args: _Args, named: _Named) -> object:
    if isinstance(thing, _TEXTS) and named:  # newer versions of Python take them
        raise TypeError(f"{type(thing).__name__}.replace() takes no keyword arguments")
    return thing.replace(*args, **named)


def _elements(thing: object, name: str, args: _Args, named: _Named) -> object:
    return metered(getattr(thing, name)(*args, **named))


def _pieces(thing: object, name: str, args: _Args, named: _Named) -> object:
    pieces = getattr(thing, name)(*args, **named)
    return charge_items(pieces, 2 * BUILT) if type(pieces) is list else pieces


_Price = Callable[[object, _Args], _Args | None]
_NAMES: Final[dict[str, _Price]] = {
    "upper lower casefold swapcase capitalize title": cased,
    "reverse splitlines hex startswith endswith removeprefix removesuffix isalpha isalnum isascii"
    " isdecimal isdigit isidentifier islower isnumeric isprintable isspace istitle isupper maketrans elements"
    " tobytes tolist safe_substitute substitute vformat clear rotate": whole,
    "strip lstrip rstrip": stripped,
    "count index find split partition": sought,
    "rfind rindex rsplit rpartition": sought_backwards,
    "copy": _copied,
    "remove discard": _removed,
    "union intersection difference symmetric_difference issubset issuperset isdisjoint difference_update"
    " intersection_update symmetric_difference_update": _both,
    "update subtract": _more_keys,
    "extend extendleft": _others,
    "fromkeys": _fromkeys,
    "_asdict _replace": _named_parts,
    "_make": _others,
    "append appendleft": _one_more,
    "insert pop": _moved,
    "get slice": _asked,
    "most_common total": _counted,
    "encode decode": coded,
    "wrap fill": whole,
    "add setdefault": _new_key,
    "sort format format_map": _nothing,
    "join": _join,
    "ljust rjust center zfill to_bytes": widened,
    "expandtabs": expanded,
    "replace": substituted,
    " ".join(_NEWER.keys() - {"count", "index"}): _nothing,
    "fromhex": from_hex,
    "translate": translated,
    "from_bytes": _number,
    "keccak": _asked,
    "expand": _expanded,
    "groups groupdict": _counted_groups,
    " ".join(PATTERN_METHODS): whole,
}  # fmt: skip
_DONE_HERE: Final[dict[str, Callable[..., object]]] = {
    "sort": _sorted_in_place,
    "format": _formatted,
    "format_map": _formatted,
    "count": _index,
    "index": _index,
    "elements": _elements,
    "replace": _replaced,
    **dict.fromkeys(("split", "rsplit", "splitlines"), _pieces),
}
_PRICES: Final = {name: price for names, price in _NAMES.items() for name in names.split()}
METHODS: Final = frozenset(_PRICES)
# For each method: its price, True if it depends on the classes of characters, and its own implementation, if any.
_WAYS: Final = {
    name: (_PRICES.get(name, _asked), name in ASKING, _DONE_HERE.get(name))
    for name in {*_PRICES, *_DONE_HERE, *ASKING}
}
_ANY: Final[tuple[_Price, bool, None]] = (_asked, False, None)
WHOLE: Final = frozenset(name for name, price in _PRICES.items() if price is whole)
SEEKING: Final = frozenset(
    name for name, price in _PRICES.items() if price in (sought, sought_backwards)
)
CASED: Final = frozenset(name for name, price in _PRICES.items() if price is cased)
