"""Fixtures that several tests share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from eth.vm import opcode_values

from chain import (
    Address,
    Chain,
)
from tests.chain.helpers import Code
from tests.chain.values import Drawn


@pytest.fixture(scope="session")
def evm() -> Callable[..., bytes]:
    """Makes bytecode of names of opcodes, and of numbers and bytes to push."""

    def assemble(*items: str | int | bytes) -> bytes:
        code = b""
        for item in items:
            if isinstance(item, str):
                code += bytes([getattr(opcode_values, item)])
            else:
                raw = item.to_bytes((item.bit_length() + 7) // 8) if isinstance(item, int) else item
                code += bytes([opcode_values.PUSH0 + len(raw)]) + raw
        return code

    return assemble


@pytest.fixture(scope="session")
def initcode(evm: Callable[..., bytes]) -> Callable[..., bytes]:
    """Makes the init code that runs `first` and leaves `code`."""

    def wrap(code: bytes, first: bytes = b"") -> bytes:
        size, start = len(code).to_bytes(2), (len(first) + 11).to_bytes(2)
        return first + evm(size, "DUP1", start, 0, "CODECOPY", 0, "RETURN") + code

    return wrap


@pytest.fixture(scope="session")
def _code_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("code")


@pytest.fixture(scope="module")
def kept_code(_code_folder: Path) -> Iterator[None]:
    """Let processes that the tests of a module start share instrumented copies, as those of users do."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BOARDCHAIN_CACHE", "")
        patch.setenv("XDG_CACHE_HOME", str(_code_folder))
        yield


@pytest.fixture(scope="session")
def drawn() -> type[Drawn]:
    return Drawn


@pytest.fixture
def forwarder(chain: Chain, evm: Code, initcode: Code) -> Address:
    """Bytecode that adds one to its word 3, then forwards its calldata to the address at its start."""
    body = evm(
        3, "SLOAD", 1, "ADD", 3, "SSTORE", 32, "CALLDATASIZE", "SUB", "DUP1", 32, 0, "CALLDATACOPY",
        0, 0, "DUP3", 0, 0, 0, "CALLDATALOAD", "GAS", "CALL", "RETURNDATASIZE", 0, 0, "RETURNDATACOPY",
    )  # fmt: skip
    no = evm("RETURNDATASIZE", 0, "REVERT")
    end = evm("JUMPDEST", "RETURNDATASIZE", 0, "RETURN")
    return chain.send(
        None, initcode(body + evm(len(body) + 3 + len(no), "JUMPI") + no + end)
    ).address
