"""Widths hold at every border: a number out of range reverts, names its place and width, and leaves no trace."""

from __future__ import annotations

import pytest

from chain import Chain, Contract, Key, Map, Vector, call, event, reverts
from chain.handle import Handle
from chain.types import i8, u8, u256


@event
class Marked:
    at: Key[u8]
    size: u8


class Borders(Contract):
    count: u8
    shared: i8
    items: Vector[u8]
    by_key: Map[u8, u8]

    @call
    def argument(self, n: u8) -> None:
        self.count = n

    @call
    def result(self, n: u256) -> u8:
        self.count = 7
        return n

    @call
    def field(self, n: u256) -> None:
        self.count = n

    @call
    def shared_field(self, n: u256) -> None:
        self.shared = n

    @call
    def item(self, n: u256) -> None:
        self.items.append(n)

    @call
    def map_value(self, n: u256) -> None:
        self.by_key[3] = n

    @call
    def map_key(self, n: u256) -> None:
        self.by_key[n] = 3

    @call
    def event_data(self, n: u256) -> None:
        self.emit(Marked(1, n))

    @call
    def event_key(self, n: u256) -> None:
        self.emit(Marked(n, 1))


PLACES = {
    "argument": "argument: n = 256 does not fit u8",
    "result": "result.result = 256 does not fit u8",
    "field": "Borders.count = 256 does not fit u8",
    "shared_field": "Borders.shared = 256 does not fit i8",
    "item": "256 does not fit u8",
    "map_value": "256 does not fit u8",
    "map_key": "256 does not fit u8",
    "event_data": "Marked.size = 256 does not fit u8",
    "event_key": "Marked.at = 256 does not fit u8",
}


@pytest.fixture
def borders() -> Handle:
    return Chain().deploy(Borders)


@pytest.mark.parametrize(("entry", "text"), PLACES.items())
def test_number_too_wide_reverts(borders: Handle, entry: str, text: str) -> None:
    before = dict(borders.chain.state.storages[bytes(borders.address)])
    with reverts(text):
        getattr(borders, entry)(256)
    assert borders.chain.state.storages[bytes(borders.address)] == before
    assert borders.chain.receipts[-1].logs == []


@pytest.mark.parametrize("entry", PLACES)
def test_number_that_fits_goes_through(borders: Handle, entry: str) -> None:
    assert getattr(borders, entry)(100).ok


@pytest.mark.parametrize("wrong", ["5", 1.0, None, b"\x05", [5]])
def test_wrong_type_is_not_sent(borders: Handle, wrong: object) -> None:
    with pytest.raises(TypeError, match="argument: n"):
        borders.argument(wrong)
    assert len(borders.chain.receipts) == 1
