"""Contracts in bytecode by their ABI, as contract classes: handles, receipts and traces treat them as Python contracts.

A class made here has entries and errors, but no code of its own: it stands for bytecode on a chain, and can be deployed if a
compiler's file has the bytecode. Like declared classes, such contracts are not part of the chain's data.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import make_dataclass
from functools import cached_property
from keyword import iskeyword
from pathlib import Path
from typing import Any, cast

from chain import abi
from chain.abi.json_abi import check_items, decode_outputs, fields_from_json
from chain.crypto.hashing import keccak
from chain.foundation.dataclass import dataclass
from chain.ledger.artifacts import cannot_run, class_of
from chain.metering.program import BYTECODE, Program
from chain.runtime.contract import Contract
from chain.source.location import Source
from chain.spec.contracts import REQUIRED, ContractSpec, EntrySpec
from chain.spec.records import ErrorSpec, RecordSpec
from chain.spec.references import References
from chain.values import Field, StructType, short_repr
from chain.values.inputs import text

JsonAbi = list[dict[str, Any]]


@dataclass(frozen=True, eq=False)
class BytecodeEntry(EntrySpec):
    """A function or constructor of an ABI. Several outputs are a tuple."""

    outputs: tuple[Field, ...] = ()

    def author_result(self, result: object, output: bytes) -> Any:
        return self.decode_result(output)

    def decode_result(self, data: bytes) -> object:
        return decode_outputs(self.outputs, data)


@dataclass(frozen=True, eq=False)
class BytecodeProgram(Program):
    """A contract in bytecode, with the code that creates one; empty if it is only known by its ABI."""

    creation: bytes = b""

    @cached_property
    def initcode(self) -> bytes:
        if not self.creation:
            raise TypeError(
                f"{self.spec.name} has no bytecode: deploy the result of compiled(…) for a compiler's file"
            )
        return self.creation

    def creates(self, data: bytes) -> bool:
        """True if these bytes create this contract."""
        return bool(self.creation) and data.startswith(self.creation)

    def args_of(self, data: bytes) -> bytes:
        """Return the encoded arguments of the constructor; nothing if other bytecode, or none, is known."""
        return data[len(self.creation) :] if self.creates(data) else b""


def contract_of_abi(items: JsonAbi, name: str, creation: bytes = b"") -> type[Contract]:
    """Return a class for contracts in bytecode with this ABI."""
    check_items(items)
    if not name.isidentifier() or iskeyword(name):
        raise ValueError(f"{name!r} is not a name for a contract: use a valid class name")
    cls = class_of(f"bytecode:{name}", Contract)
    shared = Counter(item.get("name") for item in items if item.get("type") == "function")
    functions = [
        _entry(name, item, is_shared=shared[item["name"]] > 1)
        for item in items if item.get("type") == "function"
    ]  # fmt: skip
    constructor = next((item for item in items if item.get("type") == "constructor"), None)
    init = None if constructor is None or not constructor.get("inputs") else _entry(name, constructor)  # fmt: skip
    spec = ContractSpec(cls, {entry.name: entry for entry in functions}, init, None, [])
    errors = {item["name"]: _error(item) for item in items if item.get("type") == "error"}
    own = vars(spec)
    own["abi"], own["references"] = items, References(errors=errors)
    own["by_selector"] = {entry.selector: entry for entry in functions}
    cls.__spec__ = spec
    digest = keccak(json.dumps(items, sort_keys=True).encode() + creation)
    setattr(cls, BYTECODE, BytecodeProgram(spec, digest, creation=creation))
    return cast("type[Contract]", cls)


def _entry(contract: str, item: Mapping[str, Any], *, is_shared: bool = False) -> BytecodeEntry:
    params, outputs = fields_from_json(item.get("inputs", [])), fields_from_json(item.get("outputs", []))  # fmt: skip
    mutability, kind = item.get("stateMutability"), "call"
    if item["type"] == "constructor":
        kind = "init"
    elif mutability in ("view", "pure"):
        kind = "view"
    given = item.get("name", "constructor")
    returns = outputs[0].kind if len(outputs) == 1 else StructType("tuple", outputs) if outputs else None  # fmt: skip
    return BytecodeEntry(
        contract, abi.signature(given, params) if is_shared else given, kind, mutability == "payable", False, False,
        cannot_run, params, (REQUIRED,) * len(params), returns, given if is_shared else None, outputs=outputs,
    )  # fmt: skip


def _error(item: Mapping[str, Any]) -> ErrorSpec:
    members = tuple(
        Field(_attribute(field.name), field.kind) for field in fields_from_json(item["inputs"])
    )
    cls = make_dataclass(item["name"], [member.name for member in members], frozen=True)
    spec = ErrorSpec(RecordSpec(cls, members, (), Source("", 0)))
    cls.__error__ = spec  # type: ignore[attr-defined]
    return spec


def _attribute(name: str) -> str:
    """Return the name of a member as a Python identifier."""
    if iskeyword(name):
        return f"{name}_"
    return name if name.isidentifier() else f"_{name}"


# Files of compilers


def compiled(path: str | Path, name: str | None = None) -> type[Contract]:
    """Return the contract in a compiler's JSON file: of Foundry, Hardhat, solc or Vyper. `chain.deploy` deploys it.

    If the file has several contracts, `name` selects one.

    >>> import json
    >>> from pathlib import Path
    >>> code = "600a600c600039600a6000f3600760005260206000f3"  # returns 7, whatever it is asked
    >>> abi = [{"type": "function", "name": "seven", "inputs": [], "outputs": [{"type": "uint256"}], "stateMutability": "view"}]
    >>> written = Path("Seven.json").write_text(json.dumps({"abi": abi, "bytecode": code}))
    >>> chain.deploy(compiled("Seven.json")).seven()
    7
    """
    if not isinstance(path, str | Path):
        raise TypeError(f"path = {short_repr(path)} is not the path of a file")
    if name is not None:
        text(name, "name")
    file = Path(path)
    try:
        content = json.loads(file.read_text("utf-8"))
    except ValueError as error:
        raise ValueError(f"{file.name} is not JSON: {error}") from None
    found = dict(_contracts_in(content, file.stem)) if isinstance(content, dict) else {}
    if name is None and len(found) == 1:
        name = next(iter(found))
    if name is None or name not in found:
        known = ", ".join(found) or "none"
        wanted = "name one of its contracts" if name is None else f"there is no contract {name}"
        raise LookupError(f"{file.name}: {wanted}; there are {known}")
    items, code = found[name]
    return contract_of_abi(items, name, _bytes_of(file.name, name, code))


def _contracts_in(content: Mapping[str, Any], stem: str) -> list[tuple[str, tuple[JsonAbi, Any]]]:
    """Return the contracts of a file by name, each with its ABI and what the file has as its bytecode."""
    if isinstance(content.get("abi"), list):  # Foundry, Hardhat, Vyper
        return [
            (
                content.get("contractName") or stem.partition(".")[0],
                (content["abi"], content.get("bytecode")),
            )
        ]
    found: list[tuple[str, tuple[JsonAbi, Any]]] = []
    contracts = content.get("contracts", content)
    for place, inner in contracts.items() if isinstance(contracts, dict) else ():
        if not isinstance(inner, dict):
            continue
        if (
            "abi" in inner
        ):  # solc --combined-json, and vyper -f combined_json: names are file:Contract or files
            items = json.loads(inner["abi"]) if isinstance(inner["abi"], str) else inner["abi"]
            called = Path(place.rpartition(":")[2]).name.partition(".")[0]
            found.append((called, (items, inner.get("bin", inner.get("bytecode")))))
            continue
        for called, each in inner.items():  # the standard JSON of solc and Vyper
            if isinstance(each, dict) and "abi" in each:
                found.append((called, (each["abi"], each.get("evm", {}).get("bytecode"))))
    return found


def _bytes_of(file: str, name: str, code: Any) -> bytes:
    """Return the bytecode that creates the contract: hex text, or an object that has it."""
    digits = code.get("object") if isinstance(code, dict) else code
    if digits is None:
        raise LookupError(f"{file}: {name} has no bytecode: let the compiler write it too")
    try:
        return bytes.fromhex(digits.removeprefix("0x"))
    except (ValueError, AttributeError):
        raise ValueError(
            f"{file}: the bytecode of {name} is not hex: perhaps it must be linked with libraries first"
        ) from None
