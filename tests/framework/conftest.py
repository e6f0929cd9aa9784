"""What several of the framework's tests share."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from eth.vm import opcode_values


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
