"""Prices of methods of objects that are neither built-in types nor an author's: hashes, templates, stored collections."""

from __future__ import annotations

from collections.abc import Iterable
from string import Formatter, Template
from textwrap import TextWrapper
from typing import Any, Final, TypeAlias

from chain.metering.builtin_costs import (
    BUILT,
    charge_items,
    charge_shown,
    charge_text,
    metered,
    size_of,
)
from chain.metering.format_costs import pay_for_format
from chain.metering.fuel import charge
from chain.metering.stable_text import scrubbed

_CALLED: Final = 32  # ticks for a call
_FIELD: Final = 128  # ticks for a `$` in a template
_FORMATTED: Final = 256  # ticks to format by a `Formatter`
_WRAPPED: Final = 64  # ticks for a character that is wrapped
_Args: TypeAlias = tuple[object, ...]
_Named: TypeAlias = dict[str, object]
HASHED_AT_ONCE: Final = 4  # bytes that are hashed for one tick
FOREIGN: Final = frozenset(
    {"_hashlib", "_blake2", "_sha3", "_sha2", "_md5", "_sha1", "string", "textwrap"}
)


def foreign_method(thing: object, name: str, args: _Args, named: _Named) -> object:
    """Call a method of a hash that takes in data, or of a template that is filled in."""
    charge(_CALLED)
    for arg in args:
        if isinstance(arg, bytes | bytearray | memoryview):
            charge(1 + size_of(arg) // HASHED_AT_ONCE)
    if isinstance(thing, Formatter):
        charge(_FORMATTED)
        if args and isinstance(args[0], str):
            values = [*args[1:], *named.values()]
            if name == "vformat":
                values = [item for value in values for item in _held_by(value)]
            pay_for_format(args[0], tuple(values))
            _check_fields(args[0])
    elif isinstance(thing, TextWrapper):
        indents = max(map(size_of, (thing.initial_indent, thing.subsequent_indent)))
        for arg in args:
            charge(1 + _WRAPPED * size_of(arg))
            charge_text(size_of(arg) * (1 + indents))
    elif isinstance(thing, Template):
        _fill(thing.template, args, named)
    return scrubbed(getattr(thing, name)(*args, **named), (args, named))


def _check_fields(template: str) -> None:
    """Refuse fields such as `{.name}`, which a `Formatter` numbers on some versions of Python only."""
    for _, field, inner, _ in Formatter().parse(template):
        if field and field[0] in ".[":
            raise KeyError("")
        if inner:
            _check_fields(inner)


def _fill(template: str, args: _Args, named: _Named) -> None:
    values = [*named.values(), *(value for arg in args for value in _values_of(arg))]
    charge(1 + _FIELD * template.count("$"))
    longest = max([len(str(charge_shown(value))) for value in values], default=0)
    charge_text(len(template) * (1 + longest))


def _held_by(values: object) -> Iterable[object]:
    return _values_of(values) or (charge_items(values) if isinstance(values, list | tuple) else ())


def _values_of(values: object) -> Iterable[object]:
    return charge_items(values).values() if isinstance(values, dict) else ()


def collection_method(thing: Any, name: str, args: tuple[Any, ...], named: _Named) -> object:
    """Call a method of a collection: the items it takes and the list it returns cost fuel too."""
    if name == "extend":
        args = tuple(map(metered, args))
    result = getattr(thing, name)(*args, **named)
    return charge_items(result, BUILT) if name == "slice" else result
