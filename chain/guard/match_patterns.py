"""What the names in a `case` hold: the whole of what is matched, or the part of it that stands there."""

from __future__ import annotations

import ast

from chain.guard.scope import Scopes
from chain.source.static_types import (
    StaticType,
    attribute,
    item_type,
)


def bind(
    pattern: ast.pattern | None, kind: StaticType | None, shared: str | None, place: Scopes
) -> None:
    """Make the names of a pattern known, for something of that kind."""
    match pattern:
        case ast.MatchAs(pattern=inner, name=name):
            if isinstance(inner, ast.MatchClass):
                kind = place.annotated(inner.cls) or kind
            bind(inner, kind, shared, place)
            if name is not None:
                place.bind(name, kind, shared)
        case ast.MatchOr(patterns=ways):
            for way in ways:
                bind(way, kind, shared, place)
        case ast.MatchSequence(patterns=parts):
            _bind_sequence(parts, kind, shared, place)
        case ast.MatchMapping(patterns=parts, rest=rest):
            value = kind.of[1] if kind is not None and kind.name == "dict" and kind.of[1:] else None
            for part in parts:
                bind(part, value, shared, place)
            if rest is not None:
                place.bind(rest, kind)
        case ast.MatchClass():
            _bind_class(pattern, place.annotated(pattern.cls), shared, place)


def _bind_sequence(
    parts: list[ast.pattern], kind: StaticType | None, shared: str | None, place: Scopes
) -> None:
    is_split = kind is not None and kind.name == "tuple" and len(kind.of) == len(parts)
    for i, part in enumerate(parts):
        if isinstance(part, ast.MatchStar):
            if part.name is not None:
                place.bind(part.name, StaticType("list", (item_type(kind),)))
            continue
        bind(part, kind.of[i] if kind is not None and is_split else item_type(kind), shared, place)


def _bind_class(
    pattern: ast.MatchClass, kind: StaticType | None, shared: str | None, place: Scopes
) -> None:
    """`set(names)` is the set itself; of other classes one knows the parts that are named."""
    for part in pattern.patterns:
        bind(part, kind if kind is not None and kind.name == "set" else None, shared, place)
    for name, part in zip(pattern.kwd_attrs, pattern.kwd_patterns, strict=True):
        bind(part, attribute(kind, name, place.sources), shared, place)
