"""Joins of texts that are short for certain, as where a board is drawn: of a copy of constant texts, some are replaced.

    pieces = list(EMPTY_BOARD)
    pieces[8 * y + x] = MARKS[player]
    return "".join(pieces)

Such a join pays for the most that the source allows. To add up the lengths of all pieces would take longer than the join.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any, Final, NamedTuple

from chain.metering.builtin_costs import BUILT, MOST_BYTES, TEXT
from chain.metering.cheap_values import Function, Light
from chain.metering.fuel import charge, out_of_fuel

_MOST: Final = 1 << 12  # texts that are looked at, of which one replaces a piece


class Bounds(NamedTuple):
    """The most characters that the pieces of a join have."""

    copied: int  # together, when they are copied
    replacing: int  # each one that replaces another


def join_pieces(separator: str, pieces: list[str], copied: int, replacing: int) -> str:
    """Return `separator.join(pieces)`, charged by the bounds of the pieces."""
    count = len(pieces)
    size = copied + (replacing + len(separator)) * count
    if size > MOST_BYTES:
        out_of_fuel()
    charge(size // TEXT + count * BUILT)
    return separator.join(pieces)


def joins_of_pieces(
    function: Function, light: Light, values: Mapping[str, Any]
) -> Iterator[tuple[ast.Call, Bounds]]:
    """Yield the joins of short pieces in a function. `values` are those of the names around it."""
    constants = {name: value for name, value in values.items() if name not in light.own}
    nodes = list(ast.walk(function))
    uses = Counter(node.id for node in nodes if isinstance(node, ast.Name))
    for name, copied in _copies(nodes, light, constants):
        texts: list[str] = []
        joins: list[ast.Call] = []
        known = 1  # uses of the name that can be told: this copy
        for node in nodes:
            replacing = _replacing(node, name, constants)
            if replacing is not None:
                texts += replacing
            elif isinstance(node, ast.Call) and _is_join(node, name):
                joins.append(node)
            else:
                continue
            known += 1
        if known == uses[name]:
            yield from ((join, Bounds(copied, max(map(len, texts), default=0))) for join in joins)


def _copies(
    nodes: list[ast.AST], light: Light, constants: Mapping[str, Any]
) -> Iterator[tuple[str, int]]:
    """Yield the names that are bound to nothing but `list(…)` of constant texts, with their number of characters."""
    for node in nodes:
        match node:
            case ast.Assign([ast.Name(name)], ast.Call(ast.Name("list"), [ast.Name(source)], [])):
                texts: Any = constants.get(source)
                is_copied = name in light.lists and type(texts) is tuple
                if is_copied and all(type(text) is str for text in texts):
                    yield name, sum(map(len, texts))


def _is_join(node: ast.Call, name: str) -> bool:
    """True for `"…".join(name)`."""
    match node:
        case ast.Call(ast.Attribute(ast.Constant(str()), "join"), [ast.Name(joined)], []):
            return joined == name
    return False


def _replacing(node: ast.AST, name: str, constants: Mapping[str, Any]) -> list[str] | None:
    """Return the texts of which `name[…] = …` puts one into the list. None for anything else, and for other values."""
    match node:
        case ast.Assign([ast.Subscript(ast.Name(changed), place)], value):
            if changed == name and not isinstance(place, ast.Slice):
                texts = _values(value, constants)
                return texts if all(type(text) is str for text in texts) and texts else None
    return None


def _values(node: ast.expr, constants: Mapping[str, Any]) -> list[Any]:
    """Return all values that an expression of constants can have, or longer ones; none if they cannot be told."""
    match node:
        case ast.Constant(value):
            return [value]
        case ast.Name(name) if name in constants:
            return [constants[name]]
        case ast.IfExp(_, first, second):
            both = _values(first, constants), _values(second, constants)
            return both[0] + both[1] if all(both) else []
        case ast.Subscript(holder, place) if not isinstance(place, ast.Slice):
            return _items(_values(holder, constants))
    return []


def _items(holders: list[Any]) -> list[Any]:
    """Return the items of tuples; none if there are other values, or too many items.

    A text stands for its characters, as the index may be a slice that was made elsewhere.
    """
    rows = [holder if type(holder) is tuple else (holder,) for holder in holders]
    is_told = all(type(holder) in (tuple, str) for holder in holders)
    return [*chain.from_iterable(rows)] if is_told and sum(map(len, rows)) <= _MOST else []
