"""Long requests run in a copy of the node, with the same result, and no other request waits for them."""

from __future__ import annotations

import asyncio
import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from chain import Address, Chain
from chain.crypto.accounts import ACCOUNTS
from chain.ledger import store
from chain.ledger.ledger import Ledger
from chain.rpc.chain import sql
from chain.rpc.limits import Limits
from chain.rpc.server import request_runner
from chain.rpc.server.access import AccessPolicy
from chain.rpc.server.app import App
from tests.chain.helpers import Code

# An interrupt that comes where Python drops errors is reported on stderr, and comes again.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
Request = tuple[str, list[Any]]
ALICE, BOB, CAROL = (str(each) for each in ACCOUNTS[:3])
LONG = 400_000  # gas for several times what a request is tried for here
ENDLESS = 15_000_000  # gas for seconds
SHORT: Request = ("eth_getBalance", [ALICE, "latest"])


@pytest.fixture(autouse=True)
def _short_trials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_runner, "_TRIAL_SECONDS", 0.004)
    monkeypatch.setattr(request_runner, "_SHORT_TRIAL_SECONDS", 0.004)


def prepared(chain: Chain, evm: Code, initcode: Code) -> Address:
    """Bytecode that counts in its word 1, and then runs out of gas; with a word of data it stops after that many rounds."""
    begin = evm(1, "SLOAD", 1, "ADD", 1, "SSTORE", 0, "CALLDATALOAD")
    slow = evm(*["GAS", "POP"] * 8)  # cheap, but not compiled
    loop = evm("JUMPDEST") + slow + evm(1, "SWAP1", "SUB", "DUP1", len(begin), "JUMPI", "STOP")
    return chain.send(None, initcode(begin + loop)).address


@pytest.fixture
def loop(chain: Chain, evm: Code, initcode: Code) -> Address:
    return prepared(chain, evm, initcode)


def sending(loop: Address, rounds: int = 4_000, sender: str = ALICE, gas: int = LONG) -> Request:
    """Return the request for a transaction of this many rounds."""
    message = {"from": sender, "to": str(loop), "gas": hex(gas), "data": f"0x{rounds:064x}"}
    return "eth_sendTransaction", [message]


def looking(loop: Address, gas: int = LONG) -> Request:
    return "eth_call", [{"to": str(loop), "gas": hex(gas), "data": f"0x{2**200:064x}"}]


class Client:
    """Asks a node in process, several requests at once if needed."""

    def __init__(self, chain: Chain, limits: Limits | None = None) -> None:
        chain.node.limits = limits or Limits()
        self.app = App(chain.node, AccessPolicy(), lambda: None)
        self.done: list[int] = []  # the requests in the order in which they were answered

    def ask(self, *requests: Request) -> list[Any]:
        return asyncio.run(self.all_of(*requests))

    async def all_of(self, *requests: Request) -> list[Any]:
        return await asyncio.gather(*(self._one(i, *each) for i, each in enumerate(requests)))

    async def _one(self, number: int, method: str, params: list[Any]) -> Any:
        message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        raw = await self.app.runner.answer(message, {}, 1 << 20)
        self.done.append(number)
        answer = json.loads(raw or b"{}")
        return answer.get("result", answer.get("error", {}).get("message"))


def shown(ledger: Ledger) -> list[Any]:
    return [(receipt.row[:10], receipt.changes, receipt.log_rows) for receipt in ledger.receipts]


def test_calls_do_not_block_others(chain: Chain, loop: Address) -> None:
    client, before = Client(chain), chain.block_hash()
    long, short = client.ask(looking(loop), SHORT)
    assert client.done == [1, 0]
    assert (long, int(short, 16)) == (f"out of gas: {loop} ran out of gas", chain.balance(ALICE))
    assert (chain.block_hash(), len(chain.receipts), chain.storage(loop, 1)) == (before, 1, 0)


def test_long_queries_do_not_block_others(chain: Chain, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sql, "_AT_ONCE", sql._AT_ONCE._replace(steps=10_000))
    numbers = "with recursive t(n) as (select 1 union all select n + 1 from t limit 50000)"
    client = Client(chain)
    long, _ = client.ask(("chain_sql", [f"{numbers} select max(n) from t"]), SHORT)
    assert (client.done, long["rows"]) == ([1, 0], [[50_000]])


def test_long_queries_on_a_file_do_not_block_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sql, "_AT_ONCE", sql._AT_ONCE._replace(steps=1_000))
    pairs = "select count(*), max(a.value), name(a.sender) from receipts a, receipts b, receipts c"
    with Chain.open(tmp_path / "a.chain") as chain:
        for _ in range(30):
            chain.send(ALICE, value=10**20)
        client = Client(chain)
        long, refused, _ = client.ask(("chain_sql", [pairs]), ("chain_sql", ["select x"]), SHORT)
        assert (client.done, long["rows"]) == ([1, 2, 0], [[27_000, str(10**20), "alice"]])
        assert refused == "no such column: x"


def test_tables_are_filled_beside_others(chain: Chain, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sql, "_SLICE", 0.0)
    monkeypatch.setattr(store, "_BATCH", 2)
    for _ in range(9):
        chain.send(ALICE)
    client = Client(chain)
    counted, _ = client.ask(("chain_sql", ["select count(*) from receipts"]), SHORT)
    assert (client.done, counted["rows"]) == ([1, 0], [[9]])


def test_transactions_hold_up_nobody(chain: Chain, loop: Address) -> None:
    client = Client(chain)
    client.ask(sending(loop, 20_000, gas=ENDLESS), SHORT)
    assert client.done == [1, 0]
    assert (chain.storage(loop, 1), chain.nonce(ALICE)) == (1, 2)


@pytest.mark.parametrize("rounds", [4_000, 2**200])  # it goes well, and it runs out of gas
def test_they_do_what_they_do_alone(evm: Code, initcode: Code, rounds: int) -> None:
    aside, alone = Chain(), Chain()
    loops = [prepared(each, evm, initcode) for each in (aside, alone)]
    [sent] = Client(aside).ask(sending(loops[0], rounds))
    assert sent == alone.node.request(*sending(loops[1], rounds))
    assert aside.block_hash() == alone.block_hash()
    assert shown(aside.ledger) == shown(alone.ledger)
    assert aside.mining == alone.mining


def test_transactions_of_workers_are_in_the_file(tmp_path: Path, evm: Code, initcode: Code) -> None:
    with Chain.open(tmp_path / "a.chain") as chain:
        loop = prepared(chain, evm, initcode)
        [sent] = Client(chain).ask(sending(loop))
        head = chain.block_hash()
    with Chain.open(tmp_path / "a.chain") as chain:
        assert (chain.block_hash(), "0x" + chain.receipts[-1].tx_hash.hex()) == (head, sent)


def test_old_rows_of_a_file_can_be_needed(tmp_path: Path, evm: Code, initcode: Code) -> None:
    with Chain.open(tmp_path / "a.chain") as chain:
        loop = prepared(chain, evm, initcode)
        [sent] = Client(chain).ask(sending(loop))
    with Chain.open(tmp_path / "a.chain") as chain:
        traced, then, _ = Client(chain).ask(
            ("debug_traceTransaction", [sent, {"tracer": "callTracer"}]),
            ("eth_call", [looking(loop)[1][0], "0x1"]),
            sending(loop),
        )
        assert (traced["to"], then) == (str(loop).lower(), f"out of gas: {loop} ran out of gas")
        assert (chain.storage(loop, 1), len(chain.receipts)) == (2, 3)


def test_requests_are_included_in_the_order_of_completion(chain: Chain, loop: Address) -> None:
    client = Client(chain)
    short = sending(loop, 1, BOB)
    client.ask(sending(loop), short, sending(loop, sender=CAROL), short)
    senders = [(ALICE, BOB, CAROL, BOB)[request] for request in client.done]
    assert [str(receipt.sender) for receipt in chain.receipts[1:]] == senders
    assert chain.storage(loop, 1) == 4


def test_one_that_is_always_overtaken_gets_its_turn(chain: Chain, loop: Address) -> None:
    client = Client(chain)

    async def busy() -> None:
        seen: set[Any] = set()
        while 0 not in client.done:
            new = client.app.runner._workers.keys() - seen
            if new and not client.app.runner.is_held:
                chain.mine()
            seen |= new
            await asyncio.sleep(0)

    async def both() -> Any:
        return (await asyncio.gather(client._one(0, *sending(loop)), busy()))[0]

    assert asyncio.run(both()) == "0x" + chain.receipts[-1].tx_hash.hex()


def test_the_open_block_is_run_again_aside(evm: Code, initcode: Code) -> None:
    aside, alone = Chain(), Chain()
    loop, same = (prepared(each, evm, initcode) for each in (aside, alone))
    client = Client(aside)
    for each in (aside, alone):
        each.automine = False
    later: Request = ("evm_increaseTime", ["0x64"])
    client.ask(sending(loop))
    client.done.clear()
    client.ask(later, SHORT)
    assert client.done == [1, 0]
    alone.node.request(*sending(same))
    alone.node.request(*later)
    assert aside.mine().timestamp == alone.mine().timestamp
    assert aside.block_hash() == alone.block_hash()


# The last resort


@pytest.mark.parametrize(
    "act", [looking, partial(sending, rounds=2**200)], ids=["looking", "sending"]
)
def test_much_time_is_refused(chain: Chain, loop: Address, act: Any) -> None:
    client, before = Client(chain, Limits(seconds=0.005)), chain.block_hash()
    [no] = client.ask(act(loop, gas=ENDLESS))
    assert no.startswith("it took more than 0.005 s of computing, so it was stopped")
    assert (chain.block_hash(), chain.nonce(ALICE), len(chain.receipts)) == (before, 1, 1)
    assert client.ask(SHORT) == [hex(chain.balance(ALICE))]


def test_much_memory_is_refused(chain: Chain, evm: Code, initcode: Code) -> None:
    begin = evm(1, 1 << 20, "MSTORE")  # each message keeps a megabyte
    again = evm("JUMPDEST", 0, 0, 1 << 20, 0, 0, 0x1234, "GAS", "CALL", "POP", len(begin), "JUMP")
    where = chain.send(None, initcode(begin + again)).address
    client, before = Client(chain, Limits(memory=1 << 26)), chain.block_hash()
    [no] = client.ask(("eth_sendTransaction", [{"to": str(where), "gas": hex(20_000_000)}]))
    assert no.startswith("eth_sendTransaction: it needs more memory than is allowed")
    assert chain.block_hash() == before


def test_a_node_ends_without_waiting(chain: Chain, loop: Address) -> None:
    client = Client(chain)

    async def end() -> list[Any]:
        asked = asyncio.ensure_future(
            client.all_of(looking(loop, ENDLESS), sending(loop, 2**200, gas=ENDLESS))
        )
        await client.all_of(SHORT)
        client.app.runner.close()
        return await asked

    assert asyncio.run(end()) == ["the node ends, so it was stopped and undone"] * 2
    assert len(chain.receipts) == 1


def test_the_oldest_makes_room(chain: Chain, loop: Address, monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    monkeypatch.setattr(request_runner, "_TURN", 0)
    client = Client(chain, Limits(workers=1))
    first, second = client.ask(looking(loop), looking(loop))
    assert "because 1 other long requests came since" in first
    assert second == f"out of gas: {loop} ran out of gas"
