"""Any sequence of commands, undos and redos on a chain: what must hold after each of them."""

from __future__ import annotations

from collections.abc import Iterator

from hypothesis import given, settings
from hypothesis import strategies as st

from chain import Chain
from chain.ledger.receipts import Receipt
from contracts.sagrada.models import Table
from contracts.sagrada.playouts import ChainGame
from contracts.sagrada.state import State
from tests.chain.helpers import failure_of

few = settings(max_examples=50)
words = st.sampled_from(["pick", "place", "move", "select", "tool", "pass", "increase", "undo", ""])
nonsense = st.lists(st.integers(-1, 13), max_size=4).flatmap(
    lambda args: words.map(lambda word: " ".join([word, *map(str, args)]))
)
turning = st.sampled_from(["undo", "redo", "force_pass"])
steps = st.lists(
    st.tuples(st.integers(0, 9), st.integers(0, 10**6) | turning | nonsense),
    min_size=8,
    max_size=40,
)
cards = st.permutations(range(1, 13))
players = st.integers(2, 4)


class Walk:
    """A game in which a step is one of the legal commands by number, a turn back or forth, or any text."""

    def __init__(self, tools: list[int], players: int) -> None:
        self.chain = Chain()
        self.game = ChainGame(self.chain, tools[:3], players)

    def take(self, steps: list[tuple[int, int | str]]) -> Iterator[tuple[Table, Receipt]]:
        """Return the state before each step, and the result of the step."""
        for who, what in steps:
            before = self.game.table
            yield before, self.step(who, what)

    def step(self, who: int, what: int | str) -> Receipt:
        """Mostly by the player whose turn it is, sometimes when their time is over."""
        name = self.game.ask("current_player") if who < 8 else self.game.names[who - 8]
        sender, contract = self.chain.account(name), self.game.contract
        if what in ("undo", "redo", "force_pass"):
            self.chain.advance(61 if who % 2 else 1)
            back: Receipt = getattr(contract, str(what))(self.game.id, sender=sender, check=False)
            return back
        said: Receipt = contract.execute_command(
            self.game.id,
            self.legal(what) if isinstance(what, int) else what,
            sender=sender,
            check=False,
        )
        return said

    def legal(self, number: int) -> str:
        """One of the legal commands; all kinds are as likely."""
        texts = self.game.ask("legal_commands") or ["pass"]
        kinds = sorted({text.split(" ")[0] for text in texts})
        number, kind = divmod(number, len(kinds))
        texts = [text for text in texts if text.split(" ")[0] == kinds[kind]]
        return str(texts[number % len(texts)])


def dice_in(state: State) -> list[int]:
    """The ids of all dice, wherever they are."""
    on_windows = [die for player in state.players for die in player.window.dice]
    dice = (*state.track.dice, *state.pool, state.turn.picked, *on_windows)
    in_bag = [number for number, shade in enumerate(state.bag) if shade]
    return sorted(in_bag + [die.id for die in dice if die is not None])


def favor_in(state: State) -> int:
    players = sum(player.favor_points for player in state.players)
    return players + sum(tool.favor_points for tool in state.tools)


@given(cards, players, steps)
@few
def test_no_step_loses_or_doubles_a_die(
    tools: list[int], players: int, steps: list[tuple[int, int | str]]
) -> None:
    walk = Walk(tools, players)
    for _ in walk.take(steps):
        assert dice_in(walk.game.state) == list(range(90))


@given(cards, players, steps)
@few
def test_no_step_makes_or_burns_favor(
    tools: list[int], players: int, steps: list[tuple[int, int | str]]
) -> None:
    walk = Walk(tools, players)
    favor = favor_in(walk.game.state)
    for _ in walk.take(steps):
        assert favor_in(walk.game.state) == favor


@given(cards, players, steps)
@few
def test_refused_step_changes_nothing(
    tools: list[int], players: int, steps: list[tuple[int, int | str]]
) -> None:
    walk = Walk(tools, players)
    for before, receipt in walk.take(steps):
        assert receipt.ok or failure_of(receipt).kind == "revert"
        assert receipt.ok == (walk.game.table != before)


@given(cards, players, steps)
@few
def test_undo_and_redo_are_not_steps(
    tools: list[int], players: int, steps: list[tuple[int, int | str]]
) -> None:
    walk = Walk(tools, players)
    for _ in walk.take(steps):
        after = walk.game.table
        for there, back in (("undo", "redo"), ("redo", "undo")):
            if walk.game.ask(f"is_{there}_available") and not walk.game.ask("is_game_ended"):
                with walk.chain.anchor():
                    walk.game.say(there)
                    assert walk.game.table != after
                    if walk.game.ask(f"is_{back}_available"):
                        walk.game.say(back)
                        assert walk.game.table == after


@given(cards, players, steps)
@few
def test_undos_lead_through_the_same_states(
    tools: list[int], players: int, steps: list[tuple[int, int | str]]
) -> None:
    """Back as far as a player may, every state is one that was there; forth again, the last one is."""
    walk = Walk(tools, players)
    seen = [before.state for before, _ in walk.take(steps)]
    last, back = walk.game.table, 0
    while walk.game.ask("is_undo_available") and not walk.game.ask("is_game_ended"):
        walk.game.say("undo")
        back += 1
        assert walk.game.state in seen
    for _ in range(back):
        walk.game.say("redo")
    assert walk.game.table == last
