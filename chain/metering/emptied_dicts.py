"""Dicts that lose entries while others stay.

Python leaves a gap where an entry was, and a walk over the dict passes all gaps again each time. So a dict from which many
entries were deleted is filled anew, without gaps, and the deletion pays for that.
"""

from __future__ import annotations

from typing import Any, Final

from chain.metering.fuel import EMPTIED, charge

_FEW: Final = 64  # entries of a dict whose deletions are not counted
_GAPS: Final = 1024  # gaps that cost little
_MORE: Final = 64  # a dict may have one gap more for so many entries
_AGAIN: Final = 6  # ticks for an entry that is put in again


def lose(table: dict[Any, Any]) -> None:
    """Count the deletion of an entry that comes next."""
    size = len(table)
    if size < _FEW or type(table).__iter__ is not dict.__iter__:  # an `OrderedDict` has no gaps
        return
    seen = EMPTIED.get(id(table))
    if seen is None:
        seen = EMPTIED[id(table)] = [table, 0]
    seen[1] += 1
    if seen[1] > _GAPS + size // _MORE:
        charge(size * _AGAIN)
        seen[1] = 0
        kept: dict[Any, Any] = {}
        kept.update(table)
        dict.clear(table)
        dict.update(table, kept)
