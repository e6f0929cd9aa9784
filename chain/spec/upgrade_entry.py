"""Upgrades: a transaction to a contract replaces its code; the contract keeps its address, storage and balance.

Every Python contract has this entry, with a selector that no ABI lists; `chain.spec.contracts.UPGRADE` describes it. The
argument is the digest of a class that is declared on the chain. Anyone may send it, unless the contract has a method
`may_upgrade` that says otherwise. `Chain.upgrade` checks beforehand that the storage layouts are compatible.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from chain.errors import Revert, UnknownCode
from chain.spec.decorators import event
from chain.types import bytes32

if TYPE_CHECKING:
    from chain.machine.frame import Frame

SIGNATURE: Final = "boardchain_upgrade(bytes32)"


@event
class Upgraded:
    """The code of a contract was replaced: the digests of its class before and after."""

    before: bytes32
    after: bytes32


def upgrade(contract: Any, digest: bytes) -> None:
    """Replace the code of the contract by that of the class with this digest."""
    frame: Frame = contract._frame
    if frame.value:
        raise Revert("an upgrade takes no value")
    if frame.static:
        raise Revert("a view cannot upgrade a contract")
    if frame.code_address != frame.address:
        raise Revert("an upgrade is sent to the contract itself, not to an account that lends its code")  # fmt: skip
    program = frame.context.machine.program(digest)
    if program is None:
        raise UnknownCode(digest)
    assert frame.program is not None  # the contract that runs
    if not contract.may_upgrade():
        raise Revert(f"{frame.program.spec.name}.may_upgrade refuses {contract.caller_id}")
    had, fields = frame.program.spec.fields, program.spec.fields
    if fields is not None:
        fields.set_defaults(frame, had.names if had is not None else ())
    frame.charge_code(program.code)
    frame.state.set_code(frame.address, program.code)
    frame.emit(*Upgraded.__event__.encode(Upgraded(frame.program.digest, digest)))  # type: ignore[attr-defined]
