"""Pictures of the games: their parts are golden, their markup fits into any page, and those of the README are current."""

from __future__ import annotations

import re
import runpy
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any, Final
from xml.etree import ElementTree

import pytest

from chain.arena.find_game import find_game
from chain.pictures import Picture, picture_of
from contracts.blokus import playouts as blokus
from contracts.blokus.state import start
from contracts.deblockle import rules as deblockle
from contracts.mage_duel import rules as mage_duel
from contracts.sagrada import playouts as sagrada
from tests.chain.game_folders import GAMES

HERE = Path(__file__).parent
BOARDS: Final[Any] = runpy.run_path(str(HERE.parents[1] / "scripts" / "draw_boards.py"))
PHONE: Final = 366  # the width of a picture on a phone of 390
SMALLEST: Final = 9.5  # letters there that can still be read


def in_play(game: str) -> Any:
    return import_module(f"contracts.{game}.rules").from_text(BOARDS["POSITIONS"][game][1])


def drawn(state: Any) -> Picture:
    picture = picture_of(state)
    assert picture is not None
    return picture


STATES: Final[dict[str, Callable[[], Any]]] = {
    "blokus opening": lambda: start(2),
    "blokus in play": lambda: in_play("blokus"),
    "blokus over": lambda: [*blokus.random_game(1, 3)][-1],
    "deblockle opening": lambda: deblockle.set_up()[0],
    "deblockle in play": lambda: in_play("deblockle"),
    "deblockle over": lambda: deblockle.from_text("End 2 - 1g1:642"),
    "mage_duel opening": lambda: mage_duel.start((2,) * 30 + (0, 1), 5, 0),
    "mage_duel in play": lambda: in_play("mage_duel"),
    "mage_duel over": lambda: mage_duel.cancel(in_play("mage_duel")),
    "sagrada opening": lambda: sagrada.opening(1, 4),
    "sagrada in play": lambda: in_play("sagrada"),
    "sagrada over": lambda: [*sagrada.random_game(2, 3)][-1].state,
}


def played(game: str, moves: int = 12) -> Any:
    """The state after some moves at random."""
    chance = Random(1)
    table = find_game(f"contracts.{game}").by_rules(2, chance)
    for _ in range(moves):
        table.make(chance.choice(table.moves()))
    return table.state


ANY_STATES: Final = STATES | {f"{game} played": partial(played, game) for game in GAMES}


@pytest.fixture(scope="module", params=ANY_STATES)
def picture(request: pytest.FixtureRequest) -> Picture:
    return drawn(ANY_STATES[request.param]())


@pytest.mark.parametrize("stage", STATES)
def test_parts_are_golden(stage: str, golden: Callable[[Path, str], None]) -> None:
    picture = drawn(STATES[stage]())
    lines = [f"{picture.title}: {picture.width:g} x {picture.height:g}"]
    for part in picture.parts.values():
        if part.content:
            at = f"{part.x:g},{part.y:g} {part.width:g} x {part.height:g}"
            lines.append(f"{part.name} at {at}: {part.label or 'nothing'}; {paints(part.content)}")
    folder = HERE / "golden" / "pictures"
    folder.mkdir(exist_ok=True)
    golden(folder / f"{stage.replace(' ', '_')}.txt", "\n".join([*lines, ""]))


def paints(content: str) -> str:
    """The colours of a part, in the order in which they appear."""
    return " ".join(
        dict.fromkeys(re.findall(r"[\w-]+", " ".join(re.findall('class="([^"]*)"', content))))
    )


def test_markup_fits_into_any_page(picture: Picture) -> None:
    marked = picture.heat(dict.fromkeys(picture.parts, 1)).svg()
    elements = list(ElementTree.fromstring(marked).iter())
    names = {name for element in elements for name in element.attrib}
    assert names.isdisjoint({"style", "id", "href"})
    assert {element.tag.rpartition("}")[2] for element in elements} <= {
        "svg", "g", "rect", "circle", "path", "text", "title", "desc",
    }  # fmt: skip


def test_every_paint_has_a_dark_shade(picture: Picture) -> None:
    """A fill or a stroke without a class would stay as it is on a dark page."""
    for element in ElementTree.fromstring(picture.svg()).iter():
        classes = element.get("class", "").split()
        for paint in ("fill", "stroke"):
            if element.get(paint, "none") != "none":
                assert any(name.startswith(f"{paint[0]}-") for name in classes), element.attrib


def test_letters_can_be_read_on_a_phone(picture: Picture) -> None:
    sizes = {float(size) for size in re.findall(r'font-size="([^"]*)"', picture.svg())}
    assert min(sizes) * PHONE / picture.width >= SMALLEST


def test_everything_is_inside(picture: Picture) -> None:
    for part in picture.parts.values():
        assert 0 <= part.x <= part.x + part.width <= picture.width, part.name
        assert 0 <= part.y <= part.y + part.height <= picture.height, part.name


def test_parts_do_not_overlap(picture: Picture) -> None:
    parts = list(picture.parts.values())
    for i, one in enumerate(parts):
        for other in parts[i + 1 :]:
            beside = one.x + one.width <= other.x or other.x + other.width <= one.x
            assert beside or one.y + one.height <= other.y or other.y + other.height <= one.y


def test_text_board_is_the_description(picture: Picture) -> None:
    assert picture.description.count("\n") >= 7


def test_same_state_has_the_same_picture() -> None:
    for state in (make() for make in STATES.values()):
        assert drawn(state).svg() == drawn(state).svg()


def test_hostile_name_stays_text() -> None:
    name = '"><script>alert(1)</script>\x1b'
    state = in_play("sagrada")
    first, *others = state.players
    svg = drawn(replace(state, players=(replace(first, username=name), *others))).svg()
    assert "<script" not in svg
    assert "&lt;script" in svg
    ElementTree.fromstring(svg)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_dice_of_sagrada_stay_the_same_wherever_they_lie(players: int) -> None:
    """When a die is picked, those behind it in the pool move up, and none of them is a change."""
    for before, after in picks(players):
        gone = {f"pool {die.id}" for die in before.pool} - {f"pool {die.id}" for die in after.pool}
        assert set(drawn(after).changes(drawn(before))) == {*gone, "picked"}


def picks(players: int) -> Iterator[tuple[Any, Any]]:
    """The states before and after each die was taken out of the pool."""
    states = [each.state for each in sagrada.random_game(3, players)]
    for before, after in pairwise(states):
        is_pick = before.turn.picked is None and after.turn.picked in before.pool
        if is_pick and before.players == after.players:
            yield before, after


@pytest.mark.parametrize("game", GAMES)
def test_picture_of_the_readme_is_current(game: str) -> None:
    """Otherwise: python scripts/draw_boards.py."""
    assert BOARDS["file_of"](game).read_text("utf-8") == BOARDS["drawn"](game)
    readme = (HERE.parents[1] / "README.md").read_text("utf-8")
    assert f"chain/guides/boards/{game}.svg" in readme
