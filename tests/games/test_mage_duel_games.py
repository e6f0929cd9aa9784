"""What holds in every game: random ones by the rules, compared with slow and obvious implementations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from random import Random
from typing import Any, Final

from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.mage_duel import rules
from contracts.mage_duel.board import (
    CELLS,
    NEIGHBOURS,
    Layout,
    edges_fit,
    facing_edges,
    places_in_reach,
)
from contracts.mage_duel.oracle import slow_scores
from contracts.mage_duel.playouts import random_move, random_ring
from contracts.mage_duel.scoring import (
    CITIES_FIRST,
    add_points,
    contest_rest,
    immediate_points,
    join_in,
    settle,
)
from contracts.mage_duel.state import EMPTY_CELL, Cell, Move, PlayerSide, RuleSet, State
from contracts.mage_duel.tiles import EMPTY, TILES, Edge
from contracts.mage_duel.union_find import Components, Contest, find, no_components

SEEDS: Final = st.integers(0, 2**32)


def random_layout(seed: int) -> Iterator[tuple[Layout, int, Cell]]:
    """Tiles of all kinds and both sides, laid wherever they fit until the board is full: the tiles
    so far, the next cell, and the tile that comes there. There is a tile for every pattern of edges."""
    chance = Random(seed)
    cells = [EMPTY_CELL] * CELLS
    layout = Layout(cells, random_ring(chance, RuleSet(cities=2, roads=2)))
    while places := list(places_in_reach(layout)):
        cell, facing = chance.choice(places)
        fitting = [
            (tile, rotation)
            for tile in range(EMPTY)
            for rotation, face in enumerate(TILES[tile].faces)
            if edges_fit(face.edges, facing)
        ]
        content = (*chance.choice(fitting), chance.randrange(2))
        yield layout, cell, content
        cells[cell] = content


@given(SEEDS)
@settings(max_examples=25, deadline=None)
def test_scores_are_those_from_scratch(seed: int) -> None:
    components, scores = no_components(), ((0, 0), (0, 0))
    for layout, cell, content in random_layout(seed):
        contests = join_in(components, layout, cell, content)
        points = immediate_points(layout.ring, cell, content)
        scores = settle(add_points(scores, content[2], points), contests)
        cells = [*layout.cells[:cell], content, *layout.cells[cell + 1 :]]
        assert scores == slow_scores(cells, list(layout.ring), over=False)
    assert settle(scores, contest_rest(components)) == slow_scores(
        cells, list(layout.ring), over=True
    )


@given(SEEDS)
@settings(max_examples=20, deadline=None)
def test_contests_keep_the_sum(seed: int) -> None:
    components, scores, paid = no_components(), ((0, 0), (0, 0)), [0, 0]
    for layout, cell, content in random_layout(seed):
        points = immediate_points(layout.ring, cell, content)
        paid = [paid[0] + points[0], paid[1] + points[1]]
        contests = join_in(components, layout, cell, content)
        scores = settle(add_points(scores, content[2], points), contests)
    (blue_city, blue_road), (red_city, red_road) = settle(scores, contest_rest(components))
    assert [blue_city + red_city, blue_road + red_road] == paid


@given(SEEDS)
@settings(max_examples=20, deadline=None)
def test_component_is_contested_once(seed: int) -> None:
    components, held = no_components(), list[Contest]()
    for layout, cell, content in random_layout(seed):
        held += join_in(components, layout, cell, content)
    held += contest_rest(components)
    assert max(Counter(contest.root for contest in held).values(), default=1) == 1


@given(SEEDS)
@settings(max_examples=20, deadline=None)
def test_roots_of_open_tiles_are_noted_in_turn(seed: int) -> None:
    components = no_components()
    noted: dict[Edge, list[int]] = {kind: [] for kind in CITIES_FIRST}
    for layout, cell, content in random_layout(seed):
        join_in(components, layout, cell, content)
        facing, face = facing_edges(layout, cell), TILES[content[0]].faces[content[1]]
        for kind in CITIES_FIRST:
            edges = face.of_kind[kind]
            is_open = any(NEIGHBOURS[cell][i] is not None and facing[i] != kind for i in edges)
            for root in [find(components, cell * 4 + i) for i in edges if is_open]:
                if root not in noted[kind]:
                    noted[kind].append(root)
            assert components.potential_contests(kind) == noted[kind]


class Words(dict[int, Any]):
    """An array as storage has it: all zeros until written, and it knows what was written."""

    def __init__(self) -> None:
        self.written: set[int] = set()

    def __missing__(self, node: int) -> int:
        return 0

    def __setitem__(self, node: int, value: Any) -> None:
        super().__setitem__(node, value)
        self.written.add(node)


def in_storage() -> tuple[Components, list[Words]]:
    parents, ranks, blue, red, open_edges, contested, types = words = [Words() for _ in range(7)]
    return Components(parents, ranks, blue, red, open_edges, contested, types, [], []), words


@given(SEEDS)
@settings(max_examples=10, deadline=None)
def test_storage_serves_as_lists_do(seed: int) -> None:
    plain, (stored, _) = no_components(), in_storage()
    for layout, cell, content in random_layout(seed):
        held = join_in(plain, layout, cell, content)
        assert join_in(stored, layout, cell, content) == held
    assert contest_rest(stored) == contest_rest(plain)


@given(SEEDS)
@settings(max_examples=10, deadline=None)
def test_move_writes_few_nodes(seed: int) -> None:
    components, words = in_storage()
    for layout, cell, content in random_layout(seed):
        join_in(components, layout, cell, content)
        # at most four nodes of its own, and of each neighbour's component the old and the new root
        assert len(set().union(*(array.written for array in words))) <= 4 + 2 * 4
        for array in words:
            array.written.clear()


@dataclass
class Game:
    """A game by the rules, with its moves and the board after each of them."""

    states: list[State]
    components: Components
    moves: list[Move] = field(default_factory=list)


def random_game(seed: int) -> Game:
    chance = Random(seed)
    rule_set = RuleSet(joker_number=chance.randrange(2))
    ring = random_ring(chance, rule_set)
    state = rules.start(ring, chance.randrange(sum(rule_set.deck)), 1000, rule_set)
    return play_on(Game([state], rules.no_components()), chance)


def play_on(game: Game, chance: Random) -> Game:
    """Random moves to the end, some of them in place of an opponent who was too slow."""
    state = game.states[-1]
    while state.ending is None:
        move, waited = random_move(chance, state)
        now = state.updated_at + waited
        assert rules.refusal(state, move.side, now, with_joker=move.is_joker) is None
        if rules.skips_opponent(state, move.side):
            game.moves.append(Move(move.side.opponent))
            game.states.append(state)
        tiles = rules.tiles_to_draw(state, move)
        drawn = chance.randrange(len(tiles)) if tiles else 0
        state = rules.play(state, game.components, move, now, drawn).state
        game.moves.append(move)
        game.states.append(state)
    return game


def tiles_of(state: State) -> Counter[int]:
    return Counter((*state.deck, *([] if state.top_tile is None else [state.top_tile])))


@given(SEEDS)
@settings(max_examples=10, deadline=None)
def test_game_ends_with_all_contested(seed: int) -> None:
    *_, before, last = random_game(seed).states
    assert before.scores == slow_scores(list(before.cells), list(before.ring), over=False)
    assert last.scores == slow_scores(list(last.cells), list(last.ring), over=True)


@given(SEEDS)
@settings(max_examples=10, deadline=None)
def test_no_tile_is_lost(seed: int) -> None:
    game = random_game(seed)
    placed: Counter[int] = Counter()
    for move, state in zip(game.moves, game.states[1:], strict=True):
        placed.update([] if move.tile is None or move.is_joker else [move.tile])
        assert tiles_of(state) + placed == tiles_of(game.states[0])


@given(SEEDS)
@settings(max_examples=10, deadline=None)
def test_text_shows_every_state(seed: int) -> None:
    for state in random_game(seed).states:
        assert rules.from_text(rules.to_text(state)) == state


@given(SEEDS, st.data())
@settings(max_examples=10, deadline=None)
def test_legal_moves_are_all_that_fit(seed: int, data: st.DataObject) -> None:
    state = data.draw(st.sampled_from(random_game(seed).states[:-1]))
    every = [
        Move(side, tile, rotation, col, row, is_joker)
        for side in PlayerSide
        for is_joker, tiles in ((False, [state.top_tile]), (True, range(EMPTY)))
        for tile in tiles
        for rotation, col, row in product(range(4), range(8), range(8))
        if not is_joker or state.jokers[side]
    ]
    turn = [side for side in PlayerSide if rules.refusal(state, side, state.updated_at) is None]
    expected = {move for move in every if move.side in turn and rules.fits(state, move)}
    moves = rules.legal_moves(state)
    assert set(moves) == expected | {Move(side) for side in turn}
    assert len(set(moves)) == len(moves)


@given(SEEDS, st.data())
@settings(max_examples=10, deadline=None)
def test_rewinding_gives_the_board_of_then(seed: int, data: st.DataObject) -> None:
    game = random_game(seed)
    number = data.draw(st.integers(0, len(game.moves)))
    then = game.states[number]
    state, rebuilt = rules.rewind(game.states[-1], game.moves[::-1], number)
    assert (state.cells, state.jokers) == (then.cells, then.jokers)
    assert state.scores == rebuilt.scores
    assert state.scores == slow_scores(list(then.cells), list(then.ring), over=False)
    assert tiles_of(state) == tiles_of(then)
    assert (state.moves_done, state.ending) == (number, None)
    assert state.last_move == (game.moves[number - 1] if number else None)


@given(SEEDS, st.data())
@settings(max_examples=10, deadline=None)
def test_rewound_board_plays_on(seed: int, data: st.DataObject) -> None:
    game = random_game(seed)
    number = data.draw(st.integers(0, len(game.moves)))
    state, rebuilt = rules.rewind(game.states[-1], game.moves[::-1], number)
    last = play_on(Game([state], rebuilt.components), Random(seed)).states[-1]
    assert last.scores == slow_scores(list(last.cells), list(last.ring), over=True)
