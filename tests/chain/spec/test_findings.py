"""One error lists all findings of a declaration, each once, in the order of their lines."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from types import ModuleType

import pytest

from chain import DeclarationError

Refused = Callable[[str], DeclarationError]

HEAD = """
from __future__ import annotations
from dataclasses import dataclass
from chain import Contract, Key, System, call, error, event, init, model, view
from chain.types import u8
"""


@pytest.fixture
def refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Refused:
    """Returns the error about the declarations in a text."""

    def error_about(text: str) -> DeclarationError:
        path, module = tmp_path / "game.py", ModuleType("game")
        path.write_text(HEAD + dedent(text), "utf-8")
        monkeypatch.setitem(sys.modules, "game", module)
        monkeypatch.chdir(tmp_path)
        with pytest.raises(DeclarationError) as caught:
            exec(compile(path.read_text("utf-8"), path, "exec", dont_inherit=True), vars(module))
        return caught.value

    return error_about


def names_in(error: DeclarationError) -> list[str]:
    """Return the name in each finding, and check that the text lists them all."""
    first, *others = str(error).splitlines()
    assert [line.strip() for line in others] == list(error.findings)
    assert first.endswith(f" has {len(others)} mistakes:")
    return [re.sub(r"game\.py:\d+: ([\w.]+): .*", r"\1", finding) for finding in error.findings]


@pytest.mark.parametrize("base", ["Contract", "System"])
def test_findings_of_a_contract(refused: Refused, base: str) -> None:
    error = refused(f"""
        class Game({base}):
            speed: float
            block: u8
            @call
            def play(self, n: int, *more: u8) -> list: ...
            @view
            def _look(self) -> u8: ...
    """)
    assert names_in(error) == [
        "Game.speed", "Game.block", "Game.play", "Game.play", "Game.play", "Game._look",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "declaration",
    [
        "@event\nclass Moved:\n by: float\n to: Key[list[u8]]\n at: Nowhere",
        "@error\nclass Moved:\n by: float\n at: Nowhere\n args: u8",
        "@model\nclass Moved:\n by: float\n to: Key[list[u8]]\n at: Nowhere",
    ],
)
def test_findings_of_a_record(refused: Refused, declaration: str) -> None:
    assert len(names_in(refused(declaration))) == 3


def test_mistake_in_a_dataclass_is_listed_once(refused: Refused) -> None:
    error = refused("""
        @dataclass(frozen=True)
        class Card:
            rank: int
            colour: float
        class Game(Contract):
            deck: list[Card]
            @call
            def play(self, card: Card) -> Card: ...
    """)
    assert [each.split(": ")[3] for each in error.findings] == ["Card.rank", "Card.colour"]


def test_mistakes_of_decorators_are_listed_with_the_others(refused: Refused) -> None:
    error = refused("""
        class Game(Contract):
            speed: float
            @call
            async def play(self) -> None: ...
            @view
            def look(self) -> u8: ...
            @view
            def look(self, n: u8) -> u8: ...
    """)
    assert names_in(error) == ["Game.speed", "Game.play", "Game.look"]


def test_what_follows_from_a_finding_is_not_listed(refused: Refused) -> None:
    [finding] = refused("@model\nclass Tile:\n x: Key[float]\n y: u8").findings
    assert "Tile.x: 'float' is not exact" in finding
