"""Every recorded value is read by a test: a larger collection than ours must not be skipped silently."""

from __future__ import annotations

import ast
import re
import warnings
from pathlib import Path
from typing import Any, Final

import pytest

HERE: Final = Path(__file__).parent
OURS: Final = HERE.parent / "vectors"
MARK: Final = re.compile(r"pytest\.mark\.records\(([^)]*)\)")
RECORDS: Final = [  # of each test that takes some: the folder, and the keys by which it knows them
    ast.literal_eval(f"({arguments},)")
    for file in sorted(HERE.glob("test_*.py"))
    for arguments in MARK.findall(file.read_text("utf-8"))
]


@pytest.fixture(params=sorted({folder for folder, *_ in RECORDS}))
def folder(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def is_taken(folder: str, value: Any) -> bool:
    return isinstance(value, dict) and any(
        of == folder and all(key in value for key in keys) for of, *keys in RECORDS
    )


@pytest.mark.filterwarnings("default::UserWarning")
def test_some_test_takes_every_record(
    folder: str, recorded: Any, request: pytest.FixtureRequest
) -> None:
    """Records of an unknown shape in another collection are named in a warning."""
    vectors = request.config.getoption("--vectors")
    unread = [name for name, value in recorded(vectors / folder) if not is_taken(folder, value)]
    if unread:
        warnings.warn(f"No test takes {folder}: {', '.join(unread)}", stacklevel=1)
    assert unread == [] or vectors != OURS


def test_record_of_no_known_shape_is_noticed(folder: str) -> None:
    assert not is_taken(folder, {"id": "new", "shape": "unheard of"})
    assert not is_taken(folder, ["a list"])
