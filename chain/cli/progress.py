"""Progress bars for what takes long: on stderr, only at a terminal, and only once it has taken a while.

A bar is there for people who wait; in a pipe, a test or a log nothing of it is seen, and rich is not even imported.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import TypeVar

T = TypeVar("T")
Step = Callable[[int], None]  # so many more are done

_EVERY = 64  # a step of a bar costs more than one of ours


@contextmanager
def bar(what: str, total: int | None) -> Iterator[Step]:
    """A scope with a bar; gives what moves it."""
    if not sys.stderr.isatty():
        yield lambda done: None
        return
    rich = import_module("rich.progress")
    parts = ("BarColumn", "MofNCompleteColumn", "TimeRemainingColumn")
    columns = [rich.TextColumn("{task.description}"), *(getattr(rich, part)() for part in parts)]
    console = import_module("rich.console").Console(stderr=True)
    with rich.Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task(what, total=total)
        yield lambda done: progress.advance(task, done)


def tracked(items: Iterable[T], what: str, total: int | None) -> Iterator[T]:
    """The same items, with a bar while they are gone through."""
    with bar(what, total) as step:
        waiting = 0
        for item in items:
            yield item
            waiting += 1
            if waiting == _EVERY:
                step(waiting)
                waiting = 0
        step(waiting)
