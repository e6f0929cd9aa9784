"""The difference of two states of one game as a few bytes, for undo and redo.

A state is cut into sections (turn, pool, round, track, bag, order, tools, each player); a section
is bytes, two for a die. A patch is a row of splices: section, start, how many bytes go, how many
come, and these. Sections shared by both states are not looked at. Names, frames and cards never
change in a game and are in no patch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from contracts.sagrada.dice import Die
from contracts.sagrada.state import BoardTool, RoundTrack, State, Turn
from contracts.sagrada.turns import TurnOrder
from contracts.sagrada.window import Window

HEAD: Final = 4  # bytes that a splice takes beside what it brings
_NONE: Final = (0, 0)  # where there is no die
_BELOW: Final = tuple(256**place - 1 for place in range(256))


@dataclass(frozen=True, slots=True)
class Section:
    value: Callable[[State], object]
    pack: Callable[[State], bytes]
    put: Callable[[State, bytes], State]


def diff(before: State, after: State) -> bytes:
    """What must be done to `before` to have `after`."""
    changed = [
        (number, SECTIONS[number])
        for number in range(len(_SHARED) + len(before.players))
        if SECTIONS[number].value(before) is not SECTIONS[number].value(after)
    ]
    splices = [
        bytes((number, start, gone, len(new))) + new
        for number, section in changed
        for start, gone, new in _splices(section.pack(before), section.pack(after))
    ]
    return b"".join(splices)


def apply(state: State, patch: bytes) -> State:
    at = 0
    while at < len(patch):
        number, start, gone, coming = patch[at : at + HEAD]
        at += HEAD + coming
        old = SECTIONS[number].pack(state)
        new = old[:start] + patch[at - coming : at] + old[start + gone :]
        state = SECTIONS[number].put(state, new)
    return state


def follow(state: State, patch: bytes) -> tuple[State, bytes]:
    """The state that a patch leads to, and the patch that leads back."""
    other = apply(state, patch)
    return other, diff(other, state)


def _splices(old: bytes, new: bytes) -> Iterator[tuple[int, int, bytes]]:
    """The runs of changes in a section that kept its length, else all between its equal ends."""
    if len(old) == len(new):
        for start, end in _runs(_places(old, new)):
            yield start, end - start, new[start:end]
        return
    shorter = min(len(old), len(new))
    start = next(iter(_places(old[:shorter], new[:shorter])), shorter)
    rest = shorter - start
    same = next(iter(_places(old[: -rest - 1 : -1], new[: -rest - 1 : -1])), rest)
    yield start, len(old) - same - start, new[start : len(new) - same]


def _places(old: bytes, new: bytes) -> Iterator[int]:
    """Where two of one length differ: as numbers they are compared at once, so only what differs takes time."""
    apart = int.from_bytes(old) ^ int.from_bytes(new)
    while apart:
        behind = (apart.bit_length() - 1) // 8
        yield len(old) - 1 - behind
        apart &= _BELOW[behind]


def _runs(places: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Neighbouring places together, gaps included that cost less than a splice of their own."""
    start = end = -1
    for place in places:
        if start < 0:
            start = place
        elif place - end > HEAD:
            yield start, end + 1
            start = place
        end = place
    if start >= 0:
        yield start, end + 1


def _dice_bytes(dice: Iterable[Die | None]) -> bytes:
    return bytes([part for die in dice for part in (_NONE if die is None else (die.id, die.shade))])


def _dice(packed: bytes) -> tuple[Die, ...]:
    return tuple(Die(number, shade) for number, shade in _pairs(packed))


def _pairs(packed: bytes) -> Iterable[tuple[int, int]]:
    return zip(packed[::2], packed[1::2], strict=True)


def _pack_turn(state: State) -> bytes:
    turn = state.turn
    told = turn.die_placed, turn.tool_activated, turn.undo_available
    flags = bytes((told[0], told[1], told[2], turn.active_tool, turn.passive_tool))
    return flags + _dice_bytes((turn.picked, *turn.moved))


def _put_turn(state: State, packed: bytes) -> State:
    placed, activated, undo, active, passive, number, shade = packed[:7]
    picked = Die(number, shade) if shade else None
    moved = _dice(packed[7:])
    turn = Turn(picked, bool(placed), bool(activated), bool(undo), active, passive, moved)
    return replace(state, turn=turn)


def _put_round(state: State, packed: bytes) -> State:
    return replace(state, track=RoundTrack(packed[0], state.track.dice, tuple(packed[1:])))


def _put_track(state: State, packed: bytes) -> State:
    return replace(state, track=replace(state.track, dice=_dice(packed)))


def _pack_order(state: State) -> bytes:
    return bytes((state.order.index, state.order.first, *state.order.seats))


def _put_order(state: State, packed: bytes) -> State:
    return replace(state, order=TurnOrder(packed[0], packed[1], tuple(packed[2:])))


def _put_tools(state: State, packed: bytes) -> State:
    paid = zip(state.tools, packed, strict=True)
    return replace(state, tools=tuple(BoardTool(tool.id, points) for tool, points in paid))


def _player(seat: int) -> Section:
    def pack(state: State) -> bytes:
        player = state.players[seat]
        return bytes((player.favor_points,)) + _dice_bytes(player.window.dice)

    def put(state: State, packed: bytes) -> State:
        player = state.players[seat]
        dice = tuple(Die(n, shade) if shade else None for n, shade in _pairs(packed[1:]))
        window = Window(player.window.frame, dice)
        player = replace(player, favor_points=packed[0], window=window)
        return replace(state, players=(*state.players[:seat], player, *state.players[seat + 1 :]))

    return Section(lambda state: state.players[seat], pack, put)


_SHARED: Final = (
    Section(lambda state: state.turn, _pack_turn, _put_turn),
    Section(
        lambda state: state.pool,
        lambda state: _dice_bytes(state.pool),
        lambda state, packed: replace(state, pool=_dice(packed)),
    ),
    Section(
        lambda state: state.track,
        lambda state: bytes((state.track.round, *state.track.counts)),
        _put_round,
    ),
    Section(
        lambda state: state.track.dice, lambda state: _dice_bytes(state.track.dice), _put_track
    ),
    Section(
        lambda state: state.bag,
        lambda state: bytes(state.bag),
        lambda state, packed: replace(state, bag=tuple(packed)),
    ),
    Section(lambda state: state.order, _pack_order, _put_order),
    Section(
        lambda state: state.tools,
        lambda state: bytes(tool.favor_points for tool in state.tools),
        _put_tools,
    ),
)
SECTIONS: Final = (*_SHARED, *(_player(seat) for seat in range(4)))
