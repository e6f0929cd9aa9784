"""Ape plays on a node: by its provider for anvil and by that for any node. `scripts/setup_ape` installs it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from web3._utils.contract_sources.contract_data import math_contract as math
from web3._utils.contract_sources.contract_data import revert_contract as revert

from chain import Chain
from contracts.deblockle import Deblockle
from tests.clients.test_clients import TEXT

HERE = Path(__file__).parent
CONFIG = """
node: {{ethereum: {{local: {{uri: "{url}", chain_id: 31337}}}}}}
foundry: {{host: "{url}", manage_process: false}}
"""

pytestmark = pytest.mark.slow


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project of Ape's, with contracts that are compiled already."""
    program = Chain().declare(Deblockle)
    (tmp_path / "contracts").mkdir()
    for name, abi, code in (
        ("Deblockle", [*program.abi, TEXT], program.bytecode),
        ("Math", math.MATH_CONTRACT_ABI, math.MATH_CONTRACT_BYTECODE),
        ("Errors", revert.REVERT_CONTRACT_ABI, revert.REVERT_CONTRACT_BYTECODE),
    ):
        content = json.dumps({"contractName": name, "abi": abi, "bytecode": code})
        (tmp_path / "contracts" / f"{name}.json").write_text(content)
    (tmp_path / "tests").mkdir()
    shutil.copy(HERE / "play_ape.py", tmp_path / "tests" / "test_play.py")
    return tmp_path


@pytest.mark.parametrize(
    ("provider", "client", "passed"), [("foundry", "anvil/v1.7.1", 9), ("node", "boardchain", 7)]
)
def test_ape_plays(
    start_node: Callable[..., str], project: Path, provider: str, client: str, passed: int
) -> None:
    command = HERE / ".ape" / "bin" / "ape"
    if not command.exists():
        pytest.skip("Ape is not installed: scripts/setup_ape does it")
    url = start_node("--client-version", client)
    (project / "ape-config.yaml").write_text(CONFIG.format(url=url))
    done = subprocess.run(
        [command, "test", "--network", f"ethereum:local:{provider}"],
        cwd=project, env={**os.environ, "HOME": str(project)}, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert not done.returncode, done.stdout + done.stderr
    assert re.findall(r"(\d+) passed", done.stdout) == [str(passed)], done.stdout
