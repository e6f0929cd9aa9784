"""A finding: a location in a contract's source that may behave differently on another machine, and what to write instead.

A `Rule` holds the texts of a finding. The check that reports it fills in the braces in them.
"""

from __future__ import annotations

from chain.foundation.dataclass import dataclass
from chain.source.location import relative_path


@dataclass(frozen=True, slots=True)
class Rule:
    """The texts of a rule: the problem, why it matters on a chain, and the alternative."""

    name: str
    what: str
    why: str
    instead: str

    def at(self, file: str, line: int, column: int, **words: object) -> Finding:
        """Return the finding at this location, with `words` filled into the texts."""
        what, why, instead = (text.format(**words) for text in (self.what, self.why, self.instead))
        return Finding(file, line, column, what, why, instead, self.name)


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """A violation of a rule. Lines and columns count from 1, as in editors."""

    file: str
    line: int
    column: int
    what: str
    why: str
    instead: str
    rule: str

    @property
    def place(self) -> str:
        """The location as `file:line:column`."""
        return f"{relative_path(self.file)}:{self.line}:{self.column}"

    def __str__(self) -> str:
        return f"{self.place}: {self.what}; {self.why}; {self.instead}"
