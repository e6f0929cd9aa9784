"""The pages' data about all receipts: which are about which board, and how often each entry was called.

It is read once, in slices between other requests, and continued when the chain has grown. Undone receipts are removed again.
"""

from __future__ import annotations

import asyncio
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import field
from time import perf_counter
from typing import Final, TypeAlias

from chain.foundation.dataclass import dataclass
from chain.ledger.receipts import Receipt
from chain.pictures.boards import Boards, boards_of
from chain.simulator.catalogue import ContractNotFound
from chain.simulator.chain import Chain

_BATCH: Final = 64  # receipts between two checks of the clock
_FAR: Final = 20_000  # receipts, which take seconds
SLICE: Final = 0.01  # seconds of reading before other requests are served
_REST: Final = 0.02  # seconds for the other requests, if there are any
_IDLE: Final = 0.0001  # seconds that go by between two slices without requests

BoardKey: TypeAlias = tuple[bytes, str]  # the address of the contract, and the board's name as text


@dataclass(slots=True)
class CallTally:
    """The calls of one entry."""

    calls: int = 0
    failed: int = 0
    gas: int = 0

    def add(self, receipt: Receipt, sign: int) -> None:
        self.calls += sign
        self.failed += sign * (not receipt.ok)
        self.gas += sign * receipt.gas_used


@dataclass(frozen=True, slots=True)
class BoardRecord:
    """A board, and the positions of the receipts that are about it."""

    address: bytes
    board_id: object
    positions: array[int] = field(default_factory=lambda: array("Q"))

    @property
    def word(self) -> str:
        """The board's name in a URL."""
        return word_of(self.board_id)


class Survey:
    """The boards and the tallies of a chain, as far as its receipts were read."""

    def __init__(self, chain: Chain) -> None:
        self._chain, self._ledger = chain, chain.ledger
        self.done = 0  # the number of receipts read
        self._reading: asyncio.Task[None] | None = None
        self.boards: dict[BoardKey, BoardRecord] = {}  # that was played last is the last
        self.counts: Counter[bytes] = Counter()  # of boards by contract
        self.tallies: dict[tuple[bytes, str], CallTally] = {}  # by address and entry
        self._games: dict[bytes | None, Boards | None] = {}  # by digest
        # The digests without a class here, with the number of classes that were declared then.
        self._unknown: dict[bytes, int] = {}
        self._ledger.before_cut.append(self._truncate)

    @property
    def is_complete(self) -> bool:
        return self.done == len(self._ledger.receipts)

    async def catch_up(self, seconds: float = 0) -> None:
        """Read new receipts for at most this many seconds; the rest is read when the process is idle.

        If much is left, do not wait for it.
        """
        if len(self._ledger.receipts) - self.done <= _FAR:
            end = perf_counter() + seconds
            while not self.update() and perf_counter() < end:
                await asyncio.sleep(0)
        if not self.is_complete and (self._reading is None or self._reading.done()):
            self._reading = asyncio.create_task(self._read_on())

    async def import_games(self) -> None:
        """Import the classes of the contracts on the chain, and their pictures, with room for requests in between."""
        for digest in dict.fromkeys(creation.digest for creation in self._ledger.creations.rows):
            self.game(digest)
            await asyncio.sleep(0)

    async def _read_on(self) -> None:
        while not self.update():
            start = perf_counter()
            await asyncio.sleep(0)
            if perf_counter() - start > _IDLE:
                await asyncio.sleep(_REST)

    def update(self, seconds: float = SLICE) -> bool:
        """Read receipts for this many seconds, at least a few; return True if none is left."""
        receipts, end = self._ledger.receipts, perf_counter() + seconds
        if not self._ledger.store.catch_up(("receipts", "logs", "words"), seconds):  # for all pages
            return False
        while not self.is_complete:
            for receipt in receipts[self.done : self.done + _BATCH]:
                self._enter(receipt)
                self.done = receipt.position + 1
            if perf_counter() > end:
                break
        return self.is_complete

    def newest(self, address: bytes | None, before: int | None) -> Iterator[BoardRecord]:
        """Yield boards, the most recently played first: of one contract or of all, and from before a receipt."""
        for (owner, _), board in reversed(self.boards.items()):
            if address in (None, owner) and (before is None or board.positions[-1] < before):
                yield board

    def game(self, digest: bytes | None) -> Boards | None:
        """Return the boards of a contract.

        Only a class that is declared or offered is used, because a chain may name any module.
        """
        if digest in self._games:
            return self._games[digest]
        machine = self._chain.machine
        declared = len(machine.programs)
        if digest is None or self._unknown.get(digest) == declared:
            return None
        program = None
        with suppress(ContractNotFound):  # the package of the contracts is not here, or broken
            program = machine.program(digest)
        seen = self._ledger.program(digest)
        if program is None or seen is None:
            self._unknown[digest] = declared  # look again when more are declared
            return None
        self._games[digest] = boards_of(seen.spec.cls)
        return self._games[digest]

    def boards_in(self, receipt: Receipt) -> list[BoardRecord]:
        """Return the boards that a receipt is about; they may have no positions yet."""
        address = bytes(receipt.address)
        return [
            self.boards.get((address, word_of(name))) or BoardRecord(address, name)
            for name in self._named_by(receipt)
        ]

    def _enter(self, receipt: Receipt) -> None:
        address = bytes(receipt.address)
        tally = self.tallies.setdefault((address, receipt.entry or ""), CallTally())
        tally.add(receipt, 1)
        for name in self._named_by(receipt):
            key = address, word_of(name)
            board = self.boards.pop(key, None)
            if board is None:
                if not receipt.ok:
                    continue  # a board that never existed
                board = BoardRecord(address, name)
                self.counts[address] += 1
            board.positions.append(receipt.position)
            self.boards[key] = board

    def _named_by(self, receipt: Receipt) -> list[object]:
        game = self.game(receipt._digest)
        try:
            return [] if game is None else game.named_by(receipt)
        except Exception:  # a foreign chain may hold data that no contract can have written
            return []

    def _truncate(self, blocks: int, receipts: int) -> None:
        try:
            undone = self._ledger.receipts[receipts : self.done]
        except ValueError:  # they are in a node, which does not have them any more
            self.done, undone = 0, []
            self.boards, self.tallies = {}, {}
        for receipt in reversed(undone):
            tally = self.tallies.get((bytes(receipt.address), receipt.entry or ""))
            if tally is not None:  # its class may have been declared since
                tally.add(receipt, -1)
            self.done = receipt.position
        for board in self.boards.values():
            del board.positions[bisect_left(board.positions, receipts) :]
        left = [(key, board) for key, board in self.boards.items() if board.positions]
        self.boards = dict(sorted(left, key=lambda item: item[1].positions[-1]))
        self.counts = Counter(address for address, _ in self.boards)


def word_of(board_id: object) -> str:
    return "board" if board_id is None else str(board_id)
