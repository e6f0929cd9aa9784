"""The document that describes all methods."""

from __future__ import annotations

from typing import Any

from chain.rpc.methods import METHODS


def test_all_methods_are_described(rpc: Any) -> None:
    document = rpc("rpc.discover")
    assert document["openrpc"].startswith("1.")
    methods = {method["name"]: method for method in document["methods"]}
    assert methods.keys() == METHODS.keys()
    assert [name for name, method in methods.items() if not method["summary"].endswith(".")] == []
    assert methods["chain_look"]["params"][0] == {"name": "fields", "required": True, "schema": {}}
    balance = methods["eth_getBalance"]["params"]
    assert [(each["name"], each["required"]) for each in balance] == [
        ("address", True), ("block", False)
    ]  # fmt: skip
