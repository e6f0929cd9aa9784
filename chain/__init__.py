"""Boardchain: a local chain for games."""

from __future__ import annotations

from chain.contract import Contract
from chain.declare import call, error, event, init, model, view
from chain.errors import DeclarationError, InvalidTransaction, Revert, Reverted, require
from chain.fields import Map, Set, Vector
from chain.simulator import Chain
from chain.system import System
from chain.types import Address, Key
from chain.world import World

__all__ = [
    "Address",
    "Chain",
    "Contract",
    "DeclarationError",
    "InvalidTransaction",
    "Key",
    "Map",
    "Revert",
    "Reverted",
    "Set",
    "System",
    "Vector",
    "World",
    "call",
    "error",
    "event",
    "init",
    "model",
    "require",
    "view",
]
