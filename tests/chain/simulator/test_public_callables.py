"""Wrong values for every public callable: each is refused with our message, or the chain stays intact.

What there is to call is found by introspection, on every public object, so a new method is tried by itself. An
error is in our words if a `raise` in `chain/` made it: what Python or a library says on its own tells nobody what to do.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from fractions import Fraction
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest

import chain as package
from chain import Chain, Contract, Key, Map, Revert, call, event, init, view
from chain.deployment import Deployment
from chain.ledger.queries import Query
from chain.machine.transaction import Transaction
from chain.runtime.contract_proxy import ContractProxy
from chain.runtime.random import Random
from chain.testing import assert_events, reverts
from chain.types import Address, u64, u256
from tests.chain.toys import Score, Scoring

OURS = str(Path(package.__file__).parent)
RAW = re.compile(r"object has no attribute|object is not|\b\w+_\w+: \w+Error: ")
ALICE, BOB = Chain().accounts[:2]


@event
class Paid:
    who: Key[Address]
    amount: u256


class Bank(Contract):
    owner: Address
    kept: Map[Address, u64]

    @init(payable=True)
    def open(self, owner: Address) -> None:
        self.owner = owner

    @call(payable=True)
    def pay(self, who: Address, times: u64) -> None:
        self.kept[who] += times
        self.emit(Paid(self.caller, self.value))

    @view
    def paid_by(self, who: Address) -> u64:
        return self.kept[who]


class Probe(Contract):
    @call(payable=True)
    def do(self) -> None:
        TODO[-1](self)


TODO: list[Callable[[Contract], None]] = []

WRONG: list[Any] = [
    *(None, True, -1, 0, 1, 2**64, 2**256, -(2**256), 0.0, 0.5, 1e18, float("nan"), float("inf"), Fraction(1, 2)),
    *("", "bob", "bert", "1 ether", "5", "0x12", "0x" + "zz" * 20, str(BOB), "\ud800", "a" * 99, "\0"),
    *(b"", b"ab", bytes(20), bytes(33), bytearray(20), [], [1], ["a"], {}, {"a": 1}, (), (1, 2), {1}, range(3)),
    *(object(), int, Bank, Paid, len, BOB),
]  # fmt: skip

# Values with which a call gets as far as it can, by the name of the parameter; `callable.parameter` comes first.
GOOD: dict[str, Any] = {
    **dict.fromkeys(("to", "address", "account", "who", "owner"), BOB),
    **dict.fromkeys(("number", "block", "nonce", "slot", "word", "value", "times", "since"), 0),
    **dict.fromkeys(("rehearse.block", "call.block", "node", "expected"), None),
    **{f"{do}_{whom}.what": "game" for do in ("grant", "revoke", "is") for whom in ("writer", "owner")},
    "sender": ALICE, "contract": Bank, "data": b"", "n": 1, "amount": 1, "code": b"\0", "seconds": 1, "timestamp": 2**40,
    "name": "zoe", "event": Paid, "emit.event": Paid(BOB, 1), "kind": "Paid", "what": "receipts", "question": "select 1",
    "model": Score, "system": Scoring, "systems": [Scoring], "world": "World", "namespace": "other", "text": "hello",
    "tx": Transaction(bytes(ALICE), bytes(BOB), b"", 1, 100_000, 0, 10**9), "where": "memory", "path": "new.chain",
    "abi": Bank.__spec__.abi, "source": [], "target": "out.txt",
}  # fmt: skip

# What else a call takes by name, where its signature does not say.
NAMED: dict[str, list[str]] = {
    "where": ["sender", "to", "address", "contract", "entry", "ok", "who", "amount", "x"],
    "events": ["who", "amount", "x"],
    "loaded": ["die"],
    "pay": ["who", "times", "value"],
}

# Not tried, each for its reason.
LEFT: dict[str, str] = {
    "close": "ends the chain that is tried",
    "with_rules": "of the ledger: takes rules that a chain made",
    "record_changes": "of the ledger: says that something was set",
    "choice": "of Python's sequences, as their own methods",
    "shuffle": "of Python's lists, as their own methods",
    "item": "of the ledger: an answer by its index there",
    "receipt": "of the ledger: an answer by its index there",
    "contains": "of the ledger",
    "is_same": "of the ledger",
    "matches": "of the ledger",
    "index": "of Python's sequences",
    "need_contract": "of handles",
}

MINTS: dict[str, str] = {
    "set_balance": "says what somebody has",
    "account": "gives a new account its ether",
}


def test_left_out_callables_exist(faces: dict[str, Any]) -> None:
    there = {name for face in faces.values() for name, _ in callables(face)}
    assert LEFT.keys() | MINTS.keys() <= there | {
        "choice",
        "shuffle",
    }


# Public objects


@pytest.fixture(params=["memory", "file", "node"])
def place(request: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Chain]:
    monkeypatch.chdir(tmp_path)  # some values are taken for names of files
    near = Chain(guard=False)  # contracts and tests share lists
    for contract in (package.World, Scoring, Bank, Probe):
        near.declare(contract)
    chain = {
        "memory": lambda: near,
        "file": lambda: Chain.open("own.chain", guard=False),
        "node": lambda: Chain.connect(near.node),
    }[request.param]()
    with chain:
        yield chain


@pytest.fixture
def faces(place: Chain) -> dict[str, Any]:
    """The objects that users work with."""
    bank = place.deploy(Bank, ALICE)
    receipt = bank.pay(ALICE, 1, value=7)
    world = place.deploy_world("game", systems=[Scoring], writers={"game": [Scoring]})
    world.system(Scoring).win(3)
    plan = Deployment(place.fork())
    planned = plan.deploy(Bank, ALICE)
    return {
        "chain": place,
        "past": place.at(len(place.blocks) - 1),
        "bank": bank,
        "entry": bank.pay,
        "view": bank.paid_by,
        "world": world,
        "receipts": place.receipts,
        "query": place.events(Paid),
        "receipt": receipt,
        "events": receipt.events,
        "log": receipt.logs[0],
        "trace": receipt.trace,
        "plan": plan,
        "planned": planned,
        "planned entry": planned.pay,
        "planned world": plan.deploy_world("later", systems=[Scoring]),
    }


def callables(face: Any) -> Iterator[tuple[str, Callable[..., Any]]]:
    """The public methods of an object, what it holds that can be called, and attributes that can be set."""
    for name in sorted({*dir(type(face)), *getattr(face, "__dict__", ())}):
        static = inspect.getattr_static(face, name)
        if isinstance(static, classmethod) and isinstance(face, Chain) and name[0] != "_":
            yield name, getattr(Chain, name)  # it makes another one
        elif isinstance(static, property) and static.fset is not None and name[0] != "_":
            yield name, partial(setattr_on, face, name)
        elif (name == "__call__" and not isinstance(face, type)) or (
            name[0] != "_"
            and not isinstance(static, property | type)
            and callable(getattr(face, name))
        ):
            yield name, getattr(face, name)


def setattr_on(face: Any, name: str, new: Any) -> None:
    setattr(face, name, new)


# Throwing


def throws(name: str, do: Callable[..., Any]) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    """Arguments for a callable, of which one is wrong."""
    params = [
        param
        for param in inspect.signature(do).parameters.values()
        if param.kind not in (param.VAR_POSITIONAL, param.VAR_KEYWORD)
    ]
    kinds = {param.kind for param in inspect.signature(do).parameters.values()}
    needed = [param for param in params if param.default is param.empty]
    for wrong in WRONG:
        good = {p.name: GOOD.get(f"{name}.{p.name}", GOOD.get(p.name, wrong)) for p in needed}
        for param in params:
            yield split(params, good | {param.name: wrong})
        if inspect.Parameter.VAR_POSITIONAL in kinds:
            first = [p for p in params if p.kind is not p.KEYWORD_ONLY and p.name in good]
            args = tuple(good[p.name] for p in first)
            named = {n: value for n, value in good.items() if n not in {p.name for p in first}}
            yield (*args, wrong), named
            yield (*args, wrong, wrong), named
        if inspect.Parameter.VAR_KEYWORD in kinds:
            for key in NAMED.get(name, ["x"]):
                args, named = split(params, good)
                yield args, named | {key: wrong}
        if not params:
            break
    if not params and len(kinds) == 0:
        yield (), {}


def split(params: list[inspect.Parameter], values: dict[str, Any]) -> tuple[Any, Any]:
    first = [p.name for p in params if p.kind is p.POSITIONAL_ONLY and p.name in values]
    return tuple(values[name] for name in first), {
        n: v for n, v in values.items() if n not in first
    }


@cache
def raising(file: str) -> set[int]:
    """The lines of a file on which something is raised."""
    found = ast.walk(ast.parse(Path(file).read_text("utf-8")))
    return {
        n
        for node in found
        if isinstance(node, ast.Raise)
        for n in range(node.lineno, (node.end_lineno or 0) + 1)
    }


def is_ours(error: BaseException) -> bool:
    """Return True if one of our own messages refused it."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None or RAW.search(str(error)):
        return False
    # A compiled module names its file as it was called in the folder of the project.
    file = str(Path(OURS).parent / trace.tb_frame.f_code.co_filename)
    return file.startswith(OURS) and trace.tb_lineno in raising(file)


def finish(result: Any) -> None:
    """Make of a result what a person would: open a scope, look at answers, call what can be called."""
    if isinstance(result, AbstractContextManager) and not isinstance(result, Chain):
        with result:
            pass
    elif isinstance(result, Query):
        result.count()
    elif isinstance(result, ContractProxy):
        result.pay(BOB, 1)
    elif isinstance(result, Chain):
        result.close()


def wei_of(chain: Chain) -> int:
    """Return the total of all balances and of the burnt fees, in wei."""
    burnt = sum(
        r.gas_used * min(r.gas_price, chain.blocks[r.block_number].base_fee) for r in chain.receipts
    )
    return burnt + sum(balance for _, balance, _ in chain.state.accounts.values())


def sizes(chain: Chain) -> tuple[Any, ...]:
    """Return the sizes that change when anything happens."""
    _, ledger = chain.now, chain.ledger  # as they are now, wherever the chain runs
    return (
        len(ledger.blocks), len(ledger.timeline), len(ledger.receipts), chain.mining,
        len(chain.state.changes), ledger.open, chain.machine.loaded,
    )  # fmt: skip


class Trial:
    """A chain that gets wrong values; after each that was accepted, it is checked and reverted."""

    def __init__(self, chain: Chain) -> None:
        self.chain, self.start, self.wei = chain, chain.snapshot(), wei_of(chain)
        self.before = sizes(chain)
        self.bad: dict[str, str] = {}  # the first call by its result
        self.thrown = 0

    def throw(self, label: str, name: str, do: Callable[..., Any], args: Any, named: Any) -> None:
        self.thrown += 1
        try:
            finish(do(*args, **named))
        except Exception as error:
            if not is_ours(error):
                self.report(label, name, args, named, f"{type(error).__name__}: {error}")
        if sizes(self.chain) != self.before:
            self.look(label, name, args, named)

    def look(self, label: str, name: str, args: Any, named: Any) -> None:
        chain = self.chain
        try:
            chain.mine()
            assert len(chain.state_root() + chain.block_hash()) == 64
            assert name in MINTS or wei_of(chain) == self.wei, "wei came or went"
        except Exception as error:
            self.report(label, name, args, named, f"and then {type(error).__name__}: {error}")
        chain.revert(self.start)
        self.before = sizes(chain)

    def report(self, label: str, name: str, args: Any, named: Any, what: str) -> None:
        shown = ", ".join([*map(repr, args), *(f"{key}={value!r}" for key, value in named.items())])
        self.bad.setdefault(f"{label}.{name}: {what[:150]}", f"{label}.{name}({shown[:150]})")


def test_every_callable_refuses_or_leaves_the_chain_intact(
    place: Chain, faces: dict[str, Any]
) -> None:
    trial = Trial(place)
    for label, face in faces.items():
        for name, do in callables(face):
            if name not in LEFT:
                for args, named in throws(name, do):
                    if name == "where" and args and callable(args[0]):
                        continue  # a test of one's own may raise what it likes
                    trial.throw(label, name, do, args, named)
    assert trial.thrown > 5_000
    assert not trial.bad, "\n".join(f"{call} -> {what}" for what, call in trial.bad.items())


# Callables without a chain, and those inside a contract


NAMES: dict[str, Callable[..., Any]] = {
    "Chain": Chain,
    "Address": Address,
    "reverts": reverts,
    "assert_events": assert_events,
}


def test_names_of_the_package_refuse_too() -> None:
    trial = Trial(Chain())
    for name, do in NAMES.items():
        for args, named in throws(name, do):
            trial.throw("chain", name, do, args, named)
    assert not trial.bad, "\n".join(f"{call} -> {what}" for what, call in trial.bad.items())


def test_everything_inside_a_contract_refuses_or_leaves_the_chain_intact(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A wrong value fails the message of the contract, which then has no effect."""
    monkeypatch.setenv(
        "BOARDCHAIN_DEBUG", "1"
    )  # keeps the steps of the chain, by which `is_ours` decides
    chain = Chain()
    contract, bank = chain.deploy(Probe), chain.deploy(Bank, ALICE)
    chain.set_balance(contract, 100)
    GOOD["at.address"] = GOOD["abi.address"] = bank.address
    trial = Trial(chain)
    tried = set()
    for place in ("self", "self.random"):
        for name, found in callables(Contract if place == "self" else Random):
            if name in LEFT or name == "mro":
                continue
            tried.add(name)
            for args, named in throws(name, partial(found, None)):

                def do(
                    self: Contract,
                    place: str = place,
                    name: str = name,
                    args: Any = args,
                    named: Any = named,
                ) -> None:
                    finish(getattr(self if place == "self" else self.random, name)(*args, **named))

                TODO.append(do)
                before = wei_of(chain), contract.balance
                receipt = contract.do(check=False)
                cause = None if receipt.error is None else receipt.error.cause
                if cause is not None and not isinstance(cause, Revert) and not is_ours(cause):
                    trial.report(place, name, args, named, f"{type(cause).__name__}: {cause}")
                if not receipt.ok and before != (wei_of(chain), contract.balance):
                    trial.report(place, name, args, named, "it failed, and wei moved")
                trial.look(place, name, args, named)
    assert tried >= {"emit", "log", "at", "abi", "transfer", "deploy", "keccak", "below"}
    assert not trial.bad, "\n".join(f"{call} -> {what}" for what, call in trial.bad.items())
