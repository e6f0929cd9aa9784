"""A rule, and a finding: a place in a source that breaks it, with what to write instead."""

from __future__ import annotations

from typing import Final

from chain.foundation.dataclass import dataclass
from chain.source.location import relative_path
from chain.source.word_sets import word_set

# The rules that code may break while a module is imported: a deployment looks at the values that were made there.
AT_IMPORT: Final = word_set("debug division files json_float own_file shared")


@dataclass(frozen=True, slots=True)
class Rule:
    """The texts of a rule: the problem, why it matters on a chain, and the alternative. Each finding fills in the braces."""

    name: str
    what: str
    why: str
    instead: str

    def at(self, file: str, line: int, column: int, **words: object) -> Finding:
        """Return the finding at this place, with `words` filled into the texts."""
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
