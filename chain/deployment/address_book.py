"""The address book of a chain: the contracts of all its scripts with addresses and ABIs, as a front end needs them."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from chain.deployment.chain_folder import ChainFolder
from chain.deployment.deployment import Deployment
from chain.deployment.journal import DONE, read_json, write_json

FILE: Final = "addresses.json"
_FACTS: Final = ("contract", "address", "block", "transaction")


def write_book(folder: ChainFolder, script: str, deployment: Deployment) -> None:
    """Write the contracts of a script into the address book, if they have changed. Those of other scripts stay."""
    if folder.path is None or not folder.plans:
        return
    before = read_json(folder.path / FILE) or {"plans": {}}
    known = before["plans"].get(script, {})
    abis = {name: contract["abi"] for name, contract in known.items()}
    abis |= {each.name: each.step.program.abi for each in deployment.steps if each.step.program}
    contracts = {
        name: {key: record.get(key) for key in _FACTS} | {"abi": abis.get(name, [])}
        for name, record in deployment.journal.records.items()
        if record["to"] is None and record["status"] == DONE
    }
    plans = {**before["plans"], script: contracts}
    identity = {name: folder.identity[name] for name in ("chainId", "genesis")}
    book = {**identity, "plans": {name: found for name, found in plans.items() if found}}
    if before != book:
        write_json(folder.path / FILE, book)


def typescript(book: dict[str, Any]) -> str:
    """Return an address book as a TypeScript module, with a constant for each script."""
    lines = [f"export const chainId = {book['chainId']} as const;"]
    for plan, contracts in book["plans"].items():
        text = json.dumps(contracts, indent=2, ensure_ascii=False)
        lines.append(f"export const {_identifier(plan)} = {text} as const;")
    return "\n\n".join(lines)


def _identifier(name: str) -> str:
    """Return the name of a script as a name in TypeScript."""
    first, *rest = re.sub(r"\W+", " ", name).split() or ["plan"]
    text = first + "".join(f"{word[0].upper()}{word[1:]}" for word in rest)
    return f"_{text}" if text[0].isdigit() else text
