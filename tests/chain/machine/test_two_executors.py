"""The direct executor and py-evm agree: the same transactions on two chains, one of which runs all through py-evm."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chain import (
    Address,
    Chain,
)  # fmt: skip
from tests.chain.helpers import Code
from tests.chain.machine.two_executors import (
    CALL,
    CRASH,
    DRAW,
    EMIT,
    LOG,
    LOOK,
    MAKE,
    NOBODY,
    PAY,
    PUT,
    READ,
    REFUSE,
    REVERT,
    TRY,
    WHERE,
    ExecutorPair,
    Step,
    accepted,
    data_of,
    forwarder,
)


@pytest.fixture(scope="module")
def pair() -> ExecutorPair:
    return ExecutorPair()


@pytest.fixture(scope="module")
def script(pair: ExecutorPair, evm: Code, initcode: Code) -> Address:
    """A script with partners: another, the same but guarded, and it again behind three kinds of bytecode."""
    scripts = accepted(pair.deploy(1)).address, accepted(pair.deploy(2)).address

    def behind(target: Address, kind: str) -> Address:
        return accepted(pair.send(None, initcode(forwarder(evm, target, kind)))).address

    for one, other in (scripts, scripts[::-1]):
        lender = behind(other, "lend")
        partners = [other, other, behind(other, "pass"), behind(other, "swallow"), lender]
        for who in (one, lender):
            assert accepted(pair.send(who, data_of("meet", partners))).ok
            assert accepted(pair.play(who, value=20)).ok
    return scripts[0]


PUTS = [Step(PUT, slot, word) for slot in range(3) for word in range(3)]
DEEDS = [
    Step(verb, a, b)
    for verb in (READ, EMIT, LOG, PAY, LOOK, MAKE, DRAW)
    for a in range(3)
    for b in (0, 3, 5)
]
CALLS = [Step(verb, count, to) for verb in (CALL, TRY) for count in (1, 3, 5) for to in range(15)]
ENDS = [Step(verb, 1) for verb in (REVERT, REFUSE, CRASH)]
puts = st.lists(st.sampled_from(PUTS), min_size=1, max_size=10)
steps = st.lists(st.sampled_from(PUTS * 4 + DEEDS + CALLS + ENDS), min_size=5, max_size=16)
gases = st.sampled_from([3_000_000, 3_000_000, 3_000_000, 400_000, 90_000, 60_000])
good = st.fixed_dictionaries(
    {
        "gas": gases,
        "value": st.sampled_from([0, 0, 9]),
        "fee": st.sampled_from([0, 5, 9]),
        "tip": st.sampled_from([0, 3, 9]),
        "type": st.integers(0, 2),
        "sender": st.sampled_from(Chain().accounts[:2]),
    }
)
bad = st.fixed_dictionaries(
    {
        "gas": st.sampled_from([3_000_000, 21_000, 20_999, 40_000_000]),
        "value": st.sampled_from([0, 9, 10**30]),
        "fee": st.sampled_from([0, -1]),
        "tip": st.sampled_from([0, 10**12]),
    }
)
plays = st.tuples(st.just("play"), steps, st.one_of(st.none(), st.lists(st.integers(0, 2))))
messages = st.one_of(
    plays,
    plays,
    st.tuples(st.just("deploy"), st.integers(0, 5)),
    st.tuples(
        st.just("send"), st.sampled_from([*WHERE, Chain().accounts[1]]), st.binary(max_size=40)
    ),
    st.tuples(st.just("noise"), st.binary(max_size=80)),
)


def send(
    pair: ExecutorPair, script: Address, message: tuple[Any, ...], options: dict[str, Any]
) -> None:
    match message:
        case "play", steps, listed:
            access_list = (
                () if listed is None else (pair.words_of(script, listed), (bytes(NOBODY), ()))
            )
            pair.play(script, *steps, access_list=access_list, **options)
        case "deploy", word:
            pair.deploy(word, **options)
        case "send", to, data:
            pair.send(to, data, **options)
        case "noise", data:
            pair.send(script, data, **options)


def run_alike(
    pair: ExecutorPair, script: Address, several: list[tuple[tuple[Any, ...], dict[str, Any]]]
) -> None:
    with pair.anchor():
        for message, options in several:
            send(pair, script, message, options)
        assert len({chain.state_root() for chain in pair.chains}) == 1


@settings(max_examples=150, deadline=None)
@given(several=st.lists(st.tuples(messages, good), min_size=1, max_size=4))
def test_executors_agree_on_any_transactions(
    pair: ExecutorPair, script: Address, several: list[tuple[tuple[Any, ...], dict[str, Any]]]
) -> None:
    run_alike(pair, script, several)


@settings(max_examples=80, deadline=None)
@given(several=st.lists(st.tuples(messages, bad), min_size=1, max_size=3))
def test_executors_agree_on_any_refusal(
    pair: ExecutorPair, script: Address, several: list[tuple[tuple[Any, ...], dict[str, Any]]]
) -> None:
    run_alike(pair, script, several)


@settings(max_examples=100, deadline=None)
@given(steps=steps, gas=st.integers(21_000, 600_000))
def test_executors_agree_on_any_gas_limit(
    pair: ExecutorPair, script: Address, steps: list[Step], gas: int
) -> None:
    with pair.anchor():
        pair.play(script, *steps, gas=gas)


@settings(max_examples=60, deadline=None)
@given(changes=st.lists(puts, max_size=3))
def test_executors_agree_on_any_refund(
    pair: ExecutorPair, script: Address, changes: list[list[Step]]
) -> None:
    with pair.anchor():
        for steps in changes:
            pair.play(script, *steps)


BUSY = (
    "Script.guarded cannot be re-entered: Script is still busy with a call; "
    "@call(nonreentrant=False) allows an entry to run anyway"
)


@pytest.mark.parametrize(
    ("steps", "kind", "text"),
    [
        ([Step(REVERT)], "revert", "Enough"),
        ([Step(REFUSE, 3)], "error", "Refused(step=3)"),
        ([Step(CRASH)], "exception", "IndexError: pop from empty list"),
        ([Step(CALL, 1, 2), Step(REVERT)], "revert", "Enough"),
        ([Step(CALL, 1, 4), Step(REFUSE, 3)], "error", "Refused(step=3)"),
        ([Step(CALL, 3, 1), Step(CALL, 2, 2), Step(CALL, 1, 1), Step(READ)], "refused", BUSY),
    ],
)
def test_executors_report_the_same_failures(
    pair: ExecutorPair, script: Address, steps: list[Step], kind: str, text: str
) -> None:
    with pair.anchor():
        error = accepted(pair.play(script, *steps)).error
    assert (error and error.kind, error and error.text) == (kind, text)
