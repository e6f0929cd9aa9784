"""Regular expressions, which pay before they look, for all that they may have to try.

Python's engine goes back where it finds no way on, and may do so without end: `(a+)+$` tries every way to cut a text into
parts. How many ways there are at most is told by the pattern: a repetition that may end at several places has as many ways as
places, one after another multiply, and a repetition of what has several ways has their power. That is the price, so what cannot
go back costs as much as the text is long, and what may go back for ever is out of gas at once.
"""

from __future__ import annotations

import re
from functools import lru_cache
from re import _parser  # type: ignore[attr-defined]
from typing import Any, Final

from chain.image.meter import charge, dry, spend
from chain.image.work import pay_text, turns

METHODS: Final = frozenset("match fullmatch search findall finditer split sub subn expand groups groupdict".split())
_FUNCTIONS: Final = {"match": 1, "fullmatch": 1, "search": 1, "findall": 1, "finditer": 1, "split": 1, "sub": 2, "subn": 2}
_MOST: Final = 2**40  # tries, more than any fuel pays for
_TRIES: Final = 8  # for a tick
_REPEATS: Final = frozenset({"MAX_REPEAT", "MIN_REPEAT"})
_ONE: Final = frozenset({"LITERAL", "NOT_LITERAL", "ANY", "IN", "RANGE", "CATEGORY"})


def by_pattern(thing: Any, name: str, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """A method of a compiled pattern, or of what it found."""
    spend()
    if isinstance(thing, re.Match) or name not in _FUNCTIONS:
        pay_text(len(thing.string) if isinstance(thing, re.Match) else 0)
        return _expanded(thing, name, args, named)
    at = _FUNCTIONS[name] - 1
    text = args[at] if len(args) > at else named.get("string", "")
    _pay(thing, text, 1 if name in ("match", "fullmatch") else 2)
    if name in ("sub", "subn"):
        return _sub(thing, name, args, named)
    found = getattr(thing, name)(*args, **named)
    return turns(found) if name == "finditer" else found


def by_function(name: str, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """A function of the module `re`: `re.match(pattern, text)`."""
    if name not in _FUNCTIONS:
        spend()
        for each in args[:1]:
            pay_text(4 * len(each) if isinstance(each, str | bytes) else 0)
        return getattr(re, name)(*args, **named)
    flags = named.pop("flags", 0)
    most = _FUNCTIONS[name] + (1 if name in ("match", "fullmatch", "search", "findall", "finditer") else 2)
    if len(args) > most:
        args, flags = args[:-1], args[-1]
    pattern = named.pop("pattern", None) or args[0]
    if isinstance(pattern, str | bytes):
        pay_text(4 * len(pattern))
    return by_pattern(re.compile(pattern, flags), name, args[1:], named)


def _expanded(thing: Any, name: str, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    if name == "expand" and args and isinstance(args[0], str | bytes):
        pay_text(len(args[0]) * (1 + len(thing.string)) if "\\" in str(args[0]) else len(args[0]))
    return getattr(thing, name)(*args, **named)


def _sub(pattern: Any, name: str, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """Each piece that is put in pays for its length."""
    put = args[0] if args else named.pop("repl")
    is_plain = not callable(put) and (b"\\" if isinstance(put, bytes) else "\\") not in put
    if not is_plain and not callable(put):
        pay_text(8 * len(put))

    def piece(match: Any) -> Any:
        if is_plain:
            made = put
        else:
            made = put(match) if callable(put) else _expanded(match, "expand", (put,), {})
        spend()
        if isinstance(made, str | bytes):
            pay_text(len(made))
        return made

    return getattr(pattern, name)(piece, *args[1:], **named)


def _pay(pattern: Any, text: Any, starts: int) -> None:
    """For every place where the pattern may begin: a match begins at one."""
    size = len(text) if isinstance(text, str | bytes) else 0
    pay_text(size)
    tries = _tries(pattern, size.bit_length())
    if starts > 1:
        tries *= size + 1
    tries = min(tries, _MOST)
    if tries > _TRIES * 16:
        charge(tries // _TRIES)


@lru_cache(maxsize=1024)
def _tries(pattern: Any, bits: int) -> int:
    """How often a pattern may try at one place of a text whose length has so many bits."""
    size = 2**bits
    try:
        parsed = _parser.parse(pattern.pattern, pattern.flags)
    except (re.error, RecursionError, OverflowError):
        dry()
    ways, work = _Tries(size, not pattern.flags & re.IGNORECASE).sequence(list(parsed))
    return min(ways * work, _MOST)


class _Tries:
    """Counts the ways that a pattern may match a text of some length."""

    def __init__(self, size: int, exact: bool) -> None:
        self.size = size
        self.exact = exact  # whether 'a' is no 'A'

    def sequence(self, nodes: list[Any]) -> tuple[int, int]:
        """In how many ways these nodes match, one after the other, and what one way takes."""
        ways, work = 1, 1
        for i, node in enumerate(nodes):
            more, steps = self._node(node, nodes[i + 1] if i + 1 < len(nodes) else None)
            ways, work = min(ways * more, _MOST), min(work + steps, _MOST)
        return ways, work

    def _node(self, node: Any, behind: Any) -> tuple[int, int]:
        name, value = str(node[0]), node[1]
        if name in _ONE or name == "AT":
            return 1, 1
        if name in _REPEATS or name == "POSSESSIVE_REPEAT":
            return self._repeat(name, value, behind)
        if name == "SUBPATTERN":
            return self.sequence(list(value[3]))
        if name == "BRANCH":
            found = [self.sequence(list(each)) for each in value[1]]
            return min(sum(ways for ways, _ in found), _MOST), sum(work for _, work in found)
        if name in ("ASSERT", "ASSERT_NOT"):
            ways, work = self.sequence(list(value[1]))
            return 1, min(ways * work, _MOST)
        if name == "ATOMIC_GROUP":
            ways, work = self.sequence(list(value))
            return 1, min(ways * work, _MOST)
        if name == "GROUPREF_EXISTS":
            found = [self.sequence(list(each)) for each in value[1:] if each is not None]
            return sum(ways for ways, _ in found) + 1, sum(work for _, work in found) + 1
        return 1, self.size + 1  # a group that is meant again

    def _repeat(self, name: str, value: Any, behind: Any) -> tuple[int, int]:
        least, most, inner = value
        most = min(int(most), self.size)
        ways, work = self.sequence(list(inner))
        if ways > 1:
            total = min(ways ** min(most, 64), _MOST)
        else:
            total = max(most - min(int(least), most), 0) + 1
        steps = min(work * max(most, 1), _MOST)
        if name == "POSSESSIVE_REPEAT":
            return 1, min(total * steps, _MOST)
        if ways == len(inner) == 1 and self.exact and behind is not None and _part(inner[0], behind):
            return 1, steps + total
        return total, steps


def _part(one: Any, other: Any) -> bool:
    """Whether what is repeated cannot be what stands behind it, so that there is one place to go on from."""
    if str(other[0]) != "LITERAL" or str(one[0]) not in ("LITERAL", "NOT_LITERAL", "IN"):
        return False
    return not _has(one, other[1])


def _has(one: Any, code: int) -> bool:
    name, value = str(one[0]), one[1]
    if name == "LITERAL":
        return bool(value == code)
    if name == "NOT_LITERAL":
        return bool(value != code)
    if name == "RANGE":
        return bool(value[0] <= code <= value[1])
    if name == "IN":
        inside = [each for each in value if str(each[0]) != "NEGATE"]
        return (len(inside) < len(value)) != any(_has(each, code) for each in inside)
    return True
