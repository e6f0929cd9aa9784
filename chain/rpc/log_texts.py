"""Logs as JSON text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from chain.ledger.ledger import Ledger
from chain.ledger.log_list import LogPlace
from chain.rpc.json_format import placed_logs
from chain.rpc.kept_texts import KeptTexts


class LogTexts(KeptTexts[LogPlace]):
    """The texts of the logs of one chain, by their places."""

    longest = 2_000  # so all take 20 MB at most

    def array(self, places: Sequence[LogPlace]) -> str:
        """Return the JSON text of `log_jsons`, for logs in closed blocks."""
        kept = self._kept
        missing = [place for place in places if place not in kept]
        made = dict(zip(missing, _texts(self._ledger, missing), strict=True))
        shown = ",".join([made[place] if place in made else kept[place] for place in places])
        self._keep(made)
        return f"[{shown}]"


def _texts(ledger: Ledger, places: Iterable[LogPlace]) -> Iterator[str]:
    """Yield the logs as in `log_jsons`. This is several times as fast as making objects of them first."""
    last, shared = None, ""
    for (address, topics, raw, *_), index, receipt in placed_logs(ledger, places):
        if receipt is not last:
            last, number = receipt, receipt.block_number
            shared = (
                f'"transactionHash":"0x{receipt.tx_hash.hex()}",'
                f'"blockHash":"0x{ledger.block_hash(number).hex()}","blockNumber":"{number:#x}",'
                f'"transactionIndex":"{receipt.index:#x}",'
                f'"blockTimestamp":"{ledger.time_of(number):#x}","removed":false'
            )
        words = ",".join([f'"0x{topic:064x}"' for topic in topics])
        yield (
            f'{{"address":"0x{address.hex()}","topics":[{words}],"data":"0x{raw.hex()}",'
            f'"logIndex":"{index:#x}",{shared}}}'
        )
