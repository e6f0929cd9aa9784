"""What Python does to words, logs and accounts costs what it costs in bytecode, by the meter of py-evm."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from chain import Address, Chain, Contract, call, init
from chain.types import u256

NOBODY = Address(b"\x0b" * 20)
SHA256 = Address(bytes(19) + b"\x02")
DEEDS = []


class Doer(Contract):
    """Does the deeds that a test has laid out, straight on its frame."""

    @init
    def begin(self, puts: list[tuple[u256, u256]]) -> None:
        for slot, word in puts:
            self._frame.sstore(slot, word)

    @call
    def go(self) -> None:
        for deed in DEEDS:
            deed.do(self._frame)


class Deed:
    """One thing to do in a frame, and the same in bytecode, where it takes `extra` gas to say it."""

    def __init__(self, name, *args):
        self.name, self.args = name, args

    def __repr__(self):
        return f"{self.name}{self.args}"

    def do(self, frame):
        match self.name, *self.args:
            case "put", slot, word:
                frame.sstore(slot, word)
            case "get", slot:
                frame.sload(slot)
            case "log", size, *topics:
                frame.emit(tuple(topics), bytes(size))
            case "balance", who:
                frame.balance_of(bytes(who))
            case "call", to, value, gas:
                frame.call(bytes(to), b"", value, gas)
            case "create", value:
                frame.create(b"", value)

    @property
    def items(self):
        match self.name, *self.args:
            case "put", slot, word:
                return word, slot, "SSTORE"
            case "get", slot:
                return slot, "SLOAD", "POP"
            case "log", size, *topics:
                return *topics, size, 0, f"LOG{len(topics)}"
            case "balance", who:
                return bytes(who), "BALANCE", "POP"
            case "call", to, value, gas:
                return 0, 0, 0, 0, value, bytes(to), gas, "CALL", "POP"
            case "create", value:
                return 0, 0, value, "CREATE", "POP"

    @property
    def saying(self):
        """Gas for pushing what the deed needs and dropping what it leaves."""
        costs = [2 if item in (0, "POP") else 0 if isinstance(item, str) else 3 for item in self.items]
        return sum(costs)


WHO = st.sampled_from([NOBODY, SHA256, Address(b"\x0c" * 20), Chain().accounts[1]])
slots, words = st.integers(0, 3), st.integers(0, 2)
puts = st.builds(Deed, st.just("put"), slots, words)
deeds = st.one_of(
    puts,
    puts,
    st.builds(Deed, st.just("get"), slots),
    st.builds(Deed, st.just("log"), st.integers(0, 32)),
    st.builds(Deed, st.just("log"), st.integers(0, 32), words, words),
    st.builds(Deed, st.just("balance"), WHO),
    st.builds(Deed, st.just("call"), WHO, st.integers(0, 2), st.integers(0, 5_000)),
    st.builds(Deed, st.just("create"), st.integers(0, 2)),
)


@settings(max_examples=150, deadline=None)
@given(before=st.lists(puts, max_size=4), several=st.lists(deeds, max_size=12))
def test_deeds_cost_alike(evm, initcode, before, several):
    chain = Chain()
    first, code = (b"".join(evm(*deed.items) for deed in some) for some in (before, several))
    bytecode = chain.send(None, initcode(evm(0, 0, "MSTORE") + code, first)).address
    python = chain.deploy(Doer, [deed.args for deed in before]).address
    for address in (python, bytecode):
        chain.set_balance(address, 4)
    DEEDS[:] = several
    ours, law = chain.look(python, Doer.__spec__.entries["go"].selector)[0], chain.look(bytecode, b"")[0]
    assert ours.failure is law.failure is None
    assert spent(ours) == spent(law) - 10 - sum(deed.saying for deed in several)  # 10 for the room to log from
    assert ours.context.refund == law.context.refund


def spent(frame):
    return frame.gas_limit - frame.gas
