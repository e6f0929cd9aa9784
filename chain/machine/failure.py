"""The failure of a message: its reason, and where in the author's files it arose."""

from __future__ import annotations

from dataclasses import dataclass

from chain.source.location import relative_path


@dataclass(frozen=True, slots=True)
class Failure:
    """The reason why a message failed: type of failure, text, revert data, and location in the author's files."""

    kind: str  # "revert", "error" (declared), "exception", "out of gas", "refused" (never reached the author's code)
    text: str
    data: bytes = b""
    cause: BaseException | None = None
    file: str | None = None
    line: int | None = None

    @property
    def place(self) -> str:
        """File and line for a reader: `contract.py:12`, relative to the working directory."""
        return f"{relative_path(self.file)}:{self.line}" if self.file else ""

    def __str__(self) -> str:
        return f"{self.text} ({self.place})" if self.file else self.text
