"""Regular expressions, which pay before they look, for all that they may have to try.

Python's engine goes back where it finds no way on, and may do so without end: `(a+)+$` tries every way to cut a text into
parts. How many ways there are at most is told by the pattern (`chain.metering.regex_backtracking`), and that is the price.
What cannot go back costs as much as the text is long; what may go back for ever is out of gas at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final

from chain.metering.costs import (
    FREE,
    TEXT,
    charge_items,
    charge_text,
    metered,
)
from chain.metering.fuel import (
    charge,
    charge_8,
)
from chain.metering.new_characters import asked
from chain.metering.regex_backtracking import (
    MOST,
    Tries,
    tries_of,
)

METHODS: Final = frozenset(
    [
        "match",
        "fullmatch",
        "search",
        "findall",
        "finditer",
        "split",
        "sub",
        "subn",
        "expand",
        "groups",
        "groupdict",
    ]
)
_AT_ONE: Final = ("match", "fullmatch")
_TEXT_AT: Final = {"sub": 1, "subn": 1}  # which argument of a pattern's method is the text
_FLAGS_AT: Final = {"split": 3, "sub": 4, "subn": 4}  # and which one of a function is the flags
_FUNCTIONS: Final = frozenset(
    ["match", "fullmatch", "search", "findall", "finditer", "split", "sub", "subn"]
)
_TRIES: Final = 8  # for a tick
_READING: Final = 96  # ticks for a character of a pattern that is to be understood
_FEW: Final = 2**10  # ticks that are not worth a closer look


def by_pattern(thing: Any, name: str, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """A method of a compiled pattern, or of what it found."""
    charge_8()
    if name in _AT_ONE and len(args) == 1 and not named and isinstance(thing, re.Pattern):
        text = args[0]
        if type(text) is str and len(text) <= TEXT * FREE and text.isascii():
            _pay(_tries_at_one(thing, len(text).bit_length()))
            return getattr(thing, name)(text)
    if isinstance(thing, re.Match) or name not in _FUNCTIONS:
        return _of_match(thing, name, args, named)
    place = _TEXT_AT.get(name, 0)
    text = args[place] if len(args) > place else named.get("string", "")
    size = len(text) if isinstance(text, str | bytes) else 0
    charge_text(size)
    asked(text)
    tries = tries_of(thing, size.bit_length())
    each = min(tries.ways * tries.work, MOST)
    if name in _AT_ONE:
        _pay(each)
    elif tries.is_sure or not size:
        _pay(size + tries.length)
    elif each * size > _FEW * _TRIES and tries.head and len(args) == place + 1 and not named:
        return _one_by_one(thing, name, args, each)
    else:
        _pay(each * (size + 1))
    if name in _TEXT_AT:
        args, named = _put_in(args, named)
    found = getattr(thing, name)(*args, **named)
    if isinstance(found, list):
        charge_items(found, 16)
    return metered(found, 16) if name == "finditer" else found


@lru_cache(maxsize=1024)
def _tries_at_one(pattern: Any, bits: int) -> int:
    """What a look at one place takes, of a text that is short."""
    tries = tries_of(pattern, bits)
    return min(tries.ways * tries.work, MOST)


def by_function(name: str, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """A function of the module `re`: `re.match(pattern, text)`."""
    if name not in _FUNCTIONS:
        charge_8()
        for each in args[:1]:
            if isinstance(each, str | bytes):
                charge(1 + (_READING if name == "compile" else 4) * len(each))
        return getattr(re, name)(*args, **named)
    flags, place = named.pop("flags", 0), _FLAGS_AT.get(name, 2)
    if len(args) > place:
        args, flags = args[:place], args[place]
    pattern = named.pop("pattern") if "pattern" in named else args[0]
    if isinstance(pattern, str | bytes):
        charge(_READING * (1 + len(pattern)))
    return by_pattern(re.compile(pattern, flags), name, args[1:], named)


def _pay(tries: int) -> None:
    if tries > _TRIES:
        charge(min(tries, MOST) // _TRIES)


def _of_match(thing: Any, name: str, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    if isinstance(thing, re.Match):
        charge_text(len(thing.string))
        if name == "expand" and args and isinstance(args[0], str | bytes):
            refers = args[0].find("\\" if isinstance(args[0], str) else b"\\") >= 0  # type: ignore[arg-type]
            charge_text(len(args[0]) * (len(thing.string) if refers else 1))
    return getattr(thing, name)(*args, **named)


def _put_in(args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """The arguments of `sub`, where each piece that is put in pays for its length."""
    put = args[0] if args else named["repl"]
    if not callable(put) and ("\\" if isinstance(put, str) else b"\\") in put:
        charge_text(8 * len(put))
        template = put

        def put(match: Any) -> Any:
            return _of_match(match, "expand", (template,), {})

    def piece(match: Any) -> Any:
        made = put(match) if callable(put) else put
        charge_8()
        if isinstance(made, str | bytes):
            charge_text(len(made))
        return made

    return (piece, *args[1:]), {key: value for key, value in named.items() if key != "repl"}


# Where a pattern begins with a certain character


def _one_by_one(pattern: Any, name: str, args: tuple[Any, ...], each: int) -> Any:
    """Look at every place where the pattern may begin; one at which it fails pays for the most that it can have tried."""
    text = args[-1]
    found = _matches(pattern, text, tries_of(pattern, len(text).bit_length()), each)
    if name == "search":
        return next(found, None)
    if name == "finditer":
        return found
    if name == "findall":
        return [_groups(match) for match in found]
    parts: list[Any] = []
    end = count = 0
    (put, *_), _ = _put_in(args, {}) if name in _TEXT_AT else ((None,), None)
    for match in found:
        parts.append(text[end : match.start()])
        parts += match.groups() if put is None else [put(match)]
        end, count = match.end(), count + 1
    parts.append(text[end:])
    if put is None:
        return parts
    whole = text[:0].join(parts)
    return (whole, count) if name == "subn" else whole


def _matches(pattern: Any, text: Any, tries: Tries, each: int) -> Iterator[Any]:
    head = chr(tries.head) if isinstance(text, str) else bytes([tries.head])
    at = text.find(head)
    while at >= 0:
        charge_8()
        match = pattern.match(text, at)
        if match is None:
            _pay(each)
            at += 1
        else:
            _pay(match.end() - at)
            yield match
            at = max(match.end(), at + 1)
        at = text.find(head, at)


def _groups(match: Any) -> Any:
    """What `findall` gives of it."""
    groups = match.groups(match.string[:0])
    if not groups:
        return match.group()
    return groups[0] if len(groups) == 1 else groups
