"""Receipts as JSON text: clients wait for a receipt, and then read it again."""

from __future__ import annotations

from typing import Final

from chain.rpc.json_format import closed_receipt_json, json_text
from chain.rpc.kept_texts import KeptTexts

_NOTHING: Final = "null"


class ReceiptTexts(KeptTexts[bytes]):
    """The texts of the receipts of one chain, by the hash of the transaction."""

    longest = 4_000  # so all take 40 MB at most

    def text(self, tx_hash: bytes) -> str:
        """Return the JSON text of `closed_receipt_json`."""
        text = self._kept.get(tx_hash)
        if text is None:
            text = json_text(closed_receipt_json(self._ledger, tx_hash))
            if text != _NOTHING:
                self._keep({tx_hash: text})
        return text
