"""The scheduler of a cluster: the check of its address, and the only place from which Dask is imported."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from importlib import import_module
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from chain.arena.match import Row
from chain.arena.plan import Plan
from chain.arena.player_process import PlayerSetting


class NoDask(ImportError):
    """Dask is not installed. Only a cluster needs it."""

    def __init__(self) -> None:
        super().__init__("a scheduler needs Dask, which is not installed: pip install 'boardchain[cluster]'")  # fmt: skip


class UnsafeScheduler(ValueError):
    """A scheduler that anybody can reach, or an invalid address."""


def check_address(address: str) -> None:
    """Refuse a scheduler that is reached over a network without TLS: anyone who reaches one can run code on its workers."""
    try:
        parts = urlsplit(address)
        is_one = parts.scheme in ("tcp", "tls") and parts.hostname and parts.port
    except ValueError:  # an impossible port or host
        is_one = False
    if not is_one:
        raise UnsafeScheduler(f"{address} is not a scheduler: write tcp://127.0.0.1:8786 or tls://host:8786")  # fmt: skip
    if parts.scheme == "tcp" and not _is_loopback(parts.hostname or ""):
        raise UnsafeScheduler(
            f"{address} is reached over a network, and anyone who reaches a scheduler can run code on its workers: use tls://"
        )


def rows_from(
    address: str, plan: Plan, numbers: Iterable[int], setting: PlayerSetting, chunk: int | None
) -> Generator[list[Row], None, None]:
    """Yield the rows of these games, chunk by chunk, as a cluster plays them."""
    check_address(address)
    try:
        cluster: Any = import_module("chain.arena.cluster")
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] in ("distributed", "dask"):
            raise NoDask from None
        raise
    rows: Generator[list[Row], None, None] = cluster.Cluster(plan, numbers, setting, chunk, address).rows()  # fmt: skip
    return rows


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
