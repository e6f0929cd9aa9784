"""The recorded tiles and placements of Mage Duel, on a bare table and on a board in a World.

Tiles are laid by arbitrary sides in any order, and whatever they join and close is compared, contest by contest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any, Final

import pytest

from chain import Chain, call
from chain.types import u8
from contracts.mage_duel import Board, Game, UnionFind, models, news, records, rules
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
from contracts.mage_duel.session import GameStatus
from contracts.mage_duel.state import EMPTY_CELL, Cell, Move, PlayerSide, Scores, State
from contracts.mage_duel.tiles import DECK, LETTERS, TILES, Edge
from contracts.mage_duel.union_find import Components, find

Record = dict[str, Any]

SIDES: Final = {"blue": PlayerSide.BLUE, "red": PlayerSide.RED}
KINDS: Final = {"city": Edge.CITY, "road": Edge.ROAD}


class RulesTable:
    """A board without deck and turns, to lay tiles on."""

    def __init__(self, duels: Any, ring: list[int], cells: Iterable[Cell] = ()) -> None:
        self.duels, self.ring = duels, ring
        self.cells = [*cells] or [EMPTY_CELL] * CELLS
        rebuilt = rules.rebuild(self)
        self.components, self.scores = rebuilt.components, rebuilt.scores

    def lay(self, cell: int, content: Cell) -> list[Record]:
        self.scores = add_points(
            self.scores, content[2], immediate_points(self.ring, cell, content)
        )
        contests = join_in(self.components, self, cell, content)
        self.scores = settle(self.scores, contests)
        self.cells[cell] = content
        return list(self.duels.contests(contests))

    def lay_alone(self, cell: int, content: Cell) -> None:
        """Begins the nodes of a tile and joins it with nothing."""
        for kind in CITIES_FIRST:
            add_nodes(self.components, cell, content, kind)

    def close(self) -> list[Record]:
        """The contests of all that is still open."""
        contests = contest_rest(self.components)
        self.scores = settle(self.scores, contests)
        return list(self.duels.contests(contests))

    def accepts(self, move: Move) -> bool:
        return fits(Layout(self.cells, self.ring), move)


class Laying(Game):
    """The system with entries to lay what one likes on board 0."""

    @call
    def lay_out(self, ring: list[u8], cells: list[Cell]) -> None:
        state = State(tuple(ring), tuple(cells), (), None, (255, 255))
        rebuilt = rules.rebuild(state)
        state = replace(state, scores=rebuilt.scores)
        board = records.new_board(0, self.caller, self.caller, state)
        self.world.write(board, records.union_find_record(0, rebuilt.components))
        self.world.write(models.Game(self.caller, GameStatus.IN_PROGRESS, 0, None))

    @call
    def lay(self, cell: u8, content: Cell) -> None:
        before = self.world.read(models.Board, 0)
        state = records.state_of(before, None, None)
        points = immediate_points(state.ring, cell, content)
        with self.world.in_place(models.UnionFind, 0) as union_find:
            contests = join_in(records.components_of(union_find), state, cell, content)
        scores = settle(add_points(state.scores, content[2], points), contests)
        before.blue_score, before.red_score = scores
        before.state[cell] = content
        self.world.write_member(before, "state", "blue_score", "red_score")
        self._tell(contests)

    @call
    def lay_alone(self, cell: u8, content: Cell) -> None:
        with self.world.in_place(models.UnionFind, 0) as union_find:
            for kind in CITIES_FIRST:
                add_nodes(records.components_of(union_find), cell, content, kind)

    @call
    def close(self) -> None:
        board = self.world.read(models.Board, 0)
        with self.world.in_place(models.UnionFind, 0) as union_find:
            contests = contest_rest(records.components_of(union_find))
        scores = settle((board.blue_score, board.red_score), contests)
        board.blue_score, board.red_score = scores
        self.world.write_member(board, "blue_score", "red_score")
        self._tell(contests)

    def _tell(self, contests: list[Any]) -> None:
        for held in contests:
            self.world.emit(news.contested(0, held))


class ChainTable:
    """Board 0 of a World, and the player on both its seats."""

    def __init__(self, duels: Any, ring: list[int], cells: Iterable[Cell] = ()) -> None:
        self.duels, self.chain = duels, Chain()
        self.world = world_of_laying(self.chain)
        self.game = self.world.system(Laying)
        self.game.lay_out(ring, [*cells] or [EMPTY_CELL] * CELLS)

    def lay(self, cell: int, content: Cell) -> list[Record]:
        return list(self.duels.contest_events(self.game.lay(cell, content).events))

    def lay_alone(self, cell: int, content: Cell) -> None:
        self.game.lay_alone(cell, content)

    def close(self) -> list[Record]:
        return list(self.duels.contest_events(self.game.close().events))

    def accepts(self, move: Move) -> bool:
        seen = self.game.make_move.simulate(move.tile, move.rotation, move.col, move.row)
        if seen.error is not None and seen.error.kind == "refused":
            return False  # a column of -1 is not even sent
        last = type(seen.events[-1]).__name__
        assert last in ("InvalidMove", "BoardUpdated")
        return last == "BoardUpdated"

    @property
    def components(self) -> Components:
        return records.components_of(self.world.read(UnionFind, 0))

    @property
    def scores(self) -> Scores:
        board = self.world.read(Board, 0)
        return board.blue_score, board.red_score


def world_of_laying(chain: Chain) -> Any:
    return chain.deploy_world(
        "mage_duel",
        systems=[Laying],
        writers={"mage_duel": [Laying]},
        init={Laying: (rules.USUAL,)},
    )


TABLES = pytest.mark.parametrize("table", [RulesTable, ChainTable], ids=["rules", "chain"])


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


@TABLES
@pytest.mark.records("mage_duel", "sequences")
def test_placements_score_as_recorded(table: Any, duels: Any, record: Record) -> None:
    for sequence in record["sequences"]:
        ours = table(duels, sequence["initial_edge_state"])
        for step in sequence["placements"]:
            contests = ours.lay(cell_at(step["col"], step["row"]), content_of(step))
            assert contests == duels.once(step["contests"]), (sequence["id"], step)
            assert shown(ours.scores).items() <= step.items(), (sequence["id"], step)
        rest = ours.close()
        assert {"contests": rest, **shown(ours.scores)} == sequence["closing"], sequence["id"]


def shown(scores: Scores) -> Record:
    return {"blue": list(scores[0]), "red": list(scores[1])}


def content_of(laid: Record) -> Cell:
    return laid["tile"], laid["rotation"], int(SIDES[laid["side"]])


PROBES = pytest.mark.records("mage_duel", "groups", "probe_fields", "board_fields")


@TABLES
@PROBES
def test_placement_check_answers_as_recorded(table: Any, duels: Any, record: Record) -> None:
    for group in record["groups"]:
        ours = laid_out(table, duels, record, group)
        for values in group["probes"]:
            check_probe(ours, dict(zip(record["probe_fields"], values, strict=True)))


@TABLES
@PROBES
def test_wrong_answers_are_noticed(table: Any, duels: Any, record: Record) -> None:
    for group in record["groups"]:
        ours = laid_out(table, duels, record, group)
        probe = dict(zip(record["probe_fields"], group["probes"][0], strict=True))
        with pytest.raises(AssertionError):
            check_probe(ours, probe | {"valid": not probe["valid"]})


def laid_out(table: Any, duels: Any, record: Record, group: Record) -> Any:
    return table(
        duels, group["initial_edge_state"], cells_with(group["board"], record["board_fields"])
    )


def check_probe(ours: Any, probe: Record) -> None:
    assert ours.accepts(joker_move(probe)) == bool(probe["valid"]), probe
    if probe.get("closes"):  # in a probe of our own: what a tile of Blue's closes there
        at, content = cell_at(probe["col"], probe["row"]), (probe["tile"], probe["rotation"], 0)
        (contest,) = ours.lay(at, content)
        assert contest.items() >= probe["closes"].items()


def cells_with(board: Iterable[Any], fields: list[str]) -> list[Cell]:
    cells = [EMPTY_CELL] * CELLS
    for values in board:
        laid = values if isinstance(values, dict) else dict(zip(fields, values, strict=True))
        cells[cell_at(laid["col"], laid["row"])] = content_of(laid)
    return cells


def joker_move(told: Record) -> Move:
    tile, rotation, col, row = (told[name] for name in ("tile", "rotation", "col", "row"))
    return Move(PlayerSide.BLUE, tile, rotation, col, row, is_joker=True)


@TABLES
@pytest.mark.records("mage_duel", "cases", "rows")
def test_placement_cases_are_reproduced(table: Any, duels: Any, record: Record) -> None:
    for case in record["cases"]:
        if case.get("op") in ("place_unchecked", "is_valid_move"):
            check_case(table, duels, case, case["expect"])


@TABLES
@pytest.mark.records("mage_duel", "cases", "rows")
def test_wrong_placement_cases_are_noticed(table: Any, duels: Any, record: Record) -> None:
    for case in record["cases"]:
        if case.get("op") in ("place_unchecked", "is_valid_move") and "wrong" in case:
            with pytest.raises(AssertionError):
                check_case(table, duels, case, case["wrong"])


def check_case(table: Any, duels: Any, case: Record, told: Record) -> None:
    if case["op"] == "is_valid_move":
        assert is_valid_move(table, duels, **case["input"]) == told, case["id"]
    else:
        laid = lay_unchecked(table, duels, **case["input"])
        assert told and asked_of(laid, told) == told, case["id"]


def is_valid_move(
    table: Any, duels: Any, initial_edge_state: list[int], board: list[Record], **move: int
) -> Record:
    ours = table(duels, initial_edge_state, cells_with(board, []))
    return {"valid": ours.accepts(joker_move(move))}


@dataclass
class Laid:
    """The result of placements without the placement check."""

    tile_points: list[int]
    before_connect: Components
    after_each: list[Components]
    contests: list[Record]
    beyond_tiles: Record


def lay_unchecked(
    table: Any, duels: Any, initial_edge_state: list[int], placements: list[Record]
) -> Laid:
    ours = table(duels, initial_edge_state)
    after_each, contests = list[Components](), list[Record]()
    on_tiles: Scores = ((0, 0), (0, 0))
    for placed in placements:
        cell, content = placed["position"], content_of(placed)
        before = deepcopy(ours.components)
        for kind in CITIES_FIRST:
            add_nodes(before, cell, content, kind)
        on_tiles = add_points(on_tiles, content[2], TILES[content[0]].points)
        if placed.get("register_only"):
            ours.lay_alone(cell, content)
        else:
            contests += ours.lay(cell, content)
        after_each.append(deepcopy(ours.components))
    beyond = {
        name: [now - own for now, own in zip(ours.scores[side], on_tiles[side], strict=True)]
        for name, side in SIDES.items()
    }
    return Laid(list(TILES[content[0]].points), before, after_each, contests, beyond)


def asked_of(laid: Laid, asked: Record) -> Record:
    """Return the result of the placements in the form of the record."""
    final = laid.after_each[-1]
    answers: dict[str, Callable[[Any], Any]] = {
        "tile_points": lambda _: laid.tile_points,
        "contests": lambda contests: as_far_as_recorded(laid.contests, contests),
        "score_delta_beyond_tile_points": lambda _: laid.beyond_tiles,
        "connected": lambda pairs: [pair for pair in pairs if are_one(final, *pair)],
        "not_connected": lambda pairs: [pair for pair in pairs if not are_one(final, *pair)],
        "components": lambda nodes: [component(final, told_node) for told_node in nodes],
        "open_edges_before_connect": lambda told_node: open_edges(laid.before_connect, told_node),
        "open_edges_after_each": lambda nodes: [
            open_edges(components, told_node)
            for components, told_node in zip(laid.after_each, nodes, strict=True)
        ],
        "final_open_edges": lambda told_node: open_edges(final, told_node),
    }
    return {key: answers[key](value) for key, value in asked.items()}


def as_far_as_recorded(contests: list[Record], told: list[Record]) -> list[Record]:
    """Return the answer without what the record leaves out, such as the root of a component."""
    if len(contests) != len(told):
        return contests
    return [{key: ours[key] for key in each} for ours, each in zip(contests, told, strict=True)]


def are_one(components: Components, first: list[Any], second: list[Any]) -> bool:
    return find(components, node_of(first)) == find(components, node_of(second))


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
