"""Plans on the command line: from every folder, with parameters, tried on a fork, signed elsewhere, and listed afterwards."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from chain import Chain
from chain.cli.script_loader import loaded
from chain.deployment.chain_folder import locked
from chain.rpc.server.listener import Settings
from chain.rpc.server.server import Server
from tests.chain.cli.arena_project import (
    ARENA,
    KEY,
    OWNER,
    WORDS,
    deploy,
    facts,
    run,
    senders,
)
from tests.chain.kills import DYING

pytestmark = pytest.mark.usefixtures("project")

ROOT = Path(__file__).parents[3]

# Where a plan is run


def test_plan_is_the_same_from_every_folder(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deploy()
    monkeypatch.chdir(project / "elsewhere")
    again = run("deploy", "../scripts/deploy.py", "--chain", "../a.chain")
    assert again.stderr == "nothing to do\n"


def node_of(project: Path) -> Chain:
    """A chain for a node that has the contracts of the script."""
    chain, module = Chain(), loaded(project / "scripts/deploy.py")
    for cls in (module.Ladder, module.Purse):
        chain.declare(cls)
    return chain


def test_node_is_the_same_under_every_name(project: Path) -> None:
    chain = node_of(project)
    with Server(chain, Settings(port=0)).in_thread() as url:
        words = ("deploy", "scripts/deploy.py", "--chain")
        assert run(*words, url).exit_code == 0
        again = run(*words, url.replace("127.0.0.1", "localhost"))
        assert again.stderr.endswith("nothing to do\n")
        assert "would be 3 steps" in run(*words, url, "--dry-run", "--name", "x").stderr
    assert len(chain.receipts) == 3


def test_signed_plan_goes_to_a_node(project: Path) -> None:
    chain = node_of(project)
    chain.set_balance(OWNER, 10**18)
    with Server(chain, Settings(port=0)).in_thread() as url:
        assert run("deploy", "scripts/deploy.py", "--chain", url, "--key", KEY).exit_code == 0
    assert [str(receipt.sender) for receipt in chain.receipts] == [OWNER] * 3


def test_signed_step_gets_the_gas_that_it_needs(project: Path) -> None:
    chain = node_of(project)
    chain.set_balance(OWNER, chain.pending.base_fee * 1_000_000)  # of a block's 60 million
    with Server(chain, Settings(port=0)).in_thread() as url:
        told = run("deploy", "scripts/deploy.py", "--chain", url, "--key", KEY)
    assert told.exit_code == 0, told.stderr
    assert len(chain.receipts) == 3


def test_chains_of_one_name_are_kept_apart(project: Path) -> None:
    for folder in ("x", "y"):
        (project / folder).mkdir()
    words = ("deploy", "scripts/deploy.py", "--chain")
    run(*words, "x/g.chain")
    assert "3 steps done" in run(*words, "y/g.chain", "--from", "bob").stderr
    for where, sender in (("x/g.chain", "alice"), ("y/g.chain", "bob")):
        assert run(*words, where, "--from", sender).stderr == "nothing to do\n"


def test_chain_that_was_started_again_is_noticed(project: Path) -> None:
    deploy()
    (project / "a.chain").unlink()
    refused = deploy()
    assert refused.exit_code == 1
    assert "a.chain was restarted and has none of its transactions; use --reset" in refused.stderr
    assert "3 steps done" in deploy("--reset").stderr
    assert deploy().stderr == "nothing to do\n"
    assert sorted(path.name for path in (project / "deployments").iterdir()) == ["a", "a.1"]


def test_two_plans_keep_to_their_own_contracts() -> None:
    first = facts(deploy("--json"))
    second = facts(
        run("deploy", "scripts/other.py", "--chain", "a.chain", "--from", "bob", "--json")
    )
    assert not {*first["contracts"].values()} & {*second["contracts"].values()}
    third = facts(deploy("--name", "third", "--json"))
    assert [step["action"] for step in third["steps"]] == ["create", "create", "call"]


def test_what_the_chain_has_is_taken_over_without_a_journal(project: Path) -> None:
    done = facts(deploy("--json"))
    elsewhere = ("--deployments", "elsewhere")
    told = deploy(*elsewhere, "--dry-run")
    assert (
        "these steps are already on the chain" in told.stderr
        and "--adopt takes them over" in told.stderr
    )
    assert "nothing to do" in deploy(*elsewhere, "--dry-run", "--adopt").stderr
    assert facts(deploy(*elsewhere, "--adopt", "--json"))["contracts"] == done["contracts"]
    assert deploy(*elsewhere).stderr == "nothing to do\n"
    assert len(senders()) == 3
    kept = [
        json.loads((project / each / "a/plans/deploy.json").read_text())
        for each in ("deployments", "elsewhere")
    ]
    assert kept[0]["steps"] == kept[1]["steps"]
    assert {did["action"] for did in kept[1]["runs"][0]["did"]} == {"adopt"}


def test_upgraded_contract_is_taken_over(project: Path) -> None:
    script = project / "scripts" / "deploy.py"
    deploy("who=bob")
    script.write_text(ARENA.replace("+= amount", "+= 2 * amount"))
    deploy("who=bob", "--upgrade")
    elsewhere = ("who=bob", "--deployments", "elsewhere")
    told = deploy(*elsewhere, "--adopt", "--json")
    assert {step["step"]: step["action"] for step in facts(told)["steps"]}["Ladder"] == "resume"
    assert deploy(*elsewhere).stderr == "nothing to do\n"
    assert len(senders()) == 4
    kept = [
        json.loads((project / each / "a/plans/deploy.json").read_text())["steps"]
        for each in ("deployments", "elsewhere")
    ]
    assert kept[0] == kept[1]


def test_version_in_between_is_taken_over_as_changed(project: Path) -> None:
    script = project / "scripts" / "deploy.py"
    deploy()
    script.write_text(ARENA.replace("+= amount", "+= 2 * amount"))
    told = deploy("--deployments", "elsewhere", "--adopt", "--upgrade", "--json")
    assert {step["step"]: step["action"] for step in facts(told)["steps"]}["Ladder"] == "changed"
    assert len(senders()) == 4


# Two at once


@pytest.mark.parametrize("folder", ["deployments", "elsewhere"])
def test_second_deployer_is_refused_and_nothing_is_sent(project: Path, folder: str) -> None:
    with Server(Chain(), Settings(port=0)).in_thread() as url:
        node, spelled = Chain.connect(url), url.replace("127.0.0.1", "localhost")
        with locked(project / folder, node, spelled):
            refused = run("deploy", "scripts/deploy.py", "--chain", url)
        assert (refused.exit_code, len(node.receipts)) == (1, 0)
    assert "is deploying to this chain: nothing was sent" in refused.stderr


def test_equal_chains_of_two_nodes_do_not_wait_for_each_other(project: Path) -> None:
    one, other = (Server(node_of(project), Settings(port=0)) for _ in range(2))
    with (
        one.in_thread() as url,
        other.in_thread() as free,
        locked(project / "elsewhere", Chain.connect(url), url),
    ):
        told = run("deploy", "scripts/deploy.py", "--chain", free)
        assert told.exit_code == 0, told.stderr


# The second contract is deployed, its record not completed.
PROCESSES = {"both live": (("-m", "chain"), ()), "one is killed": (("-c", DYING), ("4",))}


@pytest.mark.parametrize("first", PROCESSES.values(), ids=PROCESSES.keys())
def test_deployers_at_once_leave_no_orphan(first: Any, project: Path) -> None:
    chain = node_of(project)
    with Server(chain, Settings(port=0)).in_thread() as url:
        words = ["deploy", "scripts/deploy.py", "--chain", url]
        environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{project}"}
        both = [
            subprocess.Popen(
                [sys.executable, *python, *words, *moment], env=environment, stderr=subprocess.PIPE,
                stdout=subprocess.PIPE, text=True,
            )
            for python, moment in (first, PROCESSES["both live"])
        ]  # fmt: skip
        said = [process.communicate()[1] for process in both]
        assert run(*words).stderr.splitlines()[-1][-5:] in ("to do", "ether")
        assert run(*words).stderr == "nothing to do\n"
    assert not any("Traceback" in text for text in said), said
    assert len(chain.receipts) == 3


# Parameters


def test_parameters_are_typed_by_the_signature() -> None:
    assert deploy("fee=0x10", "who=bob", "open=true", "amount=7").exit_code == 0
    with Chain.open("a.chain") as chain:
        _, purse, seed = chain.receipts
        assert (purse.args["fee"], seed.args) == (16, {"who": chain.accounts[1], "amount": 7})
    runs = json.loads(Path("deployments/a/plans/deploy.json").read_text())["runs"]
    assert runs[0]["parameters"] == {"fee": "0x10", "who": "bob", "open": "true", "amount": "7"}
    assert "Purse(16) is now Purse(3)" in deploy("who=bob", "amount=7").stdout


WRONG = [
    (("fee=much",), "fee = 'much' is not a whole number"), (("fees=3",), "has no parameter 'fees'; it has fee, who"),
    (("3",), "takes its parameters as name=value, and '3' is not one"), (("fee=1", "fee=2"), "'fee' is given twice"),
    (("open=maybe",), "open = 'maybe' is not bool"), (("who=bert",), "this chain has no account of that name"),
    (("--value", "3"), "--value is for a contract: in a plan each step has its own value"),
    (("--name", "a/b"), "cannot be the name of a plan"), (("--key", "0x12"), "--key is not a private key"),
    (("--key", KEY, "--from", "bob"), "--from names another sender than the key"),
    (("--key", KEY, "--mnemonic", WORDS), "use only one of --key, --mnemonic and --keystore"),
    (("--mnemonic", "legal winner"), "--mnemonic is not a mnemonic"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "says"), WRONG)
def test_wrong_word_is_refused(words: tuple[str, ...], says: str, project: Path) -> None:
    refused = deploy(*words)
    assert (refused.exit_code, says in refused.stderr) == (2, True), refused.stderr
    assert not (project / "a.chain").exists()
    assert KEY[2:] not in refused.stderr and "winner" not in refused.stderr


def test_missing_parameter_is_named(project: Path) -> None:
    (project / "scripts/deploy.py").write_text("def plan(deployment, fee: int): ...")
    assert "the plan needs the parameter fee: give fee=" in deploy().stderr


def test_options_of_plans_are_refused_for_a_contract() -> None:
    refused = run("deploy", "Purse", "--dry-run")
    assert (refused.exit_code, "are for a script" in refused.stderr) == (2, True)


# A dry run


def test_dry_run_knows_what_the_run_does(project: Path) -> None:
    tried, done = facts(deploy("--dry-run", "--json")), facts(deploy("--json"))
    assert tried == done
    assert tried["contracts"]["Purse"] == "0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512"
    assert tried["gas"] == sum(step["gas"] for step in tried["steps"]) > 0


def test_dry_run_names_the_step_that_is_refused(project: Path) -> None:
    refused = deploy("--dry-run", "amount=5000")
    assert refused.exit_code == 1
    assert "was refused: too many (scripts/deploy.py:11)" in refused.stderr
    assert "create Ladder at 0x5FbDB2315678afecb367f032d93F642f64180aa3, " in refused.stdout
    assert not (project / "a.chain").exists() and not (project / "deployments").exists()


def test_dry_run_leaves_the_chain_and_the_journal_alone(project: Path) -> None:
    deploy()
    before = {path: path.read_bytes() for path in project.rglob("*.json")}
    assert "2 steps" in deploy("--dry-run", "amount=7", "fee=4", "--resend", "--beside").stderr
    assert {path: path.read_bytes() for path in project.rglob("*.json")} == before
    assert len(senders()) == 3


# What is shown


def test_changed_call_wants_a_word() -> None:
    deploy()
    refused = deploy("amount=7")
    assert (refused.exit_code, "use --resend" in refused.stderr) == (1, True)
    assert "1 step done" in deploy("amount=7", "--resend").stderr
    assert len(senders()) == 4


def test_removed_step_is_reported_once(project: Path) -> None:
    deploy()
    (project / "scripts/deploy.py").write_text(
        ARENA.replace("    ladder.seed", "    # ladder.seed")
    )
    told = deploy().stdout.splitlines()[-1]
    assert "Ladder.seed(" in told and "gone" in told
    assert "gone" not in deploy().stdout
    assert "removed" in run("deployments", "a").stdout


def test_result_has_addresses_gas_and_transactions() -> None:
    done, again = facts(deploy("--json")), facts(deploy("--json"))
    assert [step["action"] for step in again["steps"]] == ["leave"] * 3
    assert (again["contracts"], again["gas"]) == (done["contracts"], 0)
    assert {"transaction", "block", "gas", "cost", "address"} <= done["steps"][0].keys()


def test_refused_step_is_known_before_anything_is_sent(project: Path) -> None:
    refused = deploy("amount=5000")
    assert refused.exit_code == 1
    assert "nothing was done" in refused.stderr
    assert "5000) was refused: too many (scripts/deploy.py:11)" in refused.stderr
    assert (senders(), (project / "deployments").exists()) == ([], False)


def test_address_book_has_what_was_deployed_before_a_failure(project: Path) -> None:
    script = project / "scripts" / "deploy.py"
    later = "    runs.append(deployment)\n    if len(runs) == 2:\n        runs.ends()\n"
    script.write_text(f"runs = []\n{ARENA}{later}")  # the first run is the preview
    failed = deploy("--json")
    assert failed.exit_code == 1
    assert ["address" in step for step in json.loads(failed.stdout)["steps"]] == [True] * 3
    book = json.loads((project / "deployments/a/addresses.json").read_text())
    assert book["plans"]["deploy"].keys() == {"Ladder", "Purse"}


def test_address_book_is_for_a_front_end(project: Path) -> None:
    done = facts(deploy("--json"))
    run("deploy", "scripts/other.py", "--chain", "a.chain")
    book = json.loads((project / "deployments/a/addresses.json").read_text())
    ladder = book["plans"]["deploy"]["Ladder"]
    assert (book["chainId"], ladder["address"]) == (31337, done["contracts"]["Ladder"])
    assert [entry["name"] for entry in ladder["abi"] if entry["type"] == "function"] == ["seed"]
    assert book["plans"]["other"]["Ladder"]["address"] != ladder["address"]
    assert facts(run("deployments", "a", "--addresses", "--json")) == book
    assert done["contracts"]["Ladder"] in run("deployments", "--addresses").stdout


def test_address_book_as_typescript(project: Path) -> None:
    deploy("--name", "my-game")
    text = run("deployments", "--typescript").stdout
    assert "export const chainId = 31337 as const;" in text
    assert 'export const myGame = {\n  "Ladder": {' in text and text.endswith("} as const;\n")
    run("deployments", "--typescript", "--out", "addresses.ts")
    assert (project / "addresses.ts").read_text() == text


def test_deployments_are_listed_with_their_cost() -> None:
    done = facts(deploy("--json"))
    (row,) = facts(run("deployments", "--json"))
    assert (row["chain"], row["at"], row["plan"], row["runs"]) == ("a", "a.chain", "deploy", 1)
    assert (row["steps"], row["contracts"], row["gas"]) == (3, 2, done["gas"])


def test_history_lists_every_run() -> None:
    deploy()
    deploy("amount=7", "--resend")
    rows = facts(run("deployments", "--history", "--json"))
    assert [(row["run"], row["action"]) for row in rows] == [
        (1, "create"), (1, "create"), (1, "call"), (2, "resend"),
    ]  # fmt: skip


def test_status_is_looked_up_on_the_chain(project: Path) -> None:
    deploy()
    with Chain.open("a.chain") as chain:
        chain.revert(chain.snapshot_at_end_of(2))
    rows = facts(run("deployments", "--chain", "a.chain", "--json"))
    assert [row["status"] for row in rows] == ["done", "done", "lost"]


def test_unknown_deployments_are_named() -> None:
    deploy()
    assert "there are a" in run("deployments", "b").stderr
    assert run("deployments", "a", env={"BOARDCHAIN_CHAIN": "b.chain"}).exit_code == 0
    assert run("deployments", "--out", "x").exit_code == 2
