"""The options for an account that signs here: a key, a mnemonic or a keystore file. None of them is written down."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from functools import wraps
from importlib import import_module
from pathlib import Path

import click

from chain.crypto.accounts import Account, account_of_key

SignedCommand = Callable[..., object]
PASSWORD = "BOARDCHAIN_PASSWORD"
_NAME = "signer"


def signer_options(command: SignedCommand) -> SignedCommand:
    """Add the options, which the command receives as `signer`, an `Account` or None."""

    @wraps(command)
    def signing(
        *args: object, key: str | None, mnemonic: str | None, mnemonic_index: int, keystore: Path | None,
        **named: object,
    ) -> object:  # fmt: skip
        if sum(each is not None for each in (key, mnemonic, keystore)) > 1:
            raise click.UsageError("use only one of --key, --mnemonic and --keystore")
        return command(*args, signer=_signer(key, mnemonic, mnemonic_index, keystore), **named)

    for option in reversed(_OPTIONS):
        signing = option(signing)
    return signing


_OPTIONS = (
    click.option(
        "--key", envvar="BOARDCHAIN_KEY", show_envvar=True, metavar="HEX",
        help="Sign with this private key.",
    ),
    click.option(
        "--mnemonic", envvar="BOARDCHAIN_MNEMONIC", show_envvar=True, metavar="WORDS",
        help="Sign with a key of this mnemonic.",
    ),
    click.option(
        "--mnemonic-index", type=click.IntRange(min=0), default=0, show_default=True,
        help="The index of the key of the mnemonic.",
    ),
    click.option(
        "--keystore", envvar="BOARDCHAIN_KEYSTORE", show_envvar=True, metavar="FILE",
        type=click.Path(dir_okay=False, path_type=Path),
        help=f"Sign with the key in this file; its password is in {PASSWORD}, or is prompted for.",
    ),
)  # fmt: skip


def _signer(
    key: str | None, mnemonic: str | None, index: int, keystore: Path | None
) -> Account | None:
    if key is not None:
        return _of_key(key)
    if mnemonic is not None:
        return _of_mnemonic(mnemonic, index)
    return None if keystore is None else _of_keystore(keystore)


def _of_key(key: str) -> Account:
    try:
        raw = bytes.fromhex(key.strip().removeprefix("0x"))
        if len(raw) != 32:
            raise ValueError
        return account_of_key(raw, _NAME)
    except ValueError:  # the message of a library would show the key
        raise click.UsageError("--key is not a private key: it has 64 hex digits") from None


def _of_mnemonic(words: str, index: int) -> Account:
    accounts = import_module("eth_account").Account
    accounts.enable_unaudited_hdwallet_features()
    try:
        account = accounts.from_mnemonic(words.strip(), account_path=f"m/44'/60'/0'/0/{index}")
    except Exception:  # of several libraries; their messages would show the words
        raise click.UsageError("--mnemonic is not a mnemonic: its checksum is wrong") from None
    return account_of_key(bytes(account.key), _NAME)


def _of_keystore(file: Path) -> Account:
    try:
        kept = json.loads(file.read_text("utf-8"))
    except ValueError:
        raise click.UsageError(f"{file} is not a keystore: it is not JSON") from None
    password = os.environ.get(PASSWORD)
    if password is None:
        password = click.prompt(f"Password of {file.name}", hide_input=True, err=True)
    try:
        key = import_module("eth_account").Account.decrypt(kept, password)
    except Exception as error:
        reason = "the password is wrong" if "MAC" in str(error) else "it is not a keystore"
        raise click.UsageError(f"{file} cannot be opened: {reason}") from None
    return account_of_key(bytes(key), _NAME)
