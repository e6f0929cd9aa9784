"""Annotations as objects, including those written as text (`from __future__ import annotations`).

A name in such a text is looked up as Python would do it: in the functions around the declaration, then in its module. Local
names of those functions exist only while they run, so they are collected when the class is created.
"""

from __future__ import annotations

import sys
import typing
from collections.abc import Mapping
from functools import lru_cache
from types import CodeType, FrameType
from typing import Any, NamedTuple


class UnsupportedAnnotation(TypeError):
    """An annotation that names no value type. Each of its texts says what is wrong and what to write instead."""

    def __init__(self, *texts: str, is_of_member: bool = False) -> None:
        super().__init__("; ".join(texts))
        self.texts = texts
        self.is_of_member = is_of_member  # True if the texts begin with the member of a dataclass


class Namespace(NamedTuple):
    """The names that are visible to a declaration."""

    module: dict[str, object]
    functions: Mapping[str, object]  # the local names of the functions and classes around it
    # Names of the class itself, looked up last: a field `list` must not hide the type.
    own: Mapping[str, object] = {}

    def for_class(self, cls: type) -> Namespace:
        """Return the names visible in the body of `cls`, which may be in another module."""
        module = sys.modules.get(cls.__module__)
        module_names = vars(module) if module is not None else self.module
        return Namespace(
            module_names, self.functions if _same(module_names, self.module) else {}, vars(cls)
        )


def namespace_at(frame: FrameType, qualname: str) -> Namespace:
    """Return the names around the declaration called `qualname` that is being executed in `frame`."""
    module, functions = frame.f_globals, dict[str, object]()
    step: FrameType | None = frame
    while step is not None:
        if step.f_globals is module and qualname.startswith(step.f_code.co_qualname + "."):
            functions = {**step.f_locals, **functions}
        step = step.f_back
    return Namespace(module, functions)


def resolve(hint: object, names: Namespace) -> object:
    """Return `hint` as an object, or raise `UnsupportedAnnotation`."""
    try:
        return _evaluate(hint, names)
    except NameError as name_error:
        raise UnsupportedAnnotation(
            f"'{name_error.name}' is not defined here; import it, or define it above"
        ) from None
    except SyntaxError:
        raise UnsupportedAnnotation(f"{hint!r} is not valid Python; correct it") from None
    except Exception as error:
        raise UnsupportedAnnotation(f"{hint!r} is not a type: {error}") from None


def _evaluate(hint: object, names: Namespace) -> object:
    """Evaluate an annotation. Python does it if a text is left in it, or if it is wrong."""
    evaluated = _value(hint, names) if isinstance(hint, str) else hint
    return evaluated if _is_whole(evaluated) else _evaluate_all(hint, names)


def _value(text: str, names: Namespace) -> object:
    try:
        return eval(_compiled(text), names.module, names.functions)
    except Exception:
        return None


@lru_cache(maxsize=1024)
def _compiled(text: str) -> CodeType:
    return compile(text, "<annotation>", "eval")


def _is_whole(hint: Any) -> bool:
    """True for a class, and for a type made of classes."""
    if isinstance(hint, type):
        return True
    parts = getattr(hint, "__args__", ())
    return bool(parts) and all(part is ... or _is_whole(part) for part in parts)


def _evaluate_all(hint: object, names: Namespace) -> object:
    holder = type("holder", (), {"__annotations__": {"it": hint}})
    try:
        return typing.get_type_hints(
            holder, names.module, dict(names.functions), include_extras=True
        )["it"]
    except NameError:
        inner = {**names.own, **names.functions}
        return typing.get_type_hints(holder, names.module, inner, include_extras=True)["it"]


def _same(one: dict[str, object], other: dict[str, object]) -> bool:
    return one is other or one.get("__name__") == other.get("__name__")
