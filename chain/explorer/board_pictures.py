"""Boards before and after a transaction, drawn by their games. The last few are cached."""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

from chain.explorer.receipt_survey import BoardRecord, Survey
from chain.foundation.dataclass import dataclass
from chain.foundation.turn import in_turn
from chain.foundation.watchdog import TimeUp
from chain.ledger.receipts import Receipt
from chain.metering.program import parse_code
from chain.pictures.markup import Markup
from chain.pictures.picture import Picture
from chain.simulator.chain import Chain
from chain.simulator.handle import Handle
from chain.simulator.past import ChainAtBlock
from chain.types import Address

_KEPT: Final = 32


@dataclass(frozen=True, slots=True)
class BoardStep:
    """A board before and after a transaction; None where there was no board to draw."""

    before: Picture | None
    after: Picture | None

    @property
    def before_svg(self) -> Markup | None:
        return None if self.before is None else Markup(self.before.svg())

    @property
    def after_svg(self) -> Markup | None:
        """The board after it, with the changes outlined."""
        if self.after is None:
            return None
        return Markup((self.after.since(self.before) if self.before else self.after).svg())

    @property
    def changes(self) -> list[str]:
        """The names of the parts that changed."""
        if self.before is None or self.after is None:
            return []
        return self.after.changes(self.before)


class BoardPictures:
    """Draws the boards of one chain."""

    def __init__(self, chain: Chain, survey: Survey) -> None:
        self._chain, self._survey = chain, survey
        self._kept: OrderedDict[object, BoardStep] = OrderedDict()
        chain.ledger.on_truncated.append(lambda blocks, receipts: self._kept.clear())

    def step(self, board: BoardRecord, receipt: Receipt) -> BoardStep:
        """Return a board before and after a transaction."""
        key = board.address, board.word, receipt.position
        if key not in self._kept:
            before = self._draw(board, self._chain.before(receipt))
            after = self._draw(board, self._chain.after(receipt)) if receipt.ok else before
            self._kept[key] = BoardStep(before, after)
            if len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        self._kept.move_to_end(key)
        return self._kept[key]

    def _draw(self, board: BoardRecord, then: ChainAtBlock) -> Picture | None:
        game = self._survey.game(parse_code(then.code(Address(board.address))))
        program = then.program_at(Address(board.address))
        if game is None or program is None:
            return None
        handle = Handle(then, program.spec.cls, Address(board.address))
        try:
            with self._chain.lock:  # before the turn, as messages take them in this order
                return in_turn(game.picture, handle, board.board_id)
        except (Exception, TimeUp):  # the author's code, on a board that may not have begun yet
            return None
