"""The number of attempts that a regular expression may take at one position of a text, derived from the pattern alone.

A repetition that may end at several positions has as many ways as positions. The ways of parts in sequence multiply, and a
repetition of a part with several ways has their power. There is only one way if the next character decides how the match
continues, as in `[^"]*"` and in `a|bc`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from re import _parser  # type: ignore[attr-defined]
from typing import Any, Final

from chain.foundation.dataclass import dataclass
from chain.metering.fuel import out_of_fuel

MOST: Final = 2**40  # more than any fuel pays for
_LISTED: Final = 256  # characters of a large range
_REPEATS: Final = ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT")
_ONE: Final = ("LITERAL", "NOT_LITERAL", "ANY", "IN", "RANGE", "CATEGORY")
_Nodes = list[Any]
_END: Final = ("END", None)  # the end of a pattern: nothing follows that could make it backtrack
# Supersets of the categories, since it is not known here if a pattern is Unicode or ASCII.
_CATEGORIES: Final = {
    "CATEGORY_DIGIT": r"\d", "CATEGORY_SPACE": r"\s", "CATEGORY_WORD": r"\w",
    "CATEGORY_NOT_DIGIT": r"(?a:\D)", "CATEGORY_NOT_SPACE": r"(?a:\S)", "CATEGORY_NOT_WORD": r"(?a:\W)",
}  # fmt: skip
_APART: Final = (
    {"DIGIT", "SPACE"},
    {"WORD", "SPACE"},
    {"DIGIT", "NOT_DIGIT"},
    {"WORD", "NOT_WORD"},
    {"SPACE", "NOT_SPACE"},
)


@dataclass(frozen=True, slots=True)
class Tries:
    """The ways in which a pattern may match at one position, the steps of each way, and the number of nodes."""

    ways: int
    work: int
    length: int
    head: int  # the code of its first character if that is fixed, else 0
    is_sure: bool  # True if it cannot fail after its first character


@lru_cache(maxsize=1024)
def tries_of(pattern: Any, bits: int) -> Tries:
    """Return the attempts of a compiled pattern on a text whose length has so many bits."""
    try:
        nodes = list(_parser.parse(pattern.pattern, pattern.flags))
    except (re.error, RecursionError, OverflowError):
        out_of_fuel()
    exact = not pattern.flags & re.IGNORECASE
    ways, work = _Counting(2**bits, exact).sequence(nodes, [_END])
    head = nodes[0][1] if nodes and exact and _name(nodes[0]) == "LITERAL" else 0
    return Tries(ways, work, len(nodes), head, _is_sure(nodes))


@lru_cache(maxsize=1024)
def range_sizes(source: str, flags: int) -> int:
    """Return how many characters the large ranges of a pattern hold: Python lists them when it compiles the pattern."""
    try:
        waiting = list(_parser.parse(source, flags))
    except (re.error, RecursionError, OverflowError):
        return 0  # the compilation reports it
    size = 0
    while waiting:
        node = waiting.pop()
        if isinstance(node, tuple) and len(node) == 2 and _name(node) == "RANGE":
            low, high = node[1]
            size += high - low if high - low >= _LISTED else 0
        elif isinstance(node, tuple | list | _parser.SubPattern):
            waiting += node
    return size


def _name(node: Any) -> str:
    return str(node[0])


def _is_sure(nodes: _Nodes) -> bool:
    """True for a single character, or for a repetition of one that needs at most one."""
    if len(nodes) != 1:
        return False
    if _name(nodes[0]) in _ONE:
        return True
    if _name(nodes[0]) not in _REPEATS:
        return False
    least, _, inner = nodes[0][1]
    return least <= 1 and len(inner) == 1 and _name(inner[0]) in _ONE


class _Counting:
    """A counter of the ways of a pattern, for one length of text."""

    def __init__(self, size: int, exact: bool) -> None:
        self.size = size
        self.exact = exact  # True if letter case matters

    def sequence(self, nodes: _Nodes, after: _Nodes) -> tuple[int, int]:
        """Return the number of ways in which `nodes` match in sequence before `after`, and the steps of one way."""
        ways, work = 1, 1
        for i, node in enumerate(nodes):
            more, steps = self._node(node, [*nodes[i + 1 :], *after])
            ways, work = min(ways * more, MOST), min(work + steps, MOST)
        return ways, work

    def _node(self, node: Any, behind: _Nodes) -> tuple[int, int]:
        name, value = _name(node), node[1]
        if name in _ONE or name == "AT":
            return 1, 1
        if name in _REPEATS:
            return self._repeat(name, value, behind)
        if name == "SUBPATTERN":
            return self.sequence(list(value[3]), behind)
        if name == "BRANCH":
            return self._branch([list(branch) for branch in value[1]], behind)
        if name in ("ASSERT", "ASSERT_NOT", "ATOMIC_GROUP"):
            ways, work = self.sequence(list(value if name == "ATOMIC_GROUP" else value[1]), [_END])
            return 1, min(ways * work, MOST)
        if name == "GROUPREF_EXISTS":
            return self._branch(
                [list(branch) for branch in value[1:] if branch is not None] + [[]], behind
            )
        return 1, self.size + 1  # a reference to a group

    def _branch(self, branches: list[_Nodes], behind: _Nodes) -> tuple[int, int]:
        counts = [self.sequence(branch, behind) for branch in branches]
        work = min(sum(steps for _, steps in counts), MOST)
        heads = [_head(branch) for branch in branches]
        if all(self._apart(head, other) for i, head in enumerate(heads) for other in heads[:i]):
            return max(ways for ways, _ in counts), work
        return min(sum(ways for ways, _ in counts), MOST), work

    def _repeat(self, name: str, value: Any, behind: _Nodes) -> tuple[int, int]:
        least, most, inner = value
        most = min(int(most), self.size)
        ways, work = self.sequence(list(inner), [])
        steps = min(work * max(most, 1), MOST)
        total = most - min(int(least), most) + 1
        if ways > 1:
            total = min(ways ** min(most, 64), MOST)
        if name == "POSSESSIVE_REPEAT":
            return 1, min(total * steps, MOST)
        if ways == 1 and self._apart(_head(list(inner)), _head(behind)):
            return 1, steps + total
        return total, steps

    def _apart(self, one: _Nodes, other: _Nodes) -> bool:
        """True if no character can begin both."""
        return self.exact and all(_differ(a, b) for a in one for b in other) and bool(one and other)


def _head(nodes: _Nodes) -> _Nodes:
    """Return the nodes of which one takes the first character; an empty list if that is unknown."""
    if not nodes:
        return []
    name, value = _name(nodes[0]), nodes[0][1]
    if name in _ONE or nodes[0] is _END:
        return nodes[:1]
    if name == "AT":
        return [_END] if str(value) in ("AT_END", "AT_END_STRING") else _head(nodes[1:])
    if name == "SUBPATTERN":
        return _head([*value[3], *nodes[1:]])
    if name in _REPEATS and value[0] > 0:
        return _head(list(value[2]))
    if name in _REPEATS:
        inside, after = _head(list(value[2])), _head(nodes[1:])
        return [*inside, *after] if inside and after else []
    if name == "BRANCH":
        heads = [_head([*branch, *nodes[1:]]) for branch in value[1]]
        return [node for head in heads for node in head] if all(heads) else []
    return []


def _differ(one: object, other: object) -> bool:
    """True if no character matches both nodes."""
    if one is _END or other is _END:
        return True
    return all(_are_apart(a, b) for a in _members(one) for b in _members(other))


def _members(node: Any) -> _Nodes:
    if _name(node) == "IN" and not any(_name(member) == "NEGATE" for member in node[1]):
        return list(node[1])
    return [node]


def _are_apart(one: Any, other: Any) -> bool:
    for a, b in ((one, other), (other, one)):
        if _name(a) == "LITERAL":
            return not _has(b, a[1])
        if _name(a) == "RANGE" and a[1][1] - a[1][0] < 128:
            return not any(_has(b, code) for code in range(a[1][0], a[1][1] + 1))
    names = {
        str(node[1]).removeprefix("CATEGORY_") for node in (one, other) if _name(node) == "CATEGORY"
    }
    return names in _APART


def _has(node: Any, code: int) -> bool:
    name, value = _name(node), node[1]
    if name == "LITERAL":
        return bool(value == code)
    if name == "NOT_LITERAL":
        return bool(value != code)
    if name == "RANGE":
        return bool(value[0] <= code <= value[1])
    if name == "CATEGORY":
        return re.fullmatch(_CATEGORIES.get(str(value), "(?s:.)"), chr(code)) is not None
    if name == "IN":
        members = [member for member in value if _name(member) != "NEGATE"]
        if len(members) < len(value) and any(_name(member) == "CATEGORY" for member in members):
            return True
        return (len(members) < len(value)) != any(_has(member, code) for member in members)
    return True
