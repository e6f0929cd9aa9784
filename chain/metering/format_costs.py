"""Prices of formatted texts: of `str.format`, `%`, `format` and the widths in their templates."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, Final

from chain.metering.builtin_costs import (
    FREE,
    TEXT,
    charge_items,
    charge_pictured,
    charge_shown,
    charge_text,
    tells_itself,
    written,
)
from chain.metering.frozen_collections import is_recorded
from chain.metering.fuel import charge, out_of_fuel
from chain.metering.stable_text import is_common, pictured, scrubbed, worded

_NUMBERS: Final = re.compile(r"\d{3,}")
# A width that is taken from a value. In brackets, as in `{0[}]:{1}}`, a brace ends nothing.
_WIDTHS: Final = re.compile(r"\{[^{}]*:[^}]*\{|\[(?s:.)*:[^}]*\{")
_TEXTS: Final = (str, bytes, bytearray)
_FORMATTED: Final = 48  # ticks for a call
_VALUE: Final = 8  # ticks for a value
_SHORT: Final = 256  # characters of the longest template that is cached
_NEAR: Final = 2**63  # numbers in this range are formatted at no extra cost
_LEAST: Final = -_NEAR
_FREE_TEXT: Final = TEXT * FREE  # characters that cost nothing beyond the call
# Classes whose objects write themselves, and that outlive calls: they keep their methods.
_writing: Final[set[type]] = set()


def formatted_by_braces(text: str, args: tuple[object, ...], named: dict[str, object]) -> str:
    """Return `text.format(…)`, charged before it runs, with values that are written alike everywhere."""
    charge(_FORMATTED + _VALUE * len(args) if args else _FORMATTED)
    if type(text) is not str:  # a subclass may define its own hash
        text = str.__str__(text)
    if _is_simple(text) and _are_brief(named.values()) and (not args or _are_brief(args)):
        result = text.format(*args, **named)
        if len(result) > _FREE_TEXT // 2:
            charge_text(2 * len(result))
        return result
    if pay_for_format(text, (*args, *named.values())):
        args = tuple(map(worded, args))
        named = {name: worded(value) for name, value in named.items()}
    result = str.format(text, *args, **named)
    charge_text(2 * len(result))
    return str(pictured(result, text)) if "!r" in text else result


@lru_cache(maxsize=1024)
def _is_simple(template: str) -> bool:
    """True if a template costs nothing by itself, and shows its values as `str` does."""
    return len(template) <= _SHORT and "!" not in template and not any(_find_widths(template))


def _are_brief(values: Iterable[Any]) -> bool:
    """True if the values cost nothing before they are written: short ones, and those whose code ticks."""
    for value in values:
        kind: Any = type(value)
        if kind is int:
            if not _LEAST < value < _NEAR:
                return False
        elif kind is str:
            if len(value) > _FREE_TEXT:
                return False
        elif kind not in _writing and not _writes_itself(kind):
            return False
    return True


def _writes_itself(kind: Any) -> bool:
    """True if objects of a class are written by code that ticks, and their texts need no check."""
    is_writing = tells_itself(kind) and is_common(kind)
    if is_writing and is_recorded(kind):
        _writing.add(kind)
    return is_writing


def formatted_by_map(text: str, values: object) -> str:
    """Return `text.format_map(values)`, charged before it runs."""
    if isinstance(values, dict):
        pay_for_format(text, tuple(charge_items(values).values()))
    result: str = written(text.format_map(worded(values)))
    return str(pictured(result, text)) if "!r" in text else result


def pay_for_format(text: str, values: tuple[Any, ...]) -> bool:
    """Charge for `text.format(…)` with these values. Return True if some are more than a short text or number."""
    if type(text) is not str:  # a subclass may define its own hash
        text = str.__str__(text)
    is_wide = pay_for_widths(text)
    longest, is_long = 0, False
    for value in values:
        kind = type(value)
        if is_wide or not (
            (kind is str and len(value) <= _FREE_TEXT) or (kind is int and _LEAST < value < _NEAR)
        ):
            is_long = True
            shown = charge_shown(value) if "!" not in text else charge_pictured(value)
            if is_wide:
                pay_for_width(shown)
            if isinstance(shown, _TEXTS):
                longest = max(longest, len(shown))
    if longest > _SHORT:
        charge_text(text.count("{") * longest)
    return is_long


def pay_for_widths(template: str) -> bool:
    """Charge for the numbers in a format string, since each may be a width. Return True if a width is taken from a value."""
    if len(template) > _SHORT:
        charge_text(len(template))
    numbers, is_wide = _widths_in(template) if len(template) <= _SHORT else _find_widths(template)
    for number in numbers:
        if len(number) > 12:
            out_of_fuel()
        charge_text(int(number))
    return is_wide


def _find_widths(template: str) -> tuple[list[str], bool]:
    return _NUMBERS.findall(template), bool(_WIDTHS.search(template))


_widths_in: Final = lru_cache(maxsize=1024)(_find_widths)


def pay_for_width(value: object) -> object:
    """Return `value`, which may be used as a width in a format, charged for that width."""
    if isinstance(value, int):
        charge_text(value)
    elif isinstance(value, str):
        pay_for_widths(value)
    return value


def formatted(left: Any, right: object) -> Any:
    """Return `left % right`, where `left` is a text or bytes."""
    charge(2 * _FORMATTED)
    text = left if isinstance(left, str) else left.decode("latin-1")
    pay_for_widths(text)
    if isinstance(right, tuple):
        right = tuple(map(worded, charge_items(right)))
    elif not isinstance(right, dict):
        right = worded(right)
    values = right if isinstance(right, tuple) else (right,)
    if isinstance(right, dict):
        values = tuple(charge_items(right).values())
    for value in values:
        charge_shown(value)
        if "*" in text:
            pay_for_width(value)
    longest = max((len(value) for value in values if isinstance(value, _TEXTS)), default=0)
    if longest > _SHORT:
        charge_text(text.count("%") * longest)
    return pictured(scrubbed(written(_filled(left, right)), values), text)


def _filled(left: Any, right: object) -> object:
    """Return `left % right`. Too few values for a dict's template are a TypeError, as before Python 3.15."""
    try:
        return left % right
    except ValueError as problem:
        if "requires a parenthesised mapping key" in str(problem):
            raise TypeError("not enough arguments for format string") from None
        raise


def guarded_format(value: object, spec: str = "") -> str:
    charge(_FORMATTED)
    pay_for_widths(spec)
    text: str = written(format(charge_shown(value), spec))
    return text
