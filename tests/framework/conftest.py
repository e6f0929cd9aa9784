"""What several of the framework's tests share."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import make_dataclass
from enum import Enum, IntEnum, StrEnum, auto
from functools import cache
from textwrap import dedent
from typing import Any

import pytest
from eth.vm import opcode_values
from hypothesis import strategies as st

from chain import (
    Address,
    Chain,
    Contract,
    Key,
    Map,
    Revert,
    Vector,
    call,
    error,
    event,
    pytest_plugin,
    require,
    types,
    view,
)
from chain.rpc.errors import RpcError
from chain.schema.annotations import type_of_annotation
from chain.schema.value_types import (
    AddressType,
    BoolType,
    BytesType,
    EnumType,
    Field,
    FixedBytes,
    Int,
    ListType,
    OptionalType,
    StringType,
    StructType,
    ValueType,
)
from chain.simulator.handle import Handle
from chain.types import u64


@pytest.fixture(scope="session")
def evm() -> Callable[..., bytes]:
    """Makes bytecode of names of opcodes, and of numbers and bytes to push."""

    def assemble(*items: str | int | bytes) -> bytes:
        code = b""
        for item in items:
            if isinstance(item, str):
                code += bytes([getattr(opcode_values, item)])
            else:
                raw = item.to_bytes((item.bit_length() + 7) // 8) if isinstance(item, int) else item
                code += bytes([opcode_values.PUSH0 + len(raw)]) + raw
        return code

    return assemble


@pytest.fixture(scope="session")
def initcode(evm: Callable[..., bytes]) -> Callable[..., bytes]:
    """Makes the init code that runs `first` and leaves `code`."""

    def wrap(code: bytes, first: bytes = b"") -> bytes:
        size, start = len(code).to_bytes(2), (len(first) + 11).to_bytes(2)
        return first + evm(size, "DUP1", start, 0, "CODECOPY", 0, "RETURN") + code

    return wrap


class Side(Enum):
    NONE = 0
    BLUE = 1
    RED = 2


class Suit(Enum):  # no member has the code 0
    CLUBS = auto()
    HEARTS = auto()


class Edge(IntEnum):
    CITY = 0
    ROAD = 7
    STREET = 7


class Mode(StrEnum):  # coded by place
    FAST = "fast"
    SLOW = "slow"


SCALARS = [
    type_of_annotation(annotation)
    for annotation in (
        *(types.u8, types.u16, types.u32, types.u64, types.u128, types.u256),
        *(types.i8, types.i16, types.i32, types.i64, types.i128, types.i256),
        *(types.felt252, types.bytes4, types.bytes32, bool, Address, Side, Suit, Edge, Mode),
    )
]


@cache
def record_of(kinds: tuple[ValueType, ...], is_class: bool) -> StructType:
    members = tuple(Field(f"m{i}" if is_class else str(i), kind) for i, kind in enumerate(kinds))
    if not is_class:
        return StructType("tuple", members)
    made = make_dataclass("Point", [member.name for member in members], frozen=True)
    return StructType("Point", members, made)


def composed(inner: st.SearchStrategy[ValueType]) -> st.SearchStrategy[ValueType]:
    return st.one_of(
        inner.filter(lambda kind: not isinstance(kind, OptionalType)).map(OptionalType),
        st.builds(ListType, inner, st.sampled_from([list, tuple])),
        st.builds(record_of, st.lists(inner, min_size=1, max_size=4).map(tuple), st.booleans()),
    )


def values_of(kind: ValueType) -> st.SearchStrategy[Any]:
    """Values that fit `kind`, the ends of its range among them."""
    match kind:
        case Int(lowest=lowest, highest=highest):
            return st.integers(lowest, highest) | st.sampled_from([lowest, 0, highest])
        case FixedBytes(size=size):
            return st.binary(min_size=size, max_size=size)
        case BoolType():
            return st.booleans()
        case AddressType():
            return st.binary(min_size=20, max_size=20).map(Address)
        case EnumType(cls=cls):
            return st.sampled_from(list(cls))
        case StringType():
            return st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
        case BytesType():
            return st.binary(max_size=70)
        case OptionalType(item=item):
            return st.none() | values_of(item)
        case ListType(item=item, make=make):
            return st.lists(values_of(item), max_size=4).map(make)
        case StructType(members=members, cls=cls):
            parts = st.tuples(*(values_of(member.kind) for member in members))
            return parts if cls is None else parts.map(lambda values: cls(*values))


WRONG: dict[type, Callable[[Any], list[Any]]] = {
    Int: lambda kind: [kind.lowest - 1, kind.highest + 1, None, True, 1.0, "1", b"1", 10**5000],
    FixedBytes: lambda kind: [bytes(kind.size - 1), bytes(kind.size + 1), "a" * kind.size, 5, None],
    BoolType: lambda kind: [0, 1, None, "yes"],
    AddressType: lambda kind: [f"0x{'00' * 20}", bytes(19), bytes(21), [0] * 20, 5, None],
    EnumType: lambda kind: ["nothing", 99, [], None],
    StringType: lambda kind: ["\ud800", b"a", 5, ["a"], None],
    BytesType: lambda kind: ["a", 5, [1], None],
    ListType: lambda kind: ["ab", b"ab", {}, 5, None],
    StructType: lambda kind: ["ab"[: len(kind.members)], 5, {}, (), None],
}


def spoiled(kind: ValueType, value: Any) -> st.SearchStrategy[tuple[Any, str]]:
    """`value` with one part that does not fit, and the path to that part."""
    match kind:
        case OptionalType(item=item):
            bad = st.just(value) if value is not None else values_of(item)
            return bad.flatmap(lambda inner: spoiled(item, inner)).filter(
                lambda b: b[0] is not None
            )
        case ListType(item=item, make=make) if value:
            parts = [(f"[{i}]", item) for i in range(len(value))]
            build: Callable[[list[Any]], Any] = make
        case StructType(members=members, cls=cls):
            parts = [(m.name if cls else f"[{m.name}]", m.kind) for m in members]
            build = tuple if cls is None else lambda values: cls(*values)
            value = [getattr(value, m.name) for m in members] if cls else value
        case _:
            return st.sampled_from([(wrong, "") for wrong in WRONG[type(kind)](kind)])

    def put(place: int, bad: tuple[Any, str]) -> tuple[Any, str]:
        path = parts[place][0] + ("." if bad[1][:1] not in ("", "[") else "") + bad[1]
        return build([*value[:place], bad[0], *value[place + 1 :]]), path

    inside = [
        spoiled(inner, value[i]).map(lambda b, i=i: put(i, b)) for i, (_, inner) in enumerate(parts)
    ]
    outside = [(wrong, "") for wrong in WRONG[type(kind)](kind)]
    return st.one_of(*inside, st.sampled_from(outside))


class Drawn:
    """Strategies for kinds, for values of them, and for both."""

    scalars = SCALARS
    kinds: st.SearchStrategy[ValueType] = st.recursive(
        st.sampled_from([*SCALARS, StringType(), BytesType()]), composed, max_leaves=6
    )
    typed = kinds.flatmap(lambda kind: st.tuples(st.just(kind), values_of(kind)))
    values_of = staticmethod(values_of)
    spoiled = staticmethod(spoiled)


@pytest.fixture(scope="session")
def drawn() -> type[Drawn]:
    return Drawn


@event
class Added:
    who: Key[Address]
    by: Key[u64]


@event
class Reset:
    at: u64


@error
class TooMuch:
    most: u64


class Counter(Contract):
    count: u64
    kept: Vector[u64]
    seen: Map[u64, u64]

    @call
    def add(self, by: u64) -> u64:
        require(by, "nothing to add")
        if by > 1_000:
            raise TooMuch(1_000)
        self.count += by
        self.emit(Added(self.caller, by))
        return self.count

    @call
    def reset(self) -> None:
        self.count = 0
        self.emit(Reset(self.block.timestamp))

    @call
    def wipe(self) -> None:
        self.count = 0
        self.log("wiped" * 99)

    @call
    def keep(self, n: u64) -> None:
        for i in range(n):
            self.kept.append(i + 1)

    @call
    def keep_as_high(self) -> None:
        self.keep(self.block.number)

    @call
    def roll(self) -> u64:
        return self.random.below(6, tag="dice")

    @view
    def total(self) -> u64:
        return self.count

    @view
    def kept_so_far(self) -> u64:
        return len(self.kept)

    @view
    def height(self) -> u64:
        return self.block.number

    @view
    def look_far(self, n: u64) -> u64:
        return sum(self.seen[i] for i in range(n))

    @view
    def refuse(self, why: str) -> None:
        raise Revert(why)


class Relay(Contract):
    @call
    def keep(self, counter: Address, n: u64) -> None:
        self.at(Counter, counter).keep(n)

    @call
    def try_to_keep(self, counter: Address, n: u64) -> None:
        with suppress(Revert):
            self.at(Counter, counter).keep(n)


@pytest.fixture
def counter(chain: Chain) -> Handle:
    return chain.deploy(Counter)


@pytest.fixture
def relay(chain: Chain) -> Handle:
    return chain.deploy(Relay)


class Rpc:
    """The methods of a chain, asked directly: `rpc("eth_chainId")`."""

    def __init__(self, chain: Chain) -> None:
        self._chain = chain

    def __call__(self, method: str, *params: Any) -> Any:
        return self._chain.node.request(method, params)

    def refusal(self, method: str, *params: Any) -> RpcError:
        with pytest.raises(RpcError) as caught:
            self(method, *params)
        return caught.value

    @staticmethod
    def hexed(raw: bytes) -> str:
        return "0x" + raw.hex()

    @classmethod
    def to(cls, entry: Any, *args: Any, **fields: Any) -> dict[str, Any]:
        """The JSON of a transaction to an entry of a handle."""
        to, data = cls.hexed(entry._address), cls.hexed(entry.calldata(*args))
        return {"to": to, "data": data, **fields}


@pytest.fixture
def rpc(chain: Chain) -> Rpc:
    return Rpc(chain)


@event
class Rang:
    by: Key[Address]
    times: u64


class Bell(Contract):
    @call
    def ring(self, times: u64) -> None:
        self.emit(Rang(self.caller, times))


@pytest.fixture
def bell(chain: Chain) -> Handle:
    return chain.deploy(Bell)


GAME = dedent("""
    import pytest
    from hypothesis import given, settings, strategies as st
    from chain import Chain, Contract, Key, call, event, require
    from chain.types import Address, u64

    settings.register_profile("short", max_examples=8, database=None, derandomize=True)
    settings.load_profile("short")

    @event
    class Counted:
        by: Key[Address]
        total: u64

    class Counter(Contract):
        total: u64

        @call
        def add(self, n: u64) -> u64:
            require(n != 13, "not thirteen")
            self.total += n
            self.emit(Counted(self.caller, self.total))
            return self.total
""")


@pytest.fixture
def run(pytester: pytest.Pytester) -> Callable[..., pytest.RunResult]:
    """Runs pytest on the game and some tests. The plugin is that of this checkout, whatever is installed."""

    def run_tests(*tests: str, options: tuple[str, ...] = ()) -> pytest.RunResult:
        pytester.makepyfile(GAME + "".join(map(dedent, tests)))
        standard = (
            "-p",
            "no:boardchain",
            "-p",
            "no:cacheprovider",
            "-p",
            "no:randomly",
            "-W",
            "error",
        )
        return pytester.runpytest_inprocess(*standard, *options, plugins=[pytest_plugin])

    return run_tests
