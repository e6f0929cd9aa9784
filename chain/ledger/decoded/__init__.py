"""The ledger in the contracts' own terms: fields, models, traces, names of addresses. Begin with `writes` and `trace`.

What few calls ask for is imported when it is first used, as `decoded.trace_of`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from chain.foundation.late_imports import late_names

if TYPE_CHECKING:
    from chain.ledger.decoded.activity import activity_of
    from chain.ledger.decoded.build_trace import trace_of
    from chain.ledger.decoded.failures import failure_text, named_failure
    from chain.ledger.decoded.json_objects import JsonObjects
    from chain.ledger.decoded.trace import Trace
    from chain.ledger.decoded.versions import History, Version
    from chain.ledger.decoded.worlds import StoredWorld, worlds_of
    from chain.ledger.decoded.writes import (
        NetChanges,
        Write,
        decode_writes,
        net_changes,
        net_of_undone,
    )

_HOMES: Final = {
    "activity": ("activity_of",),
    "build_trace": ("trace_of",),
    "failures": ("failure_text", "named_failure"),
    "json_objects": ("JsonObjects",),
    "versions": ("History", "Version"),
    "trace": ("Trace",),
    "worlds": ("StoredWorld", "worlds_of"),
    "writes": ("NetChanges", "Write", "decode_writes", "net_changes", "net_of_undone"),
}

__getattr__ = late_names(__name__, _HOMES)

__all__ = [
    "History",
    "JsonObjects",
    "NetChanges",
    "StoredWorld",
    "Trace",
    "Version",
    "Write",
    "activity_of",
    "decode_writes",
    "failure_text",
    "named_failure",
    "net_changes",
    "net_of_undone",
    "trace_of",
    "worlds_of",
]
