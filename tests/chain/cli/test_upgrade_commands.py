"""Edit a rule, deploy it with --upgrade, continue: on a file, and on a node that was started before the edit."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from chain import Chain
from chain.cli.main import cli
from chain.rpc.chain.package import follow_edits
from chain.rpc.server.listener import Settings
from chain.rpc.server.server import Server
from chain.simulator.catalogue import ContractCatalogue
from chain.simulator.reload_package import Package, import_again
from tests.chain.kills import DYING

ROOT = Path(__file__).parents[3]
LADDER = """
from chain import Address, Contract, Key, Map, call, event, view
from chain.types import u64


@event
class Moved:
    who: Key[Address]
    to: u64


class Ladder(Contract):
    points: Map[Address, u64]

    @call
    def seed(self, who: Address) -> u64:
        self.points[who] += 100
        self.emit(Moved(who, self.points[who]))
        return self.points[who]

    @view
    def of(self, who: Address) -> u64:
        return self.points[who]
"""
EDITED = LADDER.replace("+= 100", "+= 25")
OTHER_TYPE = """
from chain import Address, Contract, Map, call


class Ladder(Contract):
    points: Map[Address, str]

    @call
    def seed(self, who: Address) -> None:
        self.points[who] = "a lot"
"""
PLAN = """
from {name} import Ladder


def plan(deployment):
    deployment.deploy(Ladder).seed(deployment.accounts[0])
"""
_numbers = count()
Run = Callable[..., Result]


class Project:
    """A package of one module with a plan, and commands that use it; each finds its present version."""

    def __init__(self, folder: Path, name: str) -> None:
        self.folder, self.name = folder, name
        self.where: str | Path = folder / "up.chain"
        self.write(LADDER)
        (folder / "deploy_it.py").write_text(PLAN.format(name=name))
        self.offered = ContractCatalogue(name)

    def write(self, text: str) -> None:
        (self.folder / f"{self.name}.py").write_text(text)

    def edit(self, text: str = EDITED) -> None:
        self.write(text)
        self.offered = import_again(self.offered)

    def run(self, *words: object) -> Result:
        given = [*map(str, words), "--chain", str(self.where), "--contracts", self.name]
        return CliRunner().invoke(cli, given)

    def deploy(self, *words: object) -> Result:
        script, kept = self.folder / "deploy_it.py", self.folder / "kept"
        return self.run("deploy", script, "--deployments", kept, *words)

    def record(self) -> Any:
        (file,) = self.folder.glob("kept/*/plans/deploy_it.json")
        return json.loads(file.read_text())["steps"]["Ladder"]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    name = f"ladders_{next(_numbers)}"
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    made = Project(tmp_path, name)
    yield made
    sys.modules.pop(name, None)


@pytest.fixture
def node(project: Project) -> Iterator[Chain]:
    """A node that was started with the first version of the package; commands go there."""
    chain = Chain()
    for cls in project.offered.classes:
        chain.declare(cls)
    chain.node.package = Package(chain, project.offered)
    with Server(chain, Settings(port=0)).in_thread() as url:
        project.where = url
        yield chain


def output_of(result: Result) -> str:
    return f"{result.stdout}{result.stderr}"


# On a file


def test_upgraded_contract_is_found_by_name(project: Project) -> None:
    project.deploy()
    project.edit()
    assert "2 steps" not in output_of(project.deploy("--upgrade"))
    assert "Ladder.seed(bob) -> 25" in project.run("call", "Ladder", "seed", "bob").stdout
    assert project.run("view", "Ladder", "of", "alice").stdout == "100\n"
    found = json.loads(project.run("receipts", "--contract", "Ladder", "--json").stdout)
    assert [each["entry"] for each in found] == [None, "seed", "upgrade", "seed"]
    assert [each["contract"] for each in found] == ["Ladder"] * 4
    told = project.run("receipts").stdout
    assert "upgrade Ladder to Ladder@" in told and "bytes" not in told
    assert "Ladder.upgrade(0x" in project.run("trace", "2").stdout
    assert project.run("events", "Moved", "--contract", "Ladder").stdout.count("Moved") == 2


def test_edited_contract_keeps_its_history(project: Project) -> None:
    project.deploy()
    before = [project.run(*words).stdout for words in READING]
    project.edit()
    assert [project.run(*words).stdout for words in READING] == before


def test_edited_contract_goes_on(project: Project) -> None:
    project.deploy()
    project.edit()
    called = project.run("call", "Ladder", "seed", "bob")
    assert "Ladder.seed(bob) -> 100" in called.stdout
    assert (
        called.stderr.count("Ladder was edited after it was deployed, and the chain goes on") == 1
    )
    project.write("class Ladder(")
    del sys.modules[project.name]
    assert project.run("view", "Ladder", "of", "bob").stdout == "100\n"


READING = [
    ("receipts",), ("receipts", "--contract", "Ladder"), ("events",), ("events", "Moved"),
    ("sql", "select contract, entry, args from receipts order by position"),
    ("sql", "select * from Moved"),
]  # fmt: skip


def test_journal_shows_the_upgrade(project: Project) -> None:
    project.deploy()
    first = project.record()
    project.edit()
    shown = project.deploy("--upgrade")
    second = project.record()
    assert f"upgrade Ladder at {second['address']}, {second['upgrade']['gas']} gas" in shown.stdout
    with Chain.open(project.where) as chain:
        receipt = chain.receipts[2]
        transaction = f"0x{receipt.tx_hash.hex()}"
    told = {"transaction": transaction, "block": receipt.block_number, "receipt": 2}
    assert second["upgrade"].items() >= told.items()
    same = ("address", "transaction", "block", "receipt", "sender", "args")
    assert [second[name] for name in same] == [first[name] for name in same]
    assert second["digest"] != first["digest"]
    assert "nothing to do" in output_of(project.deploy("--upgrade"))
    assert len(json.loads(project.run("receipts", "--json").stdout)) == 3


def test_field_in_the_way_is_named(project: Project) -> None:
    project.deploy()
    project.edit(OTHER_TYPE)
    refused = project.deploy("--upgrade")
    assert refused.exit_code == 1
    assert "Ladder.points was Map[Address, u64] and is Map[Address, str]" in refused.stderr
    assert len(json.loads(project.run("receipts", "--json").stdout)) == 2


def test_upgraded_file_is_recorded_and_verified(project: Project) -> None:
    project.deploy()
    project.edit()
    project.deploy("--upgrade")
    text = CliRunner().invoke(cli, ["record", str(project.where), "--contracts", project.name])
    assert (text.exit_code, '"to":"Ladder","upgrade":"Ladder@2"' in text.stdout) == (0, True), (
        text.stderr
    )
    played = CliRunner().invoke(cli, ["replay", str(project.where), "--contracts", project.name])
    assert played.exit_code == 1
    assert "the source of Ladder as of 0x" in output_of(played)


def test_killed_upgrade_continues(project: Project, tmp_path: Path) -> None:
    project.deploy()
    project.edit()
    words = ["deploy", "deploy_it.py", "--deployments", "kept", "--chain", "up.chain", "--upgrade"]
    dead = subprocess.run(
        [sys.executable, "-c", DYING, *words, "--contracts", project.name, "0"], cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False, capture_output=True,
    )  # fmt: skip
    assert dead.returncode == -signal.SIGKILL
    assert "upgrade" not in project.record()
    assert "resume Ladder" in project.deploy().stdout  # it is upgraded: nobody is asked again
    assert project.record()["upgrade"]["receipt"] == 2
    assert "nothing to do" in output_of(project.deploy())
    assert len(json.loads(project.run("receipts", "--json").stdout)) == 3


# On a node


def test_older_node_refuses_before_anything_is_sent(project: Project, node: Chain) -> None:
    project.deploy()
    project.edit()
    before = node.block_hash(), node.state_root()
    for refused in (project.deploy("--upgrade"), project.run("deploy", "Ladder")):
        assert refused.exit_code == 1
        assert (
            "the code of Ladder in the node differs from the code here: nothing was sent"
            in refused.stderr
        )
        assert "boardchain reload" in refused.stderr
    assert (node.block_hash(), node.state_root()) == before
    assert node.receipts[0].contract == "Ladder"
    address = node.receipts[0].address
    assert node.call(address, node.receipts[1].data)[0].failure is None  # it is alive


def test_node_reloads_the_edit(project: Project, node: Chain) -> None:
    project.deploy()
    project.edit()
    assert [each["name"] for each in json.loads(project_reload(project, "--json").stdout)] == [
        "Ladder"
    ]
    assert "nothing is new" in output_of(project_reload(project))
    assert project.deploy("--upgrade").exit_code == 0
    assert "-> 25" in project.run("call", "Ladder", "seed", "bob").stdout
    assert project.run("view", "Ladder", "of", "alice").stdout == "100\n"
    assert [receipt.entry for receipt in node.receipts] == [None, "seed", "upgrade", "seed"]
    made = node.node.request("chain_send", [{"contract": "Ladder"}])
    assert made["contract"] == "Ladder" and node.code(node.receipts[4].address) == node.code(
        node.receipts[0].address
    )


def project_reload(project: Project, *words: str) -> Result:
    return CliRunner().invoke(cli, ["reload", "--chain", str(project.where), *words])


def test_broken_edit_is_reported_and_does_no_harm(project: Project, node: Chain) -> None:
    project.deploy()
    project.write("class Ladder(")
    refused = project_reload(project)
    assert refused.exit_code == 1
    assert (
        f"{project.name} cannot be loaded in its present state: {project.name}.py:1: this is not valid Python"
        in refused.stderr
    )
    project.write(LADDER)
    assert project.run("call", "Ladder", "seed", "bob").exit_code == 0


def test_node_reloads_edits_automatically(project: Project, node: Chain) -> None:
    told = []
    node.node.before = lambda: told.append(follow_edits(node.node))
    project.deploy()
    project.edit()
    assert project.deploy("--upgrade").exit_code == 0
    project.write("class Ladder(")
    node.node.request("eth_blockNumber")
    node.node.request("eth_blockNumber")
    assert [each for each in told if each] == [
        f"{project.name} was edited; new: Ladder",
        f"{project.name} was edited, but cannot be loaded in its present state: {project.name}.py:1: this is not valid Python:"
        " '(' was never closed",
    ]


def test_node_without_a_package_explains(chain: Chain) -> None:
    answer = chain.node.handle({"jsonrpc": "2.0", "id": 1, "method": "chain_reload"})
    assert "this node has no package to reload" in answer["error"]["message"]
    refused = CliRunner().invoke(cli, ["reload", "--chain", "memory"])
    assert (refused.exit_code, "only a node can reload a package" in refused.stderr) == (2, True)
