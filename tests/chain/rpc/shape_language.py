"""The language for the shapes of answers, and the problems of an answer with another shape.

A text is a pattern that a string matches as a whole, a class what it is an instance of, a dict an object with these fields
(those with `?` may be missing), a list a list of such items, `Each` an object with any keys, `Either` one of several shapes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any


class Either:
    """One of several shapes."""

    def __init__(self, *shapes: Any) -> None:
        self.shapes = shapes


class Each:
    """An object with keys of one pattern, and values of one shape."""

    def __init__(self, key: str, shape: Any) -> None:
        self.key, self.shape = key, shape


def problems(shape: Any, value: Any, path: str = "") -> list[str]:
    """Return what is wrong with a value, empty if nothing is."""
    return list(_problems(shape, value, path))


def _problems(shape: Any, value: Any, path: str) -> Iterator[str]:
    match shape:
        case Either():
            found = [problems(each, value, path) for each in shape.shapes]
            yield from min(found, key=len)
        case dict() if isinstance(value, dict):
            yield from _fields(shape, value, path)
        case Each() if isinstance(value, dict):
            for key, item in value.items():
                yield from _problems(shape.key, key, f"{path} key")
                yield from _problems(shape.shape, item, f"{path}.{key}")
        case list() if isinstance(value, list):
            for index, item in enumerate(value):
                inner = f"{path}[{index}]"
                yield from _problems(shape[0], item, inner) if shape else iter([f"{inner}: {item}"])
        case str() if isinstance(value, str):
            if not re.fullmatch(shape, value, re.DOTALL):
                yield f"{path}: {value!r} is not {shape}"
        case type():
            if not isinstance(value, shape) or (shape is int and isinstance(value, bool)):
                yield f"{path}: {value!r} is not of {shape.__name__}"
        case _ if shape != value or type(shape) is not type(value):
            yield f"{path}: {value!r} is not as it should be"


def _fields(shape: Mapping[str, Any], value: Mapping[str, Any], path: str) -> Iterator[str]:
    known = {name.rstrip("?"): name for name in shape}
    for name, written in known.items():
        if name in value:
            yield from _problems(shape[written], value[name], f"{path}.{name}")
        elif name == written:
            yield f"{path}: no {name}"
    yield from (f"{path}: {name} is unknown" for name in value.keys() - known.keys())


def maybe(shape: Any) -> Either:
    return Either(shape, None)


def each_of(names: str, shape: Any) -> dict[str, Any]:
    """Return fields with these names, separated by spaces, that have the same shape."""
    return dict.fromkeys(names.split(), shape)
