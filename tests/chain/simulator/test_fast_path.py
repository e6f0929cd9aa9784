"""An ordinary call leaves the same on the fast path as on the way of any transaction."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from chain import Address, Chain, InvalidTransaction
from chain.ledger.receipts import Receipt
from chain.machine.transaction import Transaction
from chain.simulator.driver import ChainDriver
from chain.values.inputs import NONCE
from tests.chain.helpers import Code
from tests.chain.machine.test_two_executors import steps
from tests.chain.machine.two_executors import (
    NOBODY,
    Script,
    Step,
    call_record,
    data_of,
    failure,
    forwarder,
    world_state,
)

FAILURE, CALLS = 17, 24  # their indexes in a row
Setting = Callable[[Chain], AbstractContextManager[Any]]


@contextmanager
def held(chain: Chain) -> Iterator[None]:
    with chain.block():
        yield


@contextmanager
def held_and_mined(chain: Chain) -> Iterator[None]:
    with chain.block():
        chain.mine()
        yield


@contextmanager
def unmined(chain: Chain) -> Iterator[None]:
    chain.automine = False
    yield


@contextmanager
def half_mined(chain: Chain) -> Iterator[None]:
    chain.automine = False
    chain.send(NOBODY, gas=30_000)
    chain.automine = True
    yield


@contextmanager
def overridden(chain: Chain) -> Iterator[None]:
    chain.driver.override({"coinbase": bytes(NOBODY)})
    yield


@contextmanager
def poor(chain: Chain) -> Iterator[None]:
    chain.set_balance(chain.accounts[0], 10**9)
    yield


@contextmanager
def worn_out(chain: Chain) -> Iterator[None]:
    chain.set_nonce(chain.accounts[0], NONCE)
    yield


@contextmanager
def later(chain: Chain) -> Iterator[None]:
    chain.advance(1_000)
    yield


@contextmanager
def forced(chain: Chain) -> Iterator[None]:
    """Force two draws, so that a third one fails. Outcomes that are left are not an error, because the scope ends with one."""
    with suppress(LookupError), chain.loaded(**{"": [0, 0]}):
        yield
        raise LookupError


SETTINGS = [
    nullcontext, held, held_and_mined, unmined, half_mined, overridden, poor, worn_out, later, forced,
]  # fmt: skip


def chain_with_scripts(evm: Code, initcode: Code, **options: Any) -> tuple[Chain, Address]:
    """A chain with a script and its partners: another one, and it again behind bytecode."""
    chain = Chain(**options)
    one, other = (chain.deploy(Script, word).address for word in (1, 2))
    behind = [
        chain.send(None, initcode(forwarder(evm, other, kind))).address
        for kind in ("pass", "swallow", "lend")
    ]
    partners = [other, other, *behind]
    assert chain.send(one, data_of("meet", partners)).ok
    return chain, one


@pytest.fixture(
    scope="module", params=[{}, {"gas_limit": 1_000_000, "elastic_fees": True}], ids=str
)
def pair(
    request: pytest.FixtureRequest, evm: Code, initcode: Code
) -> tuple[tuple[Chain, Address], ...]:
    return tuple(chain_with_scripts(evm, initcode, **request.param) for _ in range(2))


def sent(chain: Chain, to: Address, data: bytes, is_plain: bool) -> Receipt | InvalidTransaction:
    """Send a call with the methods of a chain, or as the same transaction built by hand."""
    sender = bytes(chain.accounts[0])
    try:
        if not is_plain:
            return chain.send(bytes(to), data)  # plain bytes, as handles send them
        block = chain.driver.next_block()
        return chain.send_transaction(
            Transaction(
                sender, bytes(to), data, 0, block.gas_left, chain.nonce(sender), block.base_fee
            )
        )
    except InvalidTransaction as refusal:
        return refusal


def left_by(chain: Chain, receipt: Receipt | InvalidTransaction) -> tuple[object, ...]:
    """Everything that a transaction leaves."""
    if isinstance(receipt, InvalidTransaction):
        return str(receipt), world_state(chain)
    row = list(receipt.row)
    row[FAILURE], row[CALLS] = failure(receipt.error), list(map(call_record, receipt.calls))
    blocks = [block.row for block in chain.blocks[-2:]]
    return row, blocks, world_state(chain), chain.now, chain.state_root(), len(chain.receipts)


messages = st.one_of(
    st.builds(lambda steps: data_of("play", steps), steps),
    st.builds(lambda steps: data_of("guarded", steps), steps),
    st.builds(lambda slot: data_of("peek", slot), st.integers(0, 3)),
    st.binary(max_size=40),
    st.just(b"\xff" * 30_000),  # more than a small block holds
)


@settings(max_examples=120, deadline=None)
@given(
    data=st.lists(messages, min_size=1, max_size=3),
    setting=st.sampled_from(SETTINGS),
    to_nobody=st.booleans(),
)
@example(
    [data_of("play", [Step(0, 0, 0), Step(0, 9, 1)])], nullcontext, False
)  # a refund, above the floor of calldata
def test_both_ways_leave_the_same(
    pair: tuple[tuple[Chain, Address], ...], data: list[bytes], setting: Setting, to_nobody: bool
) -> None:
    left: list[list[tuple[object, ...]]] = []
    for is_plain, (chain, script) in enumerate(pair):
        with chain.anchor():
            with setting(chain):
                receipts = [sent(chain, script, each, bool(is_plain)) for each in data]
                if to_nobody:
                    receipts.append(sent(chain, NOBODY, b"", bool(is_plain)))
            left.append([left_by(chain, receipt) for receipt in receipts])
    assert left[0] == left[1]


def test_an_ordinary_call_takes_the_fast_path(monkeypatch: pytest.MonkeyPatch) -> None:
    chain = Chain()
    script = chain.deploy(Script, 1)
    monkeypatch.setattr(ChainDriver, "apply", lambda *_: pytest.fail("the way of any transaction"))
    assert script.play([Step(0, 1, 1)]).ok
    assert isinstance(sent(chain, script.address, data_of("play", [Step(0, 1, 2)]), False), Receipt)
    assert not script.play([Step(8)], check=False).ok
    with chain.loaded(**{"": [2]}):
        assert script.play([Step(7, 0, 5)]).forced_random == (("", 2),)
