"""What is kept of a game beside the state of its rules: who was invited, and how far it can go back and forth.

A game begins as a `Party`: its guests hold a private objective and are offered four frames each. Once all have chosen it
becomes a `Table`, the state with its clock and the heights of its two stacks.
"""

from __future__ import annotations

from dataclasses import dataclass

from chain.types import u8, u16, u32, u64
from contracts.sagrada.state import State


@dataclass(frozen=True, slots=True)
class Guest:
    """A player before the game begins; frames go by their number in the library."""

    username: str
    objective: u8
    offered: tuple[u8, ...]
    chosen: u8 | None = None


@dataclass(frozen=True, slots=True)
class Party:
    """Those who sit down to play, in order of their seats."""

    invited: u64  # when, in block time
    guests: tuple[Guest, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A game that is being played."""

    turn_began: u64  # in block time
    undos: u32
    redos: u32
    state: State


@dataclass(frozen=True, slots=True)
class Score:
    username: str
    score: u16
