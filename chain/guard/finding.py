"""A finding: a place in a contract's source that may do something else on another machine, and what to write there.

A `Rule` has the words, in one place each; braces in them are filled in by whoever finds something.
"""

from __future__ import annotations

from dataclasses import dataclass

from chain.source.location import relative_path


@dataclass(frozen=True, slots=True)
class Rule:
    """What is wrong, why that matters on a chain, and what is right."""

    name: str
    what: str
    why: str
    instead: str

    def at(self, file: str, line: int, column: int, **words: object) -> Finding:
        what, why, instead = (text.format(**words) for text in (self.what, self.why, self.instead))
        return Finding(file, line, column, what, why, instead, self.name)


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """Lines and columns count from 1, as editors have it."""

    file: str
    line: int
    column: int
    what: str
    why: str
    instead: str
    rule: str

    @property
    def place(self) -> str:
        return f"{relative_path(self.file)}:{self.line}:{self.column}"

    def __str__(self) -> str:
        return f"{self.place}: {self.what}; {self.why}; {self.instead}"
