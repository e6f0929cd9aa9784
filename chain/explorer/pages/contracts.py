"""Contracts: their declarations, their storage at any block, and their entries, to try or, if enabled, to call."""

from __future__ import annotations

import inspect
import json
import secrets
from contextlib import suppress
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from chain.abi import abi_name
from chain.crypto.hashing import checksum_address
from chain.explorer import page
from chain.explorer.distant_past import approach
from chain.explorer.page import Page, PageProblem
from chain.explorer.pages.boards import contract_named
from chain.explorer.receipt_survey import CallTally
from chain.explorer.site import Site
from chain.foundation.dataclass import dataclass
from chain.ledger.artifacts import describe_record
from chain.metering.program import Program
from chain.rpc.errors import RpcError
from chain.simulator.catalogue import ContractNotFound
from chain.simulator.reader import ChainReader
from chain.spec.contracts import EntrySpec
from chain.values import ValueType
from chain.values.mismatch import ParseError

_LARGEST_FORM: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class ContractRow:
    """A contract in the list of contracts."""

    address: bytes
    name: str
    about: str
    calls: int
    boards: int


@dataclass(frozen=True, slots=True)
class EntryRow:
    """An entry in the page of its contract."""

    spec: EntrySpec
    about: str
    tally: CallTally

    @property
    def params(self) -> str:
        return ", ".join(abi_name(param.name) for param in self.spec.params)


@dataclass(frozen=True, slots=True)
class Input:
    """An argument in the form of an entry."""

    name: str
    kind: str
    choices: list[str]
    example: str
    typed: str


async def contracts(site: Site, request: Request) -> Page:
    await site.survey.catch_up()
    rows = []
    for address, name in site.names.contracts.items():
        program = _program(site, address)
        calls = sum(
            tally.calls for (owner, _), tally in site.survey.tallies.items() if owner == address
        )
        rows.append(
            ContractRow(
                address,
                name,
                _about(program.spec.cls),
                calls,
                site.survey.counts[address],
            )
        )
    return Page(
        "contracts.html", "Contracts", {"rows": rows, "checksum": checksum_address}, "/contracts"
    )


async def contract(site: Site, request: Request) -> Page:
    address = contract_named(site, request.path_params["name"])
    program = _program(site, address)
    last = site.ledger.blocks.head.number
    number = page.number(request, "block")
    block = last if number is None else min(number, last)
    if block != last:
        await approach(site.ledger)
    reader: ChainReader = site.chain if block == last else site.chain.at(block)
    await site.survey.catch_up()
    data: dict[str, Any] = {
        "address": address,
        "name": site.names.display(address),
        "checksum": checksum_address(address),
        "program": program,
        "about": _about(program.spec.cls),
        "is_declared": _runs(site, program.digest),
        "worlds": [world.namespace for world in site.worlds if world.address == address],
        "boards": site.survey.counts[address],
        "block": block,
        "last": last,
        "fields": site.fields.of(program, address, reader),
        "entries": [_entry(site, address, spec) for spec in program.spec.entries.values()],
        "events": [
            (name, site.event_names.get(describe_record(event.record), name))
            for name, event in program.spec.events.items()
        ],
    }
    return Page("contract.html", data["name"], data, "/contracts")


def _runs(site: Site, digest: bytes) -> bool:
    with suppress(ContractNotFound):
        return site.chain.machine.program(digest) is not None
    return False


def _program(site: Site, address: bytes) -> Program:
    program = site.ledger.program_at(address)
    if program is None:
        raise PageProblem("There is no longer a Python contract at this address.")
    return program


def _about(thing: object) -> str:
    """The first sentence of a docstring that the author wrote."""
    words = inspect.cleandoc(thing.__doc__ or "").partition("\n\n")[0]
    return " ".join(words.split())


def _entry(site: Site, address: bytes, spec: EntrySpec) -> EntryRow:
    return EntryRow(
        spec, _about(spec.function), site.survey.tallies.get((address, spec.name), CallTally())
    )


# One entry


async def entry(site: Site, request: Request) -> Page | Response:
    """Show the form of an entry, and the result for the typed arguments; send it if the form says so."""
    address = contract_named(site, request.path_params["name"])
    program = _program(site, address)
    spec = program.spec.entries.get(request.path_params["entry"])
    if spec is None:
        raise PageProblem(program.spec.no_entry(request.path_params["entry"]))
    typed = (
        dict(await _form(site, request)) if request.method == "POST" else dict(request.query_params)
    )
    block = page.number(request, "block")
    data: dict[str, Any] = {
        "name": site.names.display(address),
        "url": site.names.url(address),
        "spec": spec,
        "about": _about(spec.function),
        "inputs": [_input(param.name, param.kind, typed) for param in spec.params],
        "sender": typed.get("from", ""),
        "value": typed.get("value", ""),
        "block": block,
        "last": site.ledger.blocks.head.number,
        "tried": None,
        "wrong": None,
    }
    if request.method == "POST" or "try" in typed or (spec.is_view and not spec.params):
        try:
            message = _message(address, spec, typed)
            if request.method == "POST":
                receipt = await site.ask("chain_send", [message])
                return RedirectResponse(f"/tx/{receipt['position']}", 303)
            data["tried"] = await _tried(site, message, block)
        except (ParseError, RpcError) as error:
            data["wrong"] = str(error)
    return Page(
        "entry.html",
        f"{data['name']}.{spec.name}",
        data,
        "/contracts",
        400 if data["wrong"] else 200,
    )


async def _tried(site: Site, message: dict[str, object], block: int | None) -> dict[str, object]:
    tried: dict[str, object] = await site.ask(
        "chain_look", [message, "latest" if block is None else hex(block)]
    )
    result = tried["result"]
    is_text = isinstance(result, str) and "\n" in result
    tried["shown"] = result if is_text else json.dumps(result, indent=2, ensure_ascii=False)
    return tried


def _message(address: bytes, spec: EntrySpec, typed: dict[str, Any]) -> dict[str, Any]:
    """Return the message that a form describes, as `chain_look` and `chain_send` take it."""
    args = {
        abi_name(param.name): param.kind.json_of_word(
            typed.get(f"a.{abi_name(param.name)}", "").strip(), param.name
        )
        for param in spec.params
    }
    message: dict[str, Any] = {
        "to": checksum_address(address),
        "entry": spec.signature,
        "args": args,
    }
    sender, value = typed.get("from", "").strip(), typed.get("value", "").strip()
    if sender:
        message["from"] = sender
    if value:
        message["value"] = hex(page.whole(value, "the value"))
    return message


def _input(name: str, kind: ValueType, typed: dict[str, Any]) -> Input:
    given = typed.get(f"a.{abi_name(name)}", "")
    return Input(abi_name(name), kind.name, kind.choices, kind.example, given)


async def _form(site: Site, request: Request) -> dict[str, str]:
    """Return the fields of a form, which must come from a page of this site."""
    if not site.writes:
        raise PageProblem(
            "This explorer is read-only: start the node with --explorer-write to call from here.",
            403,
        )
    host = request.headers.get("host", "")
    if request.headers.get("origin") not in (f"http://{host}", f"https://{host}"):
        raise PageProblem("This form was not sent from this page.", 400)
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > _LARGEST_FORM:
            raise PageProblem("The form is too large.", 413)
    fields = page.form_fields(body)
    if not secrets.compare_digest(fields.get("token", "").encode(), site.token.encode()):
        raise PageProblem("The form is older than this node: reload the page.", 400)
    return fields
