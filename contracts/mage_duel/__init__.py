"""Mage Duel: two mages lay tiles and contest the cities and roads that they form."""

from contracts.mage_duel.contract import Game
from contracts.mage_duel.profile import PlayerProfile
from contracts.mage_duel.world import deploy
