"""Mass play: many games between strategies, on chains or by the rules alone, whose results are stored and counted.

A game offers a `Game` in its module `play`: its strategies, and how it is set up on a chain and without one. The results of a
campaign depend only on its `Plan`: a game's random numbers are derived from the name of the campaign and the number of the
game, so they are the same on every machine, with any order and any number of processes. Begin reading in `campaign.py`.

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
