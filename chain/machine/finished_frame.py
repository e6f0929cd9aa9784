"""The end of a message: what the contract had in hand while it ran can do nothing more.

Contract objects, collections, open models, chance and calls all act through the frame of their message. When the contract has
run, the frame changes its class to one that refuses; while it runs, nothing asks whether it is over. Whatever got out of the
message, in an error, a generator or a cycle that is collected later, then raises.
"""

from __future__ import annotations

from typing import Any, NoReturn


class Finished:
    """Mixed into a class of frames: how the message went can still be read, the state cannot be reached."""

    __slots__ = ()
    name: str

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise RuntimeError(
            f"{self.name} is over: a contract, and what it has of its storage, lives as long as one message. Take the"
            " values out of it, list(…) or a record, before the message ends"
        )

    context: Any = property(_refuse)
    state: Any = property(_refuse)
    storage: Any = property(_refuse)
    warm: Any = property(_refuse)
    sload: Any = _refuse
    sstore: Any = _refuse
    emit: Any = _refuse
    note: Any = _refuse
    call: Any = _refuse
    create: Any = _refuse
