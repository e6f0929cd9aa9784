"""Models as tables of SQL: the present, by world."""

from __future__ import annotations

import io

import pytest

from chain import Address, Chain, Key, System, call, model
from chain.simulator.handle import Handle
from chain.types import u8, u16
from tests.chain.toys import Spot


@model
class Score:
    player: Key[Address]
    points: u16
    world: u8  # called as a column of ours
    spots: tuple[Spot, ...]


class Scoring(System):
    @call
    def win(self, points: u16) -> None:
        score = self.world.read(Score, self.caller)
        self.world.write(Score(self.caller, score.points + points, 3, (Spot(1, None),)))

    @call
    def lose(self) -> None:
        self.world.erase(self.world.read(Score, self.caller))


@pytest.fixture
def scoring(chain: Chain) -> Handle:
    world = chain.deploy_world("arcade", systems=[Scoring], writers={Score: [Scoring]})
    return world.system(Scoring)


def test_models_as_they_are(chain: Chain, scoring: Handle) -> None:
    alice, bob = chain.accounts[:2]
    for player, points in ((bob, 5), (alice, 3), (bob, 2)):
        scoring.win(points, sender=player)
    found = chain.sql("select name(player) who, points, model_world, spots, namespace from Score")
    spots = '[{"x":1,"owner":null}]'
    assert found == [("bob", 7, 3, spots, "arcade"), ("alice", 3, 3, spots, "arcade")]


def test_models_follow_the_chain(chain: Chain, scoring: Handle) -> None:
    def points() -> list[int]:
        return [row["points"] for row in chain.sql("select points from Score")]

    scoring.win(1)
    with chain.anchor():
        scoring.win(2)
        assert points() == [3]
        scoring.lose()
        assert points() == []
    assert points() == [1]
    with chain.anchor():
        scoring.win(7)
        assert points() == [8]
    scoring.win(8)
    assert points() == [9]


def test_models_of_every_world(chain: Chain, scoring: Handle) -> None:
    other = chain.deploy_world("other", systems=[Scoring], writers={"other": [Scoring]})
    scoring.win(1)
    other.system(Scoring).win(2)
    found = chain.sql("select namespace, points, world from Score order by namespace")
    assert [tuple(row)[:2] for row in found] == [("arcade", 1), ("other", 2)]
    assert found[1]["world"] == str(other.address)


def test_two_models_of_a_name(chain: Chain, scoring: Handle) -> None:
    @model
    class Score:
        player: Key[Address]
        note: str

    class Noting(System):
        @call
        def note(self, text: str) -> None:
            self.world.write(Score(self.caller, text))

    other = chain.deploy_world("arcade", systems=[Noting], writers={"arcade": [Noting]})
    scoring.win(1)
    other.system(Noting).note("well")
    assert chain.sql("select points from Score") == [(1,)]
    assert chain.sql("select note from Noting_Score") == [("well",)]


def test_export_of_models(chain: Chain, scoring: Handle) -> None:
    scoring.win(1)
    by_name, by_class = io.StringIO(), io.StringIO()
    chain.export_csv(by_name, "Score")
    chain.export_csv(by_class, Score)
    assert by_name.getvalue() == by_class.getvalue()
    assert by_class.getvalue().startswith(
        '"player","points","model_world","spots","namespace","world"\n"0x'
    )
