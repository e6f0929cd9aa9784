"""What a value says in a text: nothing of where it lies in memory, and nothing in the words of one version of Python.

An object of the author's that has no words of its own says what it is an object of. A function, a generator and the like are
written as Python writes them, but for the address. An error that Python raised says which error it is; one that an author
raised says what its author wrote. Which of them it is, the instruction tells at which it was raised.
"""

from __future__ import annotations

import dis
import re
from collections.abc import Sized
from types import TracebackType
from typing import Any, Final

from chain.errors import Revert
from chain.image.meter import charge
from chain.image.weight import weigh_written

_RAISING: Final = frozenset({"RAISE_VARARGS"})
_ADDRESS: Final = re.compile(r"(<[^\n]*?) at 0x[0-9A-Fa-f]{6,16}>")
_PLAIN: Final = frozenset({str, int, bool, bytes, type(None)})
_DEFAULT: Final[Any] = object.__repr__
_PLAIN_STR: Final[Any] = object.__str__
_KEYED: Final = (KeyError, StopIteration)  # these hold a value and no words


def told(cls: Any) -> Any:
    """A class, whose objects say of which class they are and not where they lie."""
    if isinstance(cls, type) and getattr(cls, "__repr__", None) is _DEFAULT:
        cls.__repr__ = _named  # type: ignore[assignment, method-assign]
    if isinstance(cls, type) and cls.__new__ in _COLLECTING:
        cls.__new__ = _collected(cls.__new__)  # type: ignore[method-assign]
    return cls


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
    if type(value) in _PLAIN:
        return value
    if isinstance(value, BaseException):
        return value if is_own(value) else type(value).__name__
    if getattr(type(value), "__str__", None) is _PLAIN_STR or isinstance(value, _HOLDERS):
        text = str(weigh_written(value))
        return _ADDRESS.sub(r"\1>", text) if " at 0x" in text else value
    return value


class Words(str):
    """A text that is its own picture."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def picturable(value: Any) -> Any:
    """`value`, whose `repr` goes into a text."""
    if type(value) in _PLAIN:
        return value
    if isinstance(value, BaseException) and not is_own(value):
        return Words(f"{type(value).__name__}()")
    text = repr(weigh_written(value))
    return Words(_ADDRESS.sub(r"\1>", text)) if " at 0x" in text else value


def args_of(thing: Any) -> Any:
    """`thing.args`"""
    if isinstance(thing, BaseException) and not is_own(thing):
        return (type(thing).__name__,)
    return thing.args


_COLLECTING: Final = frozenset(
    each.__new__ for each in (list, dict, set, frozenset, tuple, str, bytes, bytearray)
)
_HOLDERS: Final = (list, tuple, dict, set, frozenset)


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
