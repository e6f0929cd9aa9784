"""Serve a chain to wallets, web3.py, ethers and every other JSON-RPC client.

The addresses and keys are those of every local Ethereum chain. Never send anything of value to them: the keys are public.

$ boardchain node
$ boardchain node --data race.chain --block-time 2
$ boardchain node --contracts mygame --reload
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import fields
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from chain.cli import options, output
from chain.explorer.explorer import Explorer
from chain.foundation.watchdog import patience
from chain.ledger.blocks import ChainConfig
from chain.machine.gas import TRANSACTION
from chain.machine.hardforks import DEFAULT, FORKS
from chain.rpc.chain.package import follow_edits
from chain.rpc.limits import Limits
from chain.rpc.server.collector import COLLECTOR
from chain.runtime.contract import Contract
from chain.simulator.block_time import WallClock
from chain.simulator.catalogue import ContractCatalogue, ContractNotFound
from chain.simulator.chain import Chain
from chain.simulator.driver import ETHER
from chain.simulator.predeployed import CODES
from chain.simulator.reload_package import Package
from chain.types import Address
from chain.values.inputs import FEE, LAST_TIME, bytes_of, or_none, seconds_of

PHRASE = "test test test test test test test test test test test junk"

option = partial(click.option, show_default=True)


class _Parsed(click.ParamType[Any]):
    """A word that a function reads."""

    def __init__(self, name: str, read: Callable[[str], object]) -> None:
        self.name, self._read = name, read

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> Any:
        try:
            return self._read(str(value))
        except ValueError as error:
            return self.fail(str(error), param, ctx)


_OF_MESSAGES = ("seconds", "memory")  # they follow from the limits of a message
_BYTES = _Parsed("bytes", bytes_of)
_NUMBERS: dict[object, click.ParamType[object]] = {
    "int": click.IntRange(1),
    "float": click.FloatRange(0, min_open=True),
}


def _limit_options(command: Any) -> Any:
    """Add one option per limit, such as `--max-body BYTES`."""
    for limit in reversed([limit for limit in fields(Limits) if limit.name not in _OF_MESSAGES]):
        name = f"--max-{limit.name.replace('_', '-')}"
        add_option = option(
            name,
            f"max_{limit.name}",
            type=_BYTES if limit.metadata["is_size"] else _NUMBERS[limit.type],
            default=limit.default,
            help=limit.metadata["help"],
        )
        command = add_option(command)
    return command


@click.command()
@option("--host", default="127.0.0.1", help="The address to listen on.")
@option("--port", type=click.IntRange(0, 65535), default=8545, help="0 for any free port.")
@option("--chain-id", type=click.IntRange(1, 2**53 - 1), help="31337, or that of the file.")
@option(
    "--gas-limit",
    type=click.IntRange(TRANSACTION, 2**53 - 1),
    help=f"The gas limit of a block: {DEFAULT.gas_limit}, or that of the fork or the file.",
)
@option(
    "--fork",
    type=click.Choice([*FORKS]),
    help=f"The fork of Ethereum whose rules apply: {DEFAULT.name}, or that of the file.",
)
@option(
    "--tx-gas-cap",
    is_flag=True,
    default=None,
    help="Limit the gas of a transaction as Ethereum does since Osaka (EIP-7825), to 2**24.",
)
@option(
    "--base-fee",
    type=click.IntRange(0, FEE),
    metavar="WEI",
    help="The base fee of the first block: 10**9.",
)
@option(
    "--elastic-fees",
    is_flag=True,
    default=None,
    help="Let the base fee follow demand as Ethereum does (EIP-1559).",
)
@option(
    "--genesis-time",
    type=click.IntRange(0, LAST_TIME),
    metavar="SECONDS",
    help="The time of the first block, in seconds since 1970: now, or with --clock blocks that of the library.",
)
@option(
    "--clock",
    type=click.Choice(["wall", "blocks"]),
    default="wall",
    help="How time passes: as on this machine, or only with blocks, the same on every run.",
)
@option(
    "--client-version",
    metavar="TEXT",
    help="The answer of web3_clientVersion, for tools that expect another node.",
)
@option(
    "--data", metavar="FILE", help="Keep the chain in this file, which is created if it is missing."
)
@options.contracts_option
@options.trust_option
@option(
    "--block-time",
    type=click.FloatRange(0, min_open=True),
    metavar="SECONDS",
    help="Mine a block at this interval in seconds, instead of with each transaction.",
)
@option(
    "--allow-host",
    "hosts",
    multiple=True,
    metavar="NAME",
    help="A name for this node in addition to localhost and its addresses.",
)
@option(
    "--allow-origin",
    "origins",
    multiple=True,
    metavar="URL",
    help="An origin, in addition to localhost, of web pages or extensions that may send requests: "
    "moz-extension://* for a scheme, * for all.",
)
@option(
    "--reload",
    is_flag=True,
    help="Reload an edited package before the next request. Deployed contracts keep their code.",
)
@option(
    "--explorer/--no-explorer",
    default=True,
    help="Show the chain to people who open the address in a browser.",
)
@option("--explorer-write", is_flag=True, help="Let them send transactions from there.")
@option(
    "--time-limit",
    type=_Parsed("seconds", or_none(seconds_of)),
    default="10",
    help="Seconds of computing after which a message is ended and undone; none for no limit.",
)
@option(
    "--memory-limit",
    type=_Parsed("bytes", or_none(bytes_of)),
    default="1G",
    help="Bytes of memory that a message may take, in addition to the node's own; none for no limit.",
)
@option("--quiet", is_flag=True, help="Print only the address it listens on.")
@_limit_options
def command(
    host: str, port: int, chain_id: int | None, gas_limit: int | None, fork: str | None, tx_gas_cap: bool | None,
    base_fee: int | None, elastic_fees: bool | None, genesis_time: int | None, clock: str, client_version: str | None,
    data: str | None, offered: ContractCatalogue, block_time: float | None, hosts: tuple[str, ...],
    origins: tuple[str, ...], reload: bool, explorer: bool, explorer_write: bool, time_limit: float | None,
    memory_limit: int | None, quiet: bool, **limits: Any,
) -> None:  # fmt: skip
    """Serve a chain as JSON-RPC over HTTP and WebSocket, on one port, until it is stopped.

    Opened in a browser, the same address shows the chain. At a terminal it prints a line for each transaction.
    """
    serving, listening = map(
        import_module, ("chain.rpc.server.server", "chain.rpc.server.listener")
    )
    access = listening.AccessPolicy(frozenset(map(str.lower, hosts)), frozenset(origins))
    chosen = Limits(
        **{name.removeprefix("max_"): limit for name, limit in limits.items()},
        seconds=patience(time_limit) or sys.maxsize,
        memory=memory_limit or sys.maxsize,
    )
    is_new = data is None or not Path(data).exists()
    if genesis_time is None and clock == "wall" and is_new:
        genesis_time = int(time.time())
    rules = {
        "chain_id": chain_id, "gas_limit": gas_limit, "fork": fork, "tx_gas_cap": tx_gas_cap, "base_fee": base_fee,
        "elastic_fees": elastic_fees, "genesis_time": genesis_time,
    }  # fmt: skip
    settings: dict[str, Any] = {name: value for name, value in rules.items() if value is not None}
    settings |= {"time_limit": time_limit, "memory_limit": memory_limit}
    classes = _classes(offered, is_new=is_new)
    with _opened(data, settings, classes) as chain:
        if block_time is not None:
            chain.automine, chain.node.interval = False, block_time
        chain.node.package, chain.node.client_version = Package(chain, offered), client_version
        if is_new:
            for address, code in CODES.items():
                chain.set_code(Address(address), code)
        if clock == "wall":
            chain.driver.wall = WallClock(time.time)
            if chain.now == chain.head.timestamp:  # the chain in a file may be ahead
                chain.driver.resume()
        if reload:
            chain.node.before = partial(_follow_edits, chain)
        tell = click.echo if output.is_terminal() and not quiet else None
        mount = partial(Explorer, chain, writes=explorer_write) if explorer else None
        server = serving.Server(chain, listening.Settings(host, port, access, chosen), tell, mount)
        if not quiet:
            _greet(chain, offered.package, classes)
        address, actual_port = server.address

        def ready() -> None:
            COLLECTOR.shorten()
            click.echo(f"Listening on {address}:{actual_port}")

        server.run(ready)


def _classes(offered: ContractCatalogue, *, is_new: bool) -> list[type[Contract]]:
    """Return the contracts of the package. A chain that is there already goes on without it."""
    try:
        return offered.classes
    except ContractNotFound as error:
        if is_new:
            raise
        output.remark(f"{error}; the contracts on the chain run as they were deployed")
        return []


def _opened(data: str | None, settings: dict[str, Any], classes: list[type[Contract]]) -> Chain:
    if data is not None:
        with options.telling_of_edits():
            return Chain.open(data, contracts=classes, trust=options.is_trusted(), **settings)
    chain = Chain(**settings)
    for cls in classes:
        chain.declare(cls)
    return chain


def _follow_edits(chain: Chain) -> None:
    report = follow_edits(chain.node)
    if report is not None:
        output.remark(report)


def _greet(chain: Chain, package: str, classes: list[type[Contract]]) -> None:
    rules: ChainConfig = chain.blocks.rules
    names = ", ".join(cls.__name__ for cls in classes) or "none"
    lines = [
        "Accounts",
        *(f"({i}) {account} ({chain.balance(account) // ETHER} ether)" for i, account in enumerate(chain.accounts)),
        "", "Private keys",
        *(f"({i}) 0x{account.key.hex()}" for i, account in enumerate(chain.accounts)),
        "", f"Phrase: {PHRASE}", f"Chain id: {rules.chain_id}", f"Fork: {rules.fork.name}", f"Gas limit: {rules.gas_limit}",
        f"Base fee: {chain.pending.base_fee}", f"Last block: {chain.head.number}",
        f"Contracts in {package}: {names}", "",
    ]  # fmt: skip
    click.echo("\n".join(lines))
