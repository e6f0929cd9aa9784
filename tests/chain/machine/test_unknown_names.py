"""Messages for undeclared names: on `self`, of Solidity, and on a handle."""

from __future__ import annotations

from pathlib import Path

import pytest

from chain import Chain, Contract, call, init, view
from chain.rpc.errors import RpcError
from chain.types import u64
from tests.chain.helpers import failure_of


class Forgetful(Contract):
    count: u64

    @init
    def begin(self) -> None: ...

    @call
    def read(self, name: str) -> None:
        if name == "sender":
            self.sender  # type: ignore[attr-defined]  # noqa: B018
        if name == "msg":
            msg.sender  # type: ignore[name-defined]  # noqa: B018, F821
        if name == "total":
            self.total  # noqa: B018
        self.broken  # noqa: B018

    @property
    def broken(self) -> u64:
        lost: u64 = self.lost  # type: ignore[attr-defined]  # the mistake
        return lost

    @call
    def write(self) -> None:
        self.total = 1

    @view
    def draw(self) -> u64:
        return self.random.below(6)

    def helper(self) -> None: ...


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("sender", "AttributeError: Forgetful has no field 'sender': the sender is self.caller"),
        ("msg", "NameError: there is no 'msg' in a contract: the sender is self.caller, the wei sent along are self.value"),
        ("total", "AttributeError: Forgetful has no field 'total': declare 'total: u64', or of another type, in the class"),
        ("", "AttributeError: Forgetful has no field 'lost': declare 'lost: u64', or of another type, in the class"),
    ],
)  # fmt: skip
def test_read_of_what_is_not_declared(chain: Chain, name: str, words: str) -> None:
    error = failure_of(chain.deploy(Forgetful).read(name, check=False))
    assert (
        error.text == words
        and error.file is not None
        and Path(error.file).name == Path(__file__).name
    )


def test_write_of_what_is_not_declared(chain: Chain) -> None:
    error = failure_of(chain.deploy(Forgetful).write(check=False))
    assert error.text == (
        "AttributeError: Forgetful has no field 'total': declare 'total: u64', or of another type, in the class"
    )


def test_local_contract_gets_the_same_message(chain: Chain) -> None:
    class Game(Contract):
        @call
        def read(self) -> None:
            self.foo  # noqa: B018

        @call
        def write(self) -> None:
            self.foo = 1

    game = chain.deploy(Game)
    told = {failure_of(game.read(check=False)).text, failure_of(game.write(check=False)).text}
    assert told == {
        "AttributeError: Game has no field 'foo': declare 'foo: u64', or of another type, in the class"
    }


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("helper", "Forgetful.helper has no decorator: mark it with @call or @view"),
        (
            "count",
            "Forgetful.count is a field, not an entry: tests read it with handle.fields.count, "
            "other contracts need a @view that returns it",
        ),
        ("begin", "Forgetful.begin is the @init: it runs once, when the contract is deployed"),
        ("raed", "Forgetful has no entry 'raed'; it has read, write, draw"),
    ],
)
def test_handle_names_what_is_missing(chain: Chain, name: str, words: str) -> None:
    game = chain.deploy(Forgetful)
    with pytest.raises(AttributeError) as caught:
        getattr(game, name)
    assert str(caught.value) == words
    with pytest.raises(RpcError) as told:
        chain.node.request("chain_look", [{"to": str(game.address), "entry": name}])
    assert words in str(told.value)
