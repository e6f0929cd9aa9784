"""The direct road and py-evm's, held equal: the same transactions on two chains, one of which sends all through py-evm."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chain import (
    Address,
    Chain,
)  # fmt: skip
from tests.framework.helpers import Code
from tests.framework.machine.two_executors import (
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
    Roads,
    Step,
    accepted,
    data_of,
    forwarder,
)


@pytest.fixture(scope="module")
def roads() -> Roads:
    return Roads()


@pytest.fixture(scope="module")
def script(roads: Roads, evm: Code, initcode: Code) -> Address:
    """A script with partners: another, the same but guarded, and it again behind three kinds of bytecode."""
    scripts = accepted(roads.deploy(1)).address, accepted(roads.deploy(2)).address

    def behind(target: Address, kind: str) -> Address:
        return accepted(roads.send(None, initcode(forwarder(evm, target, kind)))).address

    for one, other in (scripts, scripts[::-1]):
        lender = behind(other, "lend")
        partners = [other, other, behind(other, "pass"), behind(other, "swallow"), lender]
        for who in (one, lender):
            assert accepted(roads.send(who, data_of("meet", partners))).ok
            assert accepted(roads.play(who, value=20)).ok
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


def send(roads: Roads, script: Address, message: tuple[Any, ...], options: dict[str, Any]) -> None:
    match message:
        case "play", steps, listed:
            access_list = (
                () if listed is None else (roads.words_of(script, listed), (bytes(NOBODY), ()))
            )
            roads.play(script, *steps, access_list=access_list, **options)
        case "deploy", word:
            roads.deploy(word, **options)
        case "send", to, data:
            roads.send(to, data, **options)
        case "noise", data:
            roads.send(script, data, **options)


def alike(
    roads: Roads, script: Address, several: list[tuple[tuple[Any, ...], dict[str, Any]]]
) -> None:
    with roads.anchor():
        for message, options in several:
            send(roads, script, message, options)
        assert len({chain.state_root() for chain in roads.chains}) == 1


@settings(max_examples=250, deadline=None)
@given(several=st.lists(st.tuples(messages, good), min_size=1, max_size=4))
def test_executors_agree_on_any_transactions(
    roads: Roads, script: Address, several: list[tuple[tuple[Any, ...], dict[str, Any]]]
) -> None:
    alike(roads, script, several)


@settings(max_examples=80, deadline=None)
@given(several=st.lists(st.tuples(messages, bad), min_size=1, max_size=3))
def test_executors_agree_on_any_refusal(
    roads: Roads, script: Address, several: list[tuple[tuple[Any, ...], dict[str, Any]]]
) -> None:
    alike(roads, script, several)


@settings(max_examples=150, deadline=None)
@given(steps=steps, gas=st.integers(21_000, 600_000))
def test_executors_agree_on_any_gas_limit(
    roads: Roads, script: Address, steps: list[Step], gas: int
) -> None:
    with roads.anchor():
        roads.play(script, *steps, gas=gas)


@settings(max_examples=60, deadline=None)
@given(changes=st.lists(puts, max_size=3))
def test_executors_agree_on_any_refund(
    roads: Roads, script: Address, changes: list[list[Step]]
) -> None:
    with roads.anchor():
        for steps in changes:
            roads.play(script, *steps)


BUSY = (
    "Script.guarded is not open to re-entry: Script is still busy with a call;"
    " @call(nonreentrant=False) lets an entry run all the same"
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
    roads: Roads, script: Address, steps: list[Step], kind: str, text: str
) -> None:
    with roads.anchor():
        error = accepted(roads.play(script, *steps)).error
    assert (error and error.kind, error and error.text) == (kind, text)
