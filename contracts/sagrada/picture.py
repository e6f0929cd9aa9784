"""A game as a picture: round track, pool, cards, and a window for each player.

Parts are the cells of the windows, named `ada 2,5` by player, row and column as in commands; the dice of the pool by their
ids, `pool 17`, so that the others stay the same when one is picked; `picked`; and the slots of the track, `round 3`.
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
    shorten,
    text,
)
from chain.simulator.handle import Handle
from contracts.sagrada.dice import COLORS, LETTERS, Die
from contracts.sagrada.drawing import draw
from contracts.sagrada.library import LIBRARY, Library
from contracts.sagrada.rules import scores, winner
from contracts.sagrada.state import ROUNDS, Player, State, current_player, is_finished
from contracts.sagrada.window import COLUMNS

HUES: Final = {letter: color.name.lower() for letter, color in zip(LETTERS, COLORS, strict=True)}
DIE: Final = 30
CELL, GAP = 33, 2
EDGE: Final = 8  # of the picture
WINDOW: Final = (192, 196)
WIDTH: Final = 2 * EDGE + 2 * WINDOW[0] + EDGE
TRACK_TOP, POOL_TOP, CARDS_TOP, WINDOWS_TOP = 34, 98, 152, 236
SLOT: Final = (36, 54)
IN: Final = (
    WINDOW[0] - COLUMNS * CELL - (COLUMNS - 1) * GAP
) // 2  # from a window's side to its cells
HEAD: Final = 30  # of a window, above its cells

FAR, MID = 0.27, 0.5
SPOTS: Final = {  # where the pips lie, on a side of 1
    1: ((MID, MID),),
    2: ((FAR, FAR), (1 - FAR, 1 - FAR)),
    3: ((FAR, FAR), (MID, MID), (1 - FAR, 1 - FAR)),
    4: ((FAR, FAR), (FAR, 1 - FAR), (1 - FAR, FAR), (1 - FAR, 1 - FAR)),
    5: ((FAR, FAR), (FAR, 1 - FAR), (MID, MID), (1 - FAR, FAR), (1 - FAR, 1 - FAR)),
    6: ((FAR, FAR), (FAR, MID), (FAR, 1 - FAR), (1 - FAR, FAR), (1 - FAR, MID), (1 - FAR, 1 - FAR)),
}  # fmt: skip


def picture(state: State, library: Library = LIBRARY) -> Picture:
    """The whole table."""
    rows = (len(state.players) + 1) // 2
    return picture_of_parts(
        WIDTH,
        WINDOWS_TOP + rows * (WINDOW[1] + EDGE),
        (*_track(state), *_pool(state), *_picked(state), *_windows(state)),
        ground=(*_status(state), *_cards(state, library), *_frames(state, library)),
        title=f"Sagrada: {_turn(state)}",
        description=draw(state, library),
    )


def read_state(game: Handle, game_id: int) -> State:
    """A game on a chain, once all have chosen their frames."""
    table = game.fields.tables[game_id]
    if table is None:
        raise LookupError(f"there is no game {game_id} that has begun")
    state: State = table.state
    return state


def _turn(state: State) -> str:
    if is_finished(state):
        return f"{winner(state)} has won"
    turn = "second" if state.order.is_second_turn else "first"
    return f"{current_player(state).username}'s {turn} turn"


def _status(state: State) -> Iterator[Markup]:
    yield text(EDGE + 2, 18, shorten(_turn(state), 30), size=15, bold=True)
    words = "all rounds played" if is_finished(state) else f"round {state.track.round} of {ROUNDS}"
    yield text(WIDTH - EDGE - 2, 18, words, size=12, anchor="end", fill="muted")
    for number in range(1, ROUNDS + 1):
        x, y = _slot(number)
        border = "muted" if number == state.track.round else None
        yield rect(x, y, *SLOT, rx=4, fill="panel", stroke=border, stroke_width=1.4)
        yield text(x + SLOT[0] / 2, y + 9, str(number), size=11, anchor="middle", fill="muted")
    middle = POOL_TOP + DIE / 2
    yield text(EDGE + 2, middle, "Pool", size=12, fill="muted")
    if state.turn.picked is not None:
        yield text(WIDTH - EDGE - DIE - 6, middle, "picked", size=12, anchor="end", fill="muted")
    for number in range(1, len(state.pool) + 1):
        x, y = _place(number)
        yield text(x + DIE / 2, y + DIE + 8, str(number), size=11, anchor="middle", fill="muted")


# The dice beside the windows


def _slot(number: int) -> tuple[float, float]:
    return EDGE + (number - 1) * (SLOT[0] + 3.55), TRACK_TOP


def _track(state: State) -> Iterator[Part]:
    """The dice that each round left."""
    dice = state.track.dice
    for number, count in enumerate(state.track.counts, 1):
        left, dice = dice[:count], dice[count:]
        yield Part(
            f"round {number}",
            *_slot(number),
            *SLOT,
            _heap(left) if left else Markup(),
            _names(left),
        )


@cache
def _heap(dice: tuple[Die, ...]) -> Markup:
    """Dice on one slot, the smaller the more there are."""
    side = next(side for side in range(1, 10) if side * side >= len(dice))
    step = 33 / max(side, 1.4)
    rows = -(-len(dice) // side)
    left, top = (SLOT[0] - side * step) / 2, 34 - rows * step / 2
    return element(
        "g",
        *(
            group(_die(die, step - 1.2), x=round(left + i % side * step, 1), y=round(top + i // side * step, 1))
            for i, die in enumerate(dice)
        ),
    )  # fmt: skip


def _names(dice: tuple[Die, ...]) -> str:
    return " ".join(str(die) for die in dice)


def _place(number: int) -> tuple[float, float]:
    return 46 + (number - 1) * (DIE + 4), POOL_TOP


def _pool(state: State) -> Iterator[Part]:
    for number, die in enumerate(state.pool, 1):
        yield Part(f"pool {die.id}", *_place(number), DIE, DIE, _die(die, DIE), str(die))


def _picked(state: State) -> Iterator[Part]:
    die = state.turn.picked
    if die is not None:
        yield Part("picked", WIDTH - EDGE - DIE, POOL_TOP, DIE, DIE, _die(die, DIE), str(die))


@cache
def _die(die: Die, side: float) -> Markup:
    hue = HUES[str(die)[0]]
    face = rect(
        0.5, 0.5, round(side - 1, 1), round(side - 1, 1), rx=round(side * 0.18, 1),
        fill=hue, stroke=f"{hue}-deep", stroke_width=1,
    )  # fmt: skip
    return element("g", face, _pips(die.shade, side, "coal" if hue == "yellow" else "white"))


@cache
def _pips(shade: int, side: float, colour: str) -> Markup:
    """The pips as one path of dots."""
    radius = side * 0.098
    dots = "".join(
        f"M{x * side - radius:.1f} {y * side:.1f}a{radius:.1f} {radius:.1f} 0 1 0 {2 * radius:.1f} 0"
        f"a{radius:.1f} {radius:.1f} 0 1 0 -{2 * radius:.1f} 0"
        for x, y in SPOTS[shade]
    )
    return path(dots, fill=colour)


# Cards


def _cards(state: State, library: Library) -> Iterator[Markup]:
    """Public objectives on the left, tools with what was paid for them on the right."""
    half = WINDOW[0]
    right = EDGE + half + EDGE
    for x in (EDGE, right):
        yield rect(x, CARDS_TOP, half, 76, rx=6, fill="panel")
    yield text(EDGE + 10, CARDS_TOP + 14, "Objectives", size=12, bold=True)
    yield text(right + 10, CARDS_TOP + 14, "Tools", size=12, bold=True)
    for line, number in enumerate(state.objectives[:3]):
        name = shorten(library.objectives[number].name, 28)
        yield text(EDGE + 10, CARDS_TOP + 32 + 16 * line, name, size=12)
    in_use = (state.turn.active_tool, state.turn.passive_tool)
    for line, tool in enumerate(state.tools[:3]):
        y, is_used = CARDS_TOP + 32 + 16 * line, tool.id in in_use
        name = shorten(f"{tool.id} {library.tools[tool.id].name}", 22)
        fill = "accent" if is_used else "ink"
        yield text(right + 10, y, name, size=12, bold=is_used, fill=fill)
        if tool.favor_points:
            yield text(
                right + half - 10, y, str(tool.favor_points), size=12, anchor="end", bold=True
            )
    if len(state.tools) or len(state.objectives):
        yield text(right + half - 10, CARDS_TOP + 14, "paid", size=12, anchor="end", fill="muted")


# Windows


def _corner(seat: int, players: int) -> tuple[float, float]:
    row, col = divmod(seat, 2)
    is_alone = seat == players - 1 and col == 0
    x = (WIDTH - WINDOW[0]) / 2 if is_alone else EDGE + col * (WINDOW[0] + EDGE)
    return x, WINDOWS_TOP + row * (WINDOW[1] + EDGE)


def _frames(state: State, library: Library) -> Iterator[Markup]:
    """The windows without their cells: who sits there, points, favor points, the private objective."""
    points, count = scores(state, library), len(state.players)
    best = winner(state, library)
    for seat, player in enumerate(state.players):
        is_marked = best == player.username if best else seat == state.order.current
        x, y = _corner(seat, count)
        yield group(_frame(player, points[seat], library, is_marked=is_marked), x=x, y=y)


def _frame(player: Player, points: int, library: Library, *, is_marked: bool) -> Markup:
    width, height = WINDOW
    border = "yellow" if is_marked else None
    objective = "" if player.objective is None else library.objectives[player.objective].name
    stones = min(player.favor_points, 6)
    return element(
        "g",
        path(f"M1 {height - 7}V16Q1 1 16 1H{width - 16}Q{width - 1} 1 {width - 1} 16V{height - 7}"
             f"Q{width - 1} {height - 1} {width - 7} {height - 1}H7Q1 {height - 1} 1 {height - 7}Z",
             fill="night", stroke=border, stroke_width=2.5),
        text(IN + 1, 16, shorten(player.username, 16), bold=True, fill="white"),
        text(width - IN - 1, 16, str(points), anchor="end", bold=True, fill="white"),
        text(IN + 1, height - 13, shorten(objective, 18), size=12, fill="white"),
        *(
            circle(width - IN - 4 - 11 * i, height - 13, 4, fill="blue-pale", stroke="blue")
            for i in range(stones)
        ),
    )  # fmt: skip


def _windows(state: State) -> Iterator[Part]:
    count = len(state.players)
    for seat, player in enumerate(state.players):
        left, top = _corner(seat, count)
        window = player.window
        for cell, (die, mark) in enumerate(zip(window.dice, window.frame.marks, strict=True)):
            row, col = divmod(cell, COLUMNS)
            name = f"{player.username} {row + 1},{col + 1}"
            at = left + IN + col * (CELL + GAP), top + HEAD + row * (CELL + GAP)
            yield Part(name, *at, CELL, CELL, _cell(mark, die), _cell_label(mark, die))


def _cell_label(mark: str, die: Die | None) -> str:
    wanted = "" if mark == "." else f"for {HUES.get(mark, mark)}"
    return wanted if die is None else f"{die}{', ' if wanted else ''}{wanted}"


@cache
def _cell(mark: str, die: Die | None) -> Markup:
    """A cell with what it is for: a colour and its letter, a shade as pips, or anything."""
    hue = HUES.get(mark)
    fill = f"{hue}-pale" if hue else "sand" if mark == "." else "stone"
    base = rect(0, 0, CELL, CELL, rx=3, fill=fill)
    if die is not None:
        return element("g", base, group(_die(die, CELL - 4), x=2, y=2))
    if hue:
        letter = text(CELL / 2, CELL / 2, mark, anchor="middle", bold=True)
        return element("g", base, letter)
    return base if mark == "." else element("g", base, _pips(int(mark), CELL, "night"))
