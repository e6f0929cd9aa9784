"""Some of the games of a campaign: those of a strategy or a seat, with a result, an ending, or a failure."""

from __future__ import annotations

from typing import Final

from chain.foundation.dataclass import dataclass

_HAS_WON: Final = "EXISTS (SELECT 1 FROM json_each(winners) AS won WHERE won.value = seat.key)"
# By result, what must be true of a seat.
RESULTS: Final = {
    "won": f"{_HAS_WON} AND json_array_length(winners) = 1",
    "lost": f"json_array_length(winners) > 0 AND NOT {_HAS_WON}",
    "shared": f"{_HAS_WON} AND json_array_length(winners) > 1",
}


@dataclass(frozen=True)
class Selection:
    """Conditions on games. All must hold; those about seats must hold for one and the same seat."""

    strategy: str = ""
    seat: int | None = None  # from 0 on
    result: str = ""  # one of `RESULTS`
    ending: str = ""
    failed: bool = False

    @property
    def sql(self) -> tuple[str, list[object]]:
        """A condition on the rows, and its values."""
        conditions, values = ["1"], list[object]()
        if self.strategy:
            conditions.append("seat.value = ?")
            values.append(self.strategy)
        if self.seat is not None:
            conditions.append("seat.key = ?")
            values.append(self.seat)
        if self.result:
            conditions.append(RESULTS[self.result])
        of_row = []
        if len(conditions) > 1:
            of_row.append(f"EXISTS (SELECT 1 FROM json_each(seats) AS seat WHERE {' AND '.join(conditions)})")  # fmt: skip
        if self.ending:
            of_row.append("ending = ?")
            values.append(self.ending)
        if self.failed:
            of_row.append("failure IS NOT NULL")
        return " AND ".join(of_row) or "1", values
