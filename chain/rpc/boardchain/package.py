"""The package whose contracts a node offers, taken up anew after an edit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chain.errors import DeclarationError
from chain.ledger.sql.json_values import to_hex
from chain.rpc.boardchain.values import Json
from chain.rpc.errors import refused
from chain.simulator.catalogue import ContractNotFound

if TYPE_CHECKING:
    from chain.rpc.node import Node


def reload(node: Node) -> list[Json]:
    """Import the node's package as it is now; the contracts that can be deployed since."""
    if node.package is None:
        raise refused("this node offers no package that it could take up anew: declare the classes on its chain")  # fmt: skip
    try:
        new = node.package.reload()
    except (ContractNotFound, DeclarationError) as wrong:
        raise refused(f"{node.package.offered.package} cannot be taken up as it is now: {wrong}") from wrong  # fmt: skip
    return [{"name": each.spec.name, "digest": to_hex(each.digest)} for each in new]


def follow_edits(node: Node) -> str | None:
    """Take up the package if it was edited; what came of that, in a sentence."""
    if node.package is None or not node.package.is_edited:
        return None
    name = node.package.offered.package
    try:
        new = node.package.reload()
    except (ContractNotFound, DeclarationError) as wrong:
        return f"{name} was edited, but cannot be taken up as it is now: {wrong}"
    return f"{name} was edited; new: {', '.join(each.spec.name for each in new) or 'nothing'}"
