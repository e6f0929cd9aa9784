"""Receipts as JSON text, which is kept once it was made: clients wait for a receipt, and then read it again.

Only receipts of closed blocks are kept. Nothing about these changes, unless the chain is truncated; then all are forgotten.
"""

from __future__ import annotations

from typing import Final

from chain.ledger.ledger import Ledger
from chain.rpc.json_format import closed_receipt_json, json_text

_MOST_TEXTS: Final = 10_000
_LONGEST: Final = 4_000  # characters of a text that is kept; so all take 40 MB at most
_NOTHING: Final = "null"


class ReceiptTexts:
    """The texts of the receipts of one chain."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._kept: dict[bytes, str] = {}  # by the hash of the transaction
        ledger.on_truncated.append(self._on_truncate)

    def text(self, tx_hash: bytes) -> str:
        """Return the JSON text of `closed_receipt_json`."""
        kept = self._kept
        text = kept.get(tx_hash)
        if text is None:
            text = json_text(closed_receipt_json(self._ledger, tx_hash))
            if text != _NOTHING and len(text) <= _LONGEST:
                if len(kept) >= _MOST_TEXTS:
                    kept.clear()
                kept[tx_hash] = text
        return text

    def _on_truncate(self, blocks: int, receipts: int) -> None:
        self._kept.clear()
