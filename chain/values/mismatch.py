"""Errors about values, with the path to the part that is wrong: `move.tile = 300 does not fit u8`."""

from __future__ import annotations

from chain.errors import Revert


class ValueMismatch(Revert):
    """A value does not fit its declared type. `path` leads to the part that does not, as in `board[0].player`."""

    def __init__(self, path: str, wrong: str) -> None:
        super().__init__(f"{path} = {wrong}" if path else wrong)
        self.path, self.wrong = path, wrong

    def prefixed(self, name: str) -> ValueMismatch:
        """Return the same error with `name` in front of its path."""
        return ValueMismatch(join(name, self.path), self.wrong)


class ParseError(ValueError):
    """A text is not a valid value of its type; the message describes the valid ones."""


class BadData(Revert):
    """The bytes are not a valid ABI encoding of the declared type."""


def bad_data(path: str, wrong: str) -> BadData:
    return BadData(f"{path}: {wrong}" if path else wrong)


def join(outer: str, inner: str) -> str:
    """Join two paths: `move` and `tile` make `move.tile`, `moves` and `[3]` make `moves[3]`."""
    dot = "." if outer and inner and not inner.startswith("[") else ""
    return outer + dot + inner


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
