"""The contracts and accounts of the chain."""

from __future__ import annotations

from chain.ledger.decoded.address_book import AddressBook
from chain.ledger.sql.json_values import address_text, to_hex
from chain.metering.program import Program
from chain.rpc.chain.values import client_errors
from chain.rpc.errors import bad_params
from chain.rpc.json_format import Json
from chain.rpc.node import Node


def contracts(node: Node) -> list[Json]:
    """Return the deployed Python contracts, in the order of creation."""
    chain, ledger = node.chain, node.chain.ledger
    creations = {
        creation.address: creation.position
        for creation in ledger.creations.rows
        if not creation.is_upgrade
    }
    deployed = [address for address in chain.state.accounts if ledger.program_at(address)]
    address_book = AddressBook(ledger)
    return [
        {
            **described(program),
            "label": address_book.name(address),
            "address": address_text(address),
            "receipt": creations.get(address),
        }
        for address in sorted(deployed, key=lambda address: creations.get(address, len(creations)))
        if (program := ledger.program_at(address)) is not None
    ]


def programs(node: Node) -> list[Json]:
    """Return the contract classes that can be deployed; older versions come after the current ones."""
    known = [*node.chain.machine.programs.values()]
    newest = {program.spec.name: program for program in known}
    return [
        {**described(program), "bytecode": program.bytecode}
        for program in sorted(known, key=lambda program: newest[program.spec.name] is not program)
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
    """Return the accounts whose keys the chain has, with their names."""
    return [
        {"name": account.name, "address": address_text(account)}
        for account in node.chain.keys.values()
    ]


def account(node: Node, name: object) -> Json:
    """Return the account of this name, the same on every chain. It is created and funded on first use."""
    if not isinstance(name, str):
        raise bad_params(f"an account's name is a text, not {name!r}")
    with client_errors():
        account = node.chain.account(name)
    return {"name": account.name, "address": address_text(account)}
