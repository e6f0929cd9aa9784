"""Typed data to sign (EIP-712): what does not fit its types is refused, as by wallets."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest

from chain.rpc.errors import BAD_PARAMS

TYPES: Final = {
    "EIP712Domain": [{"name": "name", "type": "string"}],
    "Player": [{"name": "name", "type": "string"}, {"name": "next", "type": "Player"}],
    "Game": [
        {"name": "players", "type": "Player[2]"},
        {"name": "moves", "type": "uint8[][]"},
        {"name": "note", "type": "string"},
    ],
}
ANN: Final = {"name": "Ann", "next": {"name": "Bob", "next": None}}
GAME: Final = {"players": [ANN, ANN], "moves": [[1], []], "note": "hello"}


@pytest.fixture
def sign(chain: Any, rpc: Any) -> Any:
    def sign(message: object, *, refused: bool = False) -> Any:
        typed = {
            "types": TYPES, "primaryType": "Game", "domain": {"name": "test"}, "message": message,
        }  # fmt: skip
        run = rpc.refusal if refused else rpc
        return run("eth_signTypedData_v4", rpc.hexed(chain.accounts[0]), json.dumps(typed))

    return sign


def test_fitting_data_is_signed(sign: Any) -> None:
    assert len(sign(GAME)) == 2 + 2 * 65


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        (
            {"players": [ANN]},
            "Expected 2 items for array type Player[2], got 1 items, in 'players'",
        ),
        ({"players": [ANN, {"next": None}]}, "there is no 'name'"),
        ({"players": [ANN, 5]}, "object"),
        ({"moves": [1]}, "expected array"),
        ({"note": None}, "there is no 'note'"),
        ({"note": 5}, "'note' is 5, which is not a text"),
    ],
)
def test_other_data_is_refused(sign: Any, fields: dict[str, Any], words: str) -> None:
    no = sign({**GAME, **fields}, refused=True)
    assert no.code == BAD_PARAMS
    assert words in no.message
