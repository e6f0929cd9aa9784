"""Fuel: a tick for each turn of a loop and each call, the same on every path; endless work is out of gas, and undone."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit

import pytest

from chain import Address, Chain, Contract, call, view
from chain.machine.gas import TOKEN, TRANSACTION, calldata_tokens
from chain.metering.fuel import GAS_PER_TICK
from chain.rpc.errors import REFUSED
from chain.rpc.server.listener import Settings
from chain.rpc.server.server import Server
from chain.simulator.handle import Handle
from chain.types import i64, u64
from tests.chain.helpers import failure_of
from tests.chain.metering.conftest import Load

GAS = 300_000
EMPTY = "def helper(n): return n\n"

# Work on `n` items, and its ticks for 10 and for 11 items: that of the entry is among them.
TICKS = {
    "for _ in range(n): pass": (11, 12),
    "while n: n -= 1": (11, 12),
    "for _ in range(n): helper(n)": (21, 23),
    "[m for m in range(n)]": (11, 12),
    "[m for m in range(n) if m % 2]": (11, 12),
    "{m: [k for k in range(2)] for m in range(n)}": (31, 34),
    "sum(m for m in range(n))": (11, 12),
    "f = lambda m: m\nfor _ in range(n): f(1)": (21, 23),
    "list(map(helper, range(n)))": (11, 12),
    "for m in count():\n    if m == n: break": (12, 13),
    "for _ in product(range(n), range(2)): pass": (21, 23),
    "list(product(range(n), range(2)))": (21, 23),
    "sorted(range(n)); sum(range(n)); max([*range(n)]); ' '.join(map(str, range(n)))": (1, 1),
    "try:\n    for _ in range(n): [][0]\nexcept IndexError:\n    pass": (2, 2),
    "for m in range(n):\n    if m < 5: continue\n    helper(m)": (16, 18),
    "with nullcontext():\n    for _ in range(n): pass": (11, 12),
    "print([helper(m) for m in range(n)])": (1, 1),
    "assert helper(n)": (2, 2),
}


def test_turns_and_calls_take_a_tick_each(load: Load) -> None:
    head = "from contextlib import nullcontext\nfrom itertools import count, product\n"
    entries = "".join(
        f"    @view\n    def entry{i}(self, n: u64) -> None:\n        "
        + code.replace("\n", "\n        ")
        + "\n"
        for i, code in enumerate(TICKS)
    )
    made = load(turns=f"{head}{EMPTY}class Turns(Contract):\n{entries}")
    turns = Chain(guard=False).deploy(made.Turns)
    found = {
        code: tuple(getattr(turns, f"entry{i}").simulate(n).ticks for n in (10, 11))
        for i, code in enumerate(TICKS)
    }
    assert found == TICKS


def test_ticks_are_not_gas(chain: Chain) -> None:
    class Idle(Contract):
        @call
        def turn(self, n: u64) -> None:
            for _ in range(n):
                pass

    idle = chain.deploy(Idle)
    few, many = idle.turn(1), idle.turn(2)
    assert (few.gas_used, many.ticks) == (many.gas_used, few.ticks + 1)


# Endless work: the line is that of the loop or function


@dataclass(frozen=True)
class Same:
    n: int

    def __eq__(self, other: object) -> bool:
        return Same(self.n + 1) == other

    __hash__ = None  # type: ignore[assignment]


ENDLESS = r"""
while True: pass
for n in count(): pass
for n in range(10**12): pass
[n for n in count()]
any(n < 0 for n in count())
next(n for n in numbers() if n < 0)
sum(numbers())
around(0)
self.deeper(0)
(lambda f: f(f))(lambda f: f(f))
Same(1) == Same(2)
sum(range(10**12))
list(range(10**9))
[*range(10**9)]
max(product(range(10**4), repeat=5))
2 ** 10**9
self.shifted(10**9)
"a" * 10**10
[0] * 10**10
"a".ljust(10**10)
bytes(10**10)
factorial(10**6)
for n in [0] * 10**5: sorted(product(range(10), repeat=3))
while True:\n    try:\n        while True: pass\n    except Exception: pass
for n in iter(int, 1): pass
reduce(add, numbers())
""".strip().splitlines()
STOVE = """
from functools import reduce
from itertools import count, product
from math import factorial
from operator import add
from tests.chain.metering.test_fuel import Same
def around(n): return there(n + 1)
def there(n): return around(n + 1)
def numbers():
    n = 0
    while True:
        yield n
        n += 1
class Stove(Contract):
    lit: i64
    def deeper(self, n): return self.deeper(n + 1) + 1
    def shifted(self, n): return 1 << n
"""


def entry(number: int, code: str) -> str:
    inner = code.replace("\\n", "\n").replace("\n", "\n        ")
    return f"    @call\n    def go{number}(self) -> None:\n        self.lit = 7\n        {inner}\n"


@pytest.fixture
def stove(load: Load) -> Handle:
    text = STOVE + "".join(entry(number, code) for number, code in enumerate(ENDLESS))
    return Chain(guard=False).deploy(load(stove=text).Stove)


def test_endless_work_is_out_of_gas_and_undone(stove: Handle) -> None:
    for number, code in enumerate(ENDLESS):
        receipt = getattr(stove, f"go{number}")(gas=GAS, check=False)
        ticks = (GAS - TRANSACTION - TOKEN * calldata_tokens(receipt.data)) // GAS_PER_TICK
        failure = failure_of(receipt)
        assert (failure.kind, receipt.gas_used, receipt.ticks) == ("out of gas", GAS, ticks), code
        assert "stove.py:" in failure.place or "test_fuel.py:" in failure.place, code
    assert stove.fields.lit == 0


def test_message_names_the_line_of_the_loop(load: Load, chain: Chain) -> None:
    made = load(
        ring="""
        class Ring(Contract):
            @call
            def turn(self) -> None:
                n = 1
                while n:
                    n += 1
        """
    )
    failure = failure_of(chain.deploy(made.Ring).turn(gas=GAS, check=False))
    assert failure.place in ("ring.py:8", "ring.py:9")


# Bounded operands: up to the bound they do what Python does.

BOUNDED = {
    "2 ** n": (100, 2**100, 2**21),
    "pow(2, n)": (100, 2**100, 2**21),
    "1 << n": (300, 1 << 300, 2**21),
    "'a' * n": (5, "aaaaa", 2**21),
    "n * [1, 2]": (2, [1, 2, 1, 2], 2**21),
    "'a'.rjust(n)": (3, "  a", 2**21),
    "'7'.zfill(n)": (3, "007", 2**21),
    "n.to_bytes(n)": (2, b"\0\2", 2**21),
    "bytearray(n)": (2, bytearray(2), 2**21),
    "factorial(n)": (5, 120, 2**13),
    "sum(range(n))": (10, 45, 2**40),
    "len(range(n))": (10, 10, 2**40),
}


def test_operands_are_bounded(load: Load) -> None:
    entries = "".join(
        f"    @view\n    def go{i}(self, n: u64) -> str:\n        return repr({code})\n"
        for i, code in enumerate(BOUNDED)
    )
    head = "from math import factorial\nclass Bounded(Contract):\n"
    bounded = Chain(guard=False).deploy(load(bounds=head + entries).Bounded)
    for i, (code, (small, result, large)) in enumerate(BOUNDED.items()):
        go = getattr(bounded, f"go{i}")
        assert go(small) == repr(result)
        too_large = go.simulate(large).error
        is_free = code.startswith("len")
        assert (too_large is None) == is_free, code
        assert is_free or too_large.kind == "out of gas"


class Powers(Contract):
    @view
    def by_sign(self, n: i64) -> u64:
        power: u64 = 2**n
        return power

    @view
    def in_place(self, n: i64) -> u64:
        power: u64 = 2
        power **= n
        return power

    @view
    def around(self, n: i64) -> u64:
        return pow(3, n, 7)


def test_powers_are_whole_numbers(chain: Chain) -> None:
    powers = chain.deploy(Powers)
    assert (powers.by_sign(3), powers.in_place(3), powers.around(-1)) == (8, 8, 5)
    for power in (powers.by_sign, powers.in_place):
        assert "a negative exponent makes a float" in str(power.simulate(-1).error)


# Messages inside messages


class Inner(Contract):
    @call
    def burn(self) -> None:
        while True:
            pass

    @call
    def turn(self, n: u64) -> None:
        for _ in range(n):
            pass


class Outer(Contract):
    inner: Address

    @call
    def begin(self) -> None:
        self.inner = self.deploy(Inner)

    @call
    def try_it(self) -> u64:
        try:
            self.at(Inner, self.inner, gas=50_000).burn()
        except Exception:
            for _ in range(10):
                pass
            return 1
        return 0

    @call
    def send(self, n: u64) -> None:
        self.at(Inner, self.inner).turn(n)
        for _ in range(10):
            pass


@pytest.fixture
def outer() -> Handle:
    made = Chain(guard=False).deploy(Outer)
    made.begin()
    return made


def test_message_runs_dry_alone(outer: Handle) -> None:
    receipt = outer.try_it()
    assert receipt.return_value == 1
    assert receipt.ticks == 50_000 // GAS_PER_TICK + 11
    assert failure_of(receipt.calls[-1]).kind == "out of gas"


def test_what_is_left_returns_to_the_sender(outer: Handle) -> None:
    assert [outer.send(n).ticks for n in (0, 5, 100)] == [12, 17, 112]


# From outside: after a minute, the client considers the node hung.


class Burner(Contract):
    lit: u64

    @call
    def burn(self) -> None:
        self.lit = 7
        while True:
            pass

    @view
    def look(self) -> u64:
        return self.look() + 1

    @call
    def light(self) -> u64:
        self.lit += 1
        return self.lit


Ask = Callable[..., Any]


@pytest.fixture
def burner(chain: Chain) -> Handle:
    return chain.deploy(Burner)


@pytest.fixture
def ask(chain: Chain, burner: Handle) -> Iterator[Ask]:
    with Server(chain, Settings(port=0)).in_thread() as url:
        line = HTTPConnection(urlsplit(url).netloc, timeout=60)

        def ask(method: str, name: str, **fields: str) -> Any:
            data = f"0x{getattr(burner, name).calldata().hex()}"
            sent = {"to": str(burner.address), "data": data, **fields}
            asked = {"jsonrpc": "2.0", "id": 1, "method": method, "params": [sent]}
            line.request("POST", "/", json.dumps(asked))
            answer = json.loads(line.getresponse().read())
            return answer.get("result", answer.get("error"))

        yield ask
        line.close()


@pytest.mark.parametrize("name", ["burn", "look"])
def test_node_outlives_burner(chain: Chain, ask: Ask, name: str) -> None:
    for method in ("eth_call", "eth_estimateGas", "eth_sendTransaction"):
        told = ask(method, name)  # all that a block has
        assert (told["code"], "ran out of gas" in told["message"]) == (REFUSED, True)
    assert chain.head.number == 1
    ask("eth_sendTransaction", name, gas=hex(GAS))
    assert (chain.receipts[-1].ok, chain.receipts[-1].gas_used) == (False, GAS)
    assert int(ask("eth_call", "light"), 16) == 1
