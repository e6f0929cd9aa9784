"""Typical uses of a chain, a function for each, which tests interrupt at any line."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from chain import Chain, Contract, Key, Map, System, call, event, model, require, view
from chain.ledger.decoded.activity import activity_of
from chain.simulator.handle import Handle
from chain.simulator.world_handle import WorldHandle
from chain.types import Address, u64

# Returns the sum of the word it is called with and the one it keeps, and keeps that.
ADDER = bytes.fromhex("600c600c600039600c6000f3" + "600035600054018060005500")
DEEP = 40  # a message as deep as this continues in another thread


@event
class Added:
    by: Key[Address]
    n: u64
    count: u64


@model
class Score:
    player: Key[Address]
    points: u64


class Inner(Contract):
    count: u64

    @call
    def add(self, n: u64) -> u64:
        require(n < 100, "too much at once")
        self.count += n
        return self.count


class Counter(Contract):
    count: u64
    by: Map[str, u64]
    list_: list[u64]

    @call(payable=True)
    def add(self, n: u64) -> u64:
        self.count += n
        self.by[self.caller_id] += n
        self.list_ = [*self.list_[-3:], n]
        self.emit(Added(self.caller, n, self.count))
        self.log(f"now {self.count}")
        require(n < 1000, "too much")
        return self.count

    @call
    def draw(self) -> u64:
        self.count += self.random.below(6, tag="die")
        return self.count

    @call
    def make(self, n: u64) -> Address:
        made = self.deploy(Inner)
        self.at(Inner, made).add(n)
        return made

    @call(nonreentrant=False)
    def down(self, n: u64) -> u64:
        self.count += 1
        return self.at(Counter, self.address).down(n - 1) if n else self.count

    @view
    def total(self) -> u64:
        return self.count


class More(Counter):
    bonus: u64

    @call
    def add_bonus(self, n: u64) -> u64:
        self.bonus += n
        return self.bonus


class Scoring(System):
    @call
    def score(self, n: u64) -> u64:
        mine = self.world.read(Score, self.caller)
        self.world.write(Score(self.caller, mine.points + n))
        if n == 7:
            self.world.erase(mine)
        return mine.points


def begin(chain: Chain) -> None:
    """Deploy the contracts that all plays need."""
    counter = chain.deploy(Counter)
    chain.deploy_world("plays", systems=[Scoring], writers={Score: [Scoring]})
    chain.send(None, ADDER)
    counter.add(3)
    chain.set_balance("alice", 10**24)


def counter_on(chain: Chain) -> Handle:
    return chain.handle(Counter, chain.receipts[0].address)


def world_on(chain: Chain) -> WorldHandle:
    return chain.world(chain.receipts[1].address)


def send(chain: Chain) -> None:
    counter_on(chain).add(5, sender=chain.accounts[1], value=7)


def fail(chain: Chain) -> None:
    counter_on(chain).add(5000, check=False)
    chain.accounts[2]
    with suppress(Exception):
        counter_on(chain).add(1, sender=chain.accounts[3], value=10**30)


def deploy(chain: Chain) -> None:
    counter_on(chain).make(4)
    chain.deploy(Inner).add(3)


def block(chain: Chain) -> None:
    counter = counter_on(chain)
    with chain.block():
        counter.add(1)
        counter.add(2, sender=chain.accounts[1])


def anchor(chain: Chain) -> None:
    counter = counter_on(chain)
    with chain.anchor():
        counter.add(8)
        chain.advance(60)
        chain.mine()
    with chain.block(), chain.anchor():
        counter.add(9)


def revert(chain: Chain) -> None:
    snapshot = chain.snapshot()
    counter_on(chain).add(6)
    list(chain.events(Added))
    chain.mine(2)
    chain.revert(snapshot)


def clock(chain: Chain) -> None:
    chain.advance(30)
    chain.set_next_block(base_fee=10**9 + 1)
    chain.mine(2)


def waiting(chain: Chain) -> None:
    chain.automine = False
    counter_on(chain).add(1)
    counter_on(chain).add(2)
    chain.automine = True
    chain.mine()


def settings(chain: Chain) -> None:
    chain.set_balance("bob", 10**20)
    chain.set_storage(chain.receipts[0].address, 9, 5)
    chain.set_code(bytes([9] * 20), b"\x60\x00")
    chain.set_nonce("carol", chain.nonce("carol") + 1)


def upgrade(chain: Chain) -> None:
    made = chain.deploy(Counter)
    chain.upgrade(made, More)
    chain.handle(More, made).add_bonus(3)


def name(chain: Chain) -> None:
    who = chain.account(f"player{len(chain.keys)}")
    counter_on(chain).add(1, sender=who)


def world(chain: Chain) -> None:
    scoring = world_on(chain).system(Scoring)
    for points in (3, 7, 4):
        scoring.score(points)
    world_on(chain).all(Score)


def new_world(chain: Chain) -> None:
    made = chain.deploy_world("more", systems=[Scoring], writers={Score: [Scoring]})
    made.system(Scoring).score(2)


def look(chain: Chain) -> None:
    counter = counter_on(chain)
    counter.total()
    counter.add.simulate(4)
    counter.add.trace(4)
    str(chain.receipts[0].trace)
    str(chain.receipts[-1].trace)
    chain.at(block=1).handle(counter).total()
    _ = chain.receipts[-1].writes


def fork(chain: Chain) -> None:
    other = chain.fork(at=1)
    counter_on(other).add(2)
    chain.fork().mine()


def draws(chain: Chain) -> None:
    with chain.loaded(die=[5, 4]):
        counter_on(chain).draw()
        counter_on(chain).draw()
    counter_on(chain).draw()


def bytecode(chain: Chain) -> None:
    adder = next(receipt.address for receipt in chain.receipts if receipt.data == ADDER)
    chain.send(adder, (5).to_bytes(32))


def deep(chain: Chain) -> None:
    counter_on(chain).down(DEEP)


def ask(chain: Chain) -> None:
    chain.sql("select count(*) from Added join receipts on receipt = receipts.position")
    chain.sql("select * from Score, logs")
    chain.events(Added, by=chain.accounts[0]).count()
    chain.events("Added", n=5).last()
    chain.receipts.where(entry="add", ok=True).count()
    chain.state_root(), chain.block_hash()
    chain.ledger.find(chain.receipts[0].tx_hash)
    activity_of(chain.ledger)
    world_on(chain).history(Score, chain.accounts[0])


def node(chain: Chain) -> None:
    ask, to = chain.node.request, str(chain.receipts[0].address)
    data = "0x" + Counter.__spec__.entries["add"].encode_args((2,), {}).hex()
    fields = {"from": str(chain.accounts[0]), "to": to, "data": data}
    number = ask("evm_snapshot")
    ask("evm_setAutomine", [False])
    first = ask("eth_sendTransaction", [fields])
    ask("eth_sendTransaction", [{**fields, "from": str(chain.accounts[1])}])
    ask("evm_setNextBlockTimestamp", [hex(chain.now + 50)])
    ask("anvil_setBalance", [str(chain.accounts[4]), "0x77"])
    ask("eth_call", [fields, "latest", {to: {"balance": "0x5"}}])
    ask("eth_estimateGas", [fields])
    ask("eth_simulateV1", [{"blockStateCalls": [{"calls": [fields, fields]}]}])
    ask("debug_traceTransaction", [first])
    ask("anvil_dropTransaction", [first])
    ask("evm_mine")
    ask("evm_setAutomine", [True])
    ask("eth_getLogs", [{"fromBlock": "0x1"}])
    ask("evm_revert", [number])


Play = Callable[[Chain], object]
PLAYS: tuple[Callable[[Chain], None], ...] = (
    send, fail, deploy, block, anchor, revert, clock, waiting, settings, upgrade, name, world, new_world, look, fork, draws,
    bytecode, deep, ask, node,
)  # fmt: skip
