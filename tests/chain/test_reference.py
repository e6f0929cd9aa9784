"""The reference names everything public, says what it means, is as the docstrings are now, and its examples run."""

from __future__ import annotations

import doctest
import re
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from importlib import import_module
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import pytest

import chain as library
from chain import types
from chain.simulator.handle import Handle, bind_instance
from tests.chain import reference_scene as scene

with pytest.MonkeyPatch.context() as patch:
    patch.syspath_prepend(Path(__file__).parents[2] / "scripts")
    import make_reference as reference
    from make_reference import Entry
    from reference_topics import TOPICS as SECTIONS
    from reference_topics import Topic

TOPICS = [topic for section in SECTIONS for topic in section.topics]
MODULES = (
    "chain",
    "chain.types",
    "chain.testing",
    "chain.fuzz",
    "chain.replays",
    "chain.deployment",
    "chain.arena",
    "chain.pictures",
)
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def told(topic: Topic) -> list[Entry]:
    """Return what the page says of a topic: of a class itself, and of each name."""
    return [
        *([reference.class_entry(topic)] if topic.names in ("", "*") else []),
        *reference.entries_of(topic),
    ]


EXAMPLES = [
    pytest.param(topic, entry, id=f"{topic.path}-{entry.name}")
    for topic in TOPICS
    for entry in told(topic)
    if entry.example
]


@contextmanager
def running(contract: Handle) -> Iterator[object]:
    """Scope in which a contract runs; it ends without a trace."""
    chain: Any = scene.chain
    sender, block = scene.alice, chain.view_block
    frame = chain._frame(chain.machine, contract.address, b"", sender, 0, None, block)
    mark = chain.state.mark()
    try:
        yield bind_instance(contract.contract, frame)
    finally:
        chain.state.undo(mark)
        chain.state.close()


def namespace(topic: Topic) -> dict[str, Any]:
    """Return the names that an example can use: the scene, the library, and the module of the topic."""
    public = {name: getattr(library, name) for name in library.__all__}
    public |= {name: getattr(types, name) for name in types.__all__}
    module = vars(import_module(".".join(topic.path.split(".")[:2])))
    own = {name: module[name] for name in module.get("__all__", ()) if name in module}
    names = {**public, **own, **vars(topic.module), **vars(scene)}
    return {name: value for name, value in names.items() if not name.startswith("__")}


@pytest.mark.parametrize(("topic", "entry"), EXAMPLES)
def test_examples_run(
    topic: Topic, entry: Entry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    contract = scene.league if topic.path.startswith("chain.runtime.system") else scene.race
    names = namespace(topic) | {"__name__": "example"}
    with scene.chain.anchor():
        inside = running(contract) if "self." in entry.example else nullcontext()
        with inside as names["self"]:
            test = doctest.DocTestParser().get_doctest(
                entry.example, names, entry.name, str(reference.PAGE), 0
            )
            report: list[str] = []
            run = doctest.DocTestRunner(optionflags=OPTIONS).run
            run(test, out=report.append, clear_globs=False)  # contracts stay declared
    assert not report, "".join(report)


def test_page_is_as_the_docstrings_are() -> None:
    assert reference.PAGE.read_text("utf-8") == reference.page(), (
        "run: python scripts/make_reference.py"
    )


def test_classes_are_imported_as_the_page_says() -> None:
    imports = re.findall(r"^`(from .+)`$", reference.PAGE.read_text("utf-8"), re.MULTILINE)
    assert {"from chain import Chain", "from chain.ledger.blocks import Head"} <= {*imports}
    for line in imports:
        exec(line, {})


def test_contents_lead_to_one_heading_each() -> None:
    text = reference.PAGE.read_text("utf-8")
    headings = [reference.anchor(line) for line in re.findall(r"^##+ (.+)$", text, re.MULTILINE)]
    links = re.findall(r"\]\(#([^)]+)\)", text)
    assert {link: headings.count(link) for link in links} == dict.fromkeys(links, 1)


def public(module: ModuleType) -> set[str]:
    """Return the names that a module offers: those that it lists, or else its own classes and functions."""
    own = [
        name
        for name, value in vars(module).items()
        if isinstance(value, type | FunctionType) and value.__module__ == module.__name__
    ]
    return {name for name in getattr(module, "__all__", own) if not name.startswith("_")}


@pytest.mark.parametrize("module", MODULES)
def test_every_public_name_has_an_entry(module: str) -> None:
    told_of = {entry.name for topic in TOPICS for entry in told(topic)}
    assert public(import_module(module)) <= told_of


@pytest.mark.parametrize("topic", TOPICS, ids=lambda topic: topic.path)
def test_every_name_has_a_meaning(topic: Topic) -> None:
    assert [entry.name for entry in told(topic) if not entry.meaning] == []


@pytest.mark.parametrize("topic", TOPICS, ids=lambda topic: topic.path)
def test_every_method_has_an_example(topic: Topic) -> None:
    shown = "\n".join(entry.example for entry in told(topic))
    methods = [
        entry.name
        for entry in told(topic)
        if entry.signature and entry.name not in topic.tools.split()
    ]
    assert [name for name in methods if not re.search(rf"\b{name}\b", shown)] == []


@pytest.mark.parametrize("topic", TOPICS, ids=lambda topic: topic.path)
def test_tools_and_made_classes_exist(topic: Topic) -> None:
    names = {entry.name for entry in told(topic)}
    assert set(topic.tools.split()) <= names
