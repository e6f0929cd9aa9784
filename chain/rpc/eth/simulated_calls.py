"""Simulated calls as JSON: their results, and their logs, with those of ether transfers if these are traced."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from chain.foundation.dataclass import dataclass
from chain.ledger.receipts import Receipt
from chain.machine.failure import Failure
from chain.machine.frame import Frame
from chain.machine.recording import CallStep, Destroyed, Logged, RecordingFrame, steps_of
from chain.rpc.errors import REVERTED, VM_FAILED, RpcError, failed
from chain.rpc.hex_values import data, quantity, word
from chain.rpc.json_format import Json

_ETHER: Final = bytes.fromhex("ee" * 20)  # the address from which logs of transfers come
_TRANSFER: Final = 0xDDF252AD1BE2C89B69C2B068FC378DAA952BA7F163C4A11628F55A4DF523B3EF
_Log = tuple[bytes, tuple[int, ...], bytes]  # address, topics, data


@dataclass(frozen=True, slots=True)
class SimulatedCall:
    """A call that has run."""

    receipt: Receipt
    most_gas: int  # the gas used before refunds
    frame: Frame

    def json(self, place: Json, log_numbers: Iterator[int]) -> Json:
        """Return the call as JSON. `place` identifies its block; its logs have the next numbers."""
        receipt, failure = self.receipt, self.frame.failure
        logs = [
            {
                "address": data(address),
                "topics": [word(topic) for topic in topics],
                "data": data(raw),
                "transactionHash": data(receipt.tx_hash),
                **place,
                "logIndex": quantity(next(log_numbers)),
                "removed": False,
            }
            for address, topics, raw in self._logs()
        ]
        shown: Json = {
            "returnData": data(receipt.output if failure is None else b""),
            "logs": logs,
            "gasUsed": quantity(receipt.gas_used),
            "maxUsedGas": quantity(max(receipt.gas_used, self.most_gas)),
            "status": quantity(failure is None),
        }
        return shown if failure is None else {**shown, "error": _error(failure)}

    def _logs(self) -> Iterable[_Log]:
        """Return the logs, with those of transfers if the frame recorded them."""
        if isinstance(self.frame, RecordingFrame):
            return _logs_and_transfers(self.frame)
        return [(address, topics, raw) for address, topics, raw, *_ in self.receipt.log_rows]


def _error(failure: Failure) -> Json:
    """Return the error of a call: a revert, or one of the machine."""
    error = failed(failure)
    if error.code == REVERTED:
        return error.json()
    return RpcError(VM_FAILED, f"vm execution error: {error.message}").json()


def _logs_and_transfers(frame: Frame) -> Iterator[_Log]:
    """Yield the logs of a recorded message and of those below it, and one for each transfer of ether, as they happened."""
    if frame.failure is not None:
        return
    if frame.value and frame.kind != "delegate":
        yield _transfer(frame.caller, frame.address, frame.value)
    for step in steps_of(frame):
        match step:
            case Logged((address, topics, raw, *_)):
                yield address, topics, raw
            case Destroyed(address, heir, balance) if balance:
                yield _transfer(address, heir, balance)
            case CallStep(child):
                yield from _logs_and_transfers(child)


def _transfer(sender: bytes, receiver: bytes, amount: int) -> _Log:
    ends = int.from_bytes(sender), int.from_bytes(receiver)
    return _ETHER, (_TRANSFER, *ends), amount.to_bytes(32)
