"""Stand-ins: the addresses that a plan uses for contracts that are not deployed yet.

A stand-in is twenty bytes derived from the name of a step. It can be used wherever an address can, even inside a text, where
it has forty hex digits. When the contract is deployed, its address replaces the stand-in in the data of later steps. All
addresses have the same length in each form, so the encoding around them stays valid.
"""

from __future__ import annotations

from collections.abc import Iterable

from chain.crypto.hashing import keccak
from chain.types import Address

_DIGITS = 8  # this many hex digits of a stand-in do not occur by chance


def stand_in(name: str) -> Address:
    """Return the stand-in for the contract that the step of that name creates."""
    return Address(keccak(f"boardchain stand-in {name}".encode())[12:])


class StandIns:
    """The stand-ins of a plan, each with the address of its contract as soon as that is known."""

    def __init__(self, stand_ins: Iterable[Address]) -> None:
        self._known: dict[Address, Address | None] = dict.fromkeys(stand_ins)

    def enter(self, stand_in: Address, address: Address) -> None:
        """Record the address of a contract."""
        self._known[stand_in] = address

    def address(self, address: Address) -> Address | None:
        """Return the address that an address of the plan stands for; None if that is not known yet."""
        return self._known.get(address, address)

    def substitute(self, data: bytes) -> bytes | None:
        """Return the data with addresses in place of stand-ins; None if one of them is not known yet."""
        for stand_in, address in self._known.items():
            for i, form in enumerate(_forms(stand_in)):
                if form in data:
                    if address is None:
                        return None
                    data = data.replace(form, _forms(address)[i])
        return data

    def resolve(self, to: Address | None, data: bytes) -> tuple[Address | None, bytes] | None:
        """Return the recipient and the data of a transaction; None if one of the addresses is not known yet."""
        address = None if to is None else self.address(to)
        substituted = self.substitute(data)
        if substituted is None or (address is None and to is not None):
            return None
        return address, substituted


def refuse_parts(data: bytes, stand_ins: Iterable[Address]) -> None:
    """Refuse data with only a part of a stand-in as text, because no address can replace that."""
    for stand_in in stand_ins:
        rest, texts = data, _forms(stand_in)[1:]
        for text in texts:
            rest = rest.replace(text, b"")
        for text in texts:
            if text[:_DIGITS] in rest or text[-_DIGITS:] in rest:
                raise ValueError(
                    "a text contains a part of the address of a planned contract, and that address "
                    "is not known yet: put the whole address, or the contract itself, into the text"
                )


def _forms(address: Address) -> tuple[bytes, ...]:
    """Return the bytes of an address and its usual spellings in hex digits."""
    digits = str(address)[2:]
    return (
        bytes(address),
        *(text.encode() for text in (digits, digits.lower(), digits.upper())),
    )
