"""Mage Duel: two mages lay tiles and contest the cities and roads that they form."""
