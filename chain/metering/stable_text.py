"""What a value says in a text: nothing of where it lies in memory, and nothing in the words of one version of Python.

An object of the author's that has no words of its own says what it is an object of. A function, a generator and the like are
written as Python writes them, but for the address. An error that Python raised says which error it is; one that an author
raised says what its author wrote. Which of them it is, the instruction tells at which it was raised.
"""

from __future__ import annotations

import dis
import re
from collections.abc import Iterable, Sized
from dataclasses import is_dataclass
from enum import EnumType
from functools import lru_cache
from types import (
    BuiltinFunctionType,
    MappingProxyType,
    MethodDescriptorType,
    MethodWrapperType,
    ModuleType,
    TracebackType,
    WrapperDescriptorType,
)
from typing import Any, Final, cast

from chain.errors import Revert
from chain.metering.fuel import charge
from chain.metering.new_characters import escaped
from chain.metering.value_size import weigh_written

_RAISING: Final = frozenset({"RAISE_VARARGS"})
_ADDRESS: Final = re.compile(r"(<[^\n]*?) (?:at|@) 0x[0-9A-Fa-f]{6,16}>")
PLAIN: Final = frozenset({str, int, bool, bytes, type(None)})
_DEFAULT: Final[Any] = object.__repr__
_PLAIN_STR: Final[Any] = object.__str__
_KEYED: Final = (KeyError, StopIteration)  # these hold a value and no words


def told(cls: Any) -> Any:
    """A class, whose objects say of which class they are and not where they lie."""
    if isinstance(cls, type) and getattr(cls, "__repr__", None) is _DEFAULT:
        cls.__repr__ = _named  # type: ignore[assignment, method-assign]
    elif isinstance(cls, EnumType) and any(map(is_dataclass, cls.__mro__)):
        cls.__repr__ = _member  # type: ignore[assignment, method-assign]
    if isinstance(cls, type) and cls.__new__ in _COLLECTING:
        cls.__new__ = _collected(cls.__new__)  # type: ignore[method-assign]
    return cls


def _member(self: Any) -> str:
    """A member that has the fields of a dataclass, as 3.11 draws it."""
    return f"<{type(self).__name__}.{self._name_}: {self._value_!r}>"


def _collected(real: Any) -> Any:
    """The `__new__` of an author's own list, dict or text, which pays for what is put in."""

    def made(cls: Any, *args: Any, **named: Any) -> Any:
        for each in args:
            if isinstance(each, Sized) and not isinstance(each, range):
                charge(1 + 12 * len(each))
        return real(cls, *args, **named)

    return made


def _named(self: Any) -> str:
    return f"<{type(self).__qualname__} object>"


def worded(value: Any) -> Any:
    """`value`, as it goes into a text: as it is, or as words that are the same everywhere."""
    kind = type(value)
    if kind in PLAIN or (_is_common(cast(Any, kind)) and kind.__str__ is not _PLAIN_STR):
        return value
    if isinstance(value, BaseException):
        if not is_own(value):
            return type(value).__name__
        text = str(value) if type(value).__str__ in _BY_ARGS else ""
        return value if " 0x" not in text and text.isascii() else Words(_drawn(text))
    if isinstance(value, ModuleType):
        return f"<module {value.__name__!r}>"
    if getattr(type(value), "__str__", None) is _PLAIN_STR or isinstance(value, _HOLDERS):
        text = str(weigh_written(value))
        return value if " 0x" not in text and text.isascii() else Words(_drawn(text))
    return value


@lru_cache(maxsize=4096)
def _is_common(kind: Any) -> bool:
    """Whether things of a class say of themselves what they say, as long as it has words of its own."""
    return not issubclass(kind, (BaseException, ModuleType, *_HOLDERS))


class Words(str):
    """A text that is its own picture."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def picturable(value: Any) -> Any:
    """`value`, whose `repr` goes into a text."""
    if type(value) in PLAIN and (type(value) is not str or value.isascii()):
        return value
    if isinstance(value, BaseException) and not is_own(value):
        return Words(f"{type(value).__name__}()")
    text = repr(weigh_written(value))
    return value if " 0x" not in text and text.isascii() else Words(_drawn(text))


def _drawn(text: str) -> str:
    """A picture without addresses, and with the signs that not every version of Python draws as they are."""
    return _ADDRESS.sub(r"\1>", escaped(text))


def args_of(thing: Any) -> Any:
    """`thing.args`"""
    if isinstance(thing, BaseException) and not is_own(thing):
        return (type(thing).__name__,)
    return thing.args


def telling(thing: Any, name: str) -> Any:
    """`thing.__str__` and the like, uncalled: what one of Python's own tells is the same everywhere."""
    found = getattr(thing, name)
    if type(found) not in _OF_C:
        return found

    def told(*args: Any) -> Any:
        about = args[0] if args and isinstance(thing, type) else found.__self__
        if isinstance(about, BaseException) and not is_own(about):
            return type(about).__name__
        return _ADDRESS.sub(r"\1>", found(*args))

    return told


def scrubbed(text: Any, values: Iterable[Any]) -> Any:
    """A text that Python has put together of these: without what they tell of where they lie in memory."""
    if not isinstance(text, str) or ("x" not in text and text.isascii()):
        return text
    return text if all(type(each) in PLAIN for each in values) else _drawn(text)


def pictured(text: Any, template: str) -> Any:
    """A text that Python has put together, where its template asks for pictures."""
    return escaped(text) if isinstance(text, str) and "r" in template else text


_COLLECTING: Final = frozenset(
    each.__new__ for each in (list, dict, set, frozenset, tuple, str, bytes, bytearray)
)
_BY_ARGS: Final = (BaseException.__str__, KeyError.__str__)
_OF_C: Final = frozenset(
    {WrapperDescriptorType, MethodWrapperType, MethodDescriptorType, BuiltinFunctionType}
)
_HOLDERS: Final = (list, tuple, dict, set, frozenset, MappingProxyType)


def is_own(error: BaseException) -> bool:
    """Whether what an error says was written by an author, or is a value."""
    if isinstance(error, (Revert, *_KEYED)):
        return True
    where = error.__traceback__
    return where is None or _raised(where)


def _raised(where: TracebackType) -> bool:
    while where.tb_next is not None:
        where = where.tb_next
    code = where.tb_frame.f_code
    if code.co_filename.startswith("<") or _is_pythons(code.co_filename):
        return False
    return dis.opname[code.co_code[where.tb_lasti]] in _RAISING


def _is_pythons(file: str) -> bool:
    return file.startswith(_STDLIB) and "site-packages" not in file


_STDLIB: Final = dis.__file__.removesuffix("dis.py")
