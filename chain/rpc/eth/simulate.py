"""`eth_simulateV1`: blocks of calls that build on one another, on a separate state that is thrown away.

Skipped block numbers are filled with empty blocks. Every block has a complete header, made like a real one, so BLOCKHASH
finds it. Without `validation` a call needs no correct nonce, and pays only the fee that it names. With `traceTransfers` each
transfer of ether adds a log where it happens, to the answer and not to the header.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from chain.foundation.dataclass import dataclass
from chain.rpc.block_tags import LATEST, state_at
from chain.rpc.errors import NUMBER_ORDER, OVER_LIMIT, TIME_ORDER, RpcError
from chain.rpc.eth.simulated_block import Simulation
from chain.rpc.hex_values import known_fields, to_bool, to_list
from chain.rpc.json_format import Json
from chain.rpc.node import Node
from chain.rpc.overrides import BlockOverrides, StateOverrides

_MOST_BLOCKS: Final = 256
_OPTIONS: Final = ("validation", "traceTransfers", "returnFullTransactions")


@dataclass(frozen=True, slots=True)
class _Wish:
    """A block as a client describes it."""

    block: BlockOverrides
    state: StateOverrides
    calls: tuple[object, ...] = ()

    @classmethod
    def read(cls, value: object) -> _Wish:
        given = known_fields(value, ("blockOverrides", "stateOverrides", "calls"), "a block")
        return cls(
            BlockOverrides.read(given.get("blockOverrides")),
            StateOverrides.read(given.get("stateOverrides")),
            tuple(to_list(given.get("calls", ()), "'calls'")),
        )


def simulate(node: Node, wish: object, block: object = LATEST) -> list[Json]:
    """Run the blocks of `wish` on top of a block, one after the other, and undo them."""
    fields = known_fields(wish, ("blockStateCalls", *_OPTIONS), "the simulation")
    wishes = to_list(fields.get("blockStateCalls"), "'blockStateCalls'")
    if len(wishes) > _MOST_BLOCKS:
        raise _too_many(len(wishes))
    validates, traces, shows_all = (
        to_bool(fields.get(name, False), f"'{name}'") for name in _OPTIONS
    )
    reader, base = state_at(node.chain, block, apart=True)
    interval = max(1, node.chain.driver.mining.interval)
    blocks = list(_without_gaps(map(_Wish.read, wishes), base.number, base.timestamp, interval))
    run = Simulation(
        node.chain, reader, base, validates=validates, traces=traces, shows_all=shows_all
    )
    return [run.add(each.block, each.state, each.calls) for each in blocks]


def _without_gaps(
    wishes: Iterator[_Wish], number: int, time: int, interval: int
) -> Iterator[_Wish]:
    """Yield the blocks with their numbers and times, and empty ones for skipped numbers."""
    highest = number + _MOST_BLOCKS
    for wish in wishes:
        wanted = number + 1 if wish.block.number is None else wish.block.number
        if wanted <= number:
            raise RpcError(NUMBER_ORDER, f"block numbers must be in order: {wanted} <= {number}")
        if wanted > highest:
            raise _too_many(wanted - highest + _MOST_BLOCKS)
        while number + 1 < wanted:
            number, time = number + 1, time + interval
            yield _Wish(BlockOverrides(number, time), StateOverrides({}))
        after = time + interval if wish.block.timestamp is None else wish.block.timestamp
        if after <= time:
            raise RpcError(TIME_ORDER, f"block timestamps must be in order: {after} <= {time}")
        number, time = wanted, after
        yield replace(wish, block=replace(wish.block, number=number, timestamp=time))


def _too_many(count: int) -> RpcError:
    return RpcError(
        OVER_LIMIT, f"{count} blocks are too many for one request: at most {_MOST_BLOCKS}"
    )
