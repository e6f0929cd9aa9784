"""Plans at the command line, sent from another account or signed with another key."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from eth_account import Account

from chain import Chain
from tests.chain.cli.arena_project import (
    ARENA,
    BOB,
    KEY,
    OWNER,
    WORDS,
    deploy,
    run,
    senders,
)

pytestmark = pytest.mark.usefixtures("project")


@pytest.mark.parametrize("sender", ["bob", "1", BOB])
def test_plan_is_sent_from_another_account(sender: str) -> None:
    deploy("--from", sender)
    assert senders() == [BOB] * 3


def test_plan_is_sent_from_an_account_by_name() -> None:
    deploy("--from", "host.testnet")
    with Chain.open("a.chain") as chain:
        assert {receipt.sender for receipt in chain.receipts} == {chain.account("host.testnet")}


def keystore(folder: Path) -> Path:
    file = folder / "key.json"
    file.write_text(json.dumps(Account.encrypt(bytes.fromhex(KEY[2:]), "secret", iterations=2)))
    return file


SIGNERS: list[tuple[tuple[str, ...], dict[str, str], str]] = [
    (("--key", KEY), {}, OWNER), ((), {"BOARDCHAIN_KEY": KEY}, OWNER),
    (("--mnemonic", WORDS), {}, "0x58A57ed9d8d624cBD12e2C467D34787555bB1b25"),
    ((), {"BOARDCHAIN_MNEMONIC": WORDS}, "0x58A57ed9d8d624cBD12e2C467D34787555bB1b25"),
    (("--keystore", "key.json"), {"BOARDCHAIN_PASSWORD": "secret"}, OWNER),
]  # fmt: skip


@pytest.mark.parametrize(("words", "environment", "owner"), SIGNERS)
def test_plan_is_signed_with_another_key(
    words: tuple[str, ...], environment: dict[str, str], owner: str, project: Path
) -> None:
    keystore(project)
    with Chain.open("a.chain") as chain:
        chain.set_balance(owner, 10**18)
    assert deploy(*words, env=environment).exit_code == 0
    with Chain.open("a.chain") as chain:
        assert [str(receipt.sender) for receipt in chain.receipts] == [owner] * 3
        assert all(receipt.raw is not None for receipt in chain.receipts)
        assert bytes.fromhex(owner[2:]) not in chain.keys
    for secret in (KEY[2:].encode(), bytes.fromhex(KEY[2:]), b"winner"):
        kept = [
            path for path in project.rglob("*") if path.is_file() and secret in path.read_bytes()
        ]
        assert not kept
    assert deploy(*words, env=environment).stderr == "nothing to do\n"


def test_wrong_password_is_reported(project: Path) -> None:
    keystore(project)
    refused = deploy("--keystore", "key.json", env={"BOARDCHAIN_PASSWORD": "guess"})
    assert (refused.exit_code, "the password is wrong" in refused.stderr) == (2, True)


def test_one_contract_is_signed_too(project: Path) -> None:
    (project / "none_here.py").write_text(ARENA.partition("def plan")[0])
    sys.modules.pop("none_here", None)
    with Chain.open("a.chain") as chain:
        chain.set_balance(OWNER, 10**18)
    assert run("deploy", "Purse", "5", "--chain", "a.chain", "--key", KEY).exit_code == 0
    assert senders() == [OWNER]
    sys.modules.pop("none_here", None)
