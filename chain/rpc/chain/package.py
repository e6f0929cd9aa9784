"""The package whose contracts a node offers, imported again after an edit."""

from __future__ import annotations

from chain.errors import DeclarationError
from chain.ledger.sql.json_values import to_hex
from chain.rpc.errors import refused
from chain.rpc.json_format import Json
from chain.rpc.node import Node
from chain.simulator.catalogue import ContractNotFound


def reload(node: Node) -> list[Json]:
    """Import the node's package again, and return the contracts that became deployable."""
    if node.package is None:
        raise refused("this node has no package to reload: declare the classes on its chain")
    try:
        new = node.package.reload()
    except (ContractNotFound, DeclarationError) as error:
        raise refused(f"{node.package.offered.package} cannot be loaded in its present state: {error}") from error  # fmt: skip
    return [{"name": program.spec.name, "digest": to_hex(program.digest)} for program in new]


def follow_edits(node: Node) -> str | None:
    """Import the package again if it was edited, and return a sentence about the outcome."""
    if node.package is None or not node.package.is_edited:
        return None
    name = node.package.offered.package
    try:
        new = node.package.reload()
    except (ContractNotFound, DeclarationError) as error:
        return f"{name} was edited, but cannot be loaded in its present state: {error}"
    return f"{name} was edited; new: {', '.join(program.spec.name for program in new) or 'nothing'}"
