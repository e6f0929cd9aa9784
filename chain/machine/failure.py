"""The failure of a message: its reason, and where in the author's files it arose."""

from __future__ import annotations

from dataclasses import field

from chain.foundation.dataclass import dataclass
from chain.foundation.sealed import sealed
from chain.source.location import relative_path


@sealed
@dataclass(frozen=True, slots=True)
class Failure:
    """The reason why a message failed: type of failure, text, revert data, and location in the author's files.

    >>> failure = race.roll(value=1, check=False).error
    >>> failure.kind, failure.text, failure.data.hex()[:8], failure.place
    ('refused', 'Race.roll takes no value: it is not payable', '08c379a0', '')
    """

    kind: str  # "revert", "error" (declared), "exception", "out of gas", "refused" (never reached the author's code)
    text: str  # the reason in words; a receipt has it with the names of its chain
    data: bytes = field(default=b"", repr=False)  # the revert data
    cause: BaseException | None = field(default=None, repr=False)  # the Python exception behind it
    file: str | None = None  # the author's file, if the code got that far
    line: int | None = None  # the line in that file

    @property
    def place(self) -> str:
        """File and line for a reader: `contract.py:12`, relative to the working directory."""
        return f"{relative_path(self.file)}:{self.line}" if self.file else ""

    def __str__(self) -> str:
        return f"{self.text} ({self.place})" if self.file else self.text
