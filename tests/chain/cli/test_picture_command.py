"""`boardchain picture`: a board of a chain as a file: now, at an earlier time, and with its changes."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result

from chain import Chain
from chain.cli.main import cli
from chain.pictures import board_picture
from contracts.deblockle import Deblockle
from contracts.mage_duel import deploy


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A chain with a game of Deblockle, of which one cube was rolled, and a World without a duel."""
    path = tmp_path_factory.mktemp("pictures") / "games.chain"
    with Chain.open(path) as chain:
        duel = chain.deploy(Deblockle)
        duel.create_game("first.testnet", "second.testnet")
        duel.make_move(0, 3, 5, 2, 5, sender=chain.account("first.testnet"))
        deploy(chain)
    return path


def drawn(file: Path, *words: Any) -> Result:
    return CliRunner().invoke(cli, ["picture", *map(str, words), "--chain", str(file)])


def test_picture_goes_into_a_file_of_its_own(file: Path, tmp_path: Path) -> None:
    done = drawn(file, "Deblockle", 0, "-o", tmp_path / "board.svg")
    assert done.stderr == f"{tmp_path / 'board.svg'}: Deblockle: Player 2 to roll\n"
    text = (tmp_path / "board.svg").read_text("utf-8")
    assert ElementTree.fromstring(text).get("aria-label") == "Deblockle: Player 2 to roll"
    assert "prefers-color-scheme: dark" in text


@pytest.mark.parametrize(("words", "block"), [((), 3), (("--block", 2), 2)])
def test_picture_is_of_a_block(file: Path, words: tuple[Any, ...], block: int) -> None:
    with Chain.open(file, contracts=[Deblockle]) as chain:
        duel = chain.at(block).handle(Deblockle, chain.receipts[0].address)
        expected = board_picture(duel, 0).svg(dark=True)
    assert drawn(file, "Deblockle", 0, *words).stdout.strip() == expected


@pytest.mark.parametrize(("since", "is_outlined"), [(2, True), (3, False)])
def test_change_is_outlined(file: Path, since: int, is_outlined: bool) -> None:
    done = drawn(file, "Deblockle", 0, "--since", since)
    assert ("s-accent" in done.stdout.partition("</style>")[2]) == is_outlined


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("Deblockle", 5), "there is no game 5"),
        (("Deblockle",), "Deblockle has many boards: name one by its index"),
        (("Deblockle", "x"), "index = 'x' is not"),
        (("Deblockle", 0, "--block", 99), "--block: there is no block 99"),
        (("World", 0), "World has no boards to show: a game has them in its picture.py"),
        (("PlayerProfile", 0), "PlayerProfile has no boards: no entry takes 'board_id'"),
        (("Game", 3), "There is no board 3"),
    ],
)
def test_undrawable_board_is_reported(file: Path, words: tuple[Any, ...], told: str) -> None:
    done = drawn(file, *words)
    assert done.exit_code in (1, 2)
    assert told in done.stderr
