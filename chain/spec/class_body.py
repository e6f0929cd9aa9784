"""The body of a contract class while it runs. It refuses a definition that would replace an entry."""

from __future__ import annotations

import inspect
from contextlib import AbstractContextManager, nullcontext
from types import FrameType
from typing import Any

from chain.errors import DeclarationError
from chain.source.location import line_of
from chain.spec.findings import Findings


class ClassBody(dict[str, object]):
    """The names of a class body, and the findings in it: Python would keep only the last of two entries with one name."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name, self.findings = name, Findings(name)

    def __setitem__(self, name: str, value: Any) -> None:
        previous = self.get(name)
        entry = getattr(previous, "__entry__", None)
        if entry is not None and previous is not None and inspect.unwrap(value) is not previous:
            location = line_of(value) if inspect.isfunction(value) else line_of(previous)
            with self.findings:
                raise DeclarationError(
                    f"{location}: {self.name}.{name}: it replaces the entry of that name at {line_of(previous)};"
                    f" give it another name, with @{entry.kind}(name='{name}') if it overloads '{name}' in the ABI"
                )
        super().__setitem__(name, value)


def findings_at(frame: FrameType) -> AbstractContextManager[None]:
    """Return the findings in the class whose body runs in `frame`; anywhere else, an error is raised at once."""
    body = frame.f_locals
    return body.findings if isinstance(body, ClassBody) else nullcontext()
