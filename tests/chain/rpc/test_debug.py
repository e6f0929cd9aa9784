"""Traces over JSON-RPC, in the shapes of geth and in ours, and access lists. Figures of bytecode are as anvil gives them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from chain import Address, Chain, Contract, Key, call, event, require
from chain.abi.texts import revert_data
from chain.crypto.accounts import ACCOUNTS
from chain.rpc.debug import debug_traces, tracers
from chain.rpc.errors import BAD_PARAMS, REFUSED, RpcError
from chain.simulator.handle import Handle
from chain.types import u64
from tests.chain.helpers import Code

Ask = Callable[..., Any]
ALICE, BOB = ACCOUNTS[:2]


@event
class Counted:
    by: Key[u64]


class Counter(Contract):
    count: u64

    @call
    def add(self, by: u64) -> u64:
        self.count += by
        self.emit(Counted(by))
        require(by < 10, "too much")
        return self.count


@pytest.fixture
def counter(chain: Chain) -> Handle:
    return chain.deploy(Counter)


@pytest.fixture
def tally(chain: Chain, evm: Code, initcode: Code) -> Address:
    """Bytecode that adds the word it is sent to its word 1, logs and returns it."""
    code = evm(
        1, "SLOAD", 0, "CALLDATALOAD", "ADD", "DUP1", 1, "SSTORE", 0, "MSTORE", 0x77, 32, 0, "LOG1", 32, 0, "RETURN",
    )  # fmt: skip
    return chain.send(None, initcode(code)).address


@pytest.fixture
def refuser(chain: Chain, evm: Code, initcode: Code) -> Address:
    """Bytecode that looks at its caller's balance, writes its word 7, and refuses."""
    reason = revert_data("no")
    words = [reason[i : i + 32].ljust(32, b"\0") for i in range(0, len(reason), 32)]
    code = evm("CALLER", "BALANCE", "POP", 5, 7, "SSTORE")
    code += b"".join(evm(each, 32 * i, "MSTORE") for i, each in enumerate(words))
    return chain.send(None, initcode(code + evm(len(reason), 0, "REVERT"))).address


def hexed(raw: bytes) -> str:
    return "0x" + raw.hex()


def word(number: int) -> str:
    return f"0x{number:064x}"


def to(address: Address, data: bytes = b"") -> bytes:
    """Return the data that makes the forwarder send `data` to an address."""
    return bytes(12) + address + data


@pytest.fixture
def traced(chain: Chain, ask: Ask) -> Ask:
    """Sends a transaction and traces it."""

    def traced(address: Address, data: bytes, tracer: str = "", **config: Any) -> Any:
        tx_hash = hexed(chain.send(address, data, gas=500_000).tx_hash)
        options = {"tracer": tracer, "tracerConfig": config} if tracer else config
        return ask("debug_traceTransaction", tx_hash, options)

    return traced


# Calls


def test_calls_are_a_tree(traced: Ask, forwarder: Address, tally: Address) -> None:
    data = to(tally, (9).to_bytes(32))
    trace = traced(forwarder, data, "callTracer", withLog=True)
    (inner,) = trace.pop("calls")
    assert trace == {
        "type": "CALL", "from": hexed(ALICE), "to": hexed(forwarder), "value": "0x0", "gas": hex(500_000),
        "gasUsed": "0x10f3d", "input": hexed(data), "output": word(9),
    }  # fmt: skip
    assert inner == {
        "type": "CALL", "from": hexed(forwarder), "to": hexed(tally), "value": "0x0", "gas": "0x6d0b8",
        "gasUsed": "0x5a68", "input": word(9), "output": word(9),
        "logs": [
            {"address": hexed(tally), "topics": [word(0x77)], "data": word(9), "index": "0x0", "position": "0x0"}
        ],
    }  # fmt: skip


def test_only_top_calls_are_traced_on_demand(
    traced: Ask, forwarder: Address, tally: Address
) -> None:
    assert "calls" not in traced(forwarder, to(tally), "callTracer", onlyTopCall=True)


def test_refusals_are_passed_up(traced: Ask, forwarder: Address, refuser: Address) -> None:
    trace = traced(forwarder, to(refuser), "callTracer", withLog=True)
    for each in (trace, *trace["calls"]):
        assert (each["error"], each["revertReason"]) == ("execution reverted", "no")
        assert each["output"] == hexed(revert_data("no"))


def test_python_calls_have_the_same_shape(traced: Ask, forwarder: Address, counter: Handle) -> None:
    trace = traced(
        forwarder, to(counter.address, counter.add.calldata(3)), "callTracer", withLog=True
    )
    (inner,) = trace["calls"]
    assert (inner["type"], inner["to"], inner["output"]) == (
        "CALL",
        hexed(counter.address),
        word(3),
    )
    assert len(inner["logs"]) == 1


def test_undone_logs_are_none(traced: Ask, counter: Handle) -> None:
    trace = traced(counter.address, counter.add.calldata(99), "callTracer", withLog=True)
    assert trace["revertReason"] == "too much" and "logs" not in trace


def test_creations_are_calls(chain: Chain, ask: Ask) -> None:
    receipt = chain.receipts.where(address=chain.deploy(Counter).address).one()
    trace = ask("debug_traceTransaction", hexed(receipt.tx_hash), {"tracer": "callTracer"})
    assert (trace["type"], trace["to"]) == ("CREATE", hexed(receipt.address))


# State before


def test_prestate_is_what_was(chain: Chain, traced: Ask, tally: Address) -> None:
    chain.send(tally, (5).to_bytes(32))
    trace = traced(tally, (4).to_bytes(32), "prestateTracer")
    assert trace[hexed(tally)]["storage"] == {word(1): word(5)}
    assert trace[hexed(ALICE)]["nonce"] == chain.nonce(ALICE) - 1
    assert set(trace) == {hexed(ALICE), hexed(tally), "0x" + "00" * 20}


def test_accounts_that_were_read_are_reported(
    chain: Chain, traced: Ask, evm: Code, initcode: Code
) -> None:
    looker = chain.send(None, initcode(evm(BOB, "BALANCE"))).address
    assert hexed(BOB) in traced(looker, b"", "prestateTracer")


def test_differences_have_two_sides(traced: Ask, counter: Handle) -> None:
    trace = traced(counter.address, counter.add.calldata(3), "prestateTracer", diffMode=True)
    own = hexed(counter.address)
    assert "storage" not in trace["pre"][own]
    assert trace["post"][own] == {"storage": {word(0): word(3)}}
    assert set(trace["post"][hexed(ALICE)]) == {"balance", "nonce"}


def test_new_accounts_have_no_before(chain: Chain, ask: Ask) -> None:
    receipt = chain.send(Address(bytes(19) + b"\xaa"), value=5)
    config = {"tracer": "prestateTracer", "tracerConfig": {"diffMode": True}}
    trace = ask("debug_traceTransaction", hexed(receipt.tx_hash), config)
    assert hexed(receipt.address) not in trace["pre"]
    assert trace["post"][hexed(receipt.address)] == {"balance": "0x5"}


# Operations


def test_operations_are_logged(traced: Ask, tally: Address) -> None:
    trace = traced(tally, (9).to_bytes(32), enableMemory=True)
    logs = trace["structLogs"]
    assert (trace["failed"], trace["returnValue"]) == (False, word(9))
    assert [each["op"] for each in logs[:4]] == ["PUSH1", "SLOAD", "PUSH0", "CALLDATALOAD"]
    assert logs[1] == {
        "pc": 2, "op": "SLOAD", "gas": 478_857, "gasCost": 2100, "depth": 1, "stack": ["0x1"], "memory": [],
        "storage": {word(1): word(0)},
    }  # fmt: skip
    assert logs[-1]["memory"] == [word(9)] and logs[-1]["op"] == "RETURN"


def test_calls_cost_what_they_pass(traced: Ask, forwarder: Address, tally: Address) -> None:
    logs = traced(forwarder, to(tally, (9).to_bytes(32)))["structLogs"]
    place = next(i for i, each in enumerate(logs) if each["op"] == "CALL")
    assert logs[place]["gasCost"] == logs[place + 1]["gas"] + 2600
    assert [each["depth"] for each in logs[place : place + 2]] == [1, 2]


@pytest.mark.parametrize("part", ["Stack", "Storage"])
def test_parts_can_be_left_out(traced: Ask, tally: Address, part: str) -> None:
    trace = traced(tally, (9).to_bytes(32), **{f"disable{part}": True})
    assert all(part.lower() not in each for each in trace["structLogs"])


def test_operations_have_a_limit(
    chain: Chain, ask: Ask, evm: Code, initcode: Code, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop = chain.send(None, initcode(evm("JUMPDEST", 0, "JUMP"))).address
    fields = {"to": hexed(loop), "gas": hex(40_000)}
    assert len(ask("debug_traceCall", fields, "latest", {"limit": 3})["structLogs"]) == 3
    monkeypatch.setattr(tracers, "MOST_OPERATIONS", 100)
    monkeypatch.setattr(debug_traces, "MOST_OPERATIONS", 100)
    with pytest.raises(RpcError, match="more than 100 operations are too many"):
        ask("debug_traceCall", fields)


def test_endless_call_is_reported(chain: Chain, traced: Ask, evm: Code, initcode: Code) -> None:
    loop = chain.send(None, initcode(evm("JUMPDEST", 0, "JUMP"))).address
    trace = traced(loop, b"", "callTracer")
    assert (trace["error"], trace["gasUsed"]) == ("out of gas", trace["gas"])


# Not sent, and whole blocks


def test_calls_that_are_not_sent(chain: Chain, ask: Ask, counter: Handle) -> None:
    fields = {"to": hexed(counter.address), "data": hexed(counter.add.calldata(3))}
    trace = ask("debug_traceCall", fields, "latest", {"tracer": "callTracer"})
    assert trace["output"] == word(3) and len(chain.receipts) == 1


def test_calls_on_imagined_state(ask: Ask, counter: Handle) -> None:
    fields = {"to": hexed(counter.address), "data": hexed(counter.add.calldata(3))}
    imagined = {hexed(counter.address): {"stateDiff": {word(0): word(40)}}}
    config = {"tracer": "callTracer", "stateOverrides": imagined}
    assert ask("debug_traceCall", fields, "latest", config)["output"] == word(43)


def test_calls_in_the_past(chain: Chain, ask: Ask, counter: Handle) -> None:
    counter.add(5)
    fields = {"to": hexed(counter.address), "data": hexed(counter.add.calldata(3))}
    trace = ask("debug_traceCall", fields, chain.head.number - 1, {"tracer": "callTracer"})
    assert trace["output"] == word(3)


def test_blocks_are_traced_in_full(chain: Chain, ask: Ask, counter: Handle) -> None:
    with chain.block():
        sent = [counter.add(by, sender=who) for who, by in ((ALICE, 1), (BOB, 2))]
    traces = ask("debug_traceBlockByNumber", chain.head.number, {"tracer": "callTracer"})
    assert [each["txHash"] for each in traces] == [hexed(each.tx_hash) for each in sent]
    assert [each["result"]["output"] for each in traces] == [word(1), word(3)]


def test_our_own_trace_has_words(ask: Ask, counter: Handle) -> None:
    counter.add(3)
    trace = ask("chain_trace", 1)
    assert [each["step"] for each in trace["steps"]] == ["read", "write", "log"]
    assert trace["steps"][1]["text"] == "Counter.count: 0 -> 3"
    assert trace["text"].startswith("alice: Counter.add(3) -> 3 [")


def test_our_own_trace_of_a_call_has_words(ask: Ask, counter: Handle) -> None:
    fields = {"to": hexed(counter.address), "data": hexed(counter.add.calldata(30))}
    trace = ask("chain_traceLook", fields)
    assert trace["error"]["text"] == "too much" and trace["steps"][1]["new"] == 30


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("debug_traceTransaction", ["0x" + "00" * 32], REFUSED),
        ("debug_traceCall", [{}, "latest", {"tracer": "flatTracer"}], BAD_PARAMS),
        ("debug_traceCall", [{}, "latest", {"tracer": ["callTracer"]}], BAD_PARAMS),
        ("debug_traceBlockByNumber", ["0x99"], REFUSED),
        ("chain_trace", [99], BAD_PARAMS),
    ],
)
def test_nothing_to_trace_is_refused(ask: Ask, method: str, params: list[Any], code: int) -> None:
    with pytest.raises(RpcError) as caught:
        ask(method, *params)
    assert caught.value.code == code


# Access lists


def test_access_lists_name_words(ask: Ask, forwarder: Address, tally: Address) -> None:
    fields = {
        "from": hexed(ALICE),
        "to": hexed(forwarder),
        "data": hexed(to(tally, (9).to_bytes(32))),
    }
    answer = ask("eth_createAccessList", fields)
    assert answer["accessList"] == [
        {"address": hexed(forwarder), "storageKeys": [word(3)]},
        {"address": hexed(tally), "storageKeys": [word(1)]},
    ]
    more = {"accessList": answer["accessList"], "gas": hex(200_000)}
    receipt = ask("eth_getTransactionReceipt", ask("eth_sendTransaction", fields | more))
    assert receipt["gasUsed"] == answer["gasUsed"]


def test_access_lists_of_python(ask: Ask, counter: Handle) -> None:
    fields = {"to": hexed(counter.address), "data": hexed(counter.add.calldata(3))}
    (entry,) = ask("eth_createAccessList", fields)["accessList"]
    assert entry == {"address": hexed(counter.address), "storageKeys": [word(0)]}


def test_access_lists_of_failures(ask: Ask, refuser: Address) -> None:
    answer = ask("eth_createAccessList", {"to": hexed(refuser)})
    assert answer["error"] == "execution reverted: no"
    assert answer["accessList"] == [{"address": hexed(refuser), "storageKeys": [word(7)]}]


def test_plain_transfers_need_no_list(ask: Ask) -> None:
    answer = ask("eth_createAccessList", {"to": hexed(BOB), "value": "0x1"})
    assert answer == {"accessList": [], "gasUsed": hex(21_000)}


def test_access_list_must_be_one(ask: Ask) -> None:
    with pytest.raises(RpcError, match="the entries of the access list are 5; they must be a list"):
        ask("eth_createAccessList", {"to": hexed(BOB), "accessList": 5})
