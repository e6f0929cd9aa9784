"""A class that changed since it was deployed: left, upgraded in place, or deployed again beside the old one."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from chain import Chain
from chain.cli.script_loader import loaded
from chain.deployment import Deployment
from chain.deployment.journal import Journal
from chain.deployment.preview import Script
from chain.deployment.steps import BESIDE, CHANGED, UPGRADE
from chain.simulator.upgrade import CannotUpgrade
from tests.chain.deployment.arcade import Bank, apply, inspect
from tests.chain.versions import TALLY

OTHER = "Game.names was Map[u64, str] and is Map[u64, u64]"
GONE = "Game.names was removed: its slots must not be used for anything else"
MOVED = "Game.count moved from word 0, byte 0 to word 1, byte 0: put new fields last"
VERSIONS = {
    "rules": (TALLY.replace("+= n", "+= 2 * n"), ["the rules only: ABI and storage are unchanged"], []),
    "abi": (
        TALLY.replace("add(self, n: u64)", "add(self, n: u8)"),
        ["new function add(uint8)", "gone function add(uint64)"], [],
    ),
    "new field last": (
        TALLY.replace("str]", "str]\n    extra: u64"), ["new field Game.extra: u64"], [],
    ),
    "new field first": (
        TALLY.replace("count: u64", "extra: Vector[u64]\n    count: u64"), None,
        [MOVED, MOVED.replace("word 1", "word 2").replace("word 0", "word 1").replace("count", "names")],
    ),
    "other type": (TALLY.replace("Map[u64, str]", "Map[u64, u64]"), None, [OTHER]),
    "field gone": (TALLY.replace("names: Map[u64, str]", ""), None, [GONE]),
}  # fmt: skip


LEAGUE = """
    from chain import Address, Key, System, call, model
    from chain.types import u8, u64

    @model
    class Score:
        player: Key[Address]
        points: u64
        lives: u8

    class Game(System):
        @call
        def win(self, points: u64) -> None:
            self.world.write(Score(self.caller, points, 3))
"""
LEAGUES = {
    "member last": (LEAGUE.replace("lives: u8", "lives: u8\n        name: str").replace("points, 3", "points, 3, ''"), []),
    "member first": (LEAGUE.replace("points: u64\n        lives: u8", "lives: u8\n        points: u64"),
        ["Score.points moved from word 0, byte 1 to word 0, byte 2: put new fields last",
         "Score.lives moved from word 0, byte 9 to word 0, byte 1: put new fields last"]),
    "other type": (LEAGUE.replace("lives: u8", "lives: u64"), ["Score.lives was u8 and is u64"]),
    "other key": (LEAGUE.replace("Key[Address]", "Key[u64]"),
        ["the keys of model Score were player: Address and are player: u64"]),
}  # fmt: skip


@pytest.mark.parametrize(("text", "hindered"), LEAGUES.values(), ids=LEAGUES.keys())
def test_models_must_keep_their_layout(
    text: str, hindered: list[str], tmp_path: Path, chain: Chain, journal: Journal
) -> None:
    apply(chain, journal, league(LEAGUE, tmp_path, "before"))
    changed = inspect(chain, journal, league(text, tmp_path, "after"))[1]
    assert (changed.name, changed.action) == ("league-Game", CHANGED)
    assert list(changed.obstacles) == hindered


def league(text: str, folder: Path, name: str) -> Script:
    """A plan of a world with the system of that text."""
    system = class_of(text, folder, name)

    def plan(deployment: Deployment) -> None:
        deployment.deploy_world("league", systems=[system])

    return plan


def version(text: str, folder: Path, name: str = "after") -> Script:
    """A plan of the class with that text."""
    game = class_of(text, folder, name)

    def plan(deployment: Deployment) -> None:
        deployment.deploy(game)

    return plan


def class_of(text: str, folder: Path, name: str) -> Any:
    file = folder / f"{name}.py"
    file.write_text(dedent(text))
    return loaded(file).Game


@pytest.mark.parametrize(("text", "told", "hindered"), VERSIONS.values(), ids=VERSIONS.keys())
def test_change_is_reported(
    text: str,
    told: list[str] | None,
    hindered: list[str],
    tmp_path: Path,
    chain: Chain,
    journal: Journal,
) -> None:
    apply(chain, journal, version(TALLY, tmp_path, "before"))
    (found,) = inspect(chain, journal, version(text, tmp_path))
    assert found.action == CHANGED
    assert told is None or list(found.changes) == told
    assert list(found.obstacles) == hindered


def test_upgrade_keeps_address_and_storage(tmp_path: Path, chain: Chain, journal: Journal) -> None:
    before, after = version(TALLY, tmp_path, "before"), version(VERSIONS["rules"][0], tmp_path)
    apply(chain, journal, before)
    where = chain.receipts[0].address
    chain.contract("Game").add(5)
    assert apply(chain, journal, after, UPGRADE) == ["upgrade Game"]
    game = chain.contract("Game")
    assert (game.address, game.add(5).return_value) == (where, 15)
    assert apply(chain, journal, after) == []


def test_upgrade_in_the_way_names_the_field(tmp_path: Path, chain: Chain, journal: Journal) -> None:
    apply(chain, journal, version(TALLY, tmp_path, "before"))
    root = chain.state_root()
    with pytest.raises(
        CannotUpgrade, match=r"Game cannot be upgraded in place: Game\.names was removed"
    ):
        apply(chain, journal, version(VERSIONS["field gone"][0], tmp_path), UPGRADE)
    assert (chain.state_root(), len(chain.receipts)) == (root, 1)


def test_new_version_is_deployed_beside_the_old(
    tmp_path: Path, chain: Chain, journal: Journal
) -> None:
    apply(chain, journal, version(TALLY, tmp_path, "before"))
    after = version(VERSIONS["other type"][0], tmp_path)
    assert apply(chain, journal, after, BESIDE) == ["beside Game"]
    old, new = journal.records["Game@1"], journal.records["Game"]
    assert old["address"] != new["address"]
    assert apply(chain, journal, after) == []


def test_calls_follow_a_new_version(tmp_path: Path, chain: Chain, journal: Journal) -> None:
    first, second = (
        class_of(text, tmp_path, name)
        for text, name in ((TALLY, "one"), (VERSIONS["abi"][0], "two"))
    )
    apply(chain, journal, lambda deployment: deployment.deploy(first).add(1))
    done = apply(chain, journal, lambda deployment: deployment.deploy(second).add(1), BESIDE)
    assert done == ["beside Game", "call Game.add(1)"]


def test_undecided_contract_keeps_its_name_and_its_calls(
    tmp_path: Path, chain: Chain, journal: Journal
) -> None:
    first, second = (
        class_of(text, tmp_path, name)
        for text, name in ((TALLY, "one"), (VERSIONS["rules"][0], "two"))
    )
    apply(chain, journal, lambda deployment: deployment.deploy(first).add(1))
    assert apply(chain, journal, lambda deployment: deployment.deploy(second).add(1)) == []
    assert len(chain.receipts) == 2


def test_other_arguments_cannot_be_upgraded(chain: Chain, journal: Journal) -> None:
    def banking(deployment: Deployment) -> None:
        deployment.deploy(Bank, deployment.accounts[owner])

    owner = 0
    apply(chain, journal, banking)
    owner = 1
    with pytest.raises(CannotUpgrade, match="its @init had other arguments, and runs only once"):
        apply(chain, journal, banking, UPGRADE)


def test_node_is_upgraded_in_place(tmp_path: Path, chain: Chain, journal: Journal) -> None:
    before, after = version(TALLY, tmp_path, "before"), version(VERSIONS["rules"][0], tmp_path)
    chain.declare(class_of(TALLY, tmp_path, "before"))
    chain.declare(class_of(VERSIONS["rules"][0], tmp_path, "after"))
    far = Chain.connect(chain.node)
    apply(far, journal, before)
    assert apply(far, journal, after, UPGRADE) == ["upgrade Game"]
    assert apply(far, journal, after) == []
    assert far.block_hash() == chain.block_hash()
    assert [receipt.entry for receipt in chain.receipts] == [None, "upgrade"]
