"""Mage Duel deployed: a World with its two systems, each of which may write what it writes and no more."""

from __future__ import annotations

from typing import Final

from chain import Address, System
from chain.simulator.deploying import DeployMixin
from chain.simulator.world_handle import Resource, WorldHandle
from contracts.mage_duel import models
from contracts.mage_duel.contract import Game
from contracts.mage_duel.profile import PlayerProfile
from contracts.mage_duel.rules import USUAL
from contracts.mage_duel.state import RuleSet

NAMESPACE: Final = "mage_duel"
WRITERS: Final[dict[type, tuple[type[System], ...]]] = {
    models.Board: (Game,),
    models.Move: (Game,),
    models.Game: (Game,),
    models.Snapshot: (Game,),
    models.UnionFind: (Game,),
    models.Player: (Game, PlayerProfile),
    models.TrophyProgress: (Game, PlayerProfile),
}
# Written when the world is made, and never again.
ONCE: Final[dict[type, tuple[type[System], ...]]] = {
    models.Rules: (Game,),
    models.Shop: (PlayerProfile,),
    models.Trophy: (PlayerProfile,),
}


def deploy(
    chain: DeployMixin,
    rule_set: RuleSet = USUAL,
    *,
    namespace: str = NAMESPACE,
    sender: Address | None = None,
) -> WorldHandle:
    """Deploys a World of Mage Duel that belongs to `sender`."""
    writers: dict[Resource, tuple[type[System], ...]] = {
        model: systems for table in (WRITERS, ONCE) for model, systems in table.items()
    }
    world = chain.deploy_world(
        namespace,
        systems=[Game, PlayerProfile],
        writers=writers,
        init={Game: (rule_set,)},
        sender=sender,
    )
    for model, systems in ONCE.items():
        for system in systems:
            world.revoke_writer(model, system, sender=sender)
    return world
