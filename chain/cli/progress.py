"""Progress bars for what takes long: on stderr, only at a terminal, and only when the first part of it is done.

A bar is there for people who wait; in a pipe, a test or a log nothing of it is seen, and rich is not even imported.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from importlib import import_module
from typing import Any, TypeVar

T = TypeVar("T")
Step = Callable[[int], None]  # so many more are done

_EVERY = 64  # a step of a bar costs more than one of ours


@contextmanager
def bar(what: str, total: int | None) -> Iterator[Step]:
    """A scope with a bar; gives what moves it."""
    if not sys.stderr.isatty():
        yield lambda done: None
        return
    with ExitStack() as scope:
        moved: list[Step] = []

        def step(done: int) -> None:
            if not moved:
                moved.append(_begun(scope, what, total))
            moved[0](done)

        yield step


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


def _begun(scope: ExitStack, what: str, total: int | None) -> Step:
    """A bar that stands until the scope ends."""
    rich = import_module("rich.progress")
    parts = ("BarColumn", "MofNCompleteColumn", "TimeRemainingColumn")
    columns = [rich.TextColumn("{task.description}"), *(getattr(rich, part)() for part in parts)]
    console = import_module("rich.console").Console(stderr=True)
    progress: Any = scope.enter_context(rich.Progress(*columns, console=console, transient=True))
    task = progress.add_task(what, total=total)
    return lambda done: progress.advance(task, done)
