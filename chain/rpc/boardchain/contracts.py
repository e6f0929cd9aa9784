"""Which contracts and accounts there are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from chain.ledger.decoded.address_book import (
    AddressBook,
    created_contracts,
)
from chain.ledger.sql.json_values import (
    address_text,
    to_hex,
)
from chain.rpc.boardchain.values import (
    Json,
    client_errors,
)
from chain.rpc.errors import bad_params

if TYPE_CHECKING:
    from chain.metering.program import Program
    from chain.rpc.node import Node


def contracts(node: Node) -> list[Json]:
    """The Python contracts that stand on the chain, in the order in which they were made."""
    chain, ledger = node.chain, node.chain.ledger
    made = {
        address: receipt.position
        for receipt in ledger.receipts.where(lambda r: r.to is None or bool(r.calls), ok=True)
        for address, _ in created_contracts(receipt)
    }
    standing = [address for address in chain.state.accounts if ledger.program_at(address)]
    who = AddressBook(ledger)
    return [
        {
            **described(program),
            "label": who.name(address),
            "address": address_text(address),
            "receipt": made.get(address),
        }
        for address in sorted(standing, key=lambda address: made.get(address, len(made)))
        if (program := ledger.program_at(address)) is not None
    ]


def programs(node: Node) -> list[Json]:
    """The contract classes that can be deployed here; former versions of one come behind those of now."""
    known = [*node.chain.machine.programs.values()]
    newest = {program.spec.name: program for program in known}
    return [
        {**described(program), "bytecode": program.bytecode}
        for program in sorted(known, key=lambda each: newest[each.spec.name] is not each)
    ]


def described(program: Program) -> Json:
    cls = program.spec.cls
    return {
        "name": program.spec.name,
        "class": f"{cls.__module__}:{cls.__qualname__}",
        "digest": to_hex(program.digest),
        "abi": program.abi,
    }


def accounts(node: Node) -> list[Json]:
    """Whose key the chain has, with their names."""
    return [{"name": made.name, "address": address_text(made)} for made in node.chain.keys.values()]


def account(node: Node, name: Any) -> Json:
    """The account of that name, the same on every chain; the first time it is made and given its ether."""
    if not isinstance(name, str):
        raise bad_params(f"an account's name is a text, not {name!r}")
    with client_errors():
        made = node.chain.account(name)
    return {"name": made.name, "address": address_text(made)}
