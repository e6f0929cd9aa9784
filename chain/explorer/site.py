"""The context of the pages of one chain: the chain, and the data that is kept between requests."""

from __future__ import annotations

import gc
import secrets
from typing import Any, TypeAlias

from chain.explorer.board_pictures import BoardPictures
from chain.explorer.event_names import names_of_events
from chain.explorer.lines import Lines
from chain.explorer.live import Live
from chain.explorer.names import Names
from chain.explorer.receipt_survey import Survey
from chain.explorer.stored_fields import StoredFields
from chain.explorer.words import ShortWords
from chain.ledger.decoded.world_namespace import is_world
from chain.ledger.decoded.worlds import StoredWorld
from chain.rpc.server.app import Ask
from chain.simulator.chain import Chain

Within: TypeAlias = tuple[str, str]  # an address, and what is there


class Site:
    """One chain as its pages know it. `within` is the page of another site from which they are reached, if any."""

    def __init__(
        self, chain: Chain, ask: Ask, *, writes: bool, within: Within | None = None
    ) -> None:
        self.chain, self.ask, self.writes = chain, ask, writes
        self.ledger, self.within = chain.ledger, within
        # Proof in a form that a page of this site created it.
        self.token = secrets.token_urlsafe(24)
        self.survey, self.live = Survey(chain), Live(chain.ledger)
        self.pictures = BoardPictures(chain, self.survey)
        self.fields = StoredFields(chain.ledger)
        self._names: tuple[object, Names] | None = None
        self._event_names: tuple[int, dict[Any, str]] = -1, {}

    async def prepare(self) -> None:
        """Do what takes long the first time: import the games on the chain, find their events, walk what was loaded."""
        await self.survey.import_games()
        self.ledger.event_types.all()
        gc.collect()  # otherwise during the first page

    @property
    def names(self) -> Names:
        """The names on the chain now."""
        now = self.live.state, len(self.ledger.timeline)
        if self._names is None or self._names[0] != now:
            self._names = now, Names(self.ledger)
        return self._names[1]

    @property
    def lines(self) -> Lines:
        return Lines(self.ledger, self.names)

    @property
    def words(self) -> ShortWords:
        return ShortWords(self.names)

    @property
    def worlds(self) -> list[StoredWorld]:
        """The Worlds, each in all its namespaces."""
        ledger = self.ledger
        found = [
            StoredWorld(ledger, ledger.state, address, len(ledger.timeline))
            for address in self.names.contracts
            if is_world(ledger.program_at(address))
        ]
        return [space for world in found for space in world.spaces()]

    @property
    def event_names(self) -> dict[Any, str]:
        """The query name of each event type, by its key."""
        self.ledger.event_types.contracts()  # brings the version up to date
        version = self.ledger.event_types.version
        if self._event_names[0] != version:
            self._event_names = version, names_of_events(self.ledger)
        return self._event_names[1]
