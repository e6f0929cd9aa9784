"""Mass play: many games between strategies, on chains or by the bare rules, whose results are kept and counted.

A game offers a `Game` in its module `play`: its strategies, and how it is set up on a chain and without one. What a campaign of
games comes to depends on its `Plan` alone: a game has its chance from the name of the campaign and its own number, so it is the
same on every machine, in whatever order and by however many processes the games are played. Begin reading in `campaign.py`.

    from chain.arena import Plan, play

    tally = play(Plan.of("contracts.blokus", ("greedy", "random")), games=1000, workers=2)
"""

from chain.arena.campaign import play
from chain.arena.game import Game, Greedy, Result, Strategy, Table, Uniform, result_of
from chain.arena.plan import Plan
from chain.arena.store import OtherPlan, Store
from chain.arena.tally import Tally

__all__ = [
    "Game",
    "Greedy",
    "OtherPlan",
    "Plan",
    "Result",
    "Store",
    "Strategy",
    "Table",
    "Tally",
    "Uniform",
    "play",
    "result_of",
]
