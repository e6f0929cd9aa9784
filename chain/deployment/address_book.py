"""The address book of a chain: the contracts of all its plans with addresses and ABIs, as a front end needs them."""

from __future__ import annotations

import json
import re
from typing import Any

from chain.deployment.chain_folder import ChainFolder
from chain.deployment.journal import DONE, Record, read_json, write_json
from chain.metering.program import parse_code
from chain.simulator.chain import Chain
from chain.types import Address

FILE = "addresses.json"


def write_book(folder: ChainFolder, chain: Chain) -> None:
    """Write the address book, if it has changed."""
    if folder.path is None or not folder.plans:
        return
    plans = {plan: _contracts(folder.journal(plan).records, chain) for plan in folder.plans}
    identity = {name: folder.identity[name] for name in ("chainId", "genesis")}
    book = {**identity, "plans": {plan: found for plan, found in plans.items() if found}}
    if read_json(folder.path / FILE) != book:
        write_json(folder.path / FILE, book)


def typescript(book: dict[str, Any]) -> str:
    """Return an address book as a TypeScript module, with a constant for each plan."""
    lines = [f"export const chainId = {book['chainId']} as const;"]
    for plan, contracts in book["plans"].items():
        text = json.dumps(contracts, indent=2, ensure_ascii=False)
        lines.append(f"export const {_identifier(plan)} = {text} as const;")
    return "\n\n".join(lines)


def _contracts(records: dict[str, Record], chain: Chain) -> dict[str, object]:
    """Return the contracts of a plan, by name."""
    return {
        name: {
            "contract": record.get("contract"),
            "address": record["address"],
            "block": record["block"],
            "transaction": record["transaction"],
            "abi": _abi(chain, Address(record["address"])),
        }
        for name, record in records.items()
        if record["to"] is None and record["status"] == DONE
    }


def _abi(chain: Chain, address: Address) -> list[dict[str, object]]:
    """Return the present ABI of a contract; for bytecode it is unknown."""
    digest = parse_code(chain.code(address))
    artifact = None if digest is None else chain.ledger.artifacts.get(digest)
    return [] if artifact is None else artifact.abi


def _identifier(name: str) -> str:
    """Return the name of a plan as a name in TypeScript."""
    first, *rest = re.sub(r"\W+", " ", name).split() or ["plan"]
    text = first + "".join(f"{word[0].upper()}{word[1:]}" for word in rest)
    return f"_{text}" if text[0].isdigit() else text
