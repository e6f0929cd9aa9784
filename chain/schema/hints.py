"""Annotations as objects, also where they were written as text (`from __future__ import annotations`).

A name in such a text is looked up as Python would have: in the functions around the declaration, then in its module. The
functions are only at hand while they run, which is when the class in them is made.
"""

from __future__ import annotations

import sys
import typing
from collections.abc import Mapping
from types import FrameType
from typing import Any, NamedTuple


class UnsupportedAnnotation(TypeError):
    """An annotation that names no kind of value; the text says what would be right."""

    def __init__(self, wrong: str, place: str = "") -> None:
        super().__init__(f"{place}: {wrong}" if place else wrong)
        self.place = place  # the member of a dataclass in which it stands


class Namespace(NamedTuple):
    """What a name can mean at the place of a declaration."""

    module: dict[str, Any]
    functions: Mapping[str, Any]  # the local names of the functions and classes around it
    own: Mapping[
        str, Any
    ] = {}  # of the class itself, asked last: a field `list` must not hide the type

    def for_class(self, cls: type) -> Namespace:
        """The names for the body of `cls`, which may have been written elsewhere."""
        module = sys.modules.get(cls.__module__)
        there = vars(module) if module is not None else self.module
        return Namespace(there, self.functions if _same(there, self.module) else {}, vars(cls))


def namespace_at(frame: FrameType, qualname: str) -> Namespace:
    """The names around a declaration called `qualname` that is being made in `frame`."""
    module, found = frame.f_globals, dict[str, Any]()
    step: FrameType | None = frame
    while step is not None:
        if step.f_globals is module and qualname.startswith(step.f_code.co_qualname + "."):
            found = {**step.f_locals, **found}
        step = step.f_back
    return Namespace(module, found)


def resolve(hint: Any, names: Namespace) -> Any:
    """`hint` as an object, or `UnknownKind`."""
    try:
        return _evaluate(hint, names)
    except NameError as unknown:
        raise UnsupportedAnnotation(
            f"'{unknown.name}' is not known here; import it, or define it above"
        ) from None
    except SyntaxError:
        raise UnsupportedAnnotation(f"{hint!r} is not Python; mend it") from None
    except Exception as wrong:
        raise UnsupportedAnnotation(f"{hint!r} is no type: {wrong}") from None


def _evaluate(hint: Any, names: Namespace) -> Any:
    holder = type("holder", (), {"__annotations__": {"it": hint}})
    try:
        return typing.get_type_hints(
            holder, names.module, dict(names.functions), include_extras=True
        )["it"]
    except NameError:
        inner = {**names.own, **names.functions}
        return typing.get_type_hints(holder, names.module, inner, include_extras=True)["it"]


def _same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return one is other or one.get("__name__") == other.get("__name__")
