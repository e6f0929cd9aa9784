"""Checks that a value fits its type, and errors with the path to the part that does not: `move.tile = 300 does not fit u8`.

The encoder and the storage packer are generated source and take the check of a scalar from its class. `accepts` runs the same
check, so what they refuse and what `explain_mismatch` blames cannot differ.
"""

from __future__ import annotations

from chain.errors import Revert
from chain.schema.base import ValueType


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


def accepts(kind: ValueType, value: object) -> bool:
    """Return True if `value` fits `kind`, a type without members."""
    try:
        return kind.fits(value)
    except MemoryError:
        raise
    except Exception:
        return False


def explain_mismatch(
    kind: ValueType, value: object, cause: BaseException | None = None
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
    return ValueMismatch(path, f"{short_repr(part)} {inner.expectation(part)}")


def _find(kind: ValueType, value: object, path: str) -> tuple[str, ValueType, object] | None:
    """Return the path, type and value of the first part that does not fit, or None. `path` leads to `value`."""
    parts = kind.split(value)
    if parts is None:
        return None if accepts(kind, value) else (path, kind, value)
    mismatches = (_find(inner, part, join(path, step)) for step, inner, part in parts)
    return next((mismatch for mismatch in mismatches if mismatch is not None), None)


def short_repr(value: object) -> str:
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
