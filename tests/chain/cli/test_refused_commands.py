"""Commands that once failed silently or did something else: now they are refused with a message."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from chain import Chain
from chain.cli.main import cli
from chain.rpc.errors import RpcError

SCRIPT = "import sys\n\ndef main(chain):\n    print(sys.argv[1:])\n"


def invoke(*words: Any) -> Result:
    return CliRunner().invoke(cli, [str(word) for word in words])


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with a script, a text, and an arbitrary file."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "play.py").write_text(SCRIPT)
    (tmp_path / "play.txt").write_text("print(1)")
    (tmp_path / "garbage.chain").write_bytes(b"garbage\xff" * 100)
    return tmp_path


REFUSED: list[tuple[tuple[str, ...], str]] = [
    (("receipts", "--chain", "."), ". is a folder: give the name of a chain's file"),
    (("deploy", "Deblockle", "--chain", "no/such.chain"), "no/such.chain: there is no folder no"),
    (
        ("receipts", "--chain", "http://127.0.0.1:x"),
        "'http://127.0.0.1:x' is not an address of a node: it looks like http://127.0.0.1:8545",
    ),
    (("receipts", "--chain", "HTTP://127.0.0.1:1"), "there is no node at HTTP://127.0.0.1:1: "),
    (("receipts", "--entry", "fly"), "no contract on this chain has an entry 'fly'; there are "),
    (
        ("record", "garbage.chain"),
        "garbage.chain is neither a script, which ends in .py, nor the file of a chain",
    ),
    (
        ("record", "play.txt"),
        "play.txt is neither a script, which ends in .py, nor the file of a chain",
    ),
    (
        ("replay", "garbage.chain"),
        "garbage.chain: line 1: this is neither a transcript nor the file of a chain",
    ),
    (
        ("verify", "garbage.chain"),
        "garbage.chain: line 1: this is neither a transcript nor the file of a chain",
    ),
    (
        ("deploy", "Deblockle", "--value", "1.5"),
        "Invalid value for '--value': '1.5' is not a whole number of wei: one ether is 1000000000000000000",
    ),
    (
        ("deploy", "Deblockle", "--value", str(2**256)),
        "value = a number of 257 bits is not in 0..2**256 - 1 wei",
    ),
    (("run", "play.py", "--json"), "No such option '--json'"),
    (("record", "play.py", "--json"), "No such option '--json'"),
]


@pytest.mark.parametrize(("words", "says"), REFUSED)
def test_command_explains_the_error(words: tuple[str, ...], says: str) -> None:
    refused = invoke(*words)
    assert refused.exit_code in (1, 2)
    start = '{"error": "' if "--json" in words else "boardchain: "
    assert refused.stderr.startswith(f"{start}{says}"), refused.stderr
    assert refused.stdout == ""


def test_options_of_a_script_come_after_two_dashes() -> None:
    assert invoke("run", "play.py", "fast", "--", "--json").stdout == "['fast', '--json']\n"


def test_deployment_to_memory_warns_that_it_is_lost(folder: Path) -> None:
    done = invoke("deploy", "Deblockle", "--json")
    assert json.loads(done.stdout)["contract"] == "Deblockle"
    assert done.stderr.startswith(
        "this ran on a chain in memory, which no longer exists: use --chain FILE"
    )
    assert invoke("deploy", "Deblockle", "--chain", folder / "a.chain").stderr == ""


def test_dry_run_says_that_it_deploys_nothing() -> None:
    with pytest.raises(
        RpcError,
        match=r"'contract' is for deployments: a read-only call names its contract in 'to'",
    ):
        Chain().node.request("chain_look", [{"contract": "World", "args": ["a"]}])
