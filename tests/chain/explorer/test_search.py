"""Search leads directly to the thing that a word names."""

from __future__ import annotations

from urllib.parse import quote

import pytest

from chain import Chain
from tests.chain.explorer.visitor import Visitor


@pytest.mark.parametrize(
    ("word", "url"),
    [
        ("#3", "/tx/3"), ("Deblockle", "/contract/Deblockle"), ("alice", "/account/alice"), ("Noted", "/events?event=Noted"),
        ("make_move", "/contract/Deblockle/make_move"), ("Wall#2", "/contract/Wall%232"), ("Painted", "/events?event=Painted"),
    ],
)  # fmt: skip
def test_a_word_that_means_one_thing_leads_there(visitor: Visitor, word: str, url: str) -> None:
    answer = visitor.get(f"/search?q={quote(word)}")
    assert (answer.status, answer.headers["location"]) == (303, url)


def test_a_number_may_be_a_transaction_or_a_block(visitor: Visitor) -> None:
    page = visitor.get("/search?q=3")
    assert {"/tx/3", "/block/3"} <= set(page.all("a", "href"))


def test_a_hash_leads_to_its_transaction_or_block(chain: Chain, visitor: Visitor) -> None:
    answer = visitor.get(f"/search?q=0x{chain.receipts[2].tx_hash.hex()}")
    assert answer.headers["location"] == "/tx/2"
    assert visitor.get(f"/search?q=0x{chain.block_hash(2).hex()}").headers["location"] == "/block/2"


def test_an_address_leads_to_its_account(chain: Chain, visitor: Visitor) -> None:
    assert visitor.get(f"/search?q={chain.accounts[0]}").headers["location"] == "/account/alice"


def test_an_unknown_word_is_repeated(visitor: Visitor) -> None:
    assert "Nothing matches <b>nix</b>" in visitor.get("/search?q=%3Cb%3Enix%3C/b%3E").text
