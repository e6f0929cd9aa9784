"""The board that the last transaction of a chain was about, before and after it, for reports of failures."""

from __future__ import annotations

from chain.pictures.boards import Boards, boards_of
from chain.pictures.picture import Picture
from chain.simulator.chain import Chain
from chain.simulator.handle import Handle


def before_and_after(chain: Chain, start: int = 0) -> tuple[Picture, ...]:
    """Return the pictures of the last move among the receipts from `start` on; none if no board can be drawn."""
    for receipt in reversed(chain.receipts[start:]):
        program = receipt.program
        boards = None if program is None else boards_of(program.spec.cls)
        if program is None or boards is None:
            continue
        now = Handle(chain, program.spec.cls, receipt.address)
        then = Handle(chain.at(max(0, receipt.block_number - 1)), now.contract, now.address)
        for board_id in boards.named_by(receipt):
            after = _drawn(boards, now, board_id)
            if after is not None:
                before = _drawn(boards, then, board_id) or after
                return before, after.since(before)
    return ()


def _drawn(boards: Boards, game: Handle, board_id: object) -> Picture | None:
    """Return the picture of a board, or None: the board may not exist, and the game's own code may be what fails."""
    try:
        return boards.picture(game, board_id)
    except Exception:
        return None
