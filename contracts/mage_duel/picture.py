"""A duel as a picture: cities and roads on the board and around it, points, jokers, and the tile that comes next.

A part is a cell, named `col,row` as in moves and events.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Final

from chain.pictures import (
    Markup,
    Part,
    Picture,
    circle,
    element,
    group,
    path,
    picture_of_parts,
    rect,
    text,
)
from chain.simulator.handle import Handle
from contracts.mage_duel.board import CELLS, RIM, SIZE
from contracts.mage_duel.drawing import ENDINGS, draw
from contracts.mage_duel.state import EMPTY_CELL, Cell, PlayerSide, State
from contracts.mage_duel.tiles import TILES, Edge

COLOURS: Final = {PlayerSide.BLUE: "blue", PlayerSide.RED: "red"}
CELL: Final = 42
HALF: Final = CELL // 2
RING: Final = 20  # how far what stands around the board reaches
LEFT, TOP = 38, 38  # of the board
BOARD: Final = SIZE * CELL
WIDTH: Final = LEFT + BOARD + RING + 12
BELOW: Final = TOP + BOARD + RING + 14
CARD: Final = (126, 78)
HEIGHT: Final = BELOW + CARD[1] + 42

LANE: Final = f"M{HALF} 0V{HALF}"  # from the upper edge to the middle
CURVE: Final = f"M{HALF} 0Q{HALF} {HALF} {CELL} {HALF}"  # from the upper edge to the right one
ACROSS: Final = f"M{HALF} 0V{CELL}"
THROUGH: Final[dict[tuple[int, ...], tuple[str, int]]] = {  # a road that joins two edges, and how far it is turned
    (0, 1): (CURVE, 0), (1, 2): (CURVE, 1), (2, 3): (CURVE, 2), (0, 3): (CURVE, 3),
    (0, 2): (ACROSS, 0), (1, 3): (ACROSS, 1),
}  # fmt: skip
WEDGE: Final = f"M0 0H{CELL}L{HALF} {HALF}Z"
BOW: Final = f"M0 0H{CELL}Q{HALF} {CELL * 0.64:g} 0 0Z"
HOUSE: Final = f"M{HALF - 4} 11v-5l4 -3.6l4 3.6v5z"


def picture(state: State) -> Picture:
    """The board in its ring, and cards for both sides and the deck."""
    return picture_of_parts(
        WIDTH,
        HEIGHT,
        _cells(state),
        ground=(_board(), _ring(state.ring), *_cards(state), *_status(state)),
        title=f"Mage Duel: {_turn(state)}",
        description=draw(state),
    )


def read_state(game: Handle, board_id: int) -> State:
    """A board as it stands in a World."""
    state: State = game.state(board_id)
    return state


def _turn(state: State) -> str:
    if state.ending is not None:
        return f"Over: {ENDINGS[state.ending]}"
    if state.last_move is None:
        return "Either side may open"
    return f"{state.last_move.side.opponent.name.title()} to move"


@cache
def _board() -> Markup:
    """The empty cells, with coordinates."""
    lines = "".join(
        f"M{LEFT} {TOP + i * CELL}h{BOARD}M{LEFT + i * CELL} {TOP}v{BOARD}" for i in range(SIZE + 1)
    )
    labels = [
        label
        for i in range(SIZE)
        for label in (
            text(LEFT + i * CELL + HALF, 10, str(i), size=12, anchor="middle", fill="muted"),
            text(9, TOP + i * CELL + HALF, str(i), size=12, anchor="middle", fill="muted"),
        )
    ]
    return group(
        rect(LEFT, TOP, BOARD, BOARD, fill="sand"),
        path(lines, stroke="line", stroke_width=1, fill="none"),
        *labels,
    )


@cache
def _ring(ring: tuple[int, ...]) -> Markup:
    """What stands around the board: gates of cities, ends of roads, mountains."""
    return group(
        *(
            group(_turned(_gate(Edge(ring[entry])), edge), x=x, y=y)
            for cell in range(CELLS)
            for edge, entry in RIM[cell]
            for x, y in (_corner(cell),)
        )
    )


def _gate(kind: Edge) -> Markup:
    """What stands above the upper edge of a cell, outside the board."""
    if kind == Edge.CITY:
        walls = "M6 -2v-13h5v4h5v-4h10v4h5v-4h5v13z"
        return path(
            walls, fill="brick", stroke="brick-deep", stroke_width=1.4, stroke_linejoin="round"
        )
    if kind == Edge.ROAD:
        return _lane(f"M{HALF} -{RING - 2}V0")
    return path("M6 -2l9 -11l6 7l5 -5l10 9z", fill="stone", stroke="stone-deep", stroke_linejoin="round")  # fmt: skip


def _corner(cell: int) -> tuple[int, int]:
    col, row = divmod(cell, SIZE)
    return LEFT + col * CELL, TOP + row * CELL


def _cells(state: State) -> Iterator[Part]:
    for cell, content in enumerate(state.cells):
        col, row = divmod(cell, SIZE)
        name, at = f"{col},{row}", _corner(cell)
        if content == EMPTY_CELL:
            yield Part(name, *at, CELL, CELL)
        else:
            yield Part(name, *at, CELL, CELL, _tile(content), _label(content))


def _label(content: Cell) -> str:
    tile, rotation, side = content
    edges = ", ".join(edge.name.lower() for edge in TILES[tile].faces[rotation].edges)
    return f"{COLOURS[PlayerSide(side)]}, clockwise from above {edges}"


@cache
def _tile(content: Cell) -> Markup:
    """A tile with the disc of the side that laid it."""
    tile, rotation, side = content
    disc = circle(HALF, HALF, 6, fill=COLOURS[PlayerSide(side)], stroke="white", stroke_width=1.8)
    return element("g", _land(tile, rotation), disc)


@cache
def _land(tile: int, rotation: int) -> Markup:
    """A tile as it lies: cities grow from their edges to the middle, roads run there."""
    cities, roads = TILES[tile].faces[rotation].of_kind
    return element(
        "g",
        rect(0.5, 0.5, CELL - 1, CELL - 1, fill="grass", stroke="grass-deep"),
        *_town(cities),
        *_ways(roads, joined=TILES[tile].joins_roads),
    )


def _town(cities: tuple[int, ...]) -> Iterator[Markup]:
    """Cities on several edges are one, so their walls are not drawn where they meet."""
    if not cities:
        return
    walls = {"fill": "brick", "stroke": "brick-deep", "stroke_linejoin": "round"}
    if len(cities) == 4:
        yield rect(0.5, 0.5, CELL - 1, CELL - 1, stroke_width=1.4, **walls)
    elif len(cities) == 1:
        yield _turned(path(BOW, stroke_width=1.4, **walls), cities[0])
    else:
        for edge in cities:
            yield _turned(path(WEDGE, stroke_width=1.4, **walls), edge)
        for edge in cities:
            yield _turned(path(WEDGE, fill="brick", stroke="brick", stroke_width=0.6), edge)
    for edge in cities:
        x, y = ((0, 0), (CELL - HALF - 7, HALF - 7), (0, CELL - 14), (7 - HALF, HALF - 7))[edge]
        yield group(path(HOUSE, fill="road", stroke="brick-deep", stroke_width=0.9), x=x, y=y)


def _ways(roads: tuple[int, ...], *, joined: bool) -> Iterator[Markup]:
    if joined:
        data, turns = THROUGH[roads]
        yield _turned(_lane(data), turns)
        return
    for edge in roads:
        yield _turned(_lane(LANE), edge)
    if roads:  # they end in a square
        yield circle(HALF, HALF, 8.5, fill="stone", stroke="road-deep", stroke_width=1.2)


def _lane(data: str) -> Markup:
    """A road with its borders."""
    return element(
        "g",
        path(data, fill="none", stroke="road-deep", stroke_width=7),
        path(data, fill="none", stroke="road", stroke_width=4.6),
    )


def _turned(content: Markup, edge: int) -> Markup:
    """What is drawn for the upper edge of a cell, at another edge."""
    if edge == 0:
        return content
    return element("g", content, transform=f"rotate({90 * edge} {HALF} {HALF})")


def _cards(state: State) -> Iterator[Markup]:
    turn = None if state.last_move is None else state.last_move.side.opponent
    for side, colour in COLOURS.items():
        is_marked = state.ending is None and side == turn
        card = _card(colour, state.scores[side], state.jokers[side], is_marked=is_marked)
        yield group(card, x=12 + side * (CARD[0] + 5), y=BELOW)
    x = 12 + 2 * (CARD[0] + 5)
    yield rect(x, BELOW, *CARD, rx=6, fill="panel")
    yield text(x + 10, BELOW + 14, "Next tile", bold=True)
    if state.top_tile is not None:
        yield group(_land(state.top_tile, 0), x=x + 10, y=BELOW + 26)
    yield text(x + 62, BELOW + 42, f"{len(state.deck)} in", size=12, fill="muted")
    yield text(x + 62, BELOW + 57, "the deck", size=12, fill="muted")


def _card(colour: str, score: tuple[int, int], jokers: int, *, is_marked: bool) -> Markup:
    """A side's points and jokers."""
    (width, height), (city, road) = CARD, score
    border = colour if is_marked else None
    return element(
        "g",
        rect(0, 0, width, height, rx=6, fill="panel", stroke=border, stroke_width=2),
        circle(16, 15, 6, fill=colour, stroke=f"{colour}-deep"),
        text(28, 15, colour.title(), bold=True),
        text(width - 9, 16, str(city + road), size=17, anchor="end", bold=True),
        text(10, 37, f"{city} city, {road} road", size=12, fill="muted"),
        text(10, 60, "jokers" if jokers else "no jokers", size=12, fill="muted"),
        *(
            rect(55 + 13 * i, 54, 10, 12, rx=2, fill=colour, stroke=f"{colour}-deep")
            for i in range(min(jokers, 5))
        ),
    )


def _status(state: State) -> Iterator[Markup]:
    y = BELOW + CARD[1] + 22
    yield text(12, y, _turn(state), size=15, bold=True)
    moves = f"{state.moves_done} move{'s' * (state.moves_done != 1)}"
    yield text(WIDTH - 12, y, moves, size=12, anchor="end", fill="muted")
