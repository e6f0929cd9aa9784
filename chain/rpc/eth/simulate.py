"""`eth_simulateV1`: blocks of calls that build on one another, on a separate state that is thrown away.

Without `validation`, calls cost nothing and need no correct nonce. Like the pending block, the blocks have no roots and so no
hash. With `traceTransfers`, each transfer of ether adds a log, before the logs of the call itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from chain.ledger.blocks import Block
from chain.machine.frame import Frame
from chain.machine.gas import PER_BLOB
from chain.machine.transaction import TransactionResult
from chain.rpc.block_tags import LATEST, state_at
from chain.rpc.errors import bad_params, failed, too_much
from chain.rpc.eth.transactions import override, without_fees
from chain.rpc.hex_values import data, quantity, to_address, to_int, to_object, word
from chain.rpc.json_format import Json
from chain.rpc.node import Node
from chain.rpc.transaction_fields import parse_fields
from chain.schema.inputs import LAST_TIME
from chain.simulator.chain import Chain
from chain.simulator.reader import ChainReader

_MOST_BLOCKS: Final = 256
_ETHER: Final = bytes.fromhex("ee" * 20)  # the address from which logs of transfers come
_TRANSFER: Final = 0xDDF252AD1BE2C89B69C2B068FC378DAA952BA7F163C4A11628F55A4DF523B3EF
_NAMES: Final = {
    "number": "number", "time": "timestamp", "baseFeePerGas": "base_fee", "prevRandao": "forced_prevrandao",
}  # fmt: skip


def simulate(node: Node, wish: Any, block: Any = LATEST) -> list[Json]:
    """Run the blocks of `wish` on top of a block, one after the other, and undo them."""
    wish = to_object(wish, "what is to be simulated")
    blocks = wish.get("blockStateCalls")
    if not isinstance(blocks, list):
        raise bad_params("'blockStateCalls' is a list of blocks, each with its 'calls'")
    if len(blocks) > _MOST_BLOCKS:
        raise too_much(f"{len(blocks)} blocks are too many for one request: at most {_MOST_BLOCKS}")
    reader, base = state_at(node.chain, block, apart=True)
    run = _Simulation(
        node.chain, reader, validates=bool(wish.get("validation")), traces=bool(wish.get("traceTransfers")),
    )  # fmt: skip
    return list(run.blocks(base, [to_object(item, "a block") for item in blocks]))


class _Simulation:
    def __init__(self, chain: Chain, there: ChainReader, *, validates: bool, traces: bool) -> None:
        self._chain, self._there = chain, there
        self._validates, self._traces = validates, traces

    def blocks(self, parent: Block, wishes: list[Mapping[str, Any]]) -> Iterator[Json]:
        for request in wishes:
            parent = self._next(parent, to_object(request.get("blockOverrides") or {}, "the block"))
            yield self._block(parent, request)

    def _next(self, parent: Block, changed: Mapping[str, Any]) -> Block:
        fields: dict[str, Any] = {
            "number": parent.number + 1,
            "timestamp": parent.timestamp + 1,
            "base_fee": parent.base_fee if self._validates else 0,
            "forced_prevrandao": None,
            "excess_blob_gas": parent.next_excess_blob_gas,
            "blob_gas_used": 0,
        }
        for name, field in _NAMES.items():
            if changed.get(name) is not None:
                fields[field] = to_int(changed[name], f"'{name}'")
        if changed.get("feeRecipient") is not None:
            fields["coinbase"] = to_address(changed["feeRecipient"], "'feeRecipient'")
        if fields["number"] <= parent.number or fields["timestamp"] < parent.timestamp:
            raise bad_params("blocks come one after the other, in number and time")
        if max(fields["number"], fields["timestamp"]) > LAST_TIME:
            raise bad_params(f"numbers and times of blocks end at {LAST_TIME}")
        return replace(parent, gas_used=0, **fields)

    def _block(self, block: Block, wish: Mapping[str, Any]) -> Json:
        self._override(to_object(wish.get("stateOverrides") or {}, "the state override"))
        calls = wish.get("calls") or []
        if not isinstance(calls, list):
            raise bad_params("'calls' is a list of transactions")
        shown: list[Json] = []
        logs = 0
        for fields in calls:
            outcome = self._call(block, to_object(fields, "a call"))
            shown.append(self._show(outcome, block, len(shown), logs))
            logs += len(shown[-1]["logs"])
        return {
            "number": quantity(block.number),
            "hash": None,
            "timestamp": quantity(block.timestamp),
            "gasLimit": quantity(block.gas_limit),
            "gasUsed": quantity(block.gas_used),
            "miner": data(block.coinbase),
            "baseFeePerGas": quantity(block.base_fee),
            "mixHash": word(block.prevrandao),
            "difficulty": "0x0",
            "transactions": [],
            "calls": shown,
        }

    def _override(self, wish: Mapping[str, Any]) -> None:
        state = self._there.state
        for address, change in wish.items():
            override(state, to_address(address), to_object(change, "what is overridden"))
        state.close()

    def _call(self, block: Block, fields: Mapping[str, Any]) -> TransactionResult:
        reader = self._there
        tx = parse_fields(self._chain, fields, block, reader)
        most = block.fork.max_transaction_gas or block.gas_limit
        tx.gas = min(tx.gas, block.gas_left, most)
        run = (tx, block) if self._validates else without_fees(reader, tx, block)
        outcome = reader.machine.transact(*run)
        block.gas_used += outcome.gas_used
        block.blob_gas_used += len(outcome.context.blob_hashes) * PER_BLOB
        return outcome

    def _show(self, outcome: TransactionResult, block: Block, index: int, first: int) -> Json:
        frame = outcome.frame
        rows = [(address, topics, raw) for address, topics, raw, *_ in outcome.logs]
        if self._traces:
            rows = [*_transfers(frame), *rows]
        logs = [
            {
                "address": data(address),
                "topics": [word(topic) for topic in topics],
                "data": data(raw),
                "blockNumber": quantity(block.number),
                "transactionIndex": quantity(index),
                "logIndex": quantity(log_index),
                "removed": False,
            }
            for log_index, (address, topics, raw) in enumerate(rows, first)
        ]
        shown: Json = {
            "returnData": data(frame.output if frame.failure is None else frame.failure.data),
            "logs": logs,
            "gasUsed": quantity(outcome.gas_used),
            "status": quantity(frame.failure is None),
        }
        return shown if frame.failure is None else {**shown, "error": failed(frame.failure).json()}


def _transfers(frame: Frame) -> Iterator[tuple[bytes, tuple[int, ...], bytes]]:
    """Yield a log for each transfer of ether."""
    if frame.failure is not None:
        return
    if frame.value and frame.kind != "delegate":
        ends = (int.from_bytes(frame.caller), int.from_bytes(frame.address))
        yield _ETHER, (_TRANSFER, *ends), frame.value.to_bytes(32)
    for child in frame.children:
        yield from _transfers(child)
