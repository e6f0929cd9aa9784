"""Addresses of contracts that are not deployed yet: as values, in lists, and inside of texts."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from chain import Chain
from chain.deployment import Deployment
from chain.deployment.journal import Journal
from chain.types import Address
from tests.chain.deployment.arcade import Ladder, Purse, apply

TEXTS: dict[str, Callable[[Address], str]] = {
    "as it is": str,
    "in lower case": lambda address: f"0x{address.hex()}",
    "in upper case": lambda address: address.hex().upper(),
    "within a text": lambda address: f"<{address}>, twice: {address}",
}


@pytest.mark.parametrize("write", TEXTS.values(), ids=TEXTS.keys())
def test_address_in_a_text_is_that_of_the_contract(
    write: Callable[[Address], str], chain: Chain
) -> None:
    def plan(deployment: Deployment) -> None:
        ladder = deployment.deploy(Ladder)
        deployment.deploy(Purse, write(ladder.address), ladder)

    apply(chain, Journal(), plan)
    ladder, purse = (receipt.address for receipt in chain.receipts)
    fields = chain.handle(Purse, purse).fields
    assert (fields.owner, fields.ladder) == (write(ladder), ladder)


PARTS: dict[str, Callable[[Address], str]] = {
    "its beginning": lambda address: str(address)[:10],
    "its end": lambda address: address.hex()[-8:],
}


@pytest.mark.parametrize("write", PARTS.values(), ids=PARTS.keys())
def test_part_of_an_address_is_refused(write: Callable[[Address], str]) -> None:
    deployment = Deployment()
    ladder = deployment.deploy(Ladder)
    with pytest.raises(
        ValueError, match="a text contains a part of the address of a planned contract"
    ):
        deployment.deploy(Purse, write(ladder.address), ladder)
