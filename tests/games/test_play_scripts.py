"""The output of the scripts that deploy and play is a golden file."""

from __future__ import annotations

import runpy
from collections.abc import Callable
from pathlib import Path

import pytest

HERE = Path(__file__).parent
FOLDER = HERE.parents[1] / "scripts"
SCRIPTS = sorted([*FOLDER.glob("play_*.py"), *FOLDER.glob("deploy_*.py")])


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_script_prints_golden_text(
    script: Path, capsys: pytest.CaptureFixture[str], golden: Callable[[Path, str], None]
) -> None:
    runpy.run_path(str(script), run_name="__main__")
    golden(HERE / "golden" / f"{script.stem}.txt", capsys.readouterr().out)
