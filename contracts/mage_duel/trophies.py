"""Trophies: what a player can get by doing something often enough.

Whatever is worth a trophy is reported as a task, one more time each time, for players who are controllers. The trophies
themselves are models, made when the world is; who has earned one is seen by comparing its count with the player's progress.
"""

from __future__ import annotations

from typing import Final

from chain import Address
from chain.runtime.system import WorldModels
from contracts.mage_duel.events import TrophyCreation, TrophyProgression
from contracts.mage_duel.models import Move, Player, PlayerRole, Trophy, TrophyProgress
from contracts.mage_duel.tiles import Edge
from contracts.mage_duel.union_find import Contest

SEASONED: Final = "SEASONED"
WINNER: Final = "WINNER"
ROAD_BUILDER: Final = "ROAD_BUILDER"
CITY_BUILDER: Final = "CITY_BUILDER"
BANDI: Final = "BANDI"
GOLEM: Final = "GOLEM"
MAMMOTH: Final = "MAMMOTH"
FIRST_CITY: Final = "FIRST_CITY"
FIRST_ROAD: Final = "FIRST_ROAD"
FIRST_MOVE: Final = "FIRST_MOVE"
JOKER_USED: Final = "JOKER_USED"
STRATEGIC_SKIP: Final = "STRATEGIC_SKIP"

TROPHIES: Final = (  # id, title, task, how many times, points
    ("Apprentice_Mage", "Apprentice Mage", SEASONED, 5, 5),
    ("Journeyman_Mage", "Journeyman Mage", SEASONED, 15, 10),
    ("Seasoned_Mage", "Seasoned Mage", SEASONED, 50, 20),
    ("First_Victory", "First Victory", WINNER, 1, 5),
    ("Tactician's Trail", "Tactician's Trail", WINNER, 5, 20),
    ("Runebound Rival", "Runebound Rival", WINNER, 25, 50),
    ("Road_Builder", "Road Builder", ROAD_BUILDER, 1, 25),
    ("City_Builder", "Grand Mayour", CITY_BUILDER, 1, 30),
    ("Bandi", "Bandi", BANDI, 1, 30),
    ("Golem", "Golem", GOLEM, 1, 30),
    ("First_City", "First City", FIRST_CITY, 1, 10),
    ("First_Road", "First Road", FIRST_ROAD, 1, 10),
    ("Mammoth", "Mammoth", MAMMOTH, 1, 70),
    ("First_Move", "First Move", FIRST_MOVE, 1, 5),
    ("Joker_Used", "Joker Used", JOKER_USED, 1, 5),
    ("Strategic_Skip", "Strategic Skip", STRATEGIC_SKIP, 1, 5),
)

BIG_CITY: Final = 10  # edges; a city's edge is worth two points
BIG_ROAD: Final = 7


def create(world: WorldModels) -> None:
    """Makes the trophies, the last one first."""
    for id, title, task, count, points in reversed(TROPHIES):
        world.write(Trophy(id, title, task, count, points))
        world.emit(TrophyCreation(id, title, task, count, points))


def report(world: WorldModels, player: Address, now: int, *tasks: str) -> None:
    """Counts each of these tasks once more, if the player is a controller."""
    if not tasks or world.read_member(Player, player, "role") != PlayerRole.CONTROLLER.value:
        return
    for task in tasks:
        progress = world.read(TrophyProgress, player, task)
        progress.count += 1
        world.write(progress)
        world.emit(TrophyProgression(player, task, 1, now))


def tasks_of_move(move: Move) -> list[str]:
    """What a player has done by this move."""
    tasks = (
        (FIRST_MOVE, move.prev_move_id is None),
        (JOKER_USED, move.is_joker),
        (STRATEGIC_SKIP, move.tile is None),
    )
    return [task for task, is_done in tasks if is_done]


def tasks_of_contest(held: Contest) -> tuple[str, ...]:
    """What a player has done by whose tile this contest came, whoever won it."""
    points = held.blue_points + held.red_points
    if held.kind == Edge.CITY:
        return (CITY_BUILDER, FIRST_CITY) if points // 2 >= BIG_CITY else (FIRST_CITY,)
    return (ROAD_BUILDER, FIRST_ROAD) if points >= BIG_ROAD else (FIRST_ROAD,)
