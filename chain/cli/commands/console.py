"""Work on a chain at a Python prompt.

$ boardchain console --chain duel.chain
$ echo 'print(deblockle.game_state(0))' | boardchain console --chain duel.chain
"""

from __future__ import annotations

import code
import re
import sys
from contextlib import suppress
from importlib import import_module
from types import ModuleType
from typing import Final

import click

from chain.cli import options
from chain.errors import DeclarationError, InvalidTransaction, Reverted, UndeclaredContract
from chain.ledger.decoded.address_book import AddressBook
from chain.simulator.catalogue import ContractCatalogue
from chain.simulator.chain import Chain

_REFUSALS: Final = (Reverted, InvalidTransaction, DeclarationError, UndeclaredContract)


@click.command()
@options.chain_option
@options.contracts_option
def command(where: str, offered: ContractCatalogue) -> None:
    """Open a Python prompt with `chain`, its accounts and contracts by name, and the classes of the package.

    A contract has the name of its class in snake case: deblockle, mage_duel, game_2. IPython is used if it is installed.
    """
    with options.open_chain(where, offered, make=True) as chain:
        names = _names(chain, offered)
        banner = _banner(chain, names)
        ipython = _ipython() if sys.stdin.isatty() else None
        if ipython is not None:
            click.echo(banner)
            _run_ipython(ipython, names)
            return
        with suppress(ImportError):  # which edits the line, where there is one
            import_module("readline").parse_and_bind("tab: complete")
            completer = import_module("rlcompleter").Completer(names)
            import_module("readline").set_completer(completer.complete)
        if not sys.stdin.isatty():
            banner = sys.ps1 = sys.ps2 = ""
        _Prompt(names).interact(banner, exitmsg="")


class _Prompt(code.InteractiveConsole):
    """Python's own prompt, where a refusal of the chain is one sentence."""

    def showtraceback(self) -> None:
        problem = sys.exc_info()[1]
        if isinstance(problem, _REFUSALS):
            self.write(_sentence(problem))
        else:
            super().showtraceback()


def _run_ipython(ipython: ModuleType, names: dict[str, object]) -> None:
    """Run IPython's prompt, where a refusal of the chain is one sentence too."""

    def show(shell: object, kind: type, problem: BaseException, trace: object, tb_offset: object = None) -> None:  # fmt: skip
        click.echo(_sentence(problem), err=True, nl=False)

    app = import_module("IPython.terminal.ipapp").TerminalIPythonApp.instance(user_ns=names)
    app.initialize(["--no-banner"])
    app.shell.set_custom_exc(_REFUSALS, show)
    app.start()


def _sentence(problem: BaseException) -> str:
    return f"{type(problem).__name__}: {problem}\n"


def _names(chain: Chain, offered: ContractCatalogue) -> dict[str, object]:
    """Return the names that the prompt knows."""
    names: dict[str, object] = {cls.__name__: cls for cls in offered.classes}
    for account in chain.keys.values():
        names[_variable(account.name)] = account
    for address, name in AddressBook(chain.ledger).contracts.items():
        with suppress(LookupError):  # its class is not known here
            names[_variable(name)] = chain.contract(f"0x{address.hex()}")
    return names | {"chain": chain, "Chain": Chain}


def _variable(name: str) -> str:
    """Return the name of a contract or an account as that of a variable: `game_2` for Game#2."""
    return re.sub(r"\W", "_", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)).lower()


def _banner(chain: Chain, names: dict[str, object]) -> str:
    handles = ", ".join(name for name, value in names.items() if hasattr(value, "fields"))
    contracts = f"contracts: {handles}" if handles else "no contract yet: chain.deploy(…)"
    return f"chain is {chain!r}; {contracts}; accounts: alice … judy. exit() ends it."


def _ipython() -> ModuleType | None:
    try:
        return import_module("IPython")
    except ImportError:
        return None
