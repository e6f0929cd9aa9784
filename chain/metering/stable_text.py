"""Stable texts of values: without memory addresses, and without wording that depends on the version of Python.

An author's object without a `__repr__` of its own is shown by the name of its class. A function, a generator and the like are
shown as in Python, but without the address. An error that Python raised is shown by the name of its class; an error that an
author raised is shown with the author's message. The instruction that raised an error decides between the two.
"""

from __future__ import annotations

import ast
import dis
import re
from collections import deque
from collections.abc import Callable, Iterable, Sized
from dataclasses import is_dataclass
from enum import Enum, EnumType
from functools import lru_cache, partial
from importlib.machinery import ExtensionFileLoader
from pathlib import Path
from types import (
    BuiltinFunctionType,
    FunctionType,
    MappingProxyType,
    MethodDescriptorType,
    MethodWrapperType,
    ModuleType,
    TracebackType,
    WrapperDescriptorType,
)
from typing import Any, Final, TypeVar, cast

from chain.errors import DeclarationError, Revert
from chain.metering import enum_classes, named_tuples
from chain.metering.fuel import GENERATOR, charge
from chain.metering.newer_unicode import escaped
from chain.metering.value_size import weigh_written
from chain.source.failure_line import is_of_python

T = TypeVar("T")

_RAISING: Final = frozenset({"RAISE_VARARGS"})
_ADDRESS: Final = re.compile(r"(<[^\n]*?) (?:at|@) 0x[0-9A-Fa-f]{6,16}>")
_INNER: Final = f".<locals>.{GENERATOR}"  # at the end of the name of a generator
PLAIN: Final = frozenset({str, int, bool, bytes, type(None)})
_DEFAULT: Final[object] = object.__repr__
_PLAIN_STR: Final[object] = object.__str__
_KEYED: Final = (KeyError, StopIteration)  # their argument is a value, not a message


def with_stable_repr(cls: T) -> T:
    """Return an author's class, changed so that the `repr` of its objects shows no address, and its constructor charges."""
    if isinstance(cls, type) and getattr(cls, "__repr__", None) is _DEFAULT:
        cls.__repr__ = _named  # type: ignore[assignment, method-assign]
    elif isinstance(cls, EnumType) and any(map(is_dataclass, cls.__mro__)):
        cls.__repr__ = _member  # type: ignore[assignment, method-assign]
    if isinstance(cls, type) and issubclass(cls, _LONG) and type(cls.__len__) is FunctionType:
        raise DeclarationError(
            f"{cls.__qualname__}.__len__: a text or collection pays for its length, as Python "
            "reports it; give the method another name"
        )
    holds_partial = any(isinstance(each, partial) for each in vars(cls).values())
    if isinstance(cls, type) and not isinstance(cls, EnumType) and holds_partial:
        raise DeclarationError(
            f"{cls.__qualname__} holds a partial, which is a method on some versions of Python; write a method"
        )
    if isinstance(cls, EnumType):
        enum_classes.adapt(cls)
    elif isinstance(cls, type):
        named_tuples.adapt(cls)
    if isinstance(cls, type) and cls.__new__ in _COLLECTING:
        cls.__new__ = _collected(cls.__new__)  # type: ignore[method-assign]
    return cls


def _member(self: Enum) -> str:
    """Return the `repr` of an enum member that has dataclass fields, as in Python 3.11."""
    return f"<{type(self).__name__}.{self._name_}: {self._value_!r}>"


def _collected(real: Callable[..., object]) -> Any:
    """Return a `__new__` for an author's subclass of list, dict or text that charges for its content."""

    def new(cls: type, *args: object, **named: object) -> object:
        for arg in args:
            if isinstance(arg, Sized) and not isinstance(arg, range):
                charge(1 + 12 * len(arg))
        return real(cls, *args, **named)

    return new


def _named(self: object) -> str:
    return f"<{type(self).__qualname__} object>"


def worded(value: object) -> Any:
    """Return `value` for insertion into a text: unchanged, or replaced by a text that is the same everywhere."""
    value_type = type(value)
    if value_type.__module__ in _DESCRIBING:
        return _DESCRIBING[value_type.__module__]
    if value_type in PLAIN or (
        is_common(cast(object, value_type)) and value_type.__str__ is not _PLAIN_STR
    ):
        return value
    if isinstance(value, BaseException):
        if not is_own(value):
            return type(value).__name__
        text = str(value) if type(value).__str__ in _BY_ARGS else ""
        return value if " 0x" not in text and text.isascii() else StableText(_drawn(text))
    if isinstance(value, ModuleType):
        return f"<module {value.__name__!r}>"
    if getattr(type(value), "__str__", None) is _PLAIN_STR or isinstance(value, _HOLDERS):
        text = str(weigh_written(value))
        return value if " 0x" not in text and text.isascii() else StableText(_drawn(text))
    return value


@lru_cache(maxsize=4096)
def is_common(kind: type) -> bool:
    """True if objects of a class need no check when the class defines its own `__str__`."""
    return not issubclass(kind, (BaseException, ModuleType, *_HOLDERS))


class StableText(str):
    """A text whose `repr` is the text itself."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def picturable(value: object) -> object:
    """Return `value` for insertion of its `repr` into a text: unchanged, or replaced by a stable text."""
    if type(value) in PLAIN and (type(value) is not str or value.isascii()):
        return value
    if isinstance(value, BaseException) and not is_own(value):
        return StableText(f"{type(value).__name__}()")
    if type(value).__module__ in _DESCRIBING:
        return _DESCRIBING[type(value).__module__]
    text = repr(weigh_written(value))
    return value if " 0x" not in text and text.isascii() else StableText(_drawn(text))


def _drawn(text: str) -> str:
    """Return a `repr` without addresses, and with the characters escaped that only some versions of Python know."""
    return _ADDRESS.sub(r"\1>", escaped(text)).replace(_INNER, "")


def args_of(thing: Any) -> object:
    """Return `thing.args`; for an error that Python raised, only the name of its class."""
    if isinstance(thing, BaseException) and not is_own(thing):
        return (type(thing).__name__,)
    return thing.args


def telling(thing: object, name: str) -> object:
    """Return `thing.__str__` or a similar method, not called yet; one of Python's own gets stable results."""
    method = getattr(thing, name)
    if type(method) not in _OF_C:
        return method

    def stable_method(*args: object) -> object:
        value = args[0] if args and isinstance(thing, type) else method.__self__
        if isinstance(value, BaseException) and not is_own(value):
            return type(value).__name__
        return _ADDRESS.sub(r"\1>", method(*args))

    return stable_method


def scrubbed(text: object, values: Iterable[object]) -> object:
    """Return a text that Python has formatted from `values`, without their memory addresses."""
    if not isinstance(text, str) or ("x" not in text and text.isascii()):
        return text
    return text if all(type(value) in PLAIN for value in values) else _drawn(text)


def pictured(text: object, template: str) -> object:
    """Return a text that Python has formatted; its new characters are escaped if the template uses `repr`."""
    return escaped(text) if isinstance(text, str) and "r" in template else text


# The texts of annotations and of fields, which Python writes otherwise in each version, by the module of their class.
_DESCRIBING: Final = {
    "typing": StableText("<annotation>"),
    "types": StableText("<annotation>"),
    "dataclasses": StableText("<field>"),
}
_COLLECTING: Final = frozenset(
    builtin.__new__ for builtin in (list, dict, set, frozenset, tuple, str, bytes, bytearray)
)
_LONG: Final = (list, dict, set, frozenset, tuple, str, bytes, bytearray, deque)
_BY_ARGS: Final = (BaseException.__str__, KeyError.__str__)
_OF_C: Final = frozenset(
    {WrapperDescriptorType, MethodWrapperType, MethodDescriptorType, BuiltinFunctionType}
)
_HOLDERS: Final = (list, tuple, dict, set, frozenset, MappingProxyType)


def is_own(error: BaseException) -> bool:
    """True if the message of an error was written by an author, or is a value."""
    if isinstance(error, (Revert, *_KEYED)):
        return True
    traceback = error.__traceback__
    return traceback is None or _raised(traceback)


def _raised(where: TracebackType) -> bool:
    while where.tb_next is not None:
        where = where.tb_next
    frame = where.tb_frame
    code = frame.f_code
    if isinstance(frame.f_globals.get("__loader__"), ExtensionFileLoader):
        return where.tb_lineno in _raising_lines(frame.f_globals["__file__"])
    if code.co_filename.startswith("<") or is_of_python(code.co_filename):
        return False
    return dis.opname[code.co_code[where.tb_lasti]] in _RAISING


@lru_cache(maxsize=64)
def _raising_lines(extension: str) -> frozenset[int]:
    """Return the lines of all `raise` statements in the source of a compiled module, which has no code to look at."""
    file = Path(extension)
    tree = ast.parse(file.with_name(f"{file.name.partition('.')[0]}.py").read_text("utf-8"))
    raising = (node for node in ast.walk(tree) if isinstance(node, ast.Raise))
    return frozenset(
        line for node in raising for line in range(node.lineno, (node.end_lineno or 0) + 1)
    )
