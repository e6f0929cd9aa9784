"""Writes steps as a self-contained test file: imports, chain, contracts, the calls, and the failing line.

If there is a description, it does the set-up. Otherwise the file deploys the contracts itself.
"""

from __future__ import annotations

import re
from enum import Enum

from chain.abi.formatting import PythonStyle
from chain.crypto.accounts import Account as Named
from chain.fuzz.fuzz_case import Fuzz, variable
from chain.fuzz.steps import Call, PlannedDeployment, Step, StepProblem, Wait, is_view, perform
from chain.simulator.chain import Chain
from chain.types import Address

_INDENT = "    "


def write_test(play: Fuzz, steps: list[Step], problem: StepProblem) -> str:
    """Return the text of a test file in which `steps` end in `problem`."""
    return _Test(type(play), steps, problem).text()


class _Test(PythonStyle):
    def __init__(self, description: type[Fuzz], steps: list[Step], problem: StepProblem) -> None:
        self._description, self._steps, self._problem = description, steps, problem
        self._imports: dict[str, tuple[str, str]] = {}  # local name: (module, name in that module)
        self._play = description(Chain())  # plays each step, to see its outcome
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
                lines.append(f"{name} = chain.deploy({self.class_name(handle.contract)})")
            return lines
        lines.append(f"play = {self._described()}(chain)")
        lines += self._accounts("play.accounts")
        for name, handle in play.handles.items():
            self._names[bytes(handle.address)] = f"{name}.address"
            lines.append(f'{name} = play.handles["{name}"]')
        return lines

    def _described(self) -> str:
        """Return an expression of the class of the description: imported, or found by `descriptions`."""
        if self._description.of_module:
            return f'{self._name("chain.fuzz.fuzz_targets", "descriptions")}("{self._description.of_module}")[0]'
        return self.class_name(self._description)

    @property
    def _stands_alone(self) -> bool:
        """True if the description only lists contracts, which the default accounts call."""
        return self._description.__module__ == Fuzz.__module__ and not self._description.of_module

    def _accounts(self, source: str) -> list[str]:
        names: list[str] = []
        for account in self._play.accounts:
            name = variable(account.name) if isinstance(account, Named) else f"caller_{len(names)}"
            name = name if name.isidentifier() else f"caller_{len(names)}"
            self._names[bytes(account)] = name
            names.append(name)
        selection = f"[:{len(names)}]" if source == "chain.accounts" else ""
        return [f"{', '.join(names)}{',' if len(names) == 1 else ''} = {source}{selection}"]

    def _line(self, place: int, step: Step) -> str:
        known = set(self._play.handles)
        text = self._step(step)
        result = perform(self._play, step)
        new = [name for name in self._play.handles if name not in known]
        for name in new:
            self._names[bytes(self._play.handles[name].address)] = f"{name}.address"
            text = f"{name} = {text}"
        if result is None or result.error is None or place == len(self._steps) - 1:
            return text
        reason = f"  # {_one_line(str(result.error))}"
        if is_view(self._play, step):
            return text.replace("(", ".simulate(", 1) + reason
        return f"{text[:-1]}, check=False){reason}"

    def _step(self, step: Step) -> str:
        match step:
            case Wait(seconds=seconds):
                return f"chain.advance({seconds})"
            case PlannedDeployment(contract=contract, args=args, sender=sender, value=value):
                owner = "chain" if self._stands_alone else "play"
                arguments = ", ".join([self.class_name(contract), *self._sent(args, sender, value)])
                return f"{owner}.deploy({arguments})"
            case Call(on=on, entry=entry, args=args, sender=sender, value=value):
                is_shared = len(self._play.handles[on].contract.__spec__.named(entry)) > 1
                target = f'{on}["{entry}"]' if is_shared else f"{on}.{entry}"
                return f"{target}({', '.join(self._sent(args, sender, value))})"

    def _sent(self, args: tuple[object, ...], sender: Address, value: int) -> list[str]:
        wei = [f"value={value}"] if value else []
        return [*map(self.show, args), f"sender={self.show(sender)}", *wei]

    # Values

    def member(self, value: Enum) -> str:
        return f"{self.class_name(type(value))}.{value.name}"

    def address(self, value: Address) -> str:
        variable_name = self._names.get(bytes(value))
        return variable_name or f'{self._name("chain.types", "Address")}("{value}")'

    def raw(self, value: bytes | bytearray) -> str:
        return repr(value)

    def plain(self, value: object) -> str:
        name = self._name_of(value) if isinstance(value, str) else None
        cls, text = type(value), repr(value)
        if cls.__module__ != "builtins":
            text = text.replace(cls.__name__, self.class_name(cls), 1)
        return name or text

    def _name_of(self, text: str) -> str | None:
        """Return an expression for an address that is given as text, if the address has a variable."""
        if not re.fullmatch("0x[0-9a-fA-F]{40}", text):
            return None
        variable_name = self._names.get(bytes.fromhex(text[2:]))
        return f"str({variable_name})" if variable_name and str(Address(text)) == text else None

    def class_name(self, cls: type | str) -> str:
        """Return the name of a class, and import it."""
        assert isinstance(cls, type)
        outer, dot, inner = cls.__qualname__.rpartition("<locals>.")[2].partition(".")
        return self._name(cls.__module__, outer) + dot + inner

    def _name(self, module: str, name: str) -> str:
        """Return the local name of an imported name, changed if another import has it already."""
        alias = name
        while self._imports.setdefault(alias, (module, name)) != (module, name):
            alias += "_"
        return alias

    def _import_lines(self) -> list[str]:
        return sorted(
            f"from {module} import {name}" + (f" as {alias}" if alias != name else "")
            for alias, (module, name) in self._imports.items()
        )


def _is_used(line: str, later: str) -> bool:
    """Return True if the test needs this line of its set-up: it defines a name that a later line uses."""
    names, is_naming, value = line.partition(" = ")
    if not is_naming or names in ("chain", "play") or "deploy(" in value:
        return True
    return any(re.search(rf"\b{name}\b", later) for name in re.findall(r"\w+", names))


def _test_name(problem: StepProblem) -> str:
    if problem.kind == "breaks":
        return problem.name.strip("_")
    cause = variable(type(problem.cause).__name__) if problem.cause is not None else "failure"
    return f"{variable(problem.name)}_{cause}"


def _one_line(text: str) -> str:
    line = " ".join(text.replace('"""', "'''").replace("\\", "/").split())
    return line if len(line) <= 90 else f"{line[:89]}…"
