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
from chain.ledger.file import replication
from chain.rpc.chain import ledger_feed
from chain.rpc.server.listener import Settings
from chain.rpc.server.server import Server
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


def test_follower_reaches_the_same_hash(near: Chain, far: Chain) -> None:
    [*play(near)]
    assert far.block_hash() == near.block_hash()
    assert Chain.connect(near.node, contracts=OFFERED).activity() == near.activity()


@pytest.mark.parametrize(("limit", "size"), [("PAGE", 2), ("PAGE_BYTES", 100)])
def test_long_chain_comes_in_pages(
    near: Chain, monkeypatch: pytest.MonkeyPatch, limit: str, size: int
) -> None:
    [*play(near)]
    monkeypatch.setattr(replication, limit, size)
    pieces: list[int] = []
    far = Chain.connect(near.node, watch=pieces.append)
    assert far.block_hash() == near.block_hash()
    assert len(pieces) > 2 and len(near.receipts) - 2 <= sum(pieces) <= len(near.receipts)


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
def test_follower_survives_every_change(acts: list[str], forgetful: bool) -> None:
    near = Chain()
    race = near.deploy(Race)
    far = Chain.connect(near.node, contracts=[Race])
    taken = [near.snapshot()]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ledger_feed, "_MOST_CUTS", 2 if forgetful else 1000)
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
    far.driver._client = Chain.connect(Chain().node).driver._client  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match="was reset: connect to it again"):
        _ = far.now


@pytest.mark.parametrize("url", ["localhost:8545", "ftp://a", "http://"])
def test_wrong_address_is_reported(url: str) -> None:
    with pytest.raises(ValueError, match="is not an address of a node"):
        Chain.connect(url)


def test_unreachable_node_is_reported() -> None:
    with pytest.raises(ConnectionError, match="there is no node at"):
        Chain.connect("http://127.0.0.1:9")


@pytest.mark.parametrize("since", [None, [1], [0, 1, 0, 0, 1, 0, 0, -1], "0100110", [0] * 9])
def test_wrong_lengths_are_refused(near: Chain, since: Any) -> None:
    asked = {"jsonrpc": "2.0", "id": 1, "method": "chain_follow"}
    token = near.node.request("chain_rules")[-1]
    assert near.node.handle({**asked, "params": [token, since]})["error"]["code"] == -32602


def test_web3_on_a_node_sees_the_same(url: str, near: Chain) -> None:
    far = Chain.connect(url, contracts=[Race])
    race = far.deploy(Race)
    race.roll()
    assert (
        race.web3.functions.square_of(str(far.accounts[0])).call() == near.receipts[-1].return_value
    )


def test_idle_connection_is_reopened(url: str, far: Chain) -> None:
    remote = Chain.connect(url)
    remote.driver._client._connection.sock.shutdown(2)  # type: ignore[attr-defined]
    assert remote.head.number == 0


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
