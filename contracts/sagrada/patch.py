"""The difference of two states of one game as a few bytes, for undo and redo.

A state is cut into sections (turn, pool, round, track, bag, order, tools, each player); a section
is bytes, two for a die. A patch is a row of splices: section, start, how many bytes go, how many
come, and these. Sections shared by both states are not looked at. Names, frames and cards never
change in a game and are in no patch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

from contracts.sagrada.dice import DICE, SHADES, Die
from contracts.sagrada.state import BoardTool, Player, RoundTrack, State, Turn
from contracts.sagrada.turns import TurnOrder
from contracts.sagrada.window import Window

TURN, POOL, ROUND, TRACK, BAG, ORDER, TOOLS, PLAYERS = range(8)  # the numbers of the sections
HEAD: Final = 4  # bytes that a splice takes beside what it brings
_NONE: Final = bytes(2)  # where there is no die
_DICE: Final = tuple(
    (None, *(Die(number, shade) for shade in SHADES)) for number in range(DICE)
)  # by id and shade
_BELOW: Final = tuple(256**place - 1 for place in range(256))


@dataclass(frozen=True, slots=True)
class Section:
    pack: Callable[[Any], bytes]
    put: Callable[[State, bytes], State]


def diff(before: State, after: State) -> bytes:
    """What must be done to `before` to have `after`."""
    return b"".join(
        [
            splice
            for number, old, new in _changes(before, after)
            for splice in _splices(number, old, new)
        ]
    )


def _changes(before: State, after: State) -> Iterator[tuple[int, bytes, bytes]]:
    """The sections that two states do not share, packed."""
    if before.turn is not after.turn:
        yield TURN, _pack_turn(before.turn), _pack_turn(after.turn)
    if before.pool is not after.pool:
        yield POOL, _pack_dice(before.pool), _pack_dice(after.pool)
    if before.track is not after.track:
        yield ROUND, _pack_round(before.track), _pack_round(after.track)
        yield TRACK, _pack_dice(before.track.dice), _pack_dice(after.track.dice)
    if before.bag is not after.bag:
        yield BAG, bytes(before.bag), bytes(after.bag)
    if before.order is not after.order:
        yield ORDER, _pack_order(before.order), _pack_order(after.order)
    if before.tools is not after.tools:
        yield TOOLS, _pack_tools(before.tools), _pack_tools(after.tools)
    if before.players is not after.players:
        for seat, (old, new) in enumerate(zip(before.players, after.players, strict=True)):
            if old is not new:
                yield PLAYERS + seat, _pack_player(old), _pack_player(new)


def apply(state: State, patch: bytes) -> State:
    return follow(state, patch)[0]


def follow(state: State, patch: bytes) -> tuple[State, bytes]:
    """The state that a patch leads to, and the patch that leads back: the same splices the other way round."""
    parts, at = _parts(state), 0
    changed: dict[int, bytes] = {}
    back: list[bytes] = []
    while at < len(patch):
        number, start, gone, coming = patch[at : at + HEAD]
        at += HEAD + coming
        if number not in changed:
            changed[number] = SECTIONS[number].pack(parts[number])
        old = changed[number]
        end = start + gone
        changed[number] = old[:start] + patch[at - coming : at] + old[end:]
        back.append(bytes((number, start, coming, gone)) + old[start:end])
    for number, packed in changed.items():
        state = SECTIONS[number].put(state, packed)
    return state, b"".join(back)


def _parts(state: State) -> tuple[object, ...]:
    """What the sections hold, in their order."""
    track = state.track
    return (
        state.turn, state.pool, track, track.dice, state.bag, state.order, state.tools, *state.players
    )  # fmt: skip


def _splices(number: int, old: bytes, new: bytes) -> list[bytes]:
    """The runs of changes in a section that kept its length, else all between its equal ends."""
    if len(old) == len(new):
        return [
            bytes((number, start, size, size)) + new[start : start + size]
            for start, size in _runs(old, new)
        ]
    shorter = min(len(old), len(new))
    start = _alike(old[:shorter], new[:shorter])
    rest = shorter - start
    same = _alike(old[: -rest - 1 : -1], new[: -rest - 1 : -1])
    gone, coming = len(old) - same - start, len(new) - same - start
    return [bytes((number, start, gone, coming)) + new[start : start + coming]]


def _alike(old: bytes, new: bytes) -> int:
    """How many bytes two of one length have in common at their start."""
    apart = int.from_bytes(old) ^ int.from_bytes(new)
    return len(old) - (apart.bit_length() + 7) // 8


def _runs(old: bytes, new: bytes) -> list[tuple[int, int]]:
    """Where two of one length differ, and over how many bytes.

    That includes gaps that cost less than a splice of their own. As numbers they are compared at
    once, so only what differs takes time.
    """
    apart = int.from_bytes(old) ^ int.from_bytes(new)
    if not apart:
        return []
    first = len(old) - (apart.bit_length() + 7) // 8
    last = len(old) - 1 - ((apart & -apart).bit_length() - 1) // 8
    if last - first <= HEAD:  # no room for a gap
        return [(first, last - first + 1)]
    runs: list[tuple[int, int]] = []
    end = -HEAD
    while apart:
        behind = (apart.bit_length() - 1) // 8
        place = len(old) - 1 - behind
        if place >= end + HEAD:
            runs.append((place, 1))
        else:
            start = runs[-1][0]
            runs[-1] = (start, place + 1 - start)
        end = place + 1
        apart &= _BELOW[behind]
    return runs


def _pack_dice(dice: Iterable[Die | None]) -> bytes:
    return b"".join([_NONE if die is None else bytes((die.id, die.shade)) for die in dice])


def _dice(packed: bytes) -> tuple[Any, ...]:
    """The dice, None where there is none."""
    return tuple([_DICE[number][shade] for number, shade in _pairs(packed)])


def _pairs(packed: bytes) -> Iterable[tuple[int, int]]:
    return zip(packed[::2], packed[1::2], strict=True)


def _pack_turn(turn: Turn) -> bytes:
    picked = turn.picked
    number, shade = (0, 0) if picked is None else (picked.id, picked.shade)
    flags = turn.die_placed, turn.tool_activated, turn.undo_available
    packed = bytes((*flags, turn.active_tool, turn.passive_tool, number, shade))
    return packed + _pack_dice(turn.moved) if turn.moved else packed


def _put_turn(state: State, packed: bytes) -> State:
    placed, activated, undo, active, passive = packed[:5]
    picked, *moved = _dice(packed[5:])
    flags = bool(placed), bool(activated), bool(undo)
    turn = Turn(picked, *flags, active, passive, tuple(moved))
    return replace(state, turn=turn)


def _pack_round(track: RoundTrack) -> bytes:
    return bytes((track.round, *track.counts))


def _put_round(state: State, packed: bytes) -> State:
    return replace(state, track=RoundTrack(packed[0], state.track.dice, tuple(packed[1:])))


def _put_track(state: State, packed: bytes) -> State:
    return replace(state, track=replace(state.track, dice=_dice(packed)))


def _pack_order(order: TurnOrder) -> bytes:
    return bytes((order.index, order.first, *order.seats))


def _put_order(state: State, packed: bytes) -> State:
    return replace(state, order=TurnOrder(packed[0], packed[1], tuple(packed[2:])))


def _pack_tools(tools: tuple[BoardTool, ...]) -> bytes:
    return bytes([tool.favor_points for tool in tools])


def _put_tools(state: State, packed: bytes) -> State:
    paid = zip(state.tools, packed, strict=True)
    return replace(state, tools=tuple(BoardTool(tool.id, points) for tool, points in paid))


def _pack_player(player: Player) -> bytes:
    return bytes((player.favor_points,)) + _pack_dice(player.window.dice)


def _player(seat: int) -> Section:
    def put(state: State, packed: bytes) -> State:
        player = state.players[seat]
        window = Window(player.window.frame, _dice(packed[1:]))
        player = replace(player, favor_points=packed[0], window=window)
        return replace(state, players=(*state.players[:seat], player, *state.players[seat + 1 :]))

    return Section(_pack_player, put)


SECTIONS: Final = (
    Section(_pack_turn, _put_turn),
    Section(_pack_dice, lambda state, packed: replace(state, pool=_dice(packed))),
    Section(_pack_round, _put_round),
    Section(_pack_dice, _put_track),
    Section(bytes, lambda state, packed: replace(state, bag=tuple(packed))),
    Section(_pack_order, _put_order),
    Section(_pack_tools, _put_tools),
    *(_player(seat) for seat in range(4)),
)
