"""Interrupts at any line of our code. After one, the chain must be in the state before a step or after it.

A play is a function of a chain. It first runs on a fork, which gives all states that the chain may be in; then on the chain
itself, and is interrupted there.
"""

from __future__ import annotations

import ctypes
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from hashlib import sha256
from linecache import getline
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import chain as package
from chain import Chain
from chain.crypto.messagepack import encode
from chain.ledger.file.rows import serialize_row
from chain.ledger.headers import Headers
from chain.ledger.signing import SignedTransactions
from chain.ledger.state_trie import initial_trie

OURS = str(Path(package.__file__).parent)
KINDS = (KeyboardInterrupt, MemoryError, SystemExit)
Play = Callable[[Chain], object]
SCOPED = ("block", "anchor")


class Interrupts:
    """Counts the lines of our code that run, and raises at the given ones: at the line itself, or soon after it."""

    def __init__(
        self,
        lines: tuple[int, ...] = (),
        kind: type[BaseException] = KeyboardInterrupt,
        files: tuple[str, ...] = ("",),  # which of ours, by how they end
    ) -> None:
        self.count, self._lines, self._kind, self._files = 0, set(lines), kind, files
        self._is_late = len(lines) > 1  # tracing ends with what is raised in it
        self.places: list[str] = []

    def _trace(self, frame: FrameType, event: str, _: Any) -> Any:
        file = frame.f_code.co_filename
        return self._line if file.startswith(OURS) and file.endswith(self._files) else None

    def _line(self, frame: FrameType, event: str, _: Any) -> Any:
        if event == "line" and not _is_closed(frame):
            self.count += 1
            if self.count in self._lines:
                self.places.append(f"{frame.f_code.co_filename[len(OURS) + 1 :]}:{frame.f_lineno}")
                if not self._is_late:
                    raise self._kind("injected")
                me = ctypes.c_ulong(threading.get_ident())
                ctypes.pythonapi.PyThreadState_SetAsyncExc(me, ctypes.py_object(self._kind))
        return self._line

    @contextmanager
    def running(self) -> Iterator[None]:
        before = sys.gettrace()
        sys.settrace(self._trace)
        try:
            yield
        finally:
            sys.settrace(before)


def _is_closed(frame: FrameType) -> bool:
    """Return True where Python handles no interrupt: before the end of a `with`, at a `try`, which does nothing, and before the
    first call of a `finally`, if it is one of a builtin.
    """
    line = getline(frame.f_code.co_filename, frame.f_lineno).lstrip()
    if line.startswith("with "):
        return frame.f_lasti > _begins(frame.f_code, frame.f_lineno)
    return line.startswith(("try:", "enable()"))


@cache
def _begins(code: CodeType, line: int) -> int:
    return min(start for start, _, at in code.co_lines() if at == line)


def run(
    play: Play,
    chain: Chain,
    lines: tuple[int, ...] = (),
    kind: Any = KeyboardInterrupt,
    files: tuple[str, ...] = ("",),
) -> Interrupts:
    """The play with an interrupt at these lines; how many lines it had, and where it was interrupted."""
    interrupts = Interrupts(lines, kind, files)
    try:
        with interrupts.running():
            play(chain)
    except (
        kind,
        KeyboardInterrupt,
    ):  # SQLite loses which it was, at the first line that it runs of ours
        pass
    except Exception:
        if not interrupts.places:
            raise
    return interrupts


# What is on a chain


def _plain(changes: Any) -> list[Any]:
    return [bytes(each) if isinstance(each, bytes) else each for each in changes]


def state_digest(chain: Chain) -> str:
    """Return a digest of the content of a chain."""
    ledger, state = chain.ledger, chain.state
    accounts = sorted((bytes(who), account) for who, account in state.accounts.items())
    words = {bytes(who): sorted(words.items()) for who, words in state.storages.items() if words}
    told = (
        accounts,
        sorted(words.items()),
        [block.row for block in ledger.blocks],
        [encode(serialize_row(receipt.row)) for receipt in ledger.receipts],
        list(map(_plain, ledger.timeline)),
        ledger.timeline.notes_from(0),
        ledger.open and ledger.open.row,
        tuple(map(int, chain.mining[:3])),
        chain.mining.overrides,
    )
    return sha256(repr(told).encode()).hexdigest()


class _Enough(BaseException):
    """Ends a play between two steps."""


def places(play: Play, chain: Chain) -> set[str]:
    """Return the states that the chain may be in: after each step, and after the scopes that end with it."""
    found, end = [state_digest(chain)], chain.driver.end_step

    def told() -> None:
        end()
        found.append(state_digest(chain))

    _put(chain, "end_step", told)
    forks = [chain.fork()]
    play(chain)
    if play.__name__ in SCOPED:
        forks += [forks[0].fork() for _ in found[2:]]
        found += [_stopped(play, fork, steps) for steps, fork in enumerate(forks)]
    return set(found)


def _put(chain: Chain, name: str, do: Callable[[], None]) -> None:
    """Replace a method of one chain's driver, whose attributes cannot be set otherwise."""
    methods = {"__slots__": (), name: lambda _: do()}
    chain.driver.__class__ = type("Told", (type(chain.driver),), methods)


def _stopped(play: Play, chain: Chain, steps: int) -> str:
    begin, left = chain.driver.begin_step, steps

    def told() -> None:
        nonlocal left
        left -= 1
        if left == -1:
            raise _Enough
        begin()

    _put(chain, "begin_step", told)
    with suppress(_Enough):
        play(chain)
    return state_digest(chain)


def derived_errors(chain: Chain) -> list[str]:
    """Return the errors in what is derived from the ledger: indexes, tables, hashes, roots."""
    fork, wrong = chain.fork(), list[str]()
    fork.ledger.headers, fork.ledger.envelopes = (
        Headers(fork.ledger),
        SignedTransactions(fork.receipts, fork.chain_id, fork.keys),
    )
    for name, ask in QUESTIONS.items():
        if (ours := ask(chain)) != (theirs := ask(fork)):
            wrong.append(f"{name}: {ours} but {theirs}")
    closed = [receipt for receipt in chain.receipts if receipt.block_number <= chain.head.number]
    if any(chain.ledger.find(receipt.tx_hash) != receipt for receipt in closed):
        wrong.append("hashes of transactions")
    if not chain.ledger.open and len(chain.ledger.timeline) == chain.head.end_timeline_index:
        root = initial_trie(chain.state, ()).root
        wrong += ["state root"] if root != chain.state_root() else []
    return wrong


def leftovers(chain: Chain) -> list[str]:
    """Return what a step or a scope should have removed at its end."""
    left = chain.state.changes, chain.state.logs, chain.state.closed, chain.driver.begun
    wrong = [f"something is left over: {left}"] if any(left) else []
    if chain.is_held or (chain.machine.loaded is not None and chain.machine.loaded.is_wanted):
        wrong.append("a scope is left over")
    return wrong


def _tables(chain: Chain) -> Any:
    names = [row["name"] for row in chain.sql("select name from tables where kind <> 'chain'")]
    return {name: list(map(tuple, chain.sql(f'select * from "{name}"'))) for name in ("receipts", "logs", *names)}  # fmt: skip


QUESTIONS: dict[str, Callable[[Chain], Any]] = {
    "hashes": lambda chain: [chain.block_hash(n) for n in range(len(chain.blocks))],
    "tables": _tables,
    "failed": lambda chain: [each.position for each in chain.receipts.where(ok=False)],
    "senders": lambda chain: chain.receipts.where(sender=chain.accounts[1]).count(),
    "events": lambda chain: list(map(repr, chain.events())),
}
