"""Enough stack to read the source of a contract, which takes some frames for each level of nesting.

The recursion limit belongs to the user's program, so the chain raises it only during a turn (`chain.foundation.turn`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from chain.errors import DeclarationError
from chain.foundation.turn import in_turn
from chain.source.location import line_of

P = ParamSpec("P")
R = TypeVar("R")


def read_source(contract: type, read: Callable[P, R], /, *args: P.args, **named: P.kwargs) -> R:
    """Return `read(…)`, which reads the source of a contract. One thread at a time reads, because reading also runs code."""
    try:
        return in_turn(read, *args, **named)
    except RecursionError:
        raise DeclarationError(
            f"{line_of(contract)}: {contract.__name__} is too deeply nested to be read: replace its "
            "longest chain of 'elif' or of operators by a table or by several functions"
        ) from None
