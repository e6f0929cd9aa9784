"""The check of one file: each node once, without running anything. A finding belongs to the definitions that it is in, so that
a deployment hears only of what the contract reaches.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from chain.guard.allowlist import MODULES
from chain.guard.conditions import why_always_true
from chain.guard.finding import AT_IMPORT, Finding
from chain.guard.rules import RULES, refusal_of
from chain.guard.set_order import is_set, sets_walked_over
from chain.source.import_paths import bound_in, names_bound, path_of
from chain.source.word_sets import word_set

Key = tuple[str, int]  # the qualified name and first line of a function; for all else, line 0
Place = ast.expr | ast.stmt | ast.alias | ast.ExceptHandler
Function = ast.FunctionDef | ast.AsyncFunctionDef

_BROAD: Final = word_set(
    """
    builtins.BaseException builtins.Exception builtins.GeneratorExit builtins.MemoryError builtins.RecursionError
    builtins.RuntimeError builtins.SystemError chain.errors.Halt chain.errors.OutOfGas
    """
)
_COLLECTIONS: Final = word_set(
    """
    builtins.bytearray builtins.dict builtins.list builtins.set collections.ChainMap collections.Counter
    collections.OrderedDict collections.defaultdict collections.deque
    """
)
_CHANGES: Final = word_set(
    "add append appendleft clear discard extend insert pop popitem popleft remove reverse setdefault sort update"
)
_BY_NAME: Final = word_set("delattr getattr hasattr setattr", "builtins.")
_REQUIRE: Final = ("chain.require", "chain.errors.require")
_OWN_CLASS: Final = ("cls", "type(self)", "self.__class__")
_INTERNALS: Final = {
    "_frame": "machine",
    **dict.fromkeys(("__code__", "__globals__", "__subclasses__", "__traceback__"), "reflection"),
}
_PERCENT: Final = re.compile(r"%(?:\(\w+\))?[-+ #\d.*]*[eEfFgG]")
_BRACES: Final = re.compile(r"(?<=:)[-+ #\d.,_<>=^*]*[eEfFgG%](?=})")


class _Scope(NamedTuple):
    """The place of the visitor in a file."""

    keys: tuple[Key, ...] = ()
    prefix: str = ""  # of qualified names
    local: tuple[frozenset[str], ...] = ()  # the names that each function around binds
    function: str = ""  # the innermost one; empty where Python imports the module
    methods: frozenset[str] = frozenset()  # of the innermost class, as in `self.is_over`


def findings_in(
    tree: ast.Module, text: str, file: str, imports: Mapping[str, str]
) -> dict[Key, list[Finding]]:
    """Return the findings by the definition that holds them: a function, a class, or a name at the top of the file."""
    visitor = _Visitor(tree, text, file, imports)
    for node in tree.body:
        visitor.visit_at_top(node)
    return visitor.found


class _Visitor(ast.NodeVisitor):
    def __init__(self, tree: ast.Module, text: str, file: str, imports: Mapping[str, str]) -> None:
        self.found: dict[Key, list[Finding]] = {}
        self._lines, self._file, self._imports = text.split("\n"), file, imports
        self._scope = _Scope()
        self._shown = {"builtins"}  # the modules whose names need no import
        self._sets: set[str] = set()  # the names of sets at the top, so far
        self._accepted: set[ast.AST] = set()  # names that are fine where they stand
        self._functions = {node.name for node in tree.body if isinstance(node, Function)}
        self._collections = {
            name
            for node in tree.body
            if isinstance(node, ast.Assign | ast.AnnAssign) and self._is_collection(node.value)
            for name in names_bound(node)
        }

    def _report(self, rule: str, node: Place, **words: object) -> None:
        if rule in AT_IMPORT and not self._scope.function and not isinstance(node, ast.alias):
            return
        start = self._lines[node.lineno - 1].encode()[: node.col_offset]
        column = len(start.decode("utf-8", "replace")) + 1
        finding = RULES[rule].at(self._file, node.lineno, column, **words)
        for key in self._scope.keys:
            self.found.setdefault(key, []).append(finding)

    def _visit_within(self, scope: _Scope, nodes: Iterable[ast.AST | None]) -> None:
        outer, self._scope = self._scope, scope
        for node in filter(None, nodes):
            self.visit(node)
        self._scope = outer

    def _path(self, node: ast.AST) -> str:
        return path_of(node, self._imports, self._scope.local) or ""

    def _is_collection(self, node: ast.expr | None) -> bool:
        """Return True for a new collection that can change."""
        if isinstance(node, ast.Call):
            return self._path(node.func) in _COLLECTIONS
        kinds = ast.List | ast.ListComp | ast.Dict | ast.DictComp | ast.Set | ast.SetComp
        return isinstance(node, kinds)

    # Definitions

    def visit_at_top(self, node: ast.stmt) -> None:
        """Visit a statement at the top of the file. It belongs to the names that it binds or changes."""
        if isinstance(node, ast.If) and re.search("TYPE_CHECKING|__name__", ast.unparse(node.test)):
            for part in node.orelse:
                self.visit_at_top(part)
            return
        names = names_bound(node) or {""}
        if isinstance(node, ast.Assign | ast.AnnAssign):
            is_one = len(names) == 1 and is_set(node.value, self._sets)
            self._sets = self._sets | names if is_one else self._sets - names
        elif not isinstance(node, Function | ast.ClassDef):
            words = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
            names = names | self._collections & words
        self._scope = _Scope(tuple((name, 0) for name in sorted(names)))
        for walked in sets_walked_over(node, self._sets):
            self._report("set_order", walked, name=ast.unparse(walked))
        self.visit(node)

    def visit_FunctionDef(self, node: Function | ast.Lambda) -> None:
        name, marks = getattr(node, "name", "<lambda>"), getattr(node, "decorator_list", [])
        scope, qualified = self._scope, self._scope.prefix + name
        line = min(part.lineno for part in (node, *marks))
        outer = [key for key in scope.keys if key[1] or isinstance(node, ast.Lambda)]
        around = scope._replace(keys=(*outer, (qualified, line)))
        self._visit_within(around, [*marks, node.args, getattr(node, "returns", None)])
        local, prefix = (*scope.local, bound_in(node)), f"{qualified}.<locals>."
        within = around._replace(prefix=prefix, local=local, function=name)
        self._visit_within(within, [node.body] if isinstance(node, ast.Lambda) else node.body)

    visit_Lambda = visit_FunctionDef  # noqa: N815  # Python looks for this name

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._report("async", node)
        self.visit_FunctionDef(node)

    def visit_arguments(self, node: ast.arguments) -> None:
        for default in (*node.defaults, *node.kw_defaults):
            if default is not None and self._is_collection(default):
                self._report("default", default, text=ast.unparse(default))
        self.generic_visit(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        qualified = self._scope.prefix + node.name
        keys = dict.fromkeys([*self._scope.keys, (qualified, 0)])
        parts = [*node.decorator_list, *node.bases, *node.keywords, *node.body]
        scope = self._scope._replace(keys=(*keys,), prefix=f"{qualified}.", methods=_methods(node))
        self._visit_within(scope, parts)
        for word in node.keywords:
            if word.arg not in ("total", "boundary") and self._path(word.value) != "abc.ABCMeta":
                self._report("metaclass", word.value, text=ast.unparse(word))

    # Names

    def visit_Import(self, node: ast.Import | ast.ImportFrom) -> None:
        home = "." * node.level + (node.module or "") if isinstance(node, ast.ImportFrom) else ""
        outer = self._scope
        for alias in node.names:
            if outer.function:
                self._report("late_import", alias)
            else:
                name = alias.asname or alias.name.partition(".")[0]
                self._scope = outer._replace(keys=((name, 0),))
            if alias.name == "*":
                self._shown.add(home)
            self._use(".".join(filter(None, (home, alias.name))).removesuffix(".*"), alias)
        self._scope = outer

    visit_ImportFrom = visit_Import  # noqa: N815  # Python looks for this name

    def _use(self, path: str, node: Place) -> None:
        """Report a name that is refused."""
        if (rule := refusal_of(path)) and node not in self._accepted:
            home = path.rpartition(".")[0]
            listed = ", ".join(sorted(MODULES.get(home) or (), key=str.lower))
            is_offered = listed and home != "builtins"
            instead = f"'{home}' offers {listed}" if is_offered else "write the parts that you need"
            self._report(rule, node, name=path.removeprefix("builtins."), instead=instead)

    def visit_Name(self, node: ast.Name) -> None:
        path = self._path(node)
        home = path.rpartition(".")[0]
        is_key = path == "builtins.hash" and self._scope.function == "__hash__"
        if node.id == "__file__":
            self._report("own_file", node)
        elif isinstance(node.ctx, ast.Load) and home in self._shown and not is_key:
            self._use(path, node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        holder = self._path(node.value)
        if rule := _INTERNALS.get(node.attr):
            self._report(rule, node, name=f".{node.attr}")
        elif holder in MODULES:
            self._use(f"{holder}.{node.attr}", node)
        if not isinstance(node.ctx, ast.Load) and self._scope.function != "__init_subclass__":
            self._change(node, is_class=ast.unparse(node.value) in _OWN_CLASS)
        self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        if not isinstance(node.ctx, ast.Load):
            self._change(node)
        self.generic_visit(node)

    def _change(self, node: ast.expr, is_class: bool = False) -> None:
        """Report the change of what outlives the call: of a name at the top, or of what it holds."""
        path = self._path(_root(node))
        if is_class or (path and not path.startswith("builtins.")):
            self._report("shared", node, name=ast.unparse(node).partition("[")[0])

    def visit_Global(self, node: ast.Global) -> None:
        self._report("shared", node, name="', '".join(node.names))

    # Numbers and texts

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, float | complex):
            text = self._lines[node.lineno - 1].encode()[node.col_offset : node.end_col_offset]
            self._report("float", node, text=text.decode(), kind=type(node.value).__name__)

    def visit_BinOp(self, node: ast.BinOp | ast.AugAssign) -> None:
        left, operator, right = ast.iter_child_nodes(node)
        is_path = any(_text(each) or isinstance(each, ast.JoinedStr) for each in (left, right))
        if isinstance(operator, ast.Div) and not is_path:
            self._report("division", node, sign="/" if isinstance(node, ast.BinOp) else "/=")
        elif isinstance(operator, ast.Mod):
            self._format(node, _PERCENT.findall(_text(left).replace("%%", "")))
        self.generic_visit(node)

    visit_AugAssign = visit_BinOp  # noqa: N815  # Python looks for this name

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        for part in node.values:
            if isinstance(part, ast.FormattedValue) and isinstance(part.format_spec, ast.JoinedStr):
                spec = "".join(map(_text, part.format_spec.values))
                self._format(node, _BRACES.findall(f":{spec}}}"))
        self.generic_visit(node)

    def _format(self, node: Place, specs: Iterable[str]) -> None:
        for spec in specs:
            self._report("float_format", node, spec=spec)

    # Calls

    def visit_Call(self, node: ast.Call) -> None:
        path, arguments = self._path(node.func), node.args
        if path in _BY_NAME and _text(*arguments[1:2]).isidentifier():
            self._accepted.add(node.func)
        elif path in _REQUIRE and arguments:
            self._require("require", node, arguments[0])
        elif path == "json.loads" and "parse_float" not in [each.arg for each in node.keywords]:
            self._report("json_float", node)
        elif path == "contextlib.suppress":
            self._catch(*arguments)
        elif path.startswith("heapq.heap") and arguments:
            self._change(arguments[0])
        elif isinstance(node.func, ast.Attribute):
            self._call_method(node.func, node.func.value)
        self.generic_visit(node)

    def _call_method(self, method: ast.Attribute, holder: ast.expr) -> None:
        if method.attr == "format":
            self._format(method, _BRACES.findall(_text(holder)))
        elif method.attr in _CHANGES and ast.unparse(_root(holder)) in self._collections:
            self._change(holder)

    # Statements

    def visit_Expr(self, node: ast.Expr) -> None:
        match node.value:
            case ast.Compare():
                self._report("compared_and_dropped", node)
            case ast.Attribute() as method if ast.unparse(method) in self._scope.methods:
                self._report("uncalled", node, name=ast.unparse(method))
            case ast.Call(ast.Attribute(ast.Attribute(attr="world"), "in_place") as method):
                self._report("unentered", node, name=ast.unparse(method))
            case ast.Call(made) if self._scope.function:
                name = self._path(made).rpartition(".")[2]
                if name[:1].isupper() and not name.isupper():
                    self._report("made_and_dropped", node, name=name)
        self.generic_visit(node)

    def visit_Assert(self, node: ast.Assert) -> None:
        self._require("assert", node, node.test)
        self.generic_visit(node)

    def visit_If(self, node: ast.If | ast.IfExp) -> None:
        if isinstance(node.test, ast.BoolOp):
            self._require("if", node, node.test)
        self.generic_visit(node)

    visit_IfExp = visit_If  # noqa: N815  # Python looks for this name

    def _require(self, word: str, node: Place, condition: ast.expr) -> None:
        functions = self._functions.difference(*self._scope.local)
        if reason := why_always_true(condition, functions):
            self._report("always_true", node, word=word, reason=reason)

    def visit_Compare(self, node: ast.Compare) -> None:
        for operator, right in zip(node.ops, node.comparators, strict=True):
            is_literal = isinstance(right, ast.Constant) and type(right.value) in (int, str, bytes)
            if is_literal and isinstance(operator, ast.Is | ast.IsNot):
                self._report("is_value", node)
        self.generic_visit(node)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if not isinstance(node.body[-1], ast.Raise) or node.body[-1].exc is not None:
            self._catch(
                *(node.type.elts if isinstance(node.type, ast.Tuple) else [node.type or node])
            )
        self.generic_visit(node)

    def _catch(self, *errors: ast.expr | ast.ExceptHandler) -> None:
        for error in errors:
            if isinstance(error, ast.ExceptHandler):
                self._report("broad", error, text="'except' without a name")
            elif (path := self._path(error)) in _BROAD:
                self._accepted.add(error)
                self._report("broad", error, text=f"'{path.rpartition('.')[2]}'")

    def visit_Try(self, node: ast.Try) -> None:
        for statement in node.finalbody:
            for part in ast.walk(statement):
                if isinstance(part, ast.Return):
                    self._report("finally", part)
        self.generic_visit(node)

    visit_TryStar = visit_Try  # type: ignore[assignment]  # noqa: N815  # Python looks for this name


def _text(node: ast.AST | None = None) -> str:
    """Return the value of a literal text; an empty text for all else."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _root(node: ast.expr) -> ast.expr:
    """Return the `name` of `name.attribute[index]`."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node


def _methods(node: ast.ClassDef) -> frozenset[str]:
    """Return the methods of a class as they are written in it, properties left out."""
    return frozenset(
        f"self.{part.name}"
        for part in node.body
        if isinstance(part, Function)
        and not any("property" in ast.unparse(mark) for mark in part.decorator_list)
    )
