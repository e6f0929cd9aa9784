"""The system `PlayerProfile` of Mage Duel, the trophies, and which system may write what."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from chain import Chain
from chain.testing import reverts
from chain.types import ZERO_ADDRESS
from contracts.mage_duel import (
    CurrentPlayerActiveSkin,
    CurrentPlayerBalance,
    CurrentPlayerUsername,
    Game,
    Player,
    PlayerProfile,
    PlayerRole,
    PlayerSide,
    PlayerSkinChanged,
    PlayerSkinChangeFailed,
    PlayerUsernameChanged,
    RuleSet,
    Shop,
    Trophy,
    TrophyCreation,
    TrophyProgress,
    TrophyProgression,
    models,
)
from contracts.mage_duel.tiles import Edge
from contracts.mage_duel.trophies import TROPHIES, tasks_of_contest
from contracts.mage_duel.union_find import Contest
from contracts.mage_duel.world import WRITERS

BLUE, RED = PlayerSide.BLUE, PlayerSide.RED
CFFF, CFCF = 6, 11
CITY, ROAD = Edge.CITY, Edge.ROAD


@pytest.fixture
def profile(world: Any) -> Any:
    return world.system(PlayerProfile)


@pytest.fixture
def controllers(profile: Any, duel: Any) -> Any:
    """A duel of two controllers."""
    for player in duel.players:
        profile.become_controller(sender=player)
    return duel


def reported(receipt: Any) -> list[tuple[Any, str]]:
    """Return the reported tasks with their players."""
    return [(event.player_id, event.task_id) for event in receipt.events["TrophyProgression"]]


def in_order(receipt: Any) -> list[str]:
    """The events of a receipt by name, trophies by task."""
    return [getattr(event, "task_id", type(event).__name__) for event in receipt.events]


# Profile


def test_new_player_is_a_guest(world: Any, profile: Any, carol: Any) -> None:
    assert profile.player(carol) == Player(carol, 0, 0, 0, 0, PlayerRole.GUEST.value)


def test_own_profile_is_reported(profile: Any, carol: Any) -> None:
    assert profile.balance(sender=carol).events == [CurrentPlayerBalance(carol, 0)]
    assert profile.username(sender=carol).events == [CurrentPlayerUsername(carol, 0)]
    assert profile.active_skin(sender=carol).events == [CurrentPlayerActiveSkin(carol, 0)]


def test_any_name_is_taken(profile: Any, carol: Any) -> None:
    name = int.from_bytes(b"carol the third")
    assert profile.change_username(name, sender=carol).events == [
        PlayerUsernameChanged(carol, name)
    ]
    assert profile.username(sender=carol).events == [CurrentPlayerUsername(carol, name)]


def test_name_must_be_a_felt(profile: Any, carol: Any) -> None:
    with pytest.raises(TypeError, match="does not fit felt252"):
        profile.change_username(2**255, sender=carol)


def test_shop_has_five_skins(world: Any, profile: Any) -> None:
    assert profile.shop() == world.read(Shop, 0) == Shop(0, [0, 0, 100, 500, 2000])


@pytest.mark.parametrize(
    ("skin", "balance"), [(0, 0), (1, 0), (2, 100), (3, 500), (4, 2000), (2, 2000)]
)
def test_skin_needs_a_balance(profile: Any, carol: Any, skin: int, balance: int) -> None:
    profile.set_balance(balance, carol)
    receipt = profile.change_skin(skin, sender=carol)
    assert receipt.events == [PlayerSkinChanged(carol, skin), CurrentPlayerActiveSkin(carol, skin)]
    assert (profile.player(carol).active_skin, profile.player(carol).balance) == (skin, balance)


@pytest.mark.parametrize(("skin", "price"), [(2, 100), (3, 500), (4, 2000)])
def test_skin_too_dear(refuses: Any, profile: Any, carol: Any, skin: int, price: int) -> None:
    profile.set_balance(price - 1, carol)
    no = PlayerSkinChangeFailed(carol, skin, price, price - 1)
    refuses(profile.change_skin, no, skin, sender=carol)


@pytest.mark.parametrize("skin", [5, 6, 255])
def test_skin_that_is_not_sold(profile: Any, carol: Any, skin: int) -> None:
    receipt = profile.change_skin(skin, sender=carol)
    assert (list(receipt.events), receipt.writes) == ([], [])


def test_anyone_takes_a_role(profile: Any, carol: Any) -> None:
    profile.become_controller(sender=carol)
    assert profile.player(carol).role == PlayerRole.CONTROLLER.value
    profile.become_bot(sender=carol)
    assert profile.player(carol).role == PlayerRole.BOT.value


def test_only_owners_set_balances(profile: Any, world: Any, bob: Any, carol: Any) -> None:
    with reverts("Only an owner of the world may set a balance"):
        profile.set_balance(7, carol, sender=bob)
    world.grant_owner("mage_duel", bob)
    profile.set_balance(7, carol, sender=bob)
    assert profile.player(carol).balance == 7


def test_profile_keeps_what_games_write(profile: Any, opened: Any, alice: Any) -> None:
    opened.skip(RED)
    opened.skip(BLUE)
    profile.change_username(5, sender=alice)
    assert profile.player(alice) == Player(alice, 5, 19, 1, 0, 0)


# Trophies


def test_trophies_are_made_last_first(chain: Chain, world: Any) -> None:
    made = [
        (event.id, event.task_id, event.count, event.points)
        for event in chain.events(TrophyCreation)
    ]
    assert made[-13:] == [
        ("Mammoth", "MAMMOTH", 1, 70),
        ("First_Road", "FIRST_ROAD", 1, 10),
        ("First_City", "FIRST_CITY", 1, 10),
        ("Golem", "GOLEM", 1, 30),
        ("Bandi", "BANDI", 1, 30),
        ("City_Builder", "CITY_BUILDER", 1, 30),
        ("Road_Builder", "ROAD_BUILDER", 1, 25),
        ("Runebound Rival", "WINNER", 25, 50),
        ("Tactician's Trail", "WINNER", 5, 20),
        ("First_Victory", "WINNER", 1, 5),
        ("Seasoned_Mage", "SEASONED", 50, 20),
        ("Journeyman_Mage", "SEASONED", 15, 10),
        ("Apprentice_Mage", "SEASONED", 5, 5),
    ]
    assert len(made) == len(TROPHIES) == 16


def test_trophies_can_be_queried(world: Any) -> None:
    assert world.read(Trophy, "City_Builder") == Trophy(
        "City_Builder", "Grand Mayour", "CITY_BUILDER", 1, 30
    )
    assert len(world.all(Trophy)) == 16


def test_first_move_and_city_are_reported(chain: Chain, controllers: Any, alice: Any) -> None:
    receipt = controllers.lay(BLUE)
    assert in_order(receipt) == [
        "CityContestWon",
        "FIRST_CITY",
        "Moved",
        "BoardUpdated",
        "FIRST_MOVE",
    ]
    assert receipt.events[1] == TrophyProgression(alice, "FIRST_CITY", 1, chain.now)


def test_only_the_opening_is_a_first_move(controllers: Any, bob: Any) -> None:
    controllers.lay(BLUE)
    assert reported(controllers.joker(RED, CFFF, 1, 6, 1)) == [(bob, "JOKER_USED")]


def test_skips_are_reported_unless_silent(chain: Chain, controllers: Any, alice: Any) -> None:
    assert reported(controllers.skip(BLUE)) == [(alice, "FIRST_MOVE"), (alice, "STRATEGIC_SKIP")]
    chain.advance(66)
    receipt = controllers.joker(BLUE, CFFF, 0, 6, 0)
    assert reported(receipt) == [(alice, "FIRST_CITY"), (alice, "JOKER_USED")]


def test_city_counts_for_the_mover_in_any_contest(controllers: Any, bob: Any) -> None:
    controllers.joker(BLUE, CFCF, 0, 6, 0)
    receipt = controllers.joker(RED, CFFF, 0, 6, 1)
    assert receipt.events[0].winner == BLUE
    assert reported(receipt) == [(bob, "FIRST_CITY"), (bob, "JOKER_USED")]


HELD = [
    (CITY, 10, 9, ("FIRST_CITY",)),
    (CITY, 10, 10, ("CITY_BUILDER", "FIRST_CITY")),
    (CITY, 0, 21, ("CITY_BUILDER", "FIRST_CITY")),
    (ROAD, 3, 3, ("FIRST_ROAD",)),
    (ROAD, 7, 0, ("ROAD_BUILDER", "FIRST_ROAD")),
]


@pytest.mark.parametrize(("kind", "blue", "red", "tasks"), HELD)
def test_big_contests_are_worth_more(
    kind: Edge, blue: int, red: int, tasks: tuple[str, ...]
) -> None:
    assert tasks_of_contest(Contest(kind, 0, BLUE, blue, red)) == tasks


def test_game_and_victory_are_reported(controllers: Any, accounts: Any) -> None:
    alice, bob = accounts[:2]
    controllers.lay(BLUE)
    controllers.skip(RED)
    receipt = controllers.skip(BLUE)
    assert in_order(receipt)[4:] == [
        "BoardUpdated", "SEASONED", "SEASONED", "WINNER", "Skiped", "BoardUpdated", "STRATEGIC_SKIP",
    ]  # fmt: skip
    assert reported(receipt)[:3] == [(alice, "SEASONED"), (bob, "SEASONED"), (alice, "WINNER")]


def test_tie_is_nobodys_victory(controllers: Any) -> None:
    controllers.skip(BLUE)
    tasks = [task for _, task in reported(controllers.skip(RED))]
    assert tasks == ["SEASONED", "SEASONED", "STRATEGIC_SKIP"]


@pytest.mark.parametrize("roles", [["become_bot"], []])
def test_trophies_are_for_controllers(profile: Any, duel: Any, roles: list[str]) -> None:
    for player, role in product(duel.players, roles):
        getattr(profile, role)(sender=player)
    assert reported(duel.lay(BLUE)) == []


def test_skins_are_reported(profile: Any, carol: Any) -> None:
    profile.become_controller(sender=carol)
    profile.set_balance(2000, carol)
    tasks = [
        [task for _, task in reported(profile.change_skin(skin, sender=carol))] for skin in range(5)
    ]
    assert tasks == [[], [], ["BANDI"], ["GOLEM"], ["MAMMOTH", "MAMMOTH"]]


def test_progress_adds_up(world: Any, profile: Any, carol: Any) -> None:
    profile.become_controller(sender=carol)
    profile.set_balance(500, carol)
    for _ in range(3):
        profile.change_skin(2, sender=carol)
    assert world.read(TrophyProgress, carol, "BANDI").count == profile.progress(carol, "BANDI") == 3
    assert profile.trophies_of(carol) == ("Bandi",)


def test_events_are_found_by_task(chain: Chain, controllers: Any) -> None:
    controllers.lay(BLUE)
    controllers.joker(RED, CFFF, 1, 6, 1)
    assert chain.events(TrophyProgression, task_id="JOKER_USED").count() == 1


def test_nobody_has_trophies_at_zero(profile: Any) -> None:
    assert profile.trophies_of(ZERO_ADDRESS) == ()


# Permissions

MODELS = [
    models.Board, models.Move, models.Game, models.Snapshot, models.UnionFind, models.Rules, models.Player, models.Shop,
    models.Trophy, models.TrophyProgress,
]  # fmt: skip

GRANTS = [(model, system) for model, systems in WRITERS.items() for system in systems]


def test_each_system_writes_its_own(world: Any) -> None:
    writers = {
        system: [model.__name__ for model in MODELS if world.is_writer(model, system)]
        for system in (Game, PlayerProfile)
    }
    assert writers == {
        Game: ["Board", "Move", "Game", "Snapshot", "UnionFind", "Player", "TrophyProgress"],
        PlayerProfile: ["Player", "TrophyProgress"],
    }
    assert not any(
        world.is_writer("mage_duel", system) or world.is_owner("mage_duel", system)
        for system in writers
    )


def session(duel: Any, profile: Any) -> list[Any]:
    """The receipts of calls that between them write all that is ever written."""
    alice, bob = duel.players
    calls = [
        (profile.become_controller, bob),
        (profile.set_balance, 100, bob, alice),
        (profile.change_skin, 2, bob),
        (duel.game.make_move, None, 0, 6, 0, alice),
        (duel.game.skip_move, bob),
        (duel.game.skip_move, alice),
        (duel.game.create_snapshot, 0, 1, bob),
        (duel.game.create_game, bob),
    ]
    return [entry(*args, sender=sender, check=False) for entry, *args, sender in calls]


def test_session_may_write(duel: Any, profile: Any) -> None:
    assert [receipt.error for receipt in session(duel, profile)] == [None] * 8


@pytest.mark.parametrize(("model", "system"), GRANTS)
def test_every_grant_is_needed(
    world: Any, duel: Any, profile: Any, model: type, system: type
) -> None:
    world.revoke_writer(model, system)
    refused = [receipt for receipt in session(duel, profile) if not receipt.ok]
    no = f"Caller {system.__name__} has no write access on model mage_duel-{model.__name__}"
    assert {receipt.error.text for receipt in refused} == {no}
    assert [receipt.writes for receipt in refused] == [[]] * len(refused)


def test_strange_system_is_refused(chain: Chain, world: Any, opened: Any, alice: Any) -> None:
    stranger = chain.deploy(Game, world.address)
    with reverts("Caller Game has no write access on model mage_duel-"):
        stranger.skip_move(sender=opened.players[1])


def test_rules_are_not_written_again(world: Any, game: Any, profile: Any) -> None:
    with reverts("Game.dojo_init has run before: it runs once"):
        game.dojo_init(RuleSet())
    with reverts("PlayerProfile.dojo_init has run before: it runs once"):
        profile.dojo_init()
