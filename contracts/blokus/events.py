"""What a game announces. Who listens from its creation on knows the board, the turn and the end.

A placement is told as its move is, so the squares follow from the pieces; `next_player` is whose
turn it is now, and nobody's (0) when the game is over.
"""

from __future__ import annotations

from chain import Address, Key, event
from chain.types import i8, u8, u16, u64
from contracts.blokus.rules import Ending
from contracts.blokus.state import Scoring


@event
class GameCreated:
    game_id: Key[u64]
    players: u8
    scoring: Scoring


@event
class PlayerJoined:
    """The game begins, with player 1, when it waits for nobody any more."""

    game_id: Key[u64]
    player_id: Key[u8]
    account: Key[Address]
    waiting_for: u8


@event
class PiecePlaced:
    game_id: Key[u64]
    player_id: Key[u8]
    piece: str
    row: u8
    col: u8
    rotation: u16
    flip: bool
    next_player: u8


@event
class TurnPassed:
    """A stuck player is out; anyone may have said so."""

    game_id: Key[u64]
    player_id: Key[u8]
    caller: Address
    next_player: u8


@event
class GameFinished:
    """Scores and ranks are of players 1, 2, …; more than one player can win."""

    game_id: Key[u64]
    ending: Ending
    winners: tuple[u8, ...]
    scores: tuple[i8, ...]
    ranks: tuple[u8, ...]
