"""Conditions on a field other than one value: `chain.events(Moved, square=at_least(4))`.

They stand where a value stands, so they need no other words for fields, and what is in them is checked as a value is: a number
that the field cannot hold, a misspelt member of an Enum and an unknown account are refused.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from chain.foundation.dataclass import dataclass
from chain.foundation.sealed import sealed
from chain.values.inputs import text
from chain.values.kind import ANY

ORDER: Final = '"chain:order"'  # a function of SQL: a text for each whole number, in their order


@sealed
@dataclass(frozen=True, slots=True, repr=False)
class Comparison:
    """A condition on a field: the result of `at_least`, `at_most`, `one_of` or `containing`."""

    name: str
    values: tuple[Any, ...]

    def __repr__(self) -> str:
        return f"{self.name}({', '.join(map(repr, self.values))})"

    def condition(self, column: str, kind: str) -> tuple[str, list[object]]:
        """Return the condition on a column in SQL, and its values; `kind` is how the column is compared."""
        [value] = self.values
        if self.name == containing.__name__:
            return f"instr({column}, ?) > 0", [value]
        sign = ">=" if self.name == at_least.__name__ else "<="
        if kind == ANY:  # it may hold numbers beyond 64 bits, which are texts
            return f"{ORDER}({column}) {sign} ?", [order_key(value)]
        return f"{column} {sign} ?", [value]


def at_least(value: int) -> Comparison:
    """Match numbers that are not less than this one.

    >>> chain.events(Moved, square=at_least(4)).count(), chain.receipts.where(gas_used=at_least(10**6)).count()
    (1, 0)
    """
    return Comparison("at_least", (value,))


def at_most(value: int) -> Comparison:
    """Match numbers that are not greater than this one.

    >>> chain.events(Moved, square=at_most(3)).count()
    0
    """
    return Comparison("at_most", (value,))


def one_of(*values: object) -> Comparison:
    """Match any of these values.

    >>> chain.receipts.where(entry=one_of("join", "roll")).count()
    2
    """
    return Comparison("one_of", values)


def containing(part: str) -> Comparison:
    """Match texts that contain this one, as it is written.

    >>> chain.receipts.where(error=containing("payable")).count()
    0
    """
    return Comparison("containing", (text(part, "the text"),))


COMPARISONS: Final[dict[str, Callable[..., Comparison]]] = {
    each.__name__: each for each in (at_least, at_most, one_of, containing)
}


def order_key(value: object) -> str | None:
    """Return a text that sorts as a whole number does, which is text with its digits if it is beyond 64 bits."""
    return None if value is None else f"{int(str(value)) + 2**256:078d}"
