"""The commands that work on a chain: deploy, call, view and queries; on a file, in memory, on a node."""

from __future__ import annotations

import dataclasses
import json
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from chain import Chain
from chain.cli.arguments import read_args
from chain.cli.main import cli
from chain.ledger.sql.json_values import portable
from chain.rpc.server.listener import Settings
from chain.rpc.server.server import Server
from chain.simulator.catalogue import ContractCatalogue
from chain.types import Address
from chain.values import Field
from chain.values.mismatch import ParseError
from contracts.deblockle import Deblockle
from contracts.mage_duel import Game

ROOT = Path(__file__).parents[3]
FIRST, SECOND = "first.testnet", "second.testnet"

Run = Callable[..., Result]


def invoke(*words: Any) -> Result:
    return CliRunner().invoke(cli, [str(word) for word in words])


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A chain with a game of Deblockle: created, one move, one refusal."""
    file = tmp_path_factory.mktemp("played") / "duel.chain"
    for words in (
        ("deploy", "Deblockle"),
        ("call", "Deblockle", "create_game", FIRST, SECOND, "3", "--from", FIRST),
        ("call", "Deblockle", "make_move", "[0, 4, 5, 4, 4]", "--from", FIRST),
    ):
        done = invoke(*words, "--chain", file)
        assert done.exit_code == 0, done.stderr
    assert invoke("call", "Deblockle", "pass_move", 0, "--chain", file).exit_code == 1
    return file


@pytest.fixture
def on(played: Path, tmp_path: Path) -> Run:
    """Runs a command on a copy of that chain."""
    file = tmp_path / "duel.chain"
    shutil.copy(played, file)
    return lambda *words: invoke(*words, "--chain", file)


def test_deploy_shows_the_address(tmp_path: Path) -> None:
    done = json.loads(invoke("deploy", "Sagrada", "30", "--chain", tmp_path / "a", "--json").output)
    with Chain.open(tmp_path / "a") as chain:
        assert chain.code(Address(done["address"])).startswith(b"\xfeboardchain")
        assert done["transaction"] == f"0x{chain.receipts[0].tx_hash.hex()}"


def test_call_shows_what_happened(on: Run) -> None:
    done = on("call", "Deblockle", "pass_move", 0, "--from", SECOND)
    assert done.stdout.startswith("5 +5s second.testnet: Deblockle.pass_move(0) -> GameRecord(")


def test_call_takes_a_json_object(on: Run) -> None:
    move = {"index": 0, "from_x": 4, "from_y": 1, "to_x": 5, "to_y": 1}
    done = json.loads(
        on("call", "Deblockle", "make_move", json.dumps(move), "--from", SECOND, "--json").output
    )
    assert done["args"] == move and done["ok"] is True


def test_refused_call_exits_with_one(on: Run) -> None:
    refused = on("call", "Deblockle", "pass_move", 0)
    assert refused.exit_code == 1
    assert "boardchain: Wrong player's turn!" in refused.stderr
    as_json = on("call", "Deblockle", "pass_move", 0, "--json")
    assert (as_json.exit_code, json.loads(as_json.stdout)["ok"]) == (1, False)


def test_view_gives_value_and_logs(on: Run) -> None:
    seen = on("view", "Deblockle", "cube_state", 0, 4, 4)
    assert json.loads(seen.stdout)["player"] == 1
    assert ":-:-:-:" in seen.stderr


def test_view_of_a_call_says_that_nothing_was_sent(on: Run) -> None:
    seen = on("view", "Deblockle", "create_game", "a.testnet", "b.testnet", 3)
    assert "nothing was sent: create_game is not a view: 'boardchain call' sends it" in seen.stderr
    assert seen.stdout == "1\n"


def test_view_of_the_past(on: Run) -> None:
    words = ("view", "Deblockle", "cube_state", "0", "4", "4")
    assert on(*words, "--block", 2).stdout == "null\n"


def test_negative_numbers_are_arguments(on: Run) -> None:
    assert "boardchain" not in on("view", "Deblockle", "cube_state", "0", "-1", "4").stderr


def test_receipts_are_narrowed(on: Run) -> None:
    found = json.loads(on("receipts", "--from", FIRST, "--entry", "make_move", "--json").output)
    assert [(each["block"], each["ok"]) for each in found] == [(3, True)]
    assert on("receipts", "--failed").stdout.splitlines()[2].split()[:3] == ["3", "4", "alice"]
    assert len(on("receipts", "--last", 2).stdout.splitlines()) == 4


def test_events_by_name_and_field(tmp_path: Path) -> None:
    file = tmp_path / "blokus.chain"
    invoke("deploy", "Blokus", "--chain", file)
    for who in ("alice", "bob"):
        invoke("call", "Blokus", "create_game", 2, "--from", who, "--chain", file)
    found = invoke(
        "events", "GameCreated(uint64,uint8,uint8)", "game_id=1", "--chain", file, "--json"
    )
    assert [(x["block"], x["fields"]["game_id"]) for x in json.loads(found.output)] == [(3, 1)]


@pytest.mark.parametrize("package", ["contracts.blokus", "not_here"])
def test_deployed_contract_needs_no_package(on: Run, package: str) -> None:
    words = ("view", "Deblockle", "cube_state", "0", "4", "4")
    assert on(*words, "--contracts", package).stdout == on(*words).stdout


def test_empty_chain_asks_for_another() -> None:
    assert "choose another one with --chain" in invoke("call", "Game", "x").stderr


def test_events_name_the_account(tmp_path: Path) -> None:
    file, play = tmp_path / "duel.chain", tmp_path / "play.py"
    play.write_text(
        "from contracts.mage_duel import Game, deploy\n"
        "def main(chain): deploy(chain).system(Game).create_game()"
    )
    invoke("run", play, "--chain", file)
    lines = invoke("events", "GameCreated(address,uint8)", "--chain", file).stdout.splitlines()
    assert lines[0].split() == ["position", "block", "event", "contract", "fields"]
    assert "host_player=alice" in lines[2] and "0x" not in lines[2]


def test_sql_answers_and_lists_tables(on: Run) -> None:
    asked = on("sql", "select entry from receipts where ok = ? order by position", "1", "--json")
    assert [row["entry"] for row in json.loads(asked.output)][1:] == ["create_game", "make_move"]
    assert "receipts" in on("sql").stdout


def test_trace_by_place_and_hash(on: Run) -> None:
    by_place = on("trace", "-2")
    tx = by_place.stdout.rsplit(maxsplit=1)[-1]
    assert "Deblockle.games[0]" in by_place.stdout
    assert on("trace", tx).stdout == by_place.stdout


def test_inspect_shows_storage_and_models() -> None:
    found = json.loads(invoke("inspect", "contracts.mage_duel:Game", "--json").output)
    board = {each["name"]: each for each in found["models"]["Board"]["members"]}
    spot = Game.__spec__.models["Board"].members[0]
    assert board[spot[0]]["word"] == spot[2]
    lines = invoke("inspect", "Deblockle").output.splitlines()
    assert [line.split()[:2] for line in lines if "list[GameRecord" in line] == [
        ["games", "list[GameRecord(game:"]
    ]


def test_export_writes_every_receipt(on: Run, tmp_path: Path) -> None:
    on("export", "receipts", tmp_path / "all.jsonl")
    lines = (tmp_path / "all.jsonl").read_text().splitlines()
    assert [json.loads(line)["entry"] for line in lines][1:] == [
        "create_game",
        "make_move",
        "pass_move",
    ]
    on("export", "receipts", tmp_path / "all.csv")
    assert len((tmp_path / "all.csv").read_text().splitlines()) == 5


def test_replay_finds_all_the_same(played: Path) -> None:
    assert "4 transactions have the recorded outcome" in invoke("replay", played).stderr


def test_run_gives_the_script_a_chain(on: Run, tmp_path: Path) -> None:
    script = tmp_path / "count.py"
    script.write_text(
        "import sys\ndef main(chain):\n    print(len(chain.receipts), sys.argv[1:])\n"
    )
    assert on("run", script, "fast").stdout == "4 ['fast']\n"
    assert invoke("run", script).stdout == "0 []\n"


SLIPS = {
    "of Python": ("int('x')", "ValueError: invalid literal for int() with base 10: 'x', at slip.py:4"),
    "of a type": ("1 + ''", "TypeError: unsupported operand type(s) for +: 'int' and 'str', at slip.py:4"),
    "of a call": ("chain.deploy(Deblockle).pass_move()", "pass_move needs 'index'; it takes (index), at slip.py:4"),
    "of a player": (
        "chain.deploy(Deblockle).pass_move(0)",
        "Game doesn't exist. (contracts/deblockle/contract.py:73), at slip.py:4",
    ),
    "of a key": ("{}['a']", "KeyError: 'a', at slip.py:4"),
}  # fmt: skip


@pytest.mark.parametrize(("line", "says"), SLIPS.values(), ids=SLIPS.keys())
def test_error_of_a_script_names_its_line(line: str, says: str, tmp_path: Path) -> None:
    script = tmp_path / "slip.py"
    script.write_text(
        f"from contracts.deblockle import Deblockle\n\ndef main(chain):\n    {line}\n"
    )
    refused = invoke("run", script)
    assert refused.exit_code == 1
    told = re.sub(r"/\S*/(slip|contracts)", r"\1", refused.stderr)
    assert re.sub(r"contract\.py:\d+", "contract.py:73", told) == f"boardchain: {says}\n"


WRONG: dict[str, tuple[tuple[Any, ...], str]] = {
    "no such contract": (("call", "Chess", "move"), "there is no contract 'Chess' on this chain; there are Deblockle"),
    "nothing at address": (("call", "0x" + "11" * 20, "move"), "there is no contract at 0x1111"),
    "no such entry": (("call", "Deblockle", "mov"), "Deblockle has no entry 'mov' to call; it has create_game, "),
    "view called": (("call", "Deblockle", "game_state", 0), "game_state is a view: use 'boardchain view'"),
    "argument missing": (("call", "Deblockle", "pass_move"), "pass_move needs 'index'"),
    "too many": (("view", "Deblockle", "game_state", 1, 2), "game_state takes <index: u64>; 2 were given"),
    "no number": (("view", "Deblockle", "game_state", "x"), "index = 'x' is not a whole number, as u64 is"),
    "no such block": (("view", "Deblockle", "game_state", 0, "--block", 99), "--block: there is no block 99: "),
    "too large": (("call", "Deblockle", "make_move", 0, 300, 1, 1, 1), "from_x = 300 does not fit i8 (-128..127)"),
    "too large in json": (("call", "Deblockle", "pass_move", "[-1]"), ""),
    "no json": (("call", "Deblockle", "pass_move", "{x"), "pass_move: this is not JSON: "),
    "no such argument": (("call", "Deblockle", "pass_move", '{"game": 1}'), "pass_move has no argument 'game'; it takes "),
    "no such option": (("call", "Deblockle", "pass_move", 0, "--sendr", "bob"), "there is no option --sendr"),
    "no such account": (("call", "Deblockle", "pass_move", 0, "--from", "bert"), "--from: there is no account 'bert'; "),
    "no such number": (("receipts", "--from", "77"), "--from: there is no account 77: the numbers go from 0 to "),
    "no such transaction": (("trace", "99"), "there is no transaction 99: there are 4"),
    "no transaction": (("trace", "last"), "'last' is not a transaction: give its hash or its position"),
    "unknown hash": (("trace", "0x" + "11" * 32), "there is no transaction 0x1111"),
    "wrong sql": (("sql", "select x from receipts"), "no such column: x; receipts has "),
    "no such event": (("events", "Checkmate"), "no contract on this chain declares an event 'Checkmate'"),
    "no such field": (("events", "Claimed", "x"), ""),
    "no such table": (("export", "chess", "a.csv"), ""),
    "no such format": (("export", "receipts", "a.xml"), "FILE must end in .jsonl or .csv, unlike a.xml"),
    "no such folder": (("export", "receipts", "no/such/a.csv"), "there is no folder no/such"),
    "no such plan": (("deploy", "nothing.py"), "there is no script nothing.py"),
    "no such script": (("run", "nothing.py"), "Invalid value for 'SCRIPT'"),
}  # fmt: skip


@pytest.mark.parametrize(("words", "says"), WRONG.values(), ids=WRONG.keys())
def test_wrong_input_is_one_sentence(on: Run, words: tuple[Any, ...], says: str) -> None:
    refused = on(*words)
    assert refused.exit_code == 2, refused.stderr
    assert refused.stderr.startswith(f"boardchain: {says}"), refused.stderr
    assert refused.stdout == "" and "Traceback" not in refused.stderr


def at(word: str) -> Address:
    if word == "alice":
        return Address(b"a" * 20)
    raise ValueError(f"there is no account '{word}'")


DUEL = Deblockle.__spec__.entries
READ: dict[str, tuple[str, tuple[str, ...], dict[str, Any]]] = {
    "words": ("create_game", ("a", "b", "3"), {"first_player": "a", "second_player": "b", "num_cubes": 3}),
    "none": ("create_game", ("a", "b", "null"), {"first_player": "a", "second_player": "b", "num_cubes": None}),
    "a default": ("create_game", ("a", "b"), {"first_player": "a", "second_player": "b"}),
    "hex": ("game_state", ("0x1f",), {"index": 31}),
    "underscores": ("game_state", ("1_000",), {"index": 1000}),
    "list": ("cube_state", ("[1, -2, 3]",), {"index": 1, "x": -2, "y": 3}),
    "json for a text": ("create_game", ("{", "b"), {"first_player": "{", "second_player": "b"}),
}  # fmt: skip


@pytest.mark.parametrize(("entry", "words", "found"), READ.values(), ids=READ.keys())
def test_words_are_read_by_type(entry: str, words: tuple[str, ...], found: dict[str, Any]) -> None:
    assert read_args(DUEL[entry], words, at) == found


@pytest.mark.parametrize("words", [("1.5",), ("true",), ("[1, 2]",), ('{"index": true}',), ("",)])
def test_value_that_is_not_a_number_is_refused(words: tuple[str, ...]) -> None:
    with pytest.raises(ParseError):
        read_args(DUEL["game_state"], words, at)


@st.composite
def arguments(draw: st.DrawFn, drawn: Any) -> Any:
    """An entry that takes some arguments, and values for them."""
    members = tuple(
        Field(f"m{i}", kind)
        for i, kind in enumerate(draw(st.lists(drawn.kinds, min_size=1, max_size=4)))
    )
    entry = dataclasses.replace(DUEL["game_state"], params=members)
    return entry, {each.name: draw(drawn.values_of(each.kind)) for each in members}


@given(st.data())
def test_json_is_read_back_as_it_was(drawn: Any, data: st.DataObject) -> None:
    entry, values = data.draw(arguments(drawn))
    text = json.dumps(portable(values))
    assert read_args(entry, [text], Address) == values


@given(st.text(max_size=30), st.data())
def test_any_word_is_read_or_refused(drawn: Any, word: str, data: st.DataObject) -> None:
    entry, _ = data.draw(arguments(drawn))
    try:
        read_args(entry, [word], at)
    except ParseError:
        return


def test_every_command_has_help() -> None:
    for name in cli.list_commands(click.Context(cli)):
        shown = invoke(name, "--help")
        assert shown.exit_code == 0 and shown.output.startswith("Usage: "), name


@pytest.fixture
def url() -> Iterator[str]:
    """A node that offers the games."""
    chain = Chain.reach("memory", contracts=ContractCatalogue("contracts").classes)
    with Server(chain, Settings(port=0)).in_thread() as url:
        yield url


def test_script_prints_the_same_everywhere(url: str, tmp_path: Path) -> None:
    script = ROOT / "scripts" / "play_deblockle.py"
    printed = [
        invoke("run", script, "--chain", each).stdout
        for each in ("memory", tmp_path / "a.chain", url)
    ]
    assert "finished: True, winner: player 1" in printed[0]
    assert printed[1:] == [printed[0], printed[0]]


def test_commands_work_on_a_node(url: str, tmp_path: Path) -> None:
    deploy = ROOT / "scripts" / "deploy.py"
    words = ("--chain", url, "--deployments", tmp_path)
    assert "create Sagrada at 0x" in invoke("deploy", deploy, *words).stdout
    assert invoke("deploy", deploy, *words).stderr == "nothing to do\n"
    assert invoke("call", "Deblockle", "create_game", "alice", "bob", "--chain", url).exit_code == 0
    (record,) = json.loads(invoke("receipts", "--last", "1", "--chain", url, "--json").output)
    assert (record["entry"], record["ok"]) == ("create_game", True)


@pytest.mark.parametrize("where", ["", "ws://127.0.0.1:8545"])
def test_where_no_chain_can_be_is_reported(where: str) -> None:
    refused = invoke("accounts", "--chain", where)
    assert refused.exit_code == 2
    assert refused.stderr.startswith("boardchain: --chain is memory, a file, or http://…, not ")


def test_node_that_is_not_there_is_reported() -> None:
    refused = invoke("accounts", "--chain", "http://127.0.0.1:9")
    assert refused.exit_code == 1
    assert refused.stderr.startswith("boardchain: there is no node at http://127.0.0.1:9: ")
