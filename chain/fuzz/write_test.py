"""Steps written down as a test file that stands alone: imports, chain, contracts, the calls, and what fails.

A play with a description is set up by it. Without one, the file deploys the contracts itself.
"""

from __future__ import annotations

import re
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

from chain.accounts import Account as Named
from chain.fuzz.fuzz_case import (
    Fuzz,
    variable,
)
from chain.fuzz.steps import Call, Deployment, Problem, Step, Wait, is_view, perform
from chain.simulator.chain import Chain
from chain.types import Address

_INDENT = "    "


def write_test(play: Fuzz, steps: list[Step], problem: Problem) -> str:
    """The text of a test file in which `steps` end in `problem`."""
    return _Test(type(play), steps, problem).text()


class _Test:
    def __init__(self, description: type[Fuzz], steps: list[Step], problem: Problem) -> None:
        self._description, self._steps, self._problem = description, steps, problem
        self._imports: dict[str, tuple[str, str]] = {}  # a name here: its module, its name there
        self._play = description(Chain())  # taken along, to see how each step goes
        self._names: dict[bytes, str] = {}

    def text(self) -> str:
        body = self._body()
        lines = [
            f'"""Found by fuzzing: {_one_line(str(self._problem))}."""',
            "",
            *self._import_lines(),
            "",
            "",
            f"def test_{_test_name(self._problem)}() -> None:",
            *(f"{_INDENT}{line}" for line in body),
        ]
        return "\n".join(lines) + "\n"

    # The body

    def _body(self) -> list[str]:
        head = self._set_up()
        calls = [self._line(i, step) for i, step in enumerate(self._steps)]
        end = [f"play.{self._problem.name}()"] if self._problem.kind == "breaks" else []
        used = "\n".join([*calls, *end])
        return [*(line for line in head if _is_used(line, used)), *calls, *end]

    def _set_up(self) -> list[str]:
        play, lines = self._play, [f"chain = {self._name('chain', 'Chain')}()"]
        if self._stands_alone:
            lines += self._accounts("chain.accounts")
            for name, handle in play.handles.items():
                self._names[bytes(handle.address)] = f"{name}.address"
                lines.append(f"{name} = chain.deploy({self._class(handle.contract)})")
            return lines
        lines.append(f"play = {self._described()}(chain)")
        lines += self._accounts("play.accounts")
        for name, handle in play.handles.items():
            self._names[bytes(handle.address)] = f"{name}.address"
            lines.append(f'{name} = play.handles["{name}"]')
        return lines

    def _described(self) -> str:
        """The description's class, by import or as the command makes it of a module."""
        if self._description.of_module:
            return f'{self._name("chain.fuzz.fuzz_targets", "descriptions")}("{self._description.of_module}")[0]'
        return self._class(self._description)

    @property
    def _stands_alone(self) -> bool:
        """Whether the description says no more than which contracts there are, called by the well-known accounts."""
        return self._description.__module__ == Fuzz.__module__ and not self._description.of_module

    def _accounts(self, source: str) -> list[str]:
        names: list[str] = []
        for account in self._play.accounts:
            name = variable(account.name) if isinstance(account, Named) else f"caller_{len(names)}"
            name = name if name.isidentifier() else f"caller_{len(names)}"
            self._names[bytes(account)] = name
            names.append(name)
        cut = f"[:{len(names)}]" if source == "chain.accounts" else ""
        return [f"{', '.join(names)}{',' if len(names) == 1 else ''} = {source}{cut}"]

    def _line(self, place: int, step: Step) -> str:
        known = set(self._play.handles)
        text = self._step(step)
        done = perform(self._play, step)
        new = [name for name in self._play.handles if name not in known]
        for name in new:
            self._names[bytes(self._play.handles[name].address)] = f"{name}.address"
            text = f"{name} = {text}"
        if done is None or done.error is None or place == len(self._steps) - 1:
            return text
        why = f"  # {_one_line(str(done.error))}"
        if is_view(self._play, step):
            return text.replace("(", ".simulate(", 1) + why
        return f"{text[:-1]}, check=False){why}"

    def _step(self, step: Step) -> str:
        match step:
            case Wait(seconds=seconds):
                return f"chain.advance({seconds})"
            case Deployment(contract=contract, args=args, sender=sender, value=value):
                owner = "chain" if self._stands_alone else "play"
                what = ", ".join([self._class(contract), *self._sent(args, sender, value)])
                return f"{owner}.deploy({what})"
            case Call(on=on, entry=entry, args=args, sender=sender, value=value):
                is_shared = len(self._play.handles[on].contract.__spec__.named(entry)) > 1
                called = f'{on}["{entry}"]' if is_shared else f"{on}.{entry}"
                return f"{called}({', '.join(self._sent(args, sender, value))})"

    def _sent(self, args: tuple[Any, ...], sender: Address, value: int) -> list[str]:
        wei = [f"value={value}"] if value else []
        return [*map(self._value, args), f"sender={self._value(sender)}", *wei]

    # Values

    def _value(self, value: Any) -> str:
        """The source of a value."""
        match value:
            case Enum():
                return f"{self._class(type(value))}.{value.name}"
            case Address():
                known = self._names.get(bytes(value))
                return known or f'{self._name("chain.types", "Address")}("{value}")'
            case list():
                return f"[{', '.join(map(self._value, value))}]"
            case tuple():
                return f"({', '.join(map(self._value, value))}{',' if len(value) == 1 else ''})"
            case str() if (name := self._name_of(value)) is not None:
                return name
            case _ if is_dataclass(value) and not isinstance(value, type):
                parts = (f"{f.name}={self._value(getattr(value, f.name))}" for f in fields(value))
                return f"{self._class(type(value))}({', '.join(parts)})"
            case _:
                return repr(value)

    def _name_of(self, text: str) -> str | None:
        """An address as text, by whose it is."""
        if not re.fullmatch("0x[0-9a-fA-F]{40}", text):
            return None
        known = self._names.get(bytes.fromhex(text[2:]))
        return f"str({known})" if known and str(Address(text)) == text else None

    def _class(self, cls: type) -> str:
        outer, dot, inner = cls.__qualname__.rpartition("<locals>.")[2].partition(".")
        return self._name(cls.__module__, outer) + dot + inner

    def _name(self, module: str, name: str) -> str:
        here = name
        while self._imports.setdefault(here, (module, name)) != (module, name):
            here += "_"
        return here

    def _import_lines(self) -> list[str]:
        return sorted(
            f"from {module} import {name}" + (f" as {here}" if here != name else "")
            for here, (module, name) in self._imports.items()
        )


def _is_used(line: str, later: str) -> bool:
    """Whether the head needs a line: it names something, and that is spoken of later."""
    names, is_naming, value = line.partition(" = ")
    if not is_naming or names in ("chain", "play") or "deploy(" in value:
        return True
    return any(re.search(rf"\b{name}\b", later) for name in re.findall(r"\w+", names))


def _test_name(problem: Problem) -> str:
    if problem.kind == "breaks":
        return problem.name.strip("_")
    cause = variable(type(problem.cause).__name__) if problem.cause is not None else "failure"
    return f"{variable(problem.name)}_{cause}"


def _one_line(text: str) -> str:
    line = " ".join(text.replace('"""', "'''").replace("\\", "/").split())
    return line if len(line) <= 90 else f"{line[:89]}…"
