"""The options by which receipts and events are found: a contract, an account, blocks, times."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from functools import wraps
from typing import Any, NamedTuple, TypeVar

import click

from chain.cli import completion, lookup
from chain.ledger.queries import Query
from chain.simulator.chain import Chain

T = TypeVar("T")
Command = Callable[..., object]


class _Time(click.ParamType[int]):
    name = "time"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> int:
        word = str(value)
        if word.isdecimal():
            return int(word)
        try:
            time = datetime.fromisoformat(word)
        except ValueError:
            self.fail(
                f"{word!r} is neither Unix seconds nor a date such as 2026-01-31 or 2026-01-31T12:00, in UTC",
                param,
                ctx,
            )
        return int((time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp())


class LogFilter(NamedTuple):
    """The questions that receipts and events have in common."""

    contract: str | None
    account: str | None
    from_block: int | None
    to_block: int | None
    since: int | None
    until: int | None

    def narrowed(self, chain: Chain, query: Query[T]) -> Query[T]:
        """Return the part of a query that meets the options."""
        if self.contract is not None:
            query = query.by_contract(lookup.contract_address(chain, self.contract))
        if self.account is not None:
            try:
                query = query.concerning(self.account)
            except ValueError as error:
                raise click.UsageError(f"--account: {error}") from None
        blocks, times = (self.from_block, self.to_block), (self.since, self.until)
        return query.between(blocks=blocks, times=times)


_BLOCK, _TIME = click.IntRange(min=0), _Time()
_OPTIONS = (
    click.option(
        "--contract", shell_complete=completion.contracts,
        help="Only those of this contract: a name or an address.",
    ),
    click.option(
        "--account", metavar="ACCOUNT", shell_complete=completion.accounts,
        help="Only those that concern this account: from it, to it, or with it in a value.",
    ),
    click.option("--from-block", type=_BLOCK, help="Leave out earlier blocks."),
    click.option("--to-block", type=_BLOCK, help="Leave out later blocks."),
    click.option("--since", type=_TIME, help="Leave out earlier times: a date in UTC, or Unix seconds."),
    click.option("--until", type=_TIME, help="Leave out later times."),
)  # fmt: skip


def log_filter_options(command: Command) -> Command:
    """Add the options, which the command receives as `filter`."""

    @wraps(command)
    def filtering(**named: Any) -> object:
        own = {name: named.pop(name) for name in LogFilter._fields}
        return command(filter=LogFilter(**own), **named)

    for option in reversed(_OPTIONS):
        filtering = option(filtering)
    return filtering
