"""A transcript has all that is needed to replay it, and a replay shows the first difference."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chain import Address, Chain, Contract, Key, Map, Revert, call, error, event, init, require
from chain.ledger.artifacts import full_name
from chain.ledger.blocks import change_block
from chain.ledger.signing import encode_signed
from chain.machine.transaction import Transaction
from chain.replays import BadTranscript, check_transcript, record, replay
from chain.replays.known_names import NameRegistry
from chain.replays.notation import BadValue, ExactFormatter, read_args
from chain.simulator.catalogue import ContractNotFound
from chain.simulator.handle import Handle
from chain.types import bytes4, i8, u8, u64
from chain.values import Field
from tests.chain.toys import Side


@dataclass(frozen=True)
class Spot:
    x: i8
    owner: Address | None


@event
class Moved:
    player: Key[Address]
    spot: Spot


@error
class TooFar(Revert):
    by: u64


class Board(Contract):
    spots: Map[Address, Spot]
    size: u8

    @init
    def new(self, size: u8 = 7) -> None:
        self.size = size

    @call(payable=True)
    def move(self, spot: Spot, side: Side, note: str) -> tuple[u8, Address | None]:
        self.log(note)
        self.spots[self.caller] = spot
        self.emit(Moved(self.caller, spot))
        require(spot.x > -9, "off\nthe board")
        if spot.x > 9:
            raise TooFar(spot.x)
        return self.random.below(6, tag="die"), spot.owner

    @call
    def tell(self, raw: bytes, marks: list[bytes4], who: Address) -> bytes:
        return raw

    @call
    def split(self) -> Address:
        made = self.deploy(Board, 3)
        self.at(Board, made).move(Spot(0, None), Side.RED, "again")
        return made


Base = Board
CODE = bytes.fromhex("600a600c600039600a6000f3602a60075560005460005260206000f3")[:22]


def plain(chain: Chain, board: Handle) -> None:
    board.move(Spot(-3, board.address), Side.BLUE, 'it\'s\n"här" @alice 0x00 # 1', value=5)
    board.tell(b"\x00\x01", [b"abcd", b"\0\0\0\0"], chain.accounts[3])
    board.tell(b"", [], Address(bytes(range(20))))


def failing(chain: Chain, board: Handle) -> None:
    for x in (-9, 10):
        board.move(Spot(x, None), Side.RED, "", check=False)
    chain.send(board.address, b"\x01\x02\x03\x04")
    chain.send(board.address, board.move.calldata(Spot(0, None), Side.RED, "") + b"\0")
    board.split(gas=60_000, check=False)


def timed(chain: Chain, board: Handle) -> None:
    chain.advance(65)
    first, odd = chain.account("first.testnet"), chain.account("Ann: Smith")
    with chain.block():
        board.split(sender=first)
        chain.set_balance(first, 10**20)
        board.split(sender=odd)
        chain.set_balance(chain.account("late"), 7)
    chain.mine(3)
    board.split(sender=first)
    with chain.block():
        chain.set_nonce(chain.accounts[5], 9)


def loaded(chain: Chain, board: Handle) -> None:
    with chain.loaded(die=[5, 2]):
        board.move(Spot(0, None), Side.RED, "")
        board.move(Spot(0, None), Side.RED, "")
    with chain.loaded(die=[]):
        board.move(Spot(0, None), Side.RED, "", check=False)


def foreign(chain: Chain, board: Handle) -> None:
    made = chain.send(None, CODE).address
    chain.send(made, b"\x01", gas=100_000)
    chain.send(chain.accounts[4], value=3)
    chain.set_code(chain.accounts[8], b"\x60\x00")
    chain.set_storage(made, 7, 2**255)
    chain.set_storage(made, 7, 0)
    chain.set_code(chain.accounts[8], b"")


def signed(chain: Chain, board: Handle) -> None:
    bob = chain.accounts[1]
    data, spot = board.move.calldata(Spot(1, bob), Side.RED, "x"), ((bytes(board.address), (0, 1)),)
    tx = Transaction(bytes(bob), bytes(board.address), data, 3, 400_000, 0, 2 * 10**9, 7, 2, spot)
    chain.send_transaction(tx)
    later = Transaction(bytes(bob), bytes(bob), b"", 0, 30_000, 1, 10**9, 0, 0)
    later.raw = encode_signed(later, chain.chain_id, bob)
    chain.send_transaction(later)


def unfinished(chain: Chain, board: Handle) -> None:
    chain.automine = False
    board.split()
    chain.account("last")


def odd_block(chain: Chain, board: Handle) -> None:
    chain.ledger.open = block = chain.pending
    fee = 10**9 + 5
    change_block(block, coinbase=bytes(range(20)), forced_prevrandao=77, base_fee=fee)
    board.move(Spot(0, None), Side.RED, "")
    board.split()


PLAYS = [plain, failing, timed, loaded, foreign, signed, unfinished, odd_block]


def played(*parts: Callable[[Chain, Handle], None], **settings: Any) -> Chain:
    chain = Chain(**settings)
    board = chain.deploy(Board, sender=chain.accounts[2])
    for part in parts:
        part(chain, board)
    return chain


@pytest.mark.parametrize("part", PLAYS)
def test_play_is_reproduced(part: Callable[[Chain, Handle], None]) -> None:
    chain = played(part)
    again = replay(record(chain), contracts=[Board])
    assert str(again.difference) == "None"
    assert again.text == record(chain)
    assert [again.chain.block_hash(n) for n in range(len(chain.blocks))] == [
        chain.block_hash(n) for n in range(len(chain.blocks))
    ]


@pytest.mark.parametrize(
    "settings",
    [{"seed": 9}, {"chain_id": 5, "base_fee": 8}, {"elastic_fees": True, "guard": False}],
)
def test_settings_are_kept(settings: dict[str, Any]) -> None:
    chain = played(plain, timed, **settings)
    assert replay(record(chain), contracts=[Board]).chain.block_hash() == chain.block_hash()


def test_contracts_are_numbered() -> None:
    text = record(played(timed, signed))
    assert [f"= @Board{n} [" in text for n in ("", "#2", "#3", "#4", "#5")] == [True] * 4 + [False]


def test_fork_and_file_are_sources_too(tmp_path: Path) -> None:
    with Chain.open(tmp_path / "board.chain", seed=3) as chain:
        board = chain.deploy(Board)
        loaded(chain, board)
        text = record(chain.fork())
    with Chain.open(tmp_path / "board.chain", contracts=[Board]) as chain:
        assert record(chain) == text
        assert replay(text, contracts=[Board]).ok


def test_transcript_reads_as_a_play() -> None:
    chain = Chain()
    board = chain.deploy(Board, 5, sender=chain.account("first.testnet"))
    chain.advance(65)
    with chain.loaded(die=[4]):
        board.move(Spot(-1, board.address), Side.BLUE, "go", sender=chain.accounts[1], value=2)
    lines = record(chain).splitlines()
    assert [line.rpartition(" [")[0] or line for line in lines[:-1]] == [
        "boardchain transcript 1",
        f"contract Board = {full_name(Board)}",
        "",
        "account first.testnet",
        "1 +1s first.testnet: deploy Board(5)",
        "    = @Board",
        "2 +66s bob: Board.move(Spot(x=-1, owner=@Board), BLUE, 'go') with 2 wei",
        "    with loaded",
        "    | go",
        "    Moved(player=@bob, spot=Spot(x=-1, owner=@Board))",
        "    = (4, @Board)",
    ]
    assert lines[-1] == f"end 2 0x{chain.block_hash().hex()}"


# Values


@given(data=st.data())
def test_values_can_be_read_back(drawn: Any, data: st.DataObject) -> None:
    kind, value = data.draw(drawn.typed)
    written = ExactFormatter(NameRegistry()).show(value)
    assert read_args(written, (Field("value", kind),), NameRegistry()) == (value,)
    assert "\n" not in written


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("1, 2", "it takes (spot), not (1, 2)"),
        ("1)(2", "(1)(2) cannot be read"),
        ("Spot(x=1)", 'spot = {"x": 1} is incomplete: write x, owner'),
        ("Spot(x=1, owner=@nobody)", "spot.owner: there is no nobody here"),
        ("Spot(x=1, owner=5)", "spot.owner = 5 is not an Address (20 bytes)"),
        ("__import__('os')", "__import__('os') is not a value"),
        ("RED", 'spot = "RED" is not Spot'),
    ],
)
def test_other_texts_are_not_values(text: str, why: str) -> None:
    [spot, *_] = Board.__spec__.entries["move"].params
    with pytest.raises(BadValue) as wrong:
        read_args(text, (spot,), NameRegistry())
    assert str(wrong.value) == why


# Differences


def changed() -> type[Contract]:
    """The same contract, but for one rule."""

    class Board(Base):
        @call(payable=True)
        def move(self, spot: Spot, side: Side, note: str) -> tuple[u8, Address | None]:
            self.log(note.upper())
            self.spots[self.caller] = spot
            self.emit(Moved(self.caller, spot))
            return self.random.below(6, tag="die"), spot.owner

    return Board


def replayed(text: str, contract: type[Contract] = Board) -> str:
    text = text.replace(full_name(Board), full_name(contract))
    return str(replay(text, contracts=[contract]).difference)


def test_changed_rule_shows_at_first_move() -> None:
    chain = Chain()
    board = chain.deploy(Board)
    for note in ("", "now", "then"):
        board.move(Spot(0, None), Side.RED, note)
    told = replayed(record(chain), changed()).splitlines()
    assert told[0].startswith(
        "line 10: Board.move has a different outcome (tests/chain/replays/test_r"
    )
    assert told[2:4] == ["-     | now", "+     | NOW"]


class Broken(Contract):
    @call
    def find(self) -> u64:
        return [1, 2].index(3)

    @call
    def explain(self) -> u64:
        raise ValueError("no 3 here")


def test_words_of_python_are_not_compared() -> None:
    chain = Chain()
    broken = chain.deploy(Broken)
    broken.find(check=False)
    broken.explain(check=False)
    outcomes = [line for line in record(chain).splitlines() if "failed" in line]
    assert [line.split("[")[0].strip() for line in outcomes] == [
        "= failed: ValueError",
        "= failed: ValueError: no 3 here",
    ]


def test_gas_of_a_deployment_is_not_compared() -> None:
    chain = Chain()
    chain.deploy(Board)
    (receipt,) = chain.receipts
    cheaper = record(chain).replace(f"[{receipt.gas_used} gas]", f"[{receipt.gas_used - 12} gas]")
    assert replay(cheaper, contracts=[Board]).ok
    assert not replay(cheaper.replace("= @", "= failed: @"), contracts=[Board]).ok


def test_difference_shows_what_came() -> None:
    chain = Chain()
    chain.deploy(Board).move(Spot(0, None), Side.RED, "now")
    told = replayed(record(chain).replace("| now", "| then")).splitlines()
    assert told[0].startswith(
        "line 6: Board.move has a different outcome (tests/chain/replays/test_replays.py:"
    )
    assert told[1:] == [
        "  2 +2s alice: Board.move(Spot(x=0, owner=None), RED, 'now')",
        "-     | then",
        "+     | now",
        "      Moved(player=@alice, spot=Spot(x=0, owner=None))",
    ]


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("Board.split()", "Board.spit()", "Board has no entry 'spit'"),
        ("Board.split()", "Board.split(1)", "it takes (), not (1)"),
        ("Board.split()", "Board#7.split()", "there is no account or contract Board#7"),
        ("alice: Board.split", "nobody: Board.split", "there is no account or contract nobody"),
        ("split()", "split()\n    with gas 5", "intrinsic gas too low: it has 5 gas"),
    ],
)
def test_impossible_step_is_a_difference(old: str, new: str, why: str) -> None:
    chain = Chain()
    chain.deploy(Board).split()
    told = replayed(record(chain).replace(old, new))
    assert told.startswith(f"line 6: this request is no longer possible: {why}")


def test_hash_alone_is_reported_last() -> None:
    chain = Chain()
    chain.deploy(Board)
    text = record(chain).replace("end 1 0x", "end 1 0xff")
    told = replayed(text)
    assert told.startswith(
        "line 6: all outcomes are as recorded, except the hash of the chain: the code"
    )
    assert f"+ end 1 0x{chain.block_hash().hex()}" in told
    assert replay(text, contracts=[Board], moves_only=True).ok


BAD = [
    ("", "line 1: this is not a transcript"),
    ("boardchain transcript 2\n", "line 1: this is not a transcript"),
    ("boardchain transcript 1\nhello\n", "line 2: 'hello' is not a line of a transcript"),
    ("boardchain transcript 1\n    = 1\n", "line 2: this belongs to no step"),
    ("boardchain transcript 1\nchain size=1\n", "line 2: a chain has no setting 'size'"),
    ("boardchain transcript 1\nchain seed\n", "line 2: 'seed' is not a setting of a chain"),
    ("boardchain transcript 1\n3 +1s block\n", "line 2: block 1 is missing"),
    ("boardchain transcript 1\n1 +0s block\n", "line 2: its block is not after the one before"),
    ("boardchain transcript 1\n1 +1s bob: hello\n", "line 2: 'hello' cannot be read as a request"),
    ("boardchain transcript 1\n1 +1s bob: deploy X()\n", "line 2: no line defines the contract X"),
    (f"boardchain transcript 1\nbytecode X 0x{'0' * 40} {'[' * 100_000}", "line 2: 'X 0x"),
    ("boardchain transcript 1\nset nonce bob x\n1 +1s block\n", "line 2: 'set nonce bob x' cannot be read"),
    ("boardchain transcript 1\n1 +1s bob: to bob send 0x\n    with gas x\n", "line 2: 'with gas x' cannot be read"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "why"), BAD)
def test_bad_transcript_names_the_line(text: str, why: str) -> None:
    with pytest.raises(BadTranscript) as wrong:
        replay(text)
    assert str(wrong.value).startswith(why)


def test_only_offered_contracts_are_played() -> None:
    text = "boardchain transcript 1\ncontract X = os:path\n"
    with pytest.raises(ContractNotFound, match="os:path is not among the available contracts"):
        replay(text)


def test_golden_file_shows_its_difference(tmp_path: Path) -> None:
    path, chain = tmp_path / "board.txt", played(plain)
    path.write_bytes(record(chain).encode())
    check_transcript(path, contracts=[Board])
    path.write_bytes(record(chain).replace("= 0x0001", "= 0x0002").encode())
    with pytest.raises(
        AssertionError, match=r"board.txt, line 11: Board.tell has a different outcome"
    ):
        check_transcript(path, contracts=[Board])
