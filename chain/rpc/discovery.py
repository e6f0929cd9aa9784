"""All methods as an OpenRPC document: names and parameters are those of the functions, texts are their docstrings."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, getdoc, signature
from itertools import islice

from chain.rpc.eth.node_info import version_number
from chain.rpc.json_format import Json
from chain.rpc.node import Node


def discover(node: Node) -> Json:
    """Return all methods of this node as an OpenRPC document."""
    return {
        "openrpc": "1.3.2",
        "info": {"title": "Boardchain", "version": version_number()},
        "methods": [_method(name, run) for name, run in sorted(node.methods.items())],
    }


def _method(name: str, run: Callable[..., object]) -> Json:
    summary, _, description = (getdoc(run) or "").partition("\n\n")
    shown = {
        "name": name,
        "summary": summary,
        "params": [_param(param) for param in islice(signature(run).parameters.values(), 1, None)],
        "result": {"name": "result", "schema": {}},
    }
    return {**shown, "description": description} if description else shown


def _param(param: Parameter) -> Json:
    return {"name": param.name, "required": param.default is Parameter.empty, "schema": {}}
