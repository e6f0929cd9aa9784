"""A chain in a node, used remotely: the same methods, the same answers, the same blocks."""

from __future__ import annotations

import gc
import socket
import threading
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chain import (  # fmt: skip
    Chain,
    Contract,
    InvalidTransaction,
    Key,
    Map,
    World,
    call,
    event,
    require,
    reverts,
    view,
)
from chain.crypto.accounts import account_of_key
from chain.rpc.chain import remote
from chain.rpc.server.listener import Settings
from chain.rpc.server.server import Server
from chain.simulator import node_ledger
from chain.types import Address, u8, u64
from tests.chain.helpers import failure_of
from tests.chain.toys import Score, Scoring


@event
class Rolled:
    player: Key[Address]
    square: u8


class Race(Contract):
    squares: Map[Address, u8]

    @call
    def roll(self) -> u8:
        square = self.squares[self.caller] + self.random.below(6, tag="die") + 1
        require(square <= 20, "Too far")
        self.squares[self.caller] = square
        self.emit(Rolled(self.caller, square))
        self.log(f"{self.caller_id} is on {square}")
        return square

    @view
    def square_of(self, player: Address) -> u8:
        return self.squares[player]

    @view
    def age(self) -> u64:
        return self.block.timestamp


OFFERED = (World, Race, Scoring)


@pytest.fixture
def near() -> Chain:
    chain = Chain()
    for contract in OFFERED:
        chain.declare(contract)
    return chain


@pytest.fixture
def far(near: Chain) -> Chain:
    return Chain.connect(near.node)


@pytest.fixture
def url(near: Chain) -> Iterator[str]:
    """A node on a port, whose chain is `near`."""
    with Server(near, Settings(port=0)).in_thread() as url:
        yield url


@pytest.fixture(params=["memory", "file", "node", "url"])
def each(request: Any, tmp_path: Path, near: Chain) -> Iterator[Chain]:
    chain = {
        "memory": lambda: Chain.reach("memory"),
        "file": lambda: Chain.reach(str(tmp_path / "race.chain")),
        "node": lambda: Chain.connect(near.node),
        "url": lambda: Chain.reach(request.getfixturevalue("url")),
    }[request.param]()
    yield chain
    chain.close()


def play(chain: Chain) -> Iterator[Any]:
    """Yield what a script would print: a bit of everything that a chain can do."""
    alice, bob = chain.accounts[:2]
    first = chain.account("first.testnet")
    race = chain.deploy(Race, sender=alice)
    with chain.loaded(die=[5, 5, 5]):
        yield [race.roll(sender=alice).return_value for _ in range(3)]
    yield race.roll(sender=first).logs
    chain.advance(65)
    yield race.age(), race.square_of(alice), chain.now
    with chain.loaded(die=[5]):
        refused = race.roll(sender=alice, check=False)
    yield refused.ok, failure_of(refused).text, refused.events, str(refused.undone_changes == ())
    with chain.block():
        yield race.roll(sender=bob).return_value
        race.roll(sender=first)
    with chain.anchor():
        chain.advance(1000)
        race.roll(sender=bob)
    yield chain.events(Rolled, player=bob).count(), race.fields.squares[bob]
    yield [(r.entry, r.ok, r.gas_used, r.timestamp) for r in chain.receipts]
    yield [str(write) for write in chain.receipts[1].writes]
    world = chain.deploy_world("arcade", systems=[Scoring], writers={Score: [Scoring]})
    world.system(Scoring).win(5, sender=bob)
    yield world.read(Score, bob), world.all(Score), len(world.history(Score, bob))
    yield list(chain.sql("select name(player) who, max(square) far from Rolled group by player"))
    yield chain.at(block=2).handle(race).square_of(alice), chain.balance(alice), race.balance
    chain.set_next_block(prevrandao=7, base_fee=5, coinbase=bob)
    yield race.roll(sender=first).trace.writes
    chain.mine(2)
    chain.set_time(chain.now + 10)
    yield chain.head.number, chain.activity()
    yield chain.block_hash().hex(), chain.state_root().hex()


@pytest.fixture(scope="module")
def expected() -> list[str]:
    return [*map(repr, play(Chain()))]


def test_script_runs_unchanged_everywhere(each: Chain, expected: list[str]) -> None:
    assert [*map(repr, play(each))] == expected


def test_client_shows_the_same_hash(near: Chain, far: Chain) -> None:
    [*play(near)]
    assert far.block_hash() == near.block_hash()
    assert Chain.connect(near.node, contracts=OFFERED).activity() == near.activity()


def test_long_chain_is_read_in_pages(near: Chain, monkeypatch: pytest.MonkeyPatch) -> None:
    [*play(near)]
    monkeypatch.setattr(remote, "ROWS", 2)
    monkeypatch.setattr(remote, "_MOST", (2,) * 6)
    far = Chain.connect(near.node, contracts=OFFERED)
    assert far.activity() == near.activity()
    assert far.fork().block_hash() == near.block_hash()


ACTS: dict[str, Callable[[Chain, Any], object]] = {
    "roll": lambda chain, race: race.roll(check=False),
    "mine": lambda chain, race: chain.mine(),
    "advance": lambda chain, race: chain.advance(5),
    "name": lambda chain, race: chain.account("second.testnet"),
    "fund": lambda chain, race: chain.set_balance(chain.accounts[3], 5),
    "wish": lambda chain, race: (
        None if chain.ledger.open else chain.set_next_block(prevrandao=7, base_fee=10**9 + 1)
    ),
    "hold": lambda chain, race: setattr(chain, "automine", not chain.automine),
}


@given(st.lists(st.sampled_from([*ACTS, "snapshot", "revert", "look"]), max_size=25), st.booleans())
def test_client_sees_every_change(acts: list[str], forgetful: bool) -> None:
    near = Chain()
    race = near.deploy(Race)
    far = Chain.connect(near.node, contracts=[Race])
    taken = [near.snapshot()]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(node_ledger, "_FEW", 0 if forgetful else 64)
        for act in acts:
            if act == "snapshot":
                taken.append(near.snapshot())
            elif act == "revert":
                near.revert(taken.pop() if len(taken) > 1 else taken[0])
            elif act == "look":
                assert far.activity() == near.activity()
            else:
                ACTS[act](near, race)
        assert far.pending == near.pending and far.now == near.now
        assert far.state_root() == near.state_root()
        assert far.state.accounts == near.state.accounts


def test_page_that_was_interrupted_is_fetched_again(
    near: Chain, far: Chain, monkeypatch: Any
) -> None:
    def stop(*_: Any) -> Any:
        raise KeyboardInterrupt

    near.mine(3)
    with monkeypatch.context() as patched:
        patched.setattr("chain.simulator.remote_driver.Mining._make", stop)
        with pytest.raises(KeyboardInterrupt):
            _ = far.head
    assert (far.head, far.block_hash()) == (near.head, near.block_hash())


def test_two_follow_one_node(near: Chain, far: Chain) -> None:
    race = far.deploy(Race)
    other = Chain.connect(near.node, contracts=[Race])
    assert other.handle(Race, race.address).roll().return_value == far.receipts[-1].return_value


def test_failed_call_raises_with_its_place(far: Chain) -> None:
    race = far.deploy(Race)
    with far.loaded(die=[5, 5, 5, 5]), reverts("Too far"):
        for _ in range(4):
            race.roll()
    assert "test_connected.py" in failure_of(far.receipts[-1]).place


def test_contract_not_offered_is_refused(near: Chain) -> None:
    class Other(Contract):
        @view
        def one(self) -> u8:
            return 1

    with pytest.raises(InvalidTransaction, match="no contract with digest"):
        Chain.connect(near.node).deploy(Other)


def test_impossible_transaction_is_refused(far: Chain) -> None:
    with pytest.raises(InvalidTransaction):
        far.send(far.accounts[1], sender=far.accounts[0], value=10**30)
    assert len(far.receipts) == 0


def test_time_does_not_run_backwards(far: Chain) -> None:
    far.mine()
    with pytest.raises(ValueError, match="time does not run backwards"):
        far.set_time(1)
    with pytest.raises(ValueError, match="time does not run backwards"):
        far.advance(-1)


def test_outcomes_left_over_are_reported(far: Chain) -> None:
    with pytest.raises(AssertionError, match="not drawn"), far.loaded(die=[1]):
        pass
    with far.loaded(die=[]):  # they were unloaded nevertheless
        pass


def test_complete_state_is_set_remotely(near: Chain, far: Chain) -> None:
    who = far.accounts[4]
    far.set_balance(who, 5)
    far.set_nonce(who, 7)
    far.set_storage(who, 3, 4)
    far.set_code(who, b"\xfe")
    far.set_next_block(prevrandao=9, base_fee=10**9 + 2, coinbase=far.accounts[5])
    made = far.mine()
    assert (far.balance(who), far.nonce(who), far.storage(who, 3), far.code(who)) == (
        5,
        7,
        4,
        b"\xfe",
    )
    assert (made.prevrandao, made.base_fee, made.coinbase) == (9, 10**9 + 2, far.accounts[5])
    assert far.block_hash() == near.block_hash()


def test_snapshot_serves_again(far: Chain) -> None:
    taken = far.snapshot()
    for _ in range(2):
        far.mine(3)
        far.revert(taken)
        assert len(far.blocks) == 1


def test_connected_chain_is_released() -> None:
    near = Chain()
    Chain.connect(near.node)
    gone = weakref.ref(near.ledger)
    del near
    gc.collect()
    assert gone() is None


def test_node_that_began_again_is_noticed(near: Chain, far: Chain) -> None:
    far.mine()
    other = Chain.connect(Chain().node).driver._client  # type: ignore[attr-defined]
    far.driver._known.node = far.driver._known.node._replace(client=other)  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match="was reset: connect to it again"):
        _ = far.now


@pytest.mark.parametrize("url", ["localhost:8545", "ftp://a", "http://"])
def test_wrong_address_is_reported(url: str) -> None:
    with pytest.raises(ValueError, match="is not an address of a node"):
        Chain.connect(url)


def test_unreachable_node_is_reported() -> None:
    with pytest.raises(ConnectionError, match="there is no node at"):
        Chain.connect("http://127.0.0.1:9")


@pytest.mark.parametrize(
    ("method", "params"),
    [
        *(("chain_head", ["", counts]) for counts in (None, [1], [0, 0, 0, 0, 0, -1], "010010", [0] * 7)),
        *(("chain_rows", ["", *asked]) for asked in ([], ["keys", 0], [["receipts"], 0], ["blocks", 1, 2], ["blocks", -1])),
        *(("chain_table", ["", *asked]) for asked in (["keys", "select 1", []], ["receipts", 1, []],
          ["receipts", "select 1", 1], ["receipts", "select -1", []], ["receipts", "select", []],
          ["receipts", "delete from \"derived:receipts\"", []], ["receipts", "select * from sqlite_master", []])),
        ("chain_transact", ["", [], {}]),
    ],
)  # fmt: skip
def test_wrong_questions_are_refused(near: Chain, method: str, params: list[Any]) -> None:
    asked = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    assert near.node.handle(asked)["error"]["code"] == -32602


def test_web3_on_a_node_sees_the_same(url: str, near: Chain) -> None:
    far = Chain.connect(url, contracts=[Race])
    race = far.deploy(Race)
    race.roll()
    assert (
        race.web3.functions.square_of(str(far.accounts[0])).call() == near.receipts[-1].return_value
    )


def test_idle_connection_is_reopened(url: str) -> None:
    far = Chain.connect(url)
    far.driver._client._connection.sock.shutdown(2)  # type: ignore[attr-defined]
    assert far.head.number == 0


def test_node_that_went_away_is_reported(near: Chain) -> None:
    with Server(near, Settings(port=0)).in_thread() as url:
        far = Chain.connect(url)
    with pytest.raises(ConnectionError, match="there is no node at"):
        far.mine()


@pytest.mark.parametrize("answer", [b"<html>", b"[]", b"{}"])
def test_server_that_is_not_a_node_is_reported(answer: bytes) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=_answer_once, args=(listening, answer))
        thread.start()
        with pytest.raises(ConnectionError, match="is not a node"):
            Chain.connect(f"http://127.0.0.1:{listening.getsockname()[1]}")
        thread.join()


def _answer_once(listening: socket.socket, answer: bytes) -> None:
    connection, _ = listening.accept()
    with connection:
        connection.recv(65536)
        head = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(answer)
        connection.sendall(head + answer)


def test_reverted_block_is_not_mined(each: Chain) -> None:
    race = each.deploy(Race)
    snapshot, head = each.snapshot(), each.head.number
    with each.block():
        race.roll()
        each.revert(snapshot)
    assert (each.head.number, len(each.receipts)) == (head, 1)
    with each.block():
        race.roll()
        each.revert(snapshot)
        race.roll()
    assert (each.head.number, len(each.receipts), each.automine) == (head + 1, 2, True)


# A chain that grows and goes back elsewhere


def test_what_was_undone_is_not_shown_as_present(near: Chain, far: Chain) -> None:
    race = far.deploy(Race)
    before = far.receipts[-1]
    there = near.snapshot()
    near.handle(race).roll()
    undone, past = far.receipts[-1], far.at(2)
    assert past.handle(race).square_of(far.accounts[0]) == undone.return_value
    assert far.blocks[2].timestamp == near.blocks[2].timestamp
    near.revert(there)
    near.advance(50)
    near.handle(race).roll(sender=far.accounts[1])
    near.mine()
    assert far.blocks[2].timestamp == near.blocks[2].timestamp
    with pytest.raises(LookupError, match="this transaction was undone"):
        far.before(undone)
    with pytest.raises(ValueError, match="went back meanwhile"):
        past.balance(far.accounts[1])
    assert undone.entry == "roll" and far.before(before).code(race) == b""
    assert far.receipts[0] == before and far.receipts[1] != undone
    assert race.square_of(far.accounts[0]) == 0 < race.square_of(far.accounts[1])


def test_contract_that_was_undone_has_no_name(near: Chain) -> None:
    start, far = near.snapshot(), Chain.connect(near.node, contracts=OFFERED)
    first = near.deploy(Race)
    assert far.contract("Race").address == first.address
    near.revert(start)
    near.mine()
    near.deploy_world("arcade", systems=[Scoring])
    assert [each.name for each in far.contracts] == ["World", "Scoring"]
    assert str(far.receipts[0]) == str(near.receipts[0])
    for _ in range(1_001):  # more often than the node remembers how far
        near.revert(start)
    race = near.deploy(Race)
    assert [each.name for each in far.contracts] == ["Race"]
    near.revert(start)
    other = near.deploy(Race, sender=near.accounts[4])
    assert far.contract("Race").address == other.address != race.address
    assert far.activity() == near.activity()


def test_writes_elsewhere_have_their_names(near: Chain, far: Chain) -> None:
    near.deploy(Race).roll(sender=near.accounts[5])
    assert [*map(str, far.receipts[-1].writes)] == [*map(str, near.receipts[-1].writes)]
    assert "Race.squares[frank]" in str(far.receipts[-1].writes)


def test_change_elsewhere_shows_where_it_was_read_before(near: Chain, far: Chain) -> None:
    race, who = far.deploy(Race), far.accounts[3]
    assert (race.square_of(who), far.balance(who), race.fields.squares[who]) == (0, 10**22, 0)
    near.handle(race).roll(sender=who)
    near.set_balance(who, 7)
    assert race.fields.squares[who] == race.square_of(who) == far.receipts[-1].return_value
    assert far.balance(who) == 7
    for _ in range(100):
        near.set_balance(who, near.balance(who) + 1)
    assert far.balance(who) == 107 and far.at(1).balance(who) == 10**22


def test_only_what_is_asked_for_is_read(near: Chain) -> None:
    race = near.deploy(Race)
    for _ in range(300):
        race.roll(check=False)
    asked: list[Any] = []

    class Counting:
        def handle(self, message: Any) -> object:
            answer = near.node.handle(message)
            asked.append((message["method"], len(str(answer))))
            return answer

    far = Chain.connect(Counting(), contracts=[Race])
    assert far.contract("Race").square_of(near.accounts[0]) == race.square_of(near.accounts[0])
    assert far.events(Rolled).count() == near.events(Rolled).count()
    assert "chain_table" in {method for method, _ in asked}
    assert sum(size for _, size in asked) < 60_000


def test_fork_of_a_node_goes_on_alone(near: Chain) -> None:
    [*play(near)]
    far = Chain.connect(near.node, contracts=OFFERED)
    past, now = far.fork(at=5), far.fork()
    assert (past.state_root(), past.head) == (near.state_root(5), near.blocks[5])
    assert (now.state_root(), now.activity(), now.pending) == (
        near.state_root(),
        near.activity(),
        near.pending,
    )
    near.mine(3)
    race = now.contract("Race")
    with now.mock(race.square_of, returns=9):
        assert race.square_of(now.accounts[0]) == 9
    race.roll(sender=now.accounts[2], check=False)
    assert now.head.number == near.head.number - 2


def test_no_key_and_no_program_travels(near: Chain) -> None:
    alice, zoe, race = near.accounts[0], near.account("zoe"), near.deploy(Race)
    added = account_of_key(bytes([7] * 32), "added")
    near.keys[added] = added
    heard = near.node.request("chain_head", ["", [0] * 6])
    for receipts in (heard, near.node.request("chain_rows", ["", "receipts", 0])):
        raw = bytes.fromhex(receipts[2:])
        assert alice.key not in raw and zoe.key not in raw and b"def roll" not in raw
    far = Chain.connect(near.node)
    assert far.keys[zoe].key == zoe.key and added not in far.keys
    assert race.address in far.state.accounts


def test_abi_that_only_the_client_knows_is_not_silence(near: Chain, far: Chain) -> None:
    abi = [{"type": "event", "name": "Rang", "inputs": [], "anonymous": False}]
    bell = far.load(far.deploy(Race).address, abi, "Bell")
    assert bell.address in far.ledger.foreign.names
    with pytest.raises(
        LookupError, match=r"the ABI of Rang is not known in the node: ask chain.fork\(\)"
    ):
        far.events("Rang").count()


@pytest.mark.parametrize(
    "answer", [None, 5, "0x", "0xzz", "0x93", "0x80", "0xc0", "0x91" * 5000, [], {"a": 1}]
)
def test_nonsense_of_a_node_is_reported(near: Chain, answer: Any) -> None:
    class Liar:
        lies = False

        def handle(self, message: Any) -> Any:
            honest: Any = near.node.handle(message)
            return {**honest, "result": answer} if self.lies else honest

    near.deploy(Race)
    liar = Liar()
    far = Chain.connect(liar, contracts=[Race])
    liar.lies = True
    for ask in (
        lambda: Chain.connect(liar),
        lambda: far.head,
        lambda: far.account("new"),
        far.mine,
    ):
        with pytest.raises(ConnectionError, match="does not answer as one of this version"):
            ask()
    liar.lies = False
    assert far.activity() == near.activity()
