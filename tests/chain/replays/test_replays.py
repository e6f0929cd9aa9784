"""A transcript has all that is needed to replay it, and a replay shows the first difference."""

from __future__ import annotations

import json
import re
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
from chain.ledger.sql.json_values import json_line
from chain.machine.transaction import Transaction
from chain.replays import BadTranscript, check_transcript, record, replay
from chain.replays.known_names import KnownNames
from chain.replays.outcomes import differences
from chain.replays.transcript import FIRST
from chain.simulator.catalogue import ContractNotFound
from chain.simulator.handle import Handle
from chain.types import bytes4, i8, u8, u64
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
    chain.send_transaction(later._replace(raw=encode_signed(later, chain.chain_id, bob)))


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
    assert [f'"result":"Board{n}"' in text for n in ("#2", "#3", "#4", "#5")] == [True] * 3 + [
        False
    ]


def test_fork_and_file_are_sources_too(tmp_path: Path) -> None:
    with Chain.open(tmp_path / "board.chain", seed=3) as chain:
        board = chain.deploy(Board)
        loaded(chain, board)
        text = record(chain.fork())
    with Chain.open(tmp_path / "board.chain", contracts=[Board]) as chain:
        assert record(chain) == text
        assert replay(text, contracts=[Board]).ok


def test_lines_have_names_and_values_in_json() -> None:
    chain = Chain()
    board = chain.deploy(Board, 5, sender=chain.account("first.testnet"))
    chain.advance(65)
    with chain.loaded(die=[4]):
        board.move(Spot(-1, board.address), Side.BLUE, "go", sender=chain.accounts[1], value=2)
    lines = [json.loads(line) for line in record(chain).splitlines()]
    gas = [line.pop("gas_used") for line in lines if "sender" in line]
    assert gas == [receipt.gas_used for receipt in chain.receipts]
    assert lines == [
        {"transcript": 2},
        {"contract": "Board", "class": full_name(Board)},
        {"account": "first.testnet"},
        {
            "block": 1,
            "sender": "first.testnet",
            "create": "Board",
            "args": {"size": 5},
            "address": "Board",
        },
        {
            "block": 2,
            "timestamp": chain.head.timestamp,
            "sender": "bob",
            "to": "Board",
            "entry": "move",
            "args": {"spot": {"x": -1, "owner": "Board"}, "side": "BLUE", "note": "go"},
            "value": 2,
            "forced_random": [["die", 4]],
            "result": [4, "Board"],
            "logs": [
                {"text": "go"},
                {
                    "event": "Moved",
                    "fields": {"player": "bob", "spot": {"x": -1, "owner": "Board"}},
                },
            ],
        },
        {"end": 2, "hash": f"0x{chain.block_hash().hex()}"},
    ]


# Values


@given(data=st.data())
def test_values_can_be_read_back(drawn: Any, data: st.DataObject) -> None:
    kind, value = data.draw(drawn.typed)
    names = KnownNames()
    written = json.loads(json_line(names.show(value)))
    assert kind.from_json(written, "value", names.find) == value


@pytest.mark.parametrize(
    ("told", "why"),
    [
        ({"x": 1}, 'args.spot = {"x": 1} is incomplete: write x, owner'),
        ({"x": 1, "owner": "nobody"}, "args.spot.owner: there is no account or contract nobody"),
        ({"x": 1, "owner": 5}, "args.spot.owner = 5 is not an Address (20 bytes)"),
        ("RED", 'args.spot = "RED" is not Spot'),
    ],
)
def test_other_values_are_refused(told: object, why: str) -> None:
    entry = Board.__spec__.entries["move"]
    with pytest.raises(ValueError, match=re.escape(why)):
        KnownNames().read_args(entry, {"spot": told, "side": "RED", "note": ""})


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
        "line 5: Board.move has a different outcome (tests/chain/replays/test_r"
    )
    assert told[2:] == ['- logs[0].text: "now"', '+ logs[0].text: "NOW"']


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
    lines = [json.loads(line) for line in record(chain).splitlines()]
    assert [line["error"] for line in lines if "error" in line] == [
        "ValueError",
        "ValueError: no 3 here",
    ]


def test_gas_of_a_deployment_is_not_compared() -> None:
    chain = Chain()
    chain.deploy(Board)
    (receipt,) = chain.receipts
    cheaper = record(chain).replace(
        f'"gas_used":{receipt.gas_used}', f'"gas_used":{receipt.gas_used - 12}'
    )
    assert replay(cheaper, contracts=[Board]).ok
    assert not replay(cheaper.replace('"address":"Board"', '"error":"x"'), contracts=[Board]).ok


def test_difference_shows_what_came() -> None:
    chain = Chain()
    chain.deploy(Board).move(Spot(0, None), Side.RED, "now")
    told = replayed(record(chain).replace('"text":"now"', '"text":"then"')).splitlines()
    assert told[0].startswith(
        "line 4: Board.move has a different outcome (tests/chain/replays/test_replays.py:"
    )
    assert told[1:] == [
        '  {"block":2,"sender":"alice","to":"Board","entry":"move","args":'
        '{"spot":{"x":0,"owner":null},"side":"RED","note":"now"}}',
        '- logs[0].text: "then"',
        '+ logs[0].text: "now"',
    ]


def test_texts_of_several_lines_are_compared_by_line() -> None:
    chain = Chain()
    chain.deploy(Board).move(Spot(0, None), Side.RED, "a\nb\nc")
    told = replayed(record(chain).replace('"text":"a\\nb\\nc"', '"text":"a\\nB\\nc"'))
    assert told.splitlines()[2:] == ['- logs[0].text[1]: "B"', '+ logs[0].text[1]: "b"']


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('"split"', '"spit"', "Board has no entry 'spit'"),
        ('"split","args":{}', '"split","args":{"a":1}', "it takes no arguments, not a"),
        ('"to":"Board"', '"to":"Board#7"', "there is no account or contract Board#7"),
        ('"alice","to"', '"nobody","to"', "there is no account or contract nobody"),
        ('"args":{},"result"', '"gas":5,"result"', "intrinsic gas too low: it has 5 gas"),
    ],
)
def test_impossible_step_is_a_difference(old: str, new: str, why: str) -> None:
    chain = Chain()
    chain.deploy(Board).split()
    told = replayed(record(chain).replace(old, new))
    assert told.startswith(f"line 4: this request is no longer possible: {why}")


def test_what_is_missing_differs_from_null() -> None:
    one, other = {"a": [None, 1], "b": None}, {"a": [], "c": {"d": "x"}}
    assert [*differences(one, other)] == [
        ("a[0]", "null", None),
        ("a[1]", "1", None),
        ("b", "null", None),
        ("c", None, '{"d":"x"}'),
    ]
    assert [*differences(one, one)] == []


def test_hash_alone_is_reported_last() -> None:
    chain = Chain()
    chain.deploy(Board)
    text = record(chain).replace('"hash":"0x', '"hash":"0xff')
    told = replayed(text)
    assert told.startswith(
        "line 4: all outcomes are as recorded, except the hash of the chain: the code"
    )
    assert f'+ hash: "0x{chain.block_hash().hex()}"' in told
    assert replay(text, contracts=[Board], moves_only=True).ok


BAD = [
    ("", "line 1: this is not a transcript"),
    ('{"transcript":1}', "line 1: this is not a transcript"),
    ('{"transcript":2', "line 1: '{\"transcript\":2' is not a JSON object"),
    ("hello", "line 2: 'hello' is not a JSON object"),
    ("[1]", "line 2: '[1]' is not a JSON object"),
    ("[" * 100_000, "line 2: '[["),
    ('{"hello":1}', "line 2: '{\"hello\":1}' does not begin with contract or bytecode or account"),
    ('{"block":1,"colour":1}', "line 2: there is no 'colour' here; there are block, timestamp,"),
    ('{"transcript":2,"size":1}', "line 1: a chain has no setting 'size'; it has chain_id,"),
    ('{"block":3}', "line 2: block 1 is missing"),
    ('{"block":1,"timestamp":0}', "line 2: its block is not after the one before"),
    ('{"block":1}\n{"block":1,"timestamp":1}', "line 3: its block has begun"),
    ('{"block":-1}', 'line 2: "block":-1 cannot be read'),
    ('{"block":1,"data":"1"}', 'line 2: "data":"1" cannot be read'),
    ('{"block":1,"data":5}', 'line 2: "data":5 cannot be read'),
    ('{"block":1,"args":5}', 'line 2: "args":5 cannot be read'),
    ('{"block":1,"sender":"bob","create":"X"}', "line 2: no line defines the contract X"),
    ('{"contract":"X"}', "line 2: 'contract' lacks one of contract, class, digest"),
    ('{"bytecode":"X","address":"0x12","abi":[]}', 'line 2: "address":"0x12" cannot be read'),
    ('{"set":"nonce","account":"bob","to":"x"}\n{"block":1}', 'line 2: {"set":"nonce","account":"bob"'),
    ('{"set":"size","account":"bob","to":1}\n{"block":1}', 'line 2: {"set":"size","account":"bob"'),
    ('{"set":"code","account":"bob","to":1}\n{"block":1}', 'line 2: {"set":"code","account":"bob"'),
]  # fmt: skip


@pytest.mark.parametrize(("text", "why"), BAD)
def test_bad_transcript_names_the_line(text: str, why: str) -> None:
    with pytest.raises(BadTranscript) as wrong:
        replay(text if "line 1" in why else f"{FIRST}}}\n{text}\n")
    assert str(wrong.value).startswith(why)


def test_only_offered_contracts_are_played() -> None:
    text = f'{FIRST}}}\n{{"contract":"X","class":"os:path"}}\n'
    with pytest.raises(ContractNotFound, match="os:path is not among the available contracts"):
        replay(text)


def test_golden_file_shows_its_difference(tmp_path: Path) -> None:
    path, chain = tmp_path / "board.jsonl", played(plain)
    path.write_bytes(record(chain).encode())
    check_transcript(path, contracts=[Board])
    path.write_bytes(record(chain).replace('"result":"0x0001"', '"result":"0x0002"').encode())
    with pytest.raises(
        AssertionError, match=r"board.jsonl, line 5: Board.tell has a different outcome"
    ):
        check_transcript(path, contracts=[Board])
