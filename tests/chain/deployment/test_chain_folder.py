"""The folder of a chain: found by what the chain is, wherever it is and however it is called; for one deployer at a time."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from chain import Chain
from chain.deployment import Deployment
from chain.deployment.chain_folder import (
    ChainFolder,
    DeploymentUnderWay,
    default_base,
    find_folder,
    locked,
)
from tests.chain.deployment.arcade import Ladder, apply

NODE = "http://127.0.0.1:8545"


def ladder(deployment: Deployment) -> None:
    deployment.deploy(Ladder)


def deploy(base: Path, chain: Chain, where: str, plan: str = "plan") -> ChainFolder:
    with locked(base, chain, where) as found:
        folder = found.begin()
        apply(chain, folder.journal(plan), ladder)
    return folder


@pytest.fixture(autouse=True)
def own_locks(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the locks apart from those of tests that run at the same time."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path_factory.mktemp("locks")))


@pytest.fixture
def other() -> Chain:
    """A chain with the same first block, and another first transaction."""
    chain = Chain()
    chain.send(chain.accounts[5], value=1)
    return chain


NAMES = [
    ("duel.chain", "duel"), ("some/where/duel.db", "duel"), (NODE, "127.0.0.1-8545"),
    ("http://localhost:8545/", "127.0.0.1-8545"), ("https://node.example/x", "node.example-443"),
]  # fmt: skip


@pytest.mark.parametrize(("where", "name"), NAMES)
def test_new_folder_is_named_after_the_chain(
    where: str, name: str, chain: Chain, tmp_path: Path
) -> None:
    found = find_folder(tmp_path, chain, where)
    assert found.path == tmp_path / name
    assert not found.path.exists()


MOVED = [
    (NODE, "http://localhost:8545"), (NODE, "http://192.168.0.7:9000"),
    ("games.chain", "../other/moved.chain"),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after"), MOVED)
def test_chain_is_known_wherever_it_is(
    before: str, after: str, chain: Chain, tmp_path: Path
) -> None:
    folder = deploy(tmp_path, chain, before)
    again = find_folder(tmp_path, chain, after)
    assert (again.path, again.was_reset) == (folder.path, False)
    assert list(again.journal("plan").records) == ["Ladder"]


def test_first_run_that_was_killed_is_known_wherever_it_is(chain: Chain, tmp_path: Path) -> None:
    folder = deploy(tmp_path, chain, NODE)
    journal = folder.journal("plan")
    journal.announce("Ladder", journal.records["Ladder"])
    journal.keep({})
    assert find_folder(tmp_path, chain, "http://192.168.0.7:9000").path == folder.path
    assert apply(chain, folder.journal("plan"), ladder) == ["resume Ladder"]
    assert len(chain.receipts) == 1


def test_folder_that_a_killed_run_began_is_used(chain: Chain, tmp_path: Path) -> None:
    (tmp_path / "duel").mkdir()  # killed before it was written which chain it is
    assert deploy(tmp_path, chain, "duel.chain").path == tmp_path / "duel"


def test_chain_of_the_same_name_elsewhere_has_its_own(
    chain: Chain, other: Chain, tmp_path: Path
) -> None:
    deploy(tmp_path, chain, "x/g.chain")
    assert deploy(tmp_path, other, "y/g.chain").path == tmp_path / "g-2"
    assert find_folder(tmp_path, chain, "x/g.chain").path == tmp_path / "g"


def test_chain_with_another_genesis_is_another(chain: Chain, tmp_path: Path) -> None:
    deploy(tmp_path, chain, "x/g.chain")
    assert deploy(tmp_path, Chain(seed=7), "y/g.chain").path == tmp_path / "g-2"


def test_chain_that_was_reset_is_noticed(chain: Chain, other: Chain, tmp_path: Path) -> None:
    deploy(tmp_path, chain, NODE)
    found = find_folder(tmp_path, other, NODE)
    assert (found.was_reset, found.journal("plan").records) == (True, {})
    deploy(tmp_path, other, NODE)
    assert sorted(path.name for path in tmp_path.glob("127*[0-9]")) == [
        "127.0.0.1-8545", "127.0.0.1-8545.1",
    ]  # fmt: skip
    assert find_folder(tmp_path, other, NODE).path == tmp_path / "127.0.0.1-8545"
    assert find_folder(tmp_path, chain, "saved.chain").path == tmp_path / "127.0.0.1-8545.1"


def test_chain_that_lost_its_last_blocks_is_the_same(chain: Chain, tmp_path: Path) -> None:
    deploy(tmp_path, chain, NODE)
    deploy(tmp_path, chain, NODE, "second")
    chain.revert(chain.snapshot_at_end_of(1))
    found = find_folder(tmp_path, chain, NODE)
    assert not found.was_reset
    assert apply(chain, found.journal("plan"), ladder) == []
    assert apply(chain, found.journal("second"), ladder) == ["create Ladder"]


def test_plans_do_not_share_contracts(chain: Chain, tmp_path: Path) -> None:
    deploy(tmp_path, chain, NODE)
    folder = deploy(tmp_path, chain, NODE, "second")
    assert folder.plans == ["plan", "second"]
    assert len({receipt.address for receipt in chain.receipts}) == 2
    assert folder.journal("second").claimed == {f"0x{chain.receipts[0].tx_hash.hex()}"}


def test_second_deployer_is_refused(chain: Chain, tmp_path: Path) -> None:
    with (
        locked(tmp_path, chain, NODE),
        pytest.raises(DeploymentUnderWay, match=r"process \d+ .* is deploying to this chain"),
        locked(tmp_path, chain, "http://localhost:8545"),
    ):
        pass
    with locked(tmp_path, chain, NODE):
        pass


def test_lock_that_cannot_be_taken_is_named(
    chain: Chain, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with locked(tmp_path, chain, NODE):
        (lock,) = tmp_path.glob("boardchain-*-lock")
    lock.write_text("something else" * 10)
    with (
        pytest.raises(
            ValueError,
            match=r"nothing was sent, for lack of the lock .*-lock: file is not a database",
        ),
        locked(tmp_path, chain, NODE),
    ):
        pass


def test_other_chain_is_not_locked(chain: Chain, other: Chain, tmp_path: Path) -> None:
    with locked(tmp_path, chain, "a.chain"), locked(tmp_path, other, "b.chain"):
        pass


def test_chain_in_memory_has_no_folder(chain: Chain, tmp_path: Path) -> None:
    with locked(tmp_path, chain, "memory") as folder:
        assert folder.path is None
        apply(chain, folder.begin().journal("plan"), ladder)
    assert not [*tmp_path.iterdir()]


def project(root: Path) -> Path:
    (root / "pyproject.toml").write_text("")
    return root / "deployments"


def kept_before(root: Path) -> Path:
    (root / "scripts/deployments/a").mkdir(parents=True)
    (root / "scripts/deployments/a/chain.json").write_text("{}")
    return root / "scripts/deployments"


def neither(root: Path) -> Path:
    return root / "deployments"


@pytest.mark.parametrize("kind", [project, kept_before, neither])
def test_deployments_are_kept_in_the_project(
    kind: Callable[[Path], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "scripts").mkdir()
    monkeypatch.chdir(tmp_path)
    expected = kind(tmp_path)
    assert default_base(tmp_path / "scripts") == expected
