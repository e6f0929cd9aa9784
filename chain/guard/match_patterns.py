"""The names that a `case` binds: each holds the matched value, or the part of it at that position in the pattern."""

from __future__ import annotations

import ast

from chain.guard.scope import Scopes
from chain.source.static_types import StaticType, attribute, item_type


def bind(
    pattern: ast.pattern | None, kind: StaticType | None, shared: str | None, place: Scopes
) -> None:
    """Bind the names of a pattern that is matched against a value of type `kind`."""
    match pattern:
        case ast.MatchAs(pattern=inner, name=name):
            if isinstance(inner, ast.MatchClass):
                kind = place.annotated(inner.cls) or kind
            bind(inner, kind, shared, place)
            if name is not None:
                place.bind(name, kind, shared)
        case ast.MatchOr(patterns=alternatives):
            for alternative in alternatives:
                bind(alternative, kind, shared, place)
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
    """Bind the parts of a class pattern. Only parts with keywords have a known type."""
    for part in pattern.patterns:
        bind(part, None, shared, place)
    for name, part in zip(pattern.kwd_attrs, pattern.kwd_patterns, strict=True):
        bind(part, attribute(kind, name, place.sources), shared, place)
