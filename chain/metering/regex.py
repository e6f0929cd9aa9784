"""Prices of regular expressions: charged before the search, for all attempts that it may take.

Python's engine backtracks where it cannot match further, and that may take exponential time: `(a+)+$` tries every way to split
a text into parts. The price is the greatest number of attempts, which follows from the pattern
(`chain.metering.regex_backtracking`). A pattern that cannot backtrack costs as much as the text is long. A pattern that may
backtrack without bound runs out of gas immediately.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final

from chain.metering.builtin_costs import FREE, TEXT, charge_items, charge_text, metered
from chain.metering.fuel import charge, charge_8
from chain.metering.newer_unicode import check_known
from chain.metering.regex_backtracking import MOST, Tries, range_sizes, tries_of
from chain.source.newer_python import check_method

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
AT_START: Final = ("match", "fullmatch")
# The position of the text among the arguments of a pattern's method, and of the flags among those of a function.
_TEXT_AT: Final = {"sub": 1, "subn": 1}
_FLAGS_AT: Final = {"split": 3, "sub": 4, "subn": 4}
_FUNCTIONS: Final = frozenset(
    ["match", "fullmatch", "search", "findall", "finditer", "split", "sub", "subn"]
)
_NEW_ESCAPE: Final = re.compile(r"(?<!\\)(?:\\\\)*\\z")
_CLASS: Final = re.compile(r"(?<!\\)(?:\\\\)*\\[wWdDsSbB]")
_UNICODE: Final = re.compile(r"\(\?[a-z]*u")
_WITHOUT_CASE: Final = re.compile(r"\(\?[a-z]*i")
# Older characters that got a second case later.
_NEW_CASE: Final = re.compile("[\u019b\u0264\ua7d3\ua7d5]")
_TEMPLATE: Final = 512  # ticks to read a template, which `re` does again for each match
_TRIES: Final = 8  # attempts for one tick
_READING: Final = 96  # ticks to parse one character of a pattern
_LISTING: Final = 8  # ticks for a character in a large range
_FEW: Final = 2**10  # ticks that need no closer estimate
_SHORT: Final = TEXT * FREE  # characters of a short text
_KNOWN: Final = 1024
_at_start: Final[
    dict[int, tuple[object, list[int]]]
] = {}  # patterns, and their prices by the bits of the length, by identity


def by_pattern(thing: Any, name: str, args: tuple[object, ...], named: dict[str, Any]) -> object:
    """Call a method of a compiled pattern or of a match, charged before it runs."""
    charge_8()
    if isinstance(thing, re.Match) or name not in _FUNCTIONS:
        return _of_match(thing, name, args, named)
    position = _TEXT_AT.get(name, 0)
    text = args[position] if len(args) > position else named.get("string", "")
    size = len(text) if isinstance(text, str | bytes) else 0
    charge_text(size)
    if _reads_classes(thing):
        check_known(text)
    if _ignores_case(thing) and isinstance(text, str) and (found := _NEW_CASE.search(text)):
        raise ValueError(
            f"versions of Python disagree on the case of U+{ord(found[0]):04X}: keep it out of texts that are examined"
        )
    tries = tries_of(thing, size.bit_length())
    per_position = _at_one(tries)
    if name in AT_START:
        _pay(per_position)
    elif tries.is_sure or not size:
        _pay(size + tries.length)
    elif (
        per_position * size > _FEW * _TRIES
        and tries.head
        and len(args) == position + 1
        and not named
    ):
        return _one_by_one(thing, name, args, per_position)
    else:
        _pay(per_position * (size + 1))
    if name in _TEXT_AT:
        args, named = _put_in(args, named)
    result = getattr(thing, name)(*args, **named)
    if isinstance(result, list):
        charge_items(result, 16)
    return metered(result, 16) if name == "finditer" else result


@lru_cache(maxsize=1024)
def _reads_classes(pattern: re.Pattern[Any]) -> bool:
    """True if matches depend on the classes of characters, which not all versions of Python know."""
    if not _is_unicode(pattern):
        return False
    return _ignores_case(pattern) or _CLASS.search(pattern.pattern) is not None


@lru_cache(maxsize=1024)
def _ignores_case(pattern: re.Pattern[Any]) -> bool:
    """True if matches depend on the case of characters, in the whole pattern or in a group such as `(?i:…)`."""
    if not _is_unicode(pattern):
        return False
    return bool(pattern.flags & re.IGNORECASE) or _WITHOUT_CASE.search(pattern.pattern) is not None


def _is_unicode(pattern: re.Pattern[Any]) -> bool:
    """True if a pattern has more than ASCII in mind, be it in a group such as `(?u:…)`."""
    source = pattern.pattern
    return isinstance(source, str) and (
        not pattern.flags & re.ASCII or _UNICODE.search(source) is not None
    )


def is_paid_match(pattern: object, text: object) -> bool:
    """Charge for a match at the start of a short text, and return True; for anything else charge nothing."""
    if type(text) is not str or len(text) > _SHORT or not text.isascii():
        return False
    known = _at_start.get(id(pattern))
    if known is None:
        if len(_at_start) >= _KNOWN:
            _at_start.clear()
        prices = [
            _at_one(tries_of(pattern, bits)) // _TRIES for bits in range(_SHORT.bit_length() + 1)
        ]
        known = _at_start[id(pattern)] = pattern, prices
    charge(known[1][len(text).bit_length()])
    return True


def _at_one(tries: Tries) -> int:
    return min(tries.ways * tries.work, MOST)


def by_function(name: str, args: tuple[Any, ...], named: dict[str, Any]) -> object:
    """Call a function of the module `re`, such as `re.match(pattern, text)`, charged before it runs."""
    for source in (*args[:1], named.get("pattern")):
        if isinstance(source, str | bytes):
            _check_escapes(source)
    if name not in _FUNCTIONS:
        charge_8()
        for source in args[:1]:
            if name == "compile":
                _pay_for_reading(source, args[1] if len(args) > 1 else named.get("flags", 0))
            elif isinstance(source, str | bytes):
                charge(1 + 4 * len(source))
        return getattr(re, name)(*args, **named)
    flags, position = named.pop("flags", 0), _FLAGS_AT.get(name, 2)
    if len(args) > position:
        args, flags = args[:position], args[position]
    pattern = named.pop("pattern") if "pattern" in named else args[0]
    _pay_for_reading(pattern, flags)
    return by_pattern(re.compile(pattern, flags), name, args[1:], named)


def _pay_for_reading(source: object, flags: int) -> None:
    if isinstance(source, str | bytes):
        groups = source.count("(" if isinstance(source, str) else b"(")  # type: ignore[arg-type]
        charge(_READING * (1 + len(source) + 4 * groups))
    if isinstance(source, str) and "-" in source:
        charge(_LISTING * range_sizes(source, int(flags)))


def _check_escapes(source: str | bytes) -> None:
    r"""Refuse `\z`, which only some versions of Python know."""
    text = source if isinstance(source, str) else source.decode("latin-1")
    if _NEW_ESCAPE.search(text):
        raise re.error(r"bad escape \z", source)


def _pay(tries: int) -> None:
    if tries > _TRIES:
        charge(min(tries, MOST) // _TRIES)


def _of_match(
    thing: object, name: str, args: tuple[object, ...], named: dict[str, object]
) -> object:
    check_method(thing, name)
    if isinstance(thing, re.Match):
        charge_text(len(thing.string))
        if name == "expand" and args and isinstance(args[0], str | bytes):
            charge(_TEMPLATE)
            refers = args[0].find("\\" if isinstance(args[0], str) else b"\\") >= 0  # type: ignore[arg-type]
            charge_text(len(args[0]) * (len(thing.string) if refers else 1))
    return getattr(thing, name)(*args, **named)


def _put_in(args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Return the arguments of `sub`, with a replacement function that charges for the length of each piece."""
    put = args[0] if args else named["repl"]
    if not callable(put) and ("\\" if isinstance(put, str) else b"\\") in put:
        charge_text(8 * len(put))
        template = put

        def put(match: object) -> object:
            return _of_match(match, "expand", (template,), {})

    def piece(match: object) -> object:
        text = put(match) if callable(put) else put
        charge_8()
        if isinstance(text, str | bytes):
            charge_text(len(text))
        return text

    return (piece, *args[1:]), {key: value for key, value in named.items() if key != "repl"}


# Patterns that begin with a fixed character


def _one_by_one(pattern: re.Pattern[Any], name: str, args: tuple[Any, ...], each: int) -> object:
    """Match at every position where the pattern may begin. A failed position costs the maximum of attempts, `each`."""
    text = args[-1]
    matches = _matches(pattern, text, tries_of(pattern, len(text).bit_length()), each)
    if name == "search":
        return next(matches, None)
    if name == "finditer":
        return matches
    if name == "findall":
        return [_groups(match) for match in matches]
    parts: list[object] = []
    end = count = 0
    (put, *_), _ = _put_in(args, {}) if name in _TEXT_AT else ((None,), None)
    for match in matches:
        parts.append(text[end : match.start()])
        parts += match.groups() if put is None else [put(match)]
        end, count = match.end(), count + 1
    parts.append(text[end:])
    if put is None:
        return parts
    whole = text[:0].join(parts)
    return (whole, count) if name == "subn" else whole


def _matches(
    pattern: re.Pattern[Any], text: Any, tries: Tries, each: int
) -> Iterator[re.Match[Any]]:
    head = chr(tries.head) if isinstance(text, str) else bytes([tries.head])
    position = text.find(head)
    while position >= 0:
        charge_8()
        match = pattern.match(text, position)
        if match is None:
            _pay(each)
            position += 1
        else:
            _pay(match.end() - position)
            yield match
            position = max(match.end(), position + 1)
        position = text.find(head, position)


def _groups(match: re.Match[Any]) -> object:
    """Return the item of `findall` for a match."""
    groups = match.groups(match.string[:0])
    if not groups:
        return match.group()
    return groups[0] if len(groups) == 1 else groups
