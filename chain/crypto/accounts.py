"""Accounts that can sign: the ten well-known ones of every local Ethereum chain, and named ones.

The ten are derived from the phrase "test test test test test test test test test test test junk", as in anvil and hardhat.
Their keys are public: they are for tests.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from chain.crypto.address import Address
from chain.crypto.hashing import keccak
from chain.crypto.signatures import curve
from chain.foundation.sealed import Sealed, put

WELL_KNOWN: Final = (
    ("0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266", "ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80"),
    ("0x70997970C51812dc3A010C7d01b50e0d17dc79C8", "59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d"),
    ("0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC", "5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a"),
    ("0x90F79bf6EB2c4f870365E785982E1f101E93b906", "7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6"),
    ("0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65", "47e179ec197488593b187f80a00eb0da91f1b9d0b13f8733639f19c30a34926a"),
    ("0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc", "8b3a350cf5c34c9194ca85829a2df0ec3153be0318b5e2d3348e872092edffba"),
    ("0x976EA74026E726554dB657fA54763abd0C3a0aa9", "92db14e403b83dfe3df233f83dfa3a0d7096f21ca9b0d6d6b8d88b2b4ec1564e"),
    ("0x14dC79964da2C08b23698B3D3cc7Ca32193d9955", "4bbbf85ce3377467afe5d46f804f221813b2bb87f24d81f60f1fcdbf7cbf4356"),
    ("0x23618e81E3f5cdF7f54C3d65f7FBc0aBf5B21E8f", "dbda1821b80551c9d65939329250298aa3472ba22feea921c0cf5d620ea67b97"),
    ("0xa0Ee7A142d267C1f36714E4a8F75612F20a79720", "2a871d0798f97d79848a013d4936a73bf4cc922c825d33c1cf7073dff6d409c6"),
)  # fmt: skip

LABELS: Final = ("alice", "bob", "carol", "dave", "erin", "frank", "grace", "heidi", "ivan", "judy")


class Account(Sealed, Address):
    """An address with its private key and its name.

    >>> first = chain.account("first.testnet")
    >>> first, first.name, len(first.key), first == first.address
    (<Account first.testnet 0x96AA...>, 'first.testnet', 32, True)
    """

    name: str  # the name by which the chain knows it
    key: bytes  # the private key, 32 bytes
    raw: bytes  # the address in plain bytes

    def __repr__(self) -> str:
        return f"<Account {self.name} {self}>"

    @property
    def address(self) -> Address:
        """The account itself, as an address."""
        return self


def make_account(address: bytes | str, key: bytes, name: str) -> Account:
    """Return the account with this address, key and name."""
    account = Account(address)
    put(account, "name", name)
    put(account, "key", key)
    put(account, "raw", bytes(account))
    return account


@lru_cache(maxsize=4096)  # a named account is looked up again in every call
def account_of_key(key: bytes, name: str) -> Account:
    """Return the account that signs with `key`. Its address is the last 20 bytes of the hash of the public key."""
    return make_account(keccak(curve().public_key(key))[12:], key, name)


ACCOUNTS: Final = tuple(
    make_account(address, bytes.fromhex(key), name)
    for (address, key), name in zip(WELL_KNOWN, LABELS, strict=True)
)
