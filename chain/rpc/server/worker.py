"""A child process that does one piece of work on the current chain, while the node continues.

A fork is a cheap copy of the whole node, so nothing the child does touches the chain of the node: not an endless loop, not too
much memory, not being killed halfway. The child has memory to compute the answer and one pipe to send it: no port, no
connection, no file.
"""

from __future__ import annotations

import asyncio
import ctypes
import os
import signal
import sys
import warnings
from collections.abc import Callable
from typing import Final, NoReturn

from chain.foundation.process_memory import limiter, size_of_process
from chain.rpc.errors import NO_MEMORY, refused
from chain.rpc.limits import Limits

ENDING: Final = "the node ends, so it was stopped and undone"
CAN_FORK: Final = hasattr(os, "fork")
_CHUNK: Final = 1 << 20
_STEPS_BACK: Final = 5  # niceness: the node and its quick answers go first
_MOST_FILES: Final = 1 << 16
_ENDLESS: Final = 1 << 30  # seconds
_NO_MEMORY, _NO_FILE = 3, 4  # exit codes
_PR_SET_PDEATHSIG: Final = 1
_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


class NeedsFile(Exception):
    """The work needs rows of the chain's file, which only the node itself can read."""


class Worker:
    """One child process. It starts in the constructor."""

    def __init__(self, fork: Callable[[], int], work: Callable[[], bytes], limits: Limits) -> None:
        self._limits = limits
        self._pipe, writes = os.pipe()
        with warnings.catch_warnings():
            # About forks in a process with threads: here all other threads wait.
            warnings.simplefilter("ignore", DeprecationWarning)
            self._child = fork()
        if not self._child:
            _work(work, writes, limits)
        os.close(writes)
        os.set_blocking(self._pipe, False)
        self._status: int | None = None
        self._why = "the system stopped it, perhaps for lack of memory; it was undone"

    async def result(self) -> bytes:
        """Return the result of the work, or raise `RpcError` if it was stopped."""
        loop, parts = asyncio.get_running_loop(), list[bytes]()
        is_over = loop.create_future()

        def take() -> None:
            chunk = os.read(self._pipe, _CHUNK)
            parts.append(chunk)
            if not chunk and not is_over.done():
                loop.remove_reader(self._pipe)
                is_over.set_result(None)

        loop.add_reader(self._pipe, take)
        try:
            await is_over
            self._wait()
        finally:
            loop.remove_reader(self._pipe)
            os.close(self._pipe)
            self.end(ENDING)
        if self._status:
            raise self._stopped(self._status)
        return b"".join(parts)

    def end(self, why: str) -> None:
        """Kill the child if it still runs. `why` is reported to the client."""
        if self._status is None:
            self._why = why
            os.kill(self._child, signal.SIGKILL)
            self._wait()

    def _wait(self) -> None:
        if self._status is None:
            self._status = os.waitpid(self._child, 0)[1]

    def _stopped(self, status: int) -> Exception:
        if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGPROF:
            return refused(
                f"it took more than {self._limits.seconds} s of computing, so it was stopped and "
                "undone: 'boardchain node --time-limit' allows more"
            )
        if status == _NO_MEMORY << 8:
            return refused(NO_MEMORY)
        if status == _NO_FILE << 8:
            return NeedsFile()
        return refused(self._why)


def _work(work: Callable[[], bytes], writes: int, limits: Limits) -> NoReturn:
    """Do the work in the child, and end the child."""
    code = 1
    try:
        signal.set_wakeup_fd(-1)
        for signal_number in (*_SIGNALS, signal.SIGPROF):
            signal.signal(signal_number, signal.SIG_DFL)
        os.closerange(3, writes)
        os.closerange(writes + 1, _MOST_FILES)
        if sys.platform == "linux":
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)  # end with the node
        os.nice(_STEPS_BACK)
        limit = limiter(min(size_of_process() + limits.memory, sys.maxsize))
        if limit is not None:
            limit[0]()
        signal.setitimer(signal.ITIMER_PROF, min(limits.seconds, _ENDLESS))
        remaining = memoryview(work())
        while remaining:
            remaining = remaining[os.write(writes, remaining) :]
        code = 0
    except MemoryError:
        code = _NO_MEMORY
    except NeedsFile:
        code = _NO_FILE
    finally:
        os._exit(code)
