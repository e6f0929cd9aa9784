"""Calls of methods whose fixed price is in the ticks of the stretch of code: short values cost nothing more.

Each name of a priced method has a function here, which an instrumented copy calls with the value and positional arguments. It
calls the method directly if both are short, and otherwise through `chain.metering.method_costs`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from types import MappingProxyType
from typing import Any, Final

from chain.metering.builtin_costs import BUILT, FREE, MOST_BYTES, TEXT
from chain.metering.format_costs import formatted_by_braces
from chain.metering.frozen_collections import CONSTANTS, is_recorded
from chain.metering.fuel import charge, out_of_fuel
from chain.metering.lookup_costs import PART
from chain.metering.method_costs import CASED, METHODS, SEEKING, WHOLE, metered_method
from chain.metering.newer_unicode import ASKING
from chain.metering.regex import AT_START, is_paid_match
from chain.metering.value_size import LIGHT

_TEXT_KINDS: Final = frozenset({str, bytes})
_ROWS: Final = (list, tuple)
_DICTS: Final[tuple[type, ...]] = (
    dict,
    MappingProxyType,
    *(each for each in CONSTANTS if issubclass(each, dict)),
)
_FREE_TEXT: Final = TEXT * FREE
_NOTHING: Final = object()  # in place of an argument that is missing
_FORMAT: Final[object] = str.format
# Classes of texts with that method. Others than `str` outlive calls, so they keep their methods.
_formatting: Final[set[type]] = {str}
_LARGE: Final = 2**128  # an integer below this takes little memory
_LEAST: Final = -_LARGE
_BRIEF_TEXT: Final[dict[type, int]] = {str: _FREE_TEXT, bytes: _FREE_TEXT}
_SPLIT_TEXT: Final = {kind: size // 2 for kind, size in _BRIEF_TEXT.items()}
_BRIEF: Final = {**_BRIEF_TEXT, list: FREE, tuple: FREE}
# For each method: the lengths of values, by their class, up to which a call with short arguments has a fixed price.
_LONGEST: Final[dict[str, dict[type, int]]] = {
    **dict.fromkeys((*WHOLE, *SEEKING, *CASED, "strip", "lstrip", "rstrip"), _BRIEF_TEXT),
    "split": _SPLIT_TEXT,
    "rsplit": _SPLIT_TEXT,
    "splitlines": _SPLIT_TEXT,
    "count": _BRIEF,
    "index": _BRIEF,
    "remove": {list: FREE},
    "get": dict.fromkeys(_DICTS, sys.maxsize),
}


def short_call(name: str) -> Callable[..., object]:
    """Return a function that calls the method `name`. A short value with short arguments costs nothing more."""
    longest, is_asking = _LONGEST.get(name, {}), name in ASKING
    most_text = PART if name in SEEKING else _FREE_TEXT

    def call(thing: Any, *args: Any) -> object:
        most = longest.get(type(thing))
        if most is not None and len(thing) <= most and (not is_asking or thing.isascii()):
            for arg in args:
                kind = type(arg)
                if kind not in LIGHT and (
                    kind not in _TEXT_KINDS
                    or len(arg) > (most_text if kind is type(thing) else _FREE_TEXT)
                ):
                    break
            else:
                return getattr(thing, name)(*args)
        return metered_method(thing, name, *args)

    return call


def short_match(name: str) -> Callable[..., object]:
    def call(thing: object, text: object = _NOTHING, *others: object) -> object:
        if type(thing) is re.Pattern and not others and is_paid_match(thing, text):
            return getattr(thing, name)(text)
        return metered_method(thing, name, *_given(text, others))

    return call


def _given(first: object, others: tuple[object, ...]) -> tuple[object, ...]:
    """Return the arguments of a call, of which the first one has a name."""
    return others if first is _NOTHING else (first, *others)


def short_join(thing: Any, items: Any = _NOTHING, *others: object) -> object:
    if type(items) in _ROWS and type(thing) in _TEXT_KINDS and not others:
        count = len(items)
        try:
            size = sum(map(len, items)) + len(thing) * count
        except TypeError:
            return thing.join(items)  # raises the error
        if size > _FREE_TEXT or count > FREE:
            if size > MOST_BYTES:
                out_of_fuel()
            charge(size // TEXT + count * BUILT)
        return thing.join(items)
    return metered_method(thing, "join", *_given(items, others))


def short_format(thing: Any, *args: object, **named: object) -> object:
    kind = type(thing)
    if kind in _formatting or _formats_plainly(kind):
        return formatted_by_braces(thing, args, named)
    return metered_method(thing, "format", *args, **named)


def _formats_plainly(kind: type) -> bool:
    """True for a class of texts with the `format` of `str`."""
    is_plain = issubclass(kind, str) and kind.format is _FORMAT
    if is_plain and is_recorded(kind):
        _formatting.add(kind)
    return is_plain


def short_append(thing: object, item: object = _NOTHING, *others: object) -> None:
    is_small = type(item) is not int or _LEAST < item < _LARGE
    if is_small and type(thing) is list and item is not _NOTHING and not others:
        thing.append(item)
    else:
        metered_method(thing, "append", *_given(item, others))


SHORT_CALLS: Final = {
    **{name: short_call(name) for name in METHODS},
    **{name: short_match(name) for name in AT_START},
    "join": short_join,
    "append": short_append,
    "format": short_format,
}
