"""Blokus: twenty-one pieces each, touching one's own only at the corners."""

from contracts.blokus.move import Move

__all__ = ["Move"]
