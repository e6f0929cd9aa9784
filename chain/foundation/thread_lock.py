"""The lock that all threads of the chain use: a stop that comes as it is taken leaves it free.

A stop is a KeyboardInterrupt, or what a watchdog raises. Python raises it between two steps of a thread. On Python 3.14, one
of these places is after `with` has taken a lock, and before it is sure to release it: whoever waits for the lock would wait
for ever. Older versions have no such place.
"""

from __future__ import annotations

import sys
from _thread import RLock
from typing import TYPE_CHECKING


class ThreadLock(RLock):  # type: ignore[misc]  # it is not final
    """A lock that its thread may take several times. It is implemented in C, so the end of a `with` always releases it."""

    __slots__ = ()

    if TYPE_CHECKING:

        def _is_owned(self) -> bool: ...

    if sys.version_info >= (3, 14):

        def __enter__(self) -> bool:  # type: ignore[override]  # `with` gives no arguments
            try:
                return self.acquire()  # no stop comes between this return and what `with` guards
            except BaseException:
                try:  # noqa: SIM105  # at once and in C: `suppress` may be stopped too
                    self.release()
                except RuntimeError:  # it was not taken
                    pass
                raise
