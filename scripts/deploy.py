"""All four games on one chain: `boardchain deploy scripts/deploy.py --chain games.chain`."""

from __future__ import annotations

from chain.deployment import Deployment
from contracts import mage_duel
from contracts.blokus import Blokus
from contracts.deblockle import Deblockle
from contracts.sagrada import Sagrada


def plan(deployment: Deployment) -> None:
    deployment.deploy(Deblockle)
    deployment.deploy(Blokus)
    deployment.deploy(Sagrada)
    mage_duel.deploy(deployment)
