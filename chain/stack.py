"""Room on Python's stack.

The limit is the program's own: the engine asks for more only while it reads the source of a contract or runs one.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from sys import getrecursionlimit, setrecursionlimit
from typing import Final

from chain.errors import DeclarationError
from chain.where import line_of

ROOM: Final = 3_000  # Python frames; more might not find room on the stack of C


@contextmanager
def room_to_read(contract: type) -> Iterator[None]:
    """A scope in which the source of a contract is read, which takes some frames for each level that it is nested."""
    before = getrecursionlimit()
    if before < ROOM:
        setrecursionlimit(ROOM)
    try:
        yield
    except RecursionError:
        raise DeclarationError(
            f"{line_of(contract)}: {contract.__name__} is too deeply nested to be read:"
            " make a table of its longest chain of 'elif' or of operators, or several functions"
        ) from None
    finally:
        if before < ROOM:
            setrecursionlimit(before)
