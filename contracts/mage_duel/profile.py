"""Players beside the board: their names, skins and roles, and the shop.

A skin is to be had by whoever has its price, and nothing is paid for it. A player becomes a controller or a bot by saying so;
only controllers get trophies.
"""

from __future__ import annotations

from typing import Final

from chain import Address, System, call, init, require, view
from chain.types import felt252, u8, u32
from contracts.mage_duel import trophies
from contracts.mage_duel.events import (
    CurrentPlayerActiveSkin,
    CurrentPlayerBalance,
    CurrentPlayerUsername,
    PlayerSkinChanged,
    PlayerSkinChangeFailed,
    PlayerUsernameChanged,
)
from contracts.mage_duel.models import Player, PlayerRole, Shop, TrophyProgress

SHOP_ID: Final = 0  # a World has one shop
SKIN_PRICES: Final = (0, 0, 100, 500, 2000)
TASKS_OF_SKINS: Final = {
    2: (trophies.BANDI,),
    3: (trophies.GOLEM,),
    4: (trophies.MAMMOTH, trophies.MAMMOTH),
}


class PlayerProfile(System):
    """What a player is called, wears, owns and is."""

    @init
    def dojo_init(self) -> None:
        self.world.write(Shop(SHOP_ID, list(SKIN_PRICES)))
        trophies.create(self.world)

    @call
    def balance(self) -> None:  # not the wei of the system: the player's
        self.world.emit(CurrentPlayerBalance(self.caller, self._player().balance))

    @call
    def username(self) -> None:
        self.world.emit(CurrentPlayerUsername(self.caller, self._player().username))

    @call
    def active_skin(self) -> None:
        self.world.emit(CurrentPlayerActiveSkin(self.caller, self._player().active_skin))

    @call
    def change_username(self, new_username: felt252) -> None:
        player = self._player()
        player.username = new_username
        self.world.write_member(player, "username")
        self.world.emit(PlayerUsernameChanged(self.caller, new_username))

    @call
    def change_skin(self, skin_id: u8) -> None:
        """Wears another skin; one that the shop does not have changes nothing."""
        prices, player = self.world.read(Shop, SHOP_ID).skin_prices, self._player()
        if skin_id >= len(prices):
            return
        price = prices[skin_id]
        if player.balance < price:
            self.world.emit(PlayerSkinChangeFailed(self.caller, skin_id, price, player.balance))
            return
        player.active_skin = skin_id
        self.world.write_member(player, "active_skin")
        self.world.emit(PlayerSkinChanged(self.caller, skin_id))
        self.world.emit(CurrentPlayerActiveSkin(self.caller, skin_id))
        self._report(*TASKS_OF_SKINS.get(skin_id, ()))

    @call
    def become_controller(self) -> None:
        self._become(PlayerRole.CONTROLLER)

    @call
    def become_bot(self) -> None:
        self._become(PlayerRole.BOT)

    @call
    def set_balance(self, balance: u32, player: Address) -> None:
        """For owners of the namespace only."""
        require(self.world.is_owner(self.caller), "Only an owner of the world may set a balance")
        record = self.world.read(Player, player)
        record.balance = balance
        self.world.write_member(record, "balance")

    @view
    def player(self, player: Address) -> Player:
        return self.world.read(Player, player)

    @view
    def shop(self) -> Shop:
        return self.world.read(Shop, SHOP_ID)

    @view
    def progress(self, player: Address, task_id: str) -> u32:
        """How many times a player has reported a task."""
        return self.world.read(TrophyProgress, player, task_id).count

    @view
    def trophies_of(self, player: Address) -> tuple[str, ...]:
        """The trophies a player has earned."""
        return tuple(
            trophy
            for trophy, _, task, count, _ in trophies.TROPHIES
            if self.world.read(TrophyProgress, player, task).count >= count
        )

    def _player(self) -> Player:
        return self.world.read(Player, self.caller)

    def _become(self, role: PlayerRole) -> None:
        player = self._player()
        player.role = role.value
        self.world.write_member(player, "role")

    def _report(self, *tasks: str) -> None:
        trophies.report(self.world, self.caller, self.block.timestamp, *tasks)
