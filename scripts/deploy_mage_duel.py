"""Deploys Mage Duel on a fresh chain: one World, its two systems, and no more rights than they need."""

from __future__ import annotations

from chain import Chain
from contracts.mage_duel import Game, PlayerProfile, deploy
from contracts.mage_duel.world import ONCE, WRITERS


def main(chain: Chain) -> None:
    world = deploy(chain)
    print(f"{'World ' + world.namespace:24}{world.address}")
    for system in (Game, PlayerProfile):
        print(f"{'system ' + system.__name__:24}{world.system(system).address}")
    print("\nwritten by")
    for model in (*WRITERS, *ONCE):
        writers = [each for each in (Game, PlayerProfile) if world.is_writer(model, each)]
        names = ", ".join(each.__name__ for each in writers) or "nobody any more"
        print(f"{world.namespace + '-' + model.__name__:28}{names}")
    gas = sum(receipt.gas_used for receipt in chain.receipts)
    print(f"\n{len(chain.receipts)} transactions, {gas} gas")


if __name__ == "__main__":
    main(Chain())
