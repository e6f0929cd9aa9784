"""The plan in a script: a function `plan(deployment)`, whose other parameters are given as `name=value`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, get_type_hints

import click

from chain.cli.script_loader import loaded
from chain.crypto.accounts import ACCOUNTS
from chain.deployment import Deployment
from chain.deployment.preview import Script
from chain.runtime.account_names import account_named
from chain.types import Address, i256
from chain.values import ValueType
from chain.values.annotations import type_of_annotation
from chain.values.hints import UnsupportedAnnotation
from chain.values.inputs import address_of
from chain.values.mismatch import ParseError

_NUMBER = {int: i256}  # in a script, where a number has any size


def load_plan(script: Path, given: Mapping[str, str], accounts: AccountWords) -> Script:
    """Return the `plan` function of a script, with these parameters."""
    if not script.exists():
        raise click.UsageError(f"there is no script {script}")
    declare = getattr(loaded(script), "plan", None)
    if not callable(declare):
        raise click.UsageError(f"{script} has no plan(deployment), which describes the deployment: write one")  # fmt: skip
    parameters = _parameters(declare, given, accounts)

    def plan(deployment: Deployment) -> None:
        for name in accounts.named:
            deployment.account(name)
        declare(deployment, **parameters)

    return plan


class AccountWords:
    """The accounts that words of a command name. Those with a dot in their name are made by the chain."""

    def __init__(self) -> None:
        self.named: list[str] = []

    def read(self, word: str, name: str = "address") -> Address:
        """Return the account of that name, number or address; `name` is the parameter that messages refer to."""
        if word.isdigit() and int(word) < len(ACCOUNTS):
            return ACCOUNTS[int(word)]
        if "." in word:
            self.named.append(word)
            return account_named(word)
        return address_of(word, name, {account.name: account for account in ACCOUNTS}.get)


def split_parameters(words: Sequence[str]) -> dict[str, str]:
    """Return the parameters of a plan, which are written `name=value`."""
    given: dict[str, str] = {}
    for word in words:
        name, sign, value = word.partition("=")
        if not sign or not name.isidentifier():
            raise click.UsageError(
                f"a plan takes its parameters as name=value, and {word!r} is not one"
            )
        if name in given:
            raise click.UsageError(f"the parameter '{name}' is given twice")
        given[name] = value
    return given


def _parameters(
    declare: Callable[..., None], given: Mapping[str, str], accounts: AccountWords
) -> dict[str, object]:
    _, *parameters = inspect.signature(declare).parameters.values() or [None]
    expected = {each.name: each for each in parameters if each is not None}
    takes = ", ".join(expected) or "none"
    for name in given:
        if name not in expected:
            raise click.UsageError(f"the plan has no parameter '{name}'; it has {takes}")
    for name, parameter in expected.items():
        if parameter.default is parameter.empty and name not in given:
            raise click.UsageError(f"the plan needs the parameter {name}: give {name}=…")
    hints = get_type_hints(declare)
    try:
        return {
            name: _type(hints.get(name, str)).from_word(word, name, accounts.read)
            for name, word in given.items()
        }
    except (ParseError, UnsupportedAnnotation) as error:
        raise click.UsageError(str(error)) from None


def _type(hint: Any) -> ValueType:
    return type_of_annotation(_NUMBER.get(hint, hint))
