"""The reader of contract classes. It reads a class once, when Python creates it, and reports all mistakes then, together.

Every message has one form: file and line, the name, what is wrong with it; what to write instead.
"""

from __future__ import annotations

import builtins
import inspect
import typing
from dataclasses import replace
from types import FrameType, FunctionType
from typing import NoReturn, TypeGuard

from chain import abi
from chain.errors import DeclarationError
from chain.source.compiled_code import functions_in
from chain.source.location import line_of, line_of_argument, line_of_field, source_of_frame
from chain.spec.contracts import REQUIRED, UPGRADE, ContractSpec, EntrySpec
from chain.spec.decorators import EntryMarker
from chain.spec.findings import Findings
from chain.spec.references import references_of
from chain.storage.collections import layout_of_field
from chain.storage.fields import UNSET, FieldsLayout, Layout
from chain.values import Field, ValueMismatch, ValueType
from chain.values.annotations import abi_type_of_annotation
from chain.values.hints import Namespace, UnsupportedAnnotation, namespace_at, resolve

# The attributes of a handle in addition to the entries.
RESERVED_HANDLE_NAMES = frozenset({"chain", "contract", "deployment", "fields", "web3"})

# Methods of every contract that an entry may override: actions, but not the attributes that describe the running message.
OVERRIDABLE_NAMES = frozenset({
    "at", "balance", "create2", "create2_address", "deploy", "ecrecover", "has_code", "keccak", "log", "transfer",
})  # fmt: skip


def read_contract_class(
    cls: type, base: type, frame: FrameType, findings: Findings
) -> ContractSpec:
    """Read contract class `cls`, which derives from `base` (Contract or System), or report what is wrong with it."""
    return ContractClassReader(cls, base, frame, findings).read()


class ContractClassReader:
    """A reader of one contract class. `frame` is the place of the declaration, `findings` are those in the class body."""

    def __init__(self, cls: type, base: type, frame: FrameType, findings: Findings) -> None:
        self.cls, self.base, self.name, self.findings = cls, base, cls.__name__, findings
        self.source = source_of_frame(frame)
        self.names = namespace_at(frame, cls.__qualname__)
        self.found = {
            name: value for parent in reversed(cls.__mro__) for name, value in vars(parent).items()
        }

        # Not one of the chain's own classes, and no instrumented copy, whose original was checked.
        self._is_new = cls.__module__.partition(".")[0] != "chain" and frame.f_builtins is vars(
            builtins
        )

    def read(self) -> ContractSpec:
        self._check_class()
        self._mark_initializer()
        entries = dict[str, EntrySpec]()
        for name, value in self.found.items():
            with self.findings:
                if self._is_entry(value, name):
                    entries[name] = self._entry(name, value)
        init = self._take_init(entries)
        self._check_selectors(entries)
        fields = self._storage()
        functions = functions_in(self.found.values())
        if self._is_new:
            with self.findings:  # only checked now; they are read again on first use
                references_of(self.cls, functions)
        self.findings.report()
        return ContractSpec(self.cls, entries, init, fields, functions, source=self.source)

    # The class as a whole

    def _check_class(self) -> None:
        with self.findings:
            if self.cls.__dictoffset__:
                parent = next(p for p in self.cls.__mro__ if p.__dictoffset__ and p is not self.cls)
                raise DeclarationError(
                    f"{line_of(self.cls, self.source)}: {self.name}: its parent {parent.__name__} is not "
                    "a contract, so attributes that it sets on 'self' would be lost; derive it from "
                    f"{self.base.__name__} or write '__slots__ = ()' in it"
                )

    def _refuse(self, line: str, name: str, wrong: str) -> NoReturn:
        raise DeclarationError(f"{line}: {self.name}.{name}: {wrong}")

    # Entries

    def _mark_initializer(self) -> None:
        """Make `__init__` the constructor, as it is in Python."""
        initializer = self.found.get("__init__")
        if isinstance(initializer, FunctionType) and not hasattr(initializer, "__entry__"):
            initializer.__entry__ = EntryMarker("init")  # type: ignore[attr-defined]

    def _is_entry(self, value: object, name: str) -> TypeGuard[FunctionType]:
        """Return True if `value` is marked as an entry."""
        function = (
            getattr(value, "__func__", None)
            or getattr(value, "fget", None)
            or getattr(value, "func", None)
        )
        if isinstance(function, FunctionType) and hasattr(function, "__entry__"):
            self._refuse(
                line_of(function),
                name,
                f"a {type(value).__name__} is not an entry; remove that decorator",
            )
        if isinstance(value, FunctionType) and not hasattr(value, "__entry__"):
            self._check_hides_no_entry(name, value)
        return isinstance(value, FunctionType) and hasattr(value, "__entry__")

    def _check_hides_no_entry(self, name: str, function: FunctionType) -> None:
        """Refuse an unmarked method that overrides an entry of a parent."""
        for parent in self.cls.__mro__[1:]:
            entry = getattr(vars(parent).get(name), "__entry__", None)
            if entry is not None:
                self._refuse(
                    line_of(function), name,
                    f"it overrides an entry of {parent.__name__} but is not an entry; mark it with @{entry.kind}",
                )  # fmt: skip

    def _entry(self, name: str, function: FunctionType) -> EntrySpec:
        """Describe an entry of the class, which may be inherited."""
        spec: EntrySpec | None = vars(function).get("__read__")
        if spec is None or spec.function is not function:
            spec = self._read_entry(name, function)
            function.__read__ = spec  # type: ignore[attr-defined]  # cached for the classes that inherit it
        return replace(spec, contract=self.name, name=name, method=name)

    def _read_entry(self, name: str, function: FunctionType) -> EntrySpec:
        entry = function.__entry__  # type: ignore[attr-defined]
        findings = self.findings.part()
        signature = _Signature(f"{self.name}.{name}", function, self._names_of(function), findings)
        with findings:
            self._check_name(name, entry.kind, function)
        with findings:
            params, defaults = signature.params()
        with findings:
            returns = signature.returns()
            if returns is not None and entry.kind == "init":
                self._refuse(
                    line_of_argument(function, "return"),
                    name,
                    "@init returns nothing; write '-> None'",
                )
        findings.report()
        return EntrySpec(
            self.name, name, entry.kind, entry.payable, entry.private, entry.nonreentrant,
            function, params, defaults, returns, entry.name,
        )  # fmt: skip

    def _names_of(self, function: FunctionType) -> Namespace:
        """Return the names that are visible to the annotations of a method."""
        module: dict[str, object] = inspect.unwrap(function).__globals__
        functions = self.names.functions if module is self.names.module else {}
        return Namespace(module, functions, self.found)

    def _check_name(self, name: str, kind: str, function: FunctionType) -> None:
        if kind == "init" and name == "__init__":
            return
        if name.startswith("_"):
            self._refuse(line_of(function), name, "an entry is public; remove the leading '_'")
        owner = (
            self.base.__name__
            if hasattr(self.base, name) and name not in OVERRIDABLE_NAMES
            else "deployed contract"
            if name in RESERVED_HANDLE_NAMES
            else None
        )
        if owner is not None:
            abi_name = (
                "" if kind == "init" else f", with @{kind}(name='{name}') to keep it in the ABI"
            )
            wrong = f"every {owner} has its own '{name}'; choose another name{abi_name}"
            self._refuse(line_of(function), name, wrong)

    def _take_init(self, entries: dict[str, EntrySpec]) -> EntrySpec | None:
        """Remove the `@init` from the entries and return it."""
        inits = [entry for entry in entries.values() if entry.kind == "init"]
        for second in inits[1:]:
            with self.findings:
                wrong = f"'{inits[0].name}' is the @init already; keep one"
                self._refuse(line_of(second.function), second.name, wrong)
        return entries.pop(inits[0].name) if inits else None

    def _check_selectors(self, entries: dict[str, EntrySpec]) -> None:
        by_selector: dict[bytes, EntrySpec] = {UPGRADE.selector: UPGRADE}
        for entry in entries.values():
            other = by_selector.setdefault(entry.selector, entry)
            if other is not entry:
                problem = (
                    f"its selector 0x{entry.selector.hex()} is also the selector of {other.name}; rename one"
                    if entry.signature != other.signature
                    else f"its signature {entry.signature} is also that of {other.name}; give it "
                    "other arguments or another name"
                )
                with self.findings:
                    self._refuse(line_of(entry.function), entry.name, problem)
        for entry in entries.values():
            with self.findings:
                self._check_abi_name(entry, entries.get(entry.abi_name, entry))

    def _check_abi_name(self, entry: EntrySpec, other: EntrySpec) -> None:
        """Check that a name that is both a method's name and a name in the ABI means the same entry, or an overload of it."""
        if other.abi_name != entry.abi_name:
            self._refuse(
                line_of(entry.function), entry.name,
                f"its name in the ABI, '{entry.abi_name}', is also the name of a method that is "
                f"'{other.abi_name}' in the ABI; rename one",
            )  # fmt: skip

    # Storage

    def _storage(self) -> FieldsLayout | None:
        """Lay out the fields of the class and its parents, in order, from slot 0 on, and install a property for each."""
        layouts: dict[str, Layout] = {}
        ancestors = reversed(self.cls.__mro__)
        for parent in [
            ancestor
            for ancestor in ancestors
            if issubclass(ancestor, self.base) and ancestor is not self.base
        ]:
            for name, hint in self._fields_of(parent).items():
                with self.findings:
                    if name in layouts:
                        self._refuse_field(
                            name, "a parent has this field already; choose another name"
                        )
                    if isinstance(self.found.get(name), FunctionType):
                        self._refuse(
                            line_of(self.found[name]),
                            name,
                            "a parent has a field of this name; rename it",
                        )
                    layouts[name] = self._layout(name, hint)
        defaults = {name: self._default(name, layout) for name, layout in layouts.items()}
        if self.findings or not layouts:
            return None
        fields = FieldsLayout(list(layouts), list(layouts.values()), defaults)
        self.cls.__defaults__ = fields.defaults  # type: ignore[attr-defined]
        for name, field in fields.properties(self.name).items():
            setattr(self.cls, name, field)
        return fields

    def _fields_of(self, parent: type) -> dict[str, object]:
        """Return the annotations of one class that declare fields. A parent has been read before."""
        if parent is not self.cls:
            parent_fields: dict[str, object] = vars(parent)["__fields__"]
            return parent_fields
        names = self.names._replace(own=self.found)
        fields = {}
        for name, hint in inspect.get_annotations(parent).items():
            with self.findings:
                resolved = self._resolve(name, hint, names)
                if resolved in (typing.ClassVar, typing.Final) or typing.get_origin(resolved) in (
                    typing.ClassVar,
                    typing.Final,
                ):
                    continue  # a constant
                self._check_field(name)
                fields[name] = resolved
        self.cls.__fields__ = fields  # type: ignore[attr-defined]
        return fields

    def _resolve(self, name: str, hint: object, names: Namespace) -> object:
        try:
            return resolve(hint, names)
        except UnsupportedAnnotation as error:
            raise self._wrong_field(name, error) from None

    def _check_field(self, name: str) -> None:
        if hasattr(self.base, name):
            self._refuse_field(
                name, f"every {self.base.__name__} has its own '{name}'; choose another name"
            )
        if isinstance(vars(self.cls).get(name), FunctionType):
            self._refuse_field(name, "a method has the same name; rename one")

    def _default(self, name: str, layout: Layout) -> object:
        """Return what a field is set to at the deployment; `UNSET` if that is nothing."""
        default = self.found.get(name, UNSET)
        if isinstance(default, property):  # a parent has the field
            default = UNSET
            for parent in self.cls.__mro__[1:]:
                default = vars(parent).get("__defaults__", {}).get(name, default)
        with self.findings:
            try:
                if default is not UNSET:
                    layout.refuse_misfit(default)
            except ValueMismatch as mismatch:
                self._refuse_field(name, f"its default: {mismatch.text}")
        return default

    def _layout(self, name: str, hint: object) -> Layout:
        try:
            return layout_of_field(f"{self.name}.{name}", hint, self.names)
        except UnsupportedAnnotation as error:
            raise self._wrong_field(name, error) from None

    def _refuse_field(self, name: str, wrong: str) -> NoReturn:
        raise self._wrong_field(name, UnsupportedAnnotation(wrong))

    def _wrong_field(self, name: str, error: UnsupportedAnnotation) -> DeclarationError:
        line = line_of_field(self.cls, name, self.source)
        return self.findings.refusal(line, f"{self.name}.{name}", error)


class _Signature:
    """The reader of the parameters and the return type of an entry."""

    def __init__(
        self, path: str, function: FunctionType, names: Namespace, findings: Findings
    ) -> None:
        self.path, self.function, self.names, self.findings = path, function, names, findings
        self.hints = inspect.get_annotations(function)

    def params(self) -> tuple[tuple[Field, ...], tuple[object, ...]]:
        """Return the parameters, and for each its default or `REQUIRED`."""
        parameters = list(inspect.signature(self.function).parameters.values())
        first = parameters[0] if parameters else None
        if first is None or (
            first.name != "self" and (first.name in self.hints or "*" in str(first))
        ):
            raise DeclarationError(
                f"{line_of(self.function)}: {self.path}: it does not take 'self'; write that first"
            )
        members, defaults = list[Field](), list[object]()
        for parameter in parameters[1:]:
            with self.findings:
                self._check(parameter)
                members.append(Field(parameter.name, self._kind(parameter.name)))
                defaults.append(self._default(members[-1], parameter))
        return tuple(members), tuple(defaults)

    def returns(self) -> ValueType | None:
        """Return the type of the result, or None if there is no result."""
        return None if self.hints.get("return") in (None, "None") else self._kind("return")

    def _check(self, parameter: inspect.Parameter) -> None:
        name = parameter.name
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.POSITIONAL_ONLY):
            by_name = parameter.kind is parameter.KEYWORD_ONLY
            stars = "*, " if by_name else str(parameter)[: str(parameter).index(name)]
            self._refuse(
                name,
                f"a message cannot carry '{stars}{name}'; give each argument its own name",
            )
        if name not in self.hints:
            self._refuse(name, f"argument '{name}' has no type; write one, such as '{name}: u64'")

    def _kind(self, name: str) -> ValueType:
        """Return the value type of a parameter or of the result."""
        subject = "its return value" if name == "return" else f"argument '{name}'"
        try:
            return abi_type_of_annotation(resolve(self.hints[name], self.names), self.names)
        except UnsupportedAnnotation as error:
            line = line_of_argument(self.function, name)
            raise self.findings.refusal(line, f"{self.path}: {subject}", error) from None

    def _default(self, member: Field, parameter: inspect.Parameter) -> object:
        if parameter.default is parameter.empty:
            return REQUIRED
        try:
            member.kind.encode(parameter.default)
        except abi.ValueMismatch as mismatch:
            remedy = (
                f"write '{member.kind.name} | None'"
                if parameter.default is None
                else "choose another"
            )
            self._refuse(
                member.name, f"the default of argument '{member.name}': {mismatch.text}; {remedy}"
            )
        return parameter.default

    def _refuse(self, name: str, wrong: str) -> NoReturn:
        raise DeclarationError(f"{line_of_argument(self.function, name)}: {self.path}: {wrong}")
