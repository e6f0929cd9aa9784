"""Build the program of a contract class: follow what it reaches, put ticks into it, and compute its digest."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Iterator
from inspect import get_annotations
from types import FunctionType

from chain.crypto.hashing import keccak
from chain.errors import DeclarationError
from chain.guard.finding import AT_IMPORT, Finding
from chain.metering.analysis import Analysis, analysis_of, known_twins, plain_code
from chain.metering.constants import changes_so_far, follow_originals, freeze
from chain.metering.digest import digest_of
from chain.metering.program import Program
from chain.metering.reach import Name, Reach
from chain.source.compiled_code import functions_in, paths_in, text_of_code
from chain.source.location import relative_path
from chain.source.own_modules import is_own


class Build:
    """The program of a contract class, and what it was made from."""

    def __init__(self, cls: type) -> None:
        follow_originals()
        self.reach = Reach(cls)
        self._analyses: dict[str, Analysis | None] = {}  # by file
        self._changes = changes_so_far()
        self._findings: list[Finding] | None = None
        for function in self.reach.functions:
            if known_twins(function) is None:
                self._add_ticks(function)
        for twins in filter(None, map(known_twins, self.reach.functions)):
            self._analyses[twins.plain.co_filename] = twins.analysis  # edits since do not count
        spec = cls.__spec__  # type: ignore[attr-defined]
        label = f"{cls.__qualname__} {spec.abi}"
        if cls.__module__.partition(".")[0] == "chain":
            self.program = Program(spec, keccak(f"{cls.__module__}.{label}".encode()))
        else:
            self.program = Program(spec, digest_of(label, self._definitions(), self.reach.data))

    @property
    def is_current(self) -> bool:
        """True if the class still reaches the same objects; once they are constants, with the same content."""
        follow_originals()
        if not self.reach.is_current:
            return False
        if self.is_frozen and self._changes != changes_so_far():
            if Reach(self.reach.root).data != self.reach.data:
                return False
            self._changes = changes_so_far()
        return True

    @property
    def is_frozen(self) -> bool:
        """True if the constants refuse changes."""
        return self._findings is not None

    @property
    def findings(self) -> list[Finding]:
        """The findings of the guard in all that the contract reaches. From now on, its constants refuse changes."""
        if self._findings is None:
            found = {*self._written(), *freeze(self.reach)}
            self._findings = sorted(
                each for each in found if each.rule != "made_and_dropped" or self._is_for_use(each)
            )
        return self._findings

    @property
    def texts(self) -> dict[str, str]:
        """The texts of the files of the reached functions, by file."""
        twins = filter(None, map(known_twins, self.reach.functions))
        return {each.plain.co_filename: each.analysis.text for each in twins}

    def _add_ticks(self, function: FunctionType) -> None:
        code, space = function.__code__, function.__globals__
        analysis = self._analysis(code.co_filename, space)
        if analysis is None:  # typed at a prompt, or made by `dataclass` and the like
            return
        twins = analysis.twins_of(code, "@pytest_ar" in space)
        if twins is None:
            raise DeclarationError(
                f"{relative_path(code.co_filename)}:{code.co_firstlineno}: {code.co_qualname} differs from its file, "
                "which was edited after the import; import it again, or restart the process"
            )
        function.__code__ = twins.ticked

    def _analysis(self, file: str, space: dict[str, object]) -> Analysis | None:
        if file not in self._analyses:
            is_source = file != "<string>" and not file.endswith(".pyc")
            self._analyses[file] = analysis_of(file, str(space["__name__"])) if is_source else None
        return self._analyses[file]

    def _analysis_of_module(self, name: str) -> Analysis | None:
        space = vars(sys.modules.get(name, sys))
        return self._analysis(str(space.get("__file__")), space) if is_own(name) else None

    # Definitions

    def _definitions(self) -> Iterator[tuple[str, str, str]]:
        """Yield module, name and syntax of each function and class."""
        for function in self.reach.functions:
            twins, code = known_twins(function), function.__code__
            if twins is not None:
                yield function.__module__, function.__qualname__, twins.syntax
            elif not code.co_filename.startswith("<") or "." not in function.__qualname__:
                yield function.__module__, function.__qualname__, text_of_code(code)
        for cls in self.reach.classes:
            yield cls.__module__, cls.__qualname__, self._syntax_of_class(cls)

    def _syntax_of_class(self, cls: type) -> str:
        """Return the hash of the statement of a class; of several with its name, that around its methods."""
        space = vars(sys.modules.get(cls.__module__, sys))
        codes = [
            plain_code(each)
            for each in vars(cls).values()
            if isinstance(each, FunctionType)
            and each.__globals__ is space
            and each.__qualname__.startswith(f"{cls.__qualname__}.")
        ]
        lines = [code.co_firstlineno for code in codes if code.co_filename != "<string>"]
        source = getattr(vars(cls).get("__spec__"), "source", None)
        lines += [source.line] if source is not None else []
        analysis = self._analysis_of_module(cls.__module__)
        found = [
            (line, syntax)
            for (name, line), syntax in (analysis.syntax if analysis else {}).items()
            if name == cls.__qualname__ and line <= min(lines, default=line)
        ]
        if found:
            return max(found)[1]
        texts = [text_of_code(plain_code(each)) for each in functions_in(vars(cls).values())]
        return "\n".join([*sorted(map(str, get_annotations(cls))), *texts])

    # Findings

    def _written(self) -> Iterator[Finding]:
        """Yield the findings in the sources of what is reached."""
        for function in self.reach.functions:
            twins = known_twins(function)
            yield from twins.findings if twins else ()
        for module, name in self._names():
            analysis = self._analysis_of_module(module)
            yield from analysis.findings.get((name, 0), ()) if analysis else ()
        for found in self._at_import():
            if found.rule not in AT_IMPORT:
                yield found

    def _names(self) -> list[Name]:
        classes = ((cls.__module__, cls.__qualname__) for cls in self.reach.classes)
        return [*self.reach.values, *classes]

    def _at_import(self) -> Iterator[Finding]:
        """Yield the findings in code that ran while the constants were made."""
        seen = set[Name]()
        waiting = [
            (module, name.partition(".")[0])
            for module, name in self._names()
            if "<locals>" not in name
        ]
        while waiting:
            module, name = waiting.pop()
            analysis = self._analysis_of_module(module)
            if (module, name) in seen or analysis is None:
                continue
            seen.add((module, name))
            yield from analysis.findings.get((name, 0), ())
            waiting += [(module, used) for used in analysis.uses.get(name, ())]
            value = vars(sys.modules[module]).get(name)
            if isinstance(value, FunctionType) and is_own(value.__module__):
                file = self._analysis(value.__code__.co_filename, value.__globals__)
                code = plain_code(value)
                yield from (
                    file.findings.get((code.co_qualname, code.co_firstlineno), ()) if file else ()
                )
                waiting += [(value.__module__, path[0]) for path in paths_in(code)]

    def _is_for_use(self, finding: Finding) -> bool:
        """Return True if the class whose instance is dropped is an event or an error: only the imported class shows it."""
        name = finding.what.split()[1]
        named = [thing for (_, other), (_, thing) in self.reach.values.items() if other == name]
        classes = [
            each for each in (*named, getattr(builtins, name, None)) if isinstance(each, type)
        ]
        return any(issubclass(cls, BaseException) or "__event__" in vars(cls) for cls in classes)
