"""Checks that a value fits its type, and errors with the path to the part that does not: `move.tile = 300 does not fit u8`.

The encoder and the storage packer are generated source and take the check of a scalar from here. `accepts` runs the same
source, so what they refuse and what `explain_mismatch` blames cannot differ.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from chain.errors import Revert
from chain.schema.value_types import (
    AddressType,
    BoolType,
    BytesType,
    EnumType,
    ListType,
    OptionalType,
    StringType,
    StructType,
    ValueType,
)
from chain.types import FixedBytes, Int


class ValueMismatch(Revert):
    """A value does not fit its declared type. `path` leads to the part that does not, as in `board[0].player`."""

    def __init__(self, path: str, wrong: str) -> None:
        super().__init__(f"{path} = {wrong}" if path else wrong)
        self.path, self.wrong = path, wrong

    def prefixed(self, name: str) -> ValueMismatch:
        """Return the same error with `name` in front of its path."""
        return ValueMismatch(join(name, self.path), self.wrong)


def join(outer: str, inner: str) -> str:
    """Join two paths: `move` and `tile` make `move.tile`, `moves` and `[3]` make `moves[3]`."""
    dot = "." if outer and inner and not inner.startswith("[") else ""
    return outer + dot + inner


def range_check_source(kind: ValueType, value: str) -> str:
    """Return source that is true if the scalar called `value` does not fit; it may also raise.

    A shift measures a whole number and raises for anything else, above all for a float. True and False are refused too: they
    are whole numbers in Python, but here they are a mistake.
    """
    match kind:
        case Int(signed=True, lowest=lowest, bits=bits):
            wide = f"{value} + {-lowest} >> {bits}"
        case Int(highest=highest):
            wide = f"{value} >> {highest.bit_length()}"
            if highest & (highest + 1):  # not of the form 2**n - 1
                wide += f" or {value} > {highest}"
        case BoolType():
            return f"{value} is not True and {value} is not False"
        case AddressType():
            return f"len({value}) != 20"
        case FixedBytes(size=size):
            return f"len({value}) != {size}"
        case _:
            return ""
    return f"{wide} or {value} is True or {value} is False"


def destructuring_source(kind: StructType, value: str) -> list[str]:
    """Return lines of source that put the members of the record `value` into `value_0`, `value_1`, …, or raise.

    A dataclass may be replaced by any object with the same members, so that a game's rules can use classes of their own.
    """
    lines = []
    if kind.cls is None:
        lines.append(
            f"if {value}.__class__ is not tuple and not isinstance({value}, (tuple, list))"
            f" or len({value}) != {len(kind.members)}: raise TypeError"
        )
    return lines + [
        f"{value}_{i} = {kind.accessor_source(value, i)}" for i in range(len(kind.members))
    ]


@cache
def _refuses(kind: ValueType) -> Callable[[Any], bool]:
    """Return the compiled check of a scalar type."""
    check: Callable[[Any], bool] = eval(f"lambda value: {range_check_source(kind, 'value')}")
    return check


def accepts(kind: ValueType, value: Any) -> bool:
    """Return True if `value` fits `kind`, a type without members."""
    try:
        match kind:
            case AddressType() | FixedBytes():
                return isinstance(value, bytes | bytearray) and not _refuses(kind)(value)
            case Int() | BoolType():
                return not _refuses(kind)(value)
            case EnumType():
                return value in kind.code_of()
            case StringType():
                return isinstance(value, str) and bool(value.encode() or True)
            case BytesType():
                return isinstance(value, bytes | bytearray)
            case _:
                return False
    except MemoryError:
        raise
    except Exception:
        return False


def explain_mismatch(
    kind: ValueType, value: Any, cause: BaseException | None = None
) -> ValueMismatch:
    """Return an error that names the innermost part of `value` that does not fit `kind`.

    `cause` is reported if every part fits.
    """
    if isinstance(cause, MemoryError):  # not about the value
        raise cause
    mismatch = _find(kind, value, "")
    if mismatch is None:
        return ValueMismatch("", f"{short_repr(value)} cannot be used as {kind.name}: {cause!r}")
    path, inner, part = mismatch
    return ValueMismatch(path, f"{short_repr(part)} {expectation(inner, part)}")


def _find(kind: ValueType, value: Any, path: str) -> tuple[str, ValueType, Any] | None:
    """Return the path, type and value of the first part that does not fit, or None. `path` leads to `value`."""
    match kind:
        case OptionalType(item=item):
            return None if value is None else _find(item, value, path)
        case ListType(item=item) if isinstance(value, list | tuple):
            parts = [(f"{path}[{i}]", item, element) for i, element in enumerate(value)]
        case StructType(cls=None, members=members) if isinstance(value, list | tuple) and len(
            value
        ) == len(members):
            parts = [
                (join(path, f"[{m.name}]" if m.name.isdigit() else m.name), m.kind, element)
                for m, element in zip(members, value, strict=True)
            ]
        case StructType(members=members, cls=cls) if cls is not None and all(
            hasattr(value, member.name) for member in members
        ):
            parts = [(join(path, m.name), m.kind, getattr(value, m.name)) for m in members]
        case _:
            return None if accepts(kind, value) else (path, kind, value)
    mismatches = (_find(part_type, part, part_path) for part_path, part_type, part in parts)
    return next((mismatch for mismatch in mismatches if mismatch is not None), None)


def expectation(kind: ValueType, value: Any = 0) -> str:
    """Describe what `value` should be, as the end of a sentence that begins with it."""
    match kind:
        case Int(name=name) if isinstance(value, int) and not isinstance(value, bool):
            return f"does not fit {name} ({_bound(kind.lowest)}..{_bound(kind.highest)})"
        case Int(name=name):
            return f"is not a whole number, as {name} is"
        case FixedBytes(name=name, size=size):
            return f"is not {name} ({size} bytes)"
        case AddressType():
            return "is not an Address (20 bytes)"
        case StringType() if isinstance(value, str):
            return "is not text that UTF-8 can write"
        case StructType(cls=None, members=members):
            return f"is not {kind.name} (a tuple of {len(members)})"
        case _:
            return f"is not {kind.name}"


def _bound(number: int) -> str:
    """Format the end of a range for people: small numbers in digits, large ones as powers of two."""
    if abs(number) < 2**32:
        return str(number)
    power = abs(number).bit_length() - (number < 0)
    if number == -(2**power):
        return f"-2^{power}"
    return f"2^{power}-1" if number == 2**power - 1 else hex(number)


def short_repr(value: Any) -> str:
    """Return `repr(value)`, shortened, or a description if `repr` fails."""
    if isinstance(value, int) and value.bit_length() > 256:
        return f"a number of {value.bit_length()} bits"
    try:
        text = repr(value)
    except MemoryError:
        raise
    except Exception:
        text = f"a {type(value).__name__}"
    return text if len(text) <= 60 else text[:57] + "..."
