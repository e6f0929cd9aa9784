"""The recorded expectations of Mage Duel's single functions: tiles, contests, final points, players' states.

What is about players is also asked of a World.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import pytest

from chain import Address, Chain, call
from contracts.mage_duel import Game, GameModel, models, rules
from contracts.mage_duel.session import GameStatus, may_cancel, may_create, may_join, pay
from contracts.mage_duel.state import PlayerSide
from contracts.mage_duel.tiles import LETTERS, TILES, Edge
from contracts.mage_duel.union_find import contest, no_components, register

Record = dict[str, Any]

SIDES: Final = {"blue": PlayerSide.BLUE, "red": PlayerSide.RED}
KINDS: Final = {"city": Edge.CITY, "road": Edge.ROAD}


def rotate(tile: int, rotation: int) -> Record:
    return {"edges": "".join(LETTERS[edge] for edge in TILES[tile].faces[rotation].edges)}


def handle_contest(kind: str, blue_points: int, red_points: int) -> Record:
    components, node = no_components(), 0
    register(components, node, KINDS[kind], PlayerSide.BLUE)
    components.nodes_blue_points[node] = blue_points
    components.nodes_red_points[node] = red_points
    held = contest(components, node)
    return {
        "winner": "draw" if held.winner is None else held.winner.name.lower(),
        "points_delta": None if held.winner is None else held.prize,  # a draw moves nothing
        "blue_points_after": components.nodes_blue_points[node],
        "red_points_after": components.nodes_red_points[node],
        "contested": components.nodes_contested[node],
    }


def final_points(
    blue_score: list[int], red_score: list[int], jokers: Record, joker_price: int
) -> Record:
    scores = ((blue_score[0], blue_score[1]), (red_score[0], red_score[1]))
    paid = rules.totals(scores, (jokers["blue"], jokers["red"]), joker_price)
    return dict(zip(SIDES, paid, strict=True))


def determine_winner(blue: int, red: int) -> Record:
    leader = rules.leader((blue, red))
    return {"winner": "draw" if leader is None else leader.name.lower()}


def update_player_stats(
    player1_side: str, balance: list[int], games_played: list[int], **totals: int
) -> Record:
    sides = (player1_side, SIDES[player1_side].opponent.name.lower())
    seats = zip(balance, games_played, sides, strict=True)
    paid = [pay(money, games, totals[side]) for money, games, side in seats]
    return {"balance": [money for money, _ in paid], "games_played": [games for _, games in paid]}


STATUSES: Final = {status: status.name.title().replace("_", "") for status in GameStatus}
STATUS_CODES: Final = {name: code for code, name in STATUSES.items()}
SAME_PLAYER: Final = "same_player"  # in place of the status of a guest who is the host


def status(calls: list[list[str]]) -> Record:
    """Return the status of new players after some calls."""
    statuses = {"host": GameStatus.FINISHED}
    for player, deed, *others in calls:
        old = statuses.get(player, GameStatus.FINISHED)
        host = next(iter(others), "host")
        if deed == "create_game" and may_create(old):
            statuses[player] = GameStatus.CREATED
        elif deed == "cancel_game" and may_cancel(old, None):
            statuses[player] = GameStatus.CANCELED
        elif deed == "join_game" and may_join(statuses.get(host, GameStatus.FINISHED), old):
            statuses[player] = statuses[host] = GameStatus.IN_PROGRESS
    return {"statuses": {player: STATUSES[now] for player, now in statuses.items()}}


class Seating(Game):
    """The system with an entry that sets the state of a player."""

    @call
    def seat(self, player: Address, status: GameStatus) -> None:
        self.world.write(models.Game(player, status, None, None))


class Seats:
    """Players of a World, by any names."""

    def __init__(self) -> None:
        self.chain = Chain()
        self.world = self.chain.deploy_world(
            "mage_duel",
            systems=[Seating],
            writers={"mage_duel": [Seating]},
            init={Seating: (rules.USUAL,)},
        )
        self.game = self.world.system(Seating)

    def status(self, player: str) -> str:
        return STATUSES[self.world.read(GameModel, self.chain.account(player)).status]

    def call(self, player: str, deed: str, *others: str) -> Any:
        args = [self.chain.account(other) for other in others]
        return getattr(self.game, deed)(*args, sender=self.chain.account(player))

    def sit(self, player: str, status: str) -> None:
        self.game.seat(self.chain.account(player), STATUS_CODES[status])


def status_on_chain(calls: list[list[str]]) -> Record:
    seats, players = Seats(), {"host": None}
    for player, deed, *others in calls:
        players[player] = None
        seats.call(player, deed, *(others or (["host"] if deed == "join_game" else [])))
    return {"statuses": {player: seats.status(player) for player in players}}


def can_join(host_status: str, guest_status: str) -> Record:
    guest_status = host_status if guest_status == SAME_PLAYER else guest_status
    return {"ok": may_join(STATUS_CODES[host_status], STATUS_CODES[guest_status])}


def can_join_on_chain(host_status: str, guest_status: str) -> Record:
    seats, guest = Seats(), "host" if guest_status == SAME_PLAYER else "guest"
    seats.sit("host", host_status)
    if guest == "guest":
        seats.sit(guest, guest_status)
    events = seats.call(guest, "join_game", "host").events
    return {"ok": "GameJoinFailed" not in [type(event).__name__ for event in events]}


def can_create_on_chain(status: str) -> Record:
    seats = Seats()
    seats.sit("host", status)
    return {"ok": type(seats.call("host", "create_game").events[0]).__name__ == "GameCreated"}


# The original's dice and card deck, where here chance is the chain's own; and what is reported of placements.
ELSEWHERE: Final = ("dice", "deck", "place_unchecked", "is_valid_move")
OPERATIONS: Final[Mapping[str, Callable[..., Record]]] = {
    "rotate": rotate,
    "handle_contest": handle_contest,
    "final_points": final_points,
    "determine_winner": determine_winner,
    "update_player_stats": update_player_stats,
    "status": status,
    "can_join": can_join,
    "can_create": lambda status: {"ok": may_create(STATUS_CODES[status])},
}
ON_CHAIN: Final[Mapping[str, Callable[..., Record]]] = {
    "status": status_on_chain,
    "can_join": can_join_on_chain,
    "can_create": can_create_on_chain,
}


ASKED = pytest.mark.parametrize("operations", [OPERATIONS, ON_CHAIN], ids=["rules", "chain"])


@ASKED
@pytest.mark.records("mage_duel", "cases", "rows")
def test_cases_are_reproduced(
    operations: Mapping[str, Callable[..., Record]], record: Record
) -> None:
    for case in record["cases"]:
        op = case.get("op")
        assert op is None or op in OPERATIONS or op in ELSEWHERE
        if op in operations:
            check_case(operations[op], case, case["expect"])


@ASKED
@pytest.mark.records("mage_duel", "cases", "rows")
def test_wrong_cases_are_noticed(
    operations: Mapping[str, Callable[..., Record]], record: Record
) -> None:
    for case in record["cases"]:
        if "wrong" in case and case["op"] in operations:
            with pytest.raises(AssertionError):
                check_case(operations[case["op"]], case, case["wrong"])


def check_case(operation: Callable[..., Record], case: Record, told: Record) -> None:
    came_out = operation(**case["input"])
    assert told and {key: came_out[key] for key in told} == told, case["id"]
