"""The end of a message: objects of the contract that outlive it can no longer act.

Contract objects, collections, open models, random numbers and calls all act through the frame of their message. When the
contract has run, the frame changes its class to one that refuses; so no check is needed while it runs. Any object that
escaped from the message (in an error, a generator, or a cycle that is collected later) then raises.
"""

from __future__ import annotations

from typing import NoReturn


class Finished:
    """Mixin for a frame class: the outcome of the message can still be read, the state can no longer be reached."""

    __slots__ = ()
    name: str

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise RuntimeError(
            f"{self.name} has ended: a contract and its storage objects exist only during one "
            "message. Copy the values, with list(…) or into a record, before the message ends"
        )


for _name in ("context", "state", "storage", "warm"):
    setattr(Finished, _name, property(Finished._refuse))
# All methods that use these.
for _name in (
    "at_address", "balance_of", "call", "create", "data_slot", "emit", "end_work", "flush", "map_slot", "nested_slot",
    "note", "peek", "read_again", "refusal", "sload", "sstore", "touch", "unit_of_work",
):  # fmt: skip
    setattr(Finished, _name, Finished._refuse)
