"""Packages whose modules import all that they name: none is imported for the type checker alone, which would hide a circle.

A package itself may name what its modules import late.
"""

from __future__ import annotations

import pytest

from tests.chain.game_folders import ROOT

PACKAGES = (
    "abi",
    "arena",
    "crypto",
    "deployment",
    "machine",
    "replays",
    "rpc",
    "runtime",
    "source",
    "storage",
)


@pytest.mark.parametrize("package", PACKAGES)
def test_nothing_is_imported_for_the_type_checker_alone(package: str) -> None:
    files = sorted((ROOT / "chain" / package).rglob("*.py"))
    assert files
    texts = [file.read_text("utf-8") for file in files]
    hiding = [text for text in texts if "if TYPE_CHECKING" in text]
    assert [text for text in hiding if "= late_names(" not in text] == []
