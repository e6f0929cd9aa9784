"""Progress bars for long tasks: on stderr, only at a terminal, and only once the first part of the task is done.

A bar is for people who wait. In a pipe, a test or a log there is no bar, and rich is not imported.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from importlib import import_module
from typing import Any, Protocol, TypeVar

T = TypeVar("T")


class ProgressStep(Protocol):
    """Takes the number of items done since the last step, and a text to show next to the bar."""

    def __call__(self, done: int, note: str = "", /) -> None: ...


_EVERY = 64  # items per step of a bar, because moving the bar costs more than an item


@contextmanager
def bar(what: str, total: int | None) -> Iterator[ProgressStep]:
    """Open a scope with a progress bar. The result moves the bar forward."""
    if not sys.stderr.isatty():
        yield lambda done, note="": None
        return
    with ExitStack() as scope:
        bars: list[ProgressStep] = []

        def step(done: int, note: str = "") -> None:
            if not bars:
                bars.append(_started(scope, what, total))
            bars[0](done, note)

        yield step


def tracked(items: Iterable[T], what: str, total: int | None) -> Iterator[T]:
    """Yield the items and show a bar while they are consumed."""
    with bar(what, total) as step:
        pending = 0
        for item in items:
            yield item
            pending += 1
            if pending == _EVERY:
                step(pending)
                pending = 0
        step(pending)


def _started(scope: ExitStack, what: str, total: int | None) -> ProgressStep:
    """Start a bar that is shown until the scope ends."""
    rich = import_module("rich.progress")
    parts = ("MofNCompleteColumn", "TimeRemainingColumn")
    columns = [rich.BarColumn(bar_width=12), *(getattr(rich, part)() for part in parts)]
    words = [rich.TextColumn(text) for text in ("{task.description}", "{task.fields[note]}")]
    console = import_module("rich.console").Console(stderr=True)
    progress: Any = scope.enter_context(
        rich.Progress(words[0], *columns, words[1], console=console, transient=True)
    )
    task = progress.add_task(what, total=total, note="")
    return lambda done, note="": progress.update(task, advance=done, note=note)
