"""The recorded games and cases of Mage Duel, replayed through the rules.

Where the rules differ from the recorded original on purpose, they are compared on what is left: a
component is contested once, and the tiles of a deck may lie in another order.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, Final

import pytest

from contracts.mage_duel import rules
from contracts.mage_duel.board import CELLS, SIZE, Layout, cell_at, fits
from contracts.mage_duel.scoring import (
    CITIES_FIRST,
    add_nodes,
    add_points,
    contest_rest,
    immediate_points,
    join_in,
    settle,
)
from contracts.mage_duel.session import GameStatus, may_cancel, may_create, may_join, pay
from contracts.mage_duel.state import (
    EMPTY_CELL,
    Cell,
    Ending,
    Move,
    PlayerSide,
    RuleSet,
    Scores,
    State,
)
from contracts.mage_duel.tiles import DECK, LETTERS, TILES, Edge
from contracts.mage_duel.union_find import (
    Components,
    Contest,
    contest,
    find,
    no_components,
    register,
)

Record = dict[str, Any]

SIDES: Final = {"blue": PlayerSide.BLUE, "red": PlayerSide.RED}
KINDS: Final = {"city": Edge.CITY, "road": Edge.ROAD}
ENDINGS: Final = {
    "two_consecutive_skips": Ending.TWO_SKIPS,
    "finish_game_timeout": Ending.TIME_RAN_OUT,
    "deck_and_jokers_exhausted": Ending.NOTHING_LEFT,
}


def name_of(side: PlayerSide | None) -> str:
    return "draw" if side is None else side.name.lower()


def told(contests: Iterable[Contest]) -> list[Record]:
    """Contests as the records tell them."""
    return [
        {
            "kind": held.kind.name.lower(),
            "root": held.root,
            "winner": name_of(held.winner),
            "blue_points": held.blue_points,
            "red_points": held.red_points,
        }
        for held in contests
    ]


def once(contests: Iterable[Record]) -> list[Record]:
    """The original contests a loop twice that closes at two ends of a crossing."""
    firsts: dict[tuple[str, int], Record] = {}
    for held in contests:
        firsts.setdefault((held["kind"], held["root"]), held)
    return list(firsts.values())


@dataclass
class Table:
    """A board without deck and turns, to lay tiles on."""

    ring: list[int]
    cells: list[Cell] = field(default_factory=lambda: [EMPTY_CELL] * CELLS)
    components: Components = field(default_factory=no_components)
    scores: Scores = ((0, 0), (0, 0))

    def lay(self, cell: int, tile: int, rotation: int, side: PlayerSide) -> list[Contest]:
        content = (tile, rotation, int(side))
        self.scores = add_points(self.scores, side, immediate_points(self.ring, cell, content))
        contests = join_in(self.components, self, cell, content)
        self.scores = settle(self.scores, contests)
        self.cells[cell] = content
        return contests

    def shown(self) -> Record:
        return {"blue": list(self.scores[0]), "red": list(self.scores[1])}


@pytest.mark.records("mage_duel", "tiles")
def test_tiles_are_as_recorded(record: Record) -> None:
    assert sum(DECK) == record["deck_total"]
    assert {edge.name[0]: edge.value for edge in Edge} == record["edge_codes"]
    for code, (tile, told_tile) in enumerate(zip(TILES, record["tiles"], strict=True)):
        faces = ["".join(LETTERS[edge] for edge in face.edges) for face in tile.faces]
        assert {
            "index": code,
            "edges_top_right_bottom_left": faces[0],
            "deck_count": DECK[code] if code < len(DECK) else 0,
            "city_points": tile.points[0],
            "road_points": tile.points[1],
            "city_edges": len(tile.faces[0].of_kind[0]),
            "road_edges": len(tile.faces[0].of_kind[1]),
            "roads_joined_inside": tile.joins_roads,
            "rotations": faces,
        }.items() <= told_tile.items()


@pytest.mark.records("mage_duel", "sequences")
def test_placements_score_as_recorded(record: Record) -> None:
    for sequence in record["sequences"]:
        table = Table(sequence["initial_edge_state"])
        for step in sequence["placements"]:
            cell = cell_at(step["col"], step["row"])
            contests = table.lay(cell, step["tile"], step["rotation"], SIDES[step["side"]])
            assert told(contests) == once(step["contests"]), (sequence["id"], step)
            assert table.shown().items() <= step.items(), (sequence["id"], step)
        rest = contest_rest(table.components)
        table.scores = settle(table.scores, rest)
        assert {"contests": told(rest), **table.shown()} == sequence["closing"], sequence["id"]


@pytest.mark.records("mage_duel", "groups", "probe_fields", "board_fields")
def test_placement_check_answers_as_recorded(record: Record) -> None:
    for group in record["groups"]:
        ground = table_with(group["initial_edge_state"], group["board"], record["board_fields"])
        for values in group["probes"]:
            probe = dict(zip(record["probe_fields"], values, strict=True))
            assert fits(ground, tile_move(probe)) == bool(probe["valid"]), (group["id"], probe)


def tile_move(told_move: Record, side: PlayerSide = PlayerSide.BLUE) -> Move:
    return Move(side, *(told_move[name] for name in ("tile", "rotation", "col", "row")))


def table_with(ring: list[int], board: Iterable[Any], fields: list[str]) -> Layout:
    cells = [EMPTY_CELL] * CELLS
    for values in board:
        laid = values if isinstance(values, dict) else dict(zip(fields, values, strict=True))
        content = (laid["tile"], laid["rotation"], int(SIDES[laid["side"]]))
        cells[cell_at(laid["col"], laid["row"])] = content
    return Layout(cells, ring)


@dataclass
class Replay:
    """A recorded game on its way through the rules, with the moves it has seen."""

    state: State
    components: Components
    moves: list[Move]

    @classmethod
    def of(cls, setup: Record) -> Replay:
        told_rules = setup["rules"]
        cities, roads = told_rules["edges"]
        rule_set = RuleSet(
            tuple(told_rules["deck"]),
            cities,
            roads,
            told_rules["joker_number"],
            told_rules["joker_price"],
        )
        full = sorted([setup["first_top_tile"], *setup["deck_after_first_draw"]])
        drawn = full.index(setup["first_top_tile"])
        ring = tuple(setup["initial_edge_state"])
        state = rules.start(ring, drawn, setup["join_timestamp"], rule_set)
        return cls(state, no_components(), [])

    def play(self, step: Record) -> tuple[tuple[Contest, ...], rules.Finish | None]:
        """Plays a recorded step; its tile comes up next wherever it lies in the deck."""
        now, side = step["timestamp"], SIDES[step["side"]]
        if step["action"] == "finish_game":
            assert rules.can_finish(self.state, now)
            end = rules.finish(self.state, self.components, Ending.TIME_RAN_OUT, now)
            self.state = end.state
            return (), end
        move = self.move(step, side)
        with_joker = step["action"] == "joker"
        assert rules.refusal(self.state, side, now, with_joker=with_joker) is None
        if rules.skips_opponent(self.state, side):
            assert step["auto_skip_of_opponent"]
            self.moves.append(Move(side.opponent))
        drawn = self.place_in_deck(move, step["after"]["top_tile"])
        played = rules.play(self.state, self.components, move, now, drawn)
        self.state = played.state
        self.moves.append(move)
        return played.contests, played.finish

    def move(self, step: Record, side: PlayerSide) -> Move:
        if step["action"] == "skip":
            return Move(side)
        at = step["rotation"], step["col"], step["row"]
        move = rules.placement(self.state, side, step["joker_tile"], *at)
        assert move.tile == step["tile"]
        assert rules.fits(self.state, move)
        return move

    def place_in_deck(self, move: Move, tile: int | None) -> int:
        tiles = rules.tiles_to_draw(self.state, move)
        return tiles.index(tile) if tiles and tile is not None else 0

    def shown(self) -> Record:
        state = self.state
        return {
            "blue": list(state.scores[0]),
            "red": list(state.scores[1]),
            "jokers": dict(zip(SIDES, state.jokers, strict=True)),
            "moves_done": state.moves_done,
            "top_tile": state.top_tile,
            "deck_len": len(state.deck),
            "game_state": "InProgress" if state.ending is None else "Finished",
        }


@pytest.mark.records("mage_duel", "setup", "steps", "end")
def test_game_runs_as_recorded(record: Record) -> None:
    replay = Replay.of(record["setup"])
    assert replay.state.deck == tuple(record["setup"]["deck_after_first_draw"])
    for step in record["steps"]:
        assert replay.state.top_tile == step["top_tile_before"]
        contests, end = replay.play(step)
        assert told(contests) == once(step["contests"]), step
        assert replay.shown() == step["after"], step
        assert (end is not None) == (step is record["steps"][-1])
    assert end is not None
    check_end(replay.state, end, record)


def check_end(state: State, end: rules.Finish, record: Record) -> None:
    told_end, price = record["end"], record["setup"]["rules"]["joker_price"]
    outcome = rules.outcome(state, price)
    assert outcome is not None
    assert outcome.ending == ENDINGS[told_end["reason"]]
    assert told(end.contests) == told_end["closing_contests"]
    assert name_of(outcome.winner) == told_end["winner"]
    assert dict(zip(SIDES, outcome.totals, strict=True)) == told_end["total"]
    for player, total in zip(("HOST", "GUEST"), outcome.totals, strict=True):
        paid = told_end["balances"][player], told_end["games_played"][player]
        assert pay(0, 0, total) == paid
    assert [list(content) for content in state.cells] == told_end["final_board"]


@pytest.fixture(scope="session")
def recorded_games(request: pytest.FixtureRequest) -> dict[str, Record]:
    folder = request.config.getoption("--vectors") / "mage_duel"
    values = (json.loads(path.read_text("utf-8")) for path in sorted(folder.rglob("*.json")))
    return {value["id"]: value for value in values if "setup" in value}


def check_snapshot(case: Record, games: Mapping[str, Record]) -> None:
    game, count = games[case["game"]], case["move_number"]
    replay = Replay.of(game["setup"])
    for step in game["steps"]:
        replay.play(step)
    state, _ = rules.rewind(replay.state, replay.moves[::-1], count)
    assert [list(content) for content in state.cells] == case["state"]
    assert [list(score) for score in state.scores] == [case["blue"], case["red"]]
    assert dict(zip(SIDES, state.jokers, strict=True)) == case["jokers"]
    assert state.top_tile == case["top_tile"]
    assert sorted(state.deck) == sorted(case["deck_in_order"])
    assert (state.moves_done, state.ending) == (count, None)
    last_id = case["last_move_id"]
    last = None if last_id is None else replay.moves[last_id - game["setup"]["first_move_id"]]
    assert state.last_move == last


@pytest.mark.records("mage_duel", "cases", "rows")
def test_cases_come_out_as_recorded(record: Record, recorded_games: dict[str, Record]) -> None:
    for case in record["cases"]:
        if "game" in case:
            check_snapshot(case, recorded_games)
        elif case["op"] not in ORIGINAL_CHANCE:
            check_unit(case)


def check_unit(case: Record) -> None:
    if case["op"] == "place_unchecked":
        came_out = asked_of(lay_unchecked(**case["input"]), case["expect"])
    else:
        came_out = OPERATIONS[case["op"]](**case["input"])
    assert came_out == case["expect"], case["id"]


def rotate(tile: int, rotation: int) -> Record:
    return {"edges": "".join(LETTERS[edge] for edge in TILES[tile].faces[rotation].edges)}


def handle_contest(kind: str, blue_points: int, red_points: int) -> Record:
    components, node = no_components(), 0
    register(components, node, KINDS[kind], PlayerSide.BLUE)
    components.nodes_blue_points[node] = blue_points
    components.nodes_red_points[node] = red_points
    held = contest(components, node)
    return {
        "winner": name_of(held.winner),
        "points_delta": held.prize,
        "blue_points_after": components.nodes_blue_points[node],
        "red_points_after": components.nodes_red_points[node],
        "contested": components.nodes_contested[node],
    }


def is_valid_move(initial_edge_state: list[int], board: list[Record], **move: int) -> Record:
    return {"valid": fits(table_with(initial_edge_state, board, []), tile_move(move))}


def final_points(
    blue_score: list[int], red_score: list[int], jokers: Record, joker_price: int
) -> Record:
    scores = ((blue_score[0], blue_score[1]), (red_score[0], red_score[1]))
    paid = rules.totals(scores, (jokers["blue"], jokers["red"]), joker_price)
    return dict(zip(SIDES, paid, strict=True))


def determine_winner(blue: int, red: int) -> Record:
    return {"winner": name_of(rules.leader((blue, red)))}


def update_player_stats(
    player1_side: str, balance: list[int], games_played: list[int], **totals: int
) -> Record:
    sides = (player1_side, SIDES[player1_side].opponent.name.lower())
    seats = zip(balance, games_played, sides, strict=True)
    paid = [pay(money, games, totals[side]) for money, games, side in seats]
    return {"balance": [money for money, _ in paid], "games_played": [games for _, games in paid]}


def status(calls: list[list[str]]) -> Record:
    """What some calls make of players that were never seen before."""
    statuses = {"host": GameStatus.FINISHED}
    for player, call, *others in calls:
        old = statuses.get(player, GameStatus.FINISHED)
        host = next(iter(others), "host")
        if call == "create_game" and may_create(old):
            statuses[player] = GameStatus.CREATED
        elif call == "cancel_game" and may_cancel(old, None):
            statuses[player] = GameStatus.CANCELED
        elif call == "join_game" and may_join(statuses[host], old):
            statuses[player] = statuses[host] = GameStatus.IN_PROGRESS
    return {"statuses": {player: STATUSES[now] for player, now in statuses.items()}}


# The original's dice and card deck; here chance is the chain's own.
ORIGINAL_CHANCE: Final = ("dice", "deck")
STATUSES: Final = {status: status.name.title().replace("_", "") for status in GameStatus}
STATUS_CODES: Final = {name: code for code, name in STATUSES.items()}
OPERATIONS: Final[Mapping[str, Callable[..., Record]]] = {
    "rotate": rotate,
    "handle_contest": handle_contest,
    "is_valid_move": is_valid_move,
    "final_points": final_points,
    "determine_winner": determine_winner,
    "update_player_stats": update_player_stats,
    "status": status,
    "can_join": lambda host_status, guest_status: {
        "ok": may_join(STATUS_CODES[host_status], STATUS_CODES[guest_status])
    },
    "can_create": lambda status: {"ok": may_create(STATUS_CODES[status])},
}


@dataclass
class Laid:
    """What placements without the placement check led to."""

    tile_points: list[int]
    before_connect: Components
    after_each: list[Components]
    contests: list[Contest]
    beyond_tiles: Record


def lay_unchecked(initial_edge_state: list[int], placements: list[Record]) -> Laid:
    table, after_each, contests = Table(initial_edge_state), [], []
    on_tiles: Scores = ((0, 0), (0, 0))
    for placed in placements:
        cell, tile, side = placed["position"], placed["tile"], SIDES[placed["side"]]
        content = (tile, placed["rotation"], int(side))
        before = deepcopy(table.components)
        for kind in CITIES_FIRST:
            add_nodes(before, cell, content, kind)
        on_tiles = add_points(on_tiles, side, TILES[tile].points)
        if placed.get("register_only"):
            table.components = before
        else:
            contests += table.lay(cell, tile, placed["rotation"], side)
        after_each.append(deepcopy(table.components))
    beyond = {
        name: [now - own for now, own in zip(table.scores[side], on_tiles[side], strict=True)]
        for name, side in SIDES.items()
    }
    return Laid(list(TILES[tile].points), before, after_each, contests, beyond)


def asked_of(laid: Laid, asked: Record) -> Record:
    """What came out of the placements, in the form of what is expected of them."""
    final = laid.after_each[-1]
    answers: dict[str, Callable[[Any], Any]] = {
        "tile_points": lambda _: laid.tile_points,
        "contests": lambda _: told(laid.contests),
        "score_delta_beyond_tile_points": lambda _: laid.beyond_tiles,
        "connected": lambda pairs: [
            [a, b] for a, b in pairs if find(final, node_of(a)) == find(final, node_of(b))
        ],
        "components": lambda nodes: [component(final, told_node) for told_node in nodes],
        "open_edges_before_connect": lambda told_node: open_edges(laid.before_connect, told_node),
        "open_edges_after_each": lambda nodes: [
            open_edges(components, told_node)
            for components, told_node in zip(laid.after_each, nodes, strict=True)
        ],
        "final_open_edges": lambda told_node: open_edges(final, told_node),
    }
    return {key: answers[key](value) for key, value in asked.items()}


def node_of(told_node: list[Any]) -> int:
    _, cell, edge = told_node
    return int(cell * 4 + edge)


def component(components: Components, asked: Record) -> Record:
    kind, *_ = asked["node"]
    root = find(components, node_of(asked["node"]))
    assert components.nodes_types[root] == KINDS[kind]
    shown = {
        "node": asked["node"],
        "blue_points": components.nodes_blue_points[root],
        "red_points": components.nodes_red_points[root],
        "open_edges": components.nodes_open_edges[root],
        "contested": components.nodes_contested[root],
        "rank": components.nodes_ranks[root],
        "parent_is_self_at_root": components.nodes_parents[root] == root,
    }
    return {key: shown[key] for key in asked}


def open_edges(components: Components, told_node: list[Any]) -> list[Any]:
    """These expectations still count their rows from the bottom, as the original did."""
    kind, cell, edge, _ = told_node
    col, row = divmod(cell, SIZE)
    root = find(components, node_of([kind, cell_at(col, SIZE - 1 - row), edge]))
    return [kind, cell, edge, components.nodes_open_edges[root]]
