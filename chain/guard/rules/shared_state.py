"""A contract keeps its state in storage. Any other value that outlives a call is lost on a machine that is restarted.

So the values of modules and classes are constants: built while the module is imported, and never changed by a function.
"""

from __future__ import annotations

import ast
from typing import Final

from chain.guard.finding import Rule
from chain.guard.inference import infer
from chain.guard.scope import Scopes
from chain.source.classes import (
    CHANGERS,
    changes_argument,
    changes_itself,
    changes_self,
    class_of,
    is_enum,
    method_of,
)
from chain.source.modules import Definition
from chain.source.static_types import class_named
from chain.source.word_sets import word_set

_LOST: Final = "it is not part of the chain: a failed call would not undo it, and another machine would not have it"
_STORE: Final = "keep it in a field of the contract, or pass it as an argument"

GLOBAL: Final = Rule("global", "'{word}' sets {names} from inside a function", _LOST, _STORE)
SHARED: Final = Rule("shared", "this changes '{name}', which outlives the call", _LOST, _STORE)
CLASS_VALUE: Final = Rule("class_value", "this sets '{name}' on a class", _LOST, _STORE)
CLASS_MUTABLE: Final = Rule(
    "class_mutable",
    "{thing} in the body of a class is shared by all its instances",
    "a change through one of them affects all, from call to call",
    "write a tuple, field(default_factory={factory}) in a dataclass, or a constant of the module",
)
DEFAULT: Final = Rule(
    "default",
    "{thing} as a default is created once and then shared by all calls",
    "a change in one call affects the next",
    "write None and create it inside, or use a tuple",
)
ITERATOR: Final = Rule(
    "iterator",
    "'{name}' can be read only once and keeps its position",
    _LOST,
    "make a tuple of it, or create it inside the function",
)
OBJECT: Final = Rule(
    "object",
    "'{name}' is a {cls}, whose methods change it",
    _LOST,
    "create it inside the call, or make {cls} a frozen dataclass whose methods return a new one",
)

RULES: Final = (GLOBAL, SHARED, CLASS_VALUE, CLASS_MUTABLE, DEFAULT, ITERATOR, OBJECT)

_DISPLAYS: Final = {
    ast.List: "list", ast.ListComp: "list", ast.Dict: "dict", ast.DictComp: "dict", ast.Set: "set", ast.SetComp: "set",
}  # fmt: skip
_MAKERS: Final = word_set("list dict set bytearray", "builtins.") | word_set(
    "Counter OrderedDict defaultdict deque", "collections."
)
_ITERATORS: Final = word_set("enumerate filter iter map open reversed zip", "builtins.")
ARGUMENT_CHANGERS: Final = word_set(
    """
    bisect.insort bisect.insort_left bisect.insort_right heapq.heapify heapq.heappop heapq.heappush heapq.heappushpop
    heapq.heapreplace operator.delitem operator.setitem
    """
)


def declarations(node: ast.Global | ast.Nonlocal, place: Scopes) -> None:
    word = "global" if isinstance(node, ast.Global) else "nonlocal"
    place.report(GLOBAL, node, word=word, names=", ".join(f"'{name}'" for name in node.names))


def settings(node: ast.Attribute | ast.Subscript, place: Scopes) -> None:
    """`TABLE[0] = 1`, `del TABLE[0]`, `Game.count = 1`, `cls.count += 1`."""
    if isinstance(node.ctx, ast.Load) or not place.is_running:
        return
    if isinstance(node, ast.Attribute) and _is_class(node.value, place):
        place.report(CLASS_VALUE, node, name=node.attr)
        return
    name = place.outliving_name(node.value)
    if name is not None:
        place.report(SHARED, node, name=name)


def _is_class(node: ast.expr, place: Scopes) -> bool:
    value_type = infer(node, place)
    return value_type is not None and value_type.name == "class"


def additions(node: ast.AugAssign, place: Scopes) -> None:
    """`rows += [1]`, where `rows` is another name for a constant: it changes the list itself."""
    if isinstance(node.target, ast.Name) and place.is_running:
        name, value_type = place.outliving_name(node.target), infer(node.target, place)
        if (
            name is not None
            and value_type is not None
            and value_type.name in ("list", "dict", "set")
        ):
            place.report(SHARED, node, name=name)


def calls(node: ast.Call, place: Scopes) -> None:
    if not place.is_running:
        return
    path = place.path(node.func)
    if path in ARGUMENT_CHANGERS and node.args:
        _report_shared(node.args[0], node, place)
    elif isinstance(node.func, ast.Attribute):
        if node.func.attr == "shuffle" and node.args:
            _report_shared(node.args[0], node, place)
        elif node.func.attr in CHANGERS and not _is_harmless(node.func, place):
            _report_shared(node.func.value, node, place)
    else:
        _passes_to(node, place)


def _passes_to(node: ast.Call, place: Scopes) -> None:
    """Report a constant that is passed to a function of the package that changes its argument."""
    resolved = place.definition(node.func)
    function = resolved[0].node if resolved is not None and not resolved[1] else None
    if isinstance(function, ast.FunctionDef):
        for i, argument in enumerate(node.args):
            if place.outliving_name(argument) is not None and changes_argument(function, i):
                _report_shared(argument, node, place)


def _report_shared(value: ast.expr, node: ast.Call, place: Scopes) -> None:
    name = place.outliving_name(value)
    if name is not None:
        place.report(SHARED, node, name=name)


def _is_harmless(func: ast.Attribute, place: Scopes) -> bool:
    """True for a function of a module, a method of a class, or a method of the package that is only named like a mutator."""
    resolved = place.definition(func)
    if resolved is not None and not resolved[1]:
        return True
    if (
        resolved is not None
        and resolved[1] == func.attr
        and isinstance(resolved[0].node, ast.ClassDef)
    ):
        return True
    cls = class_named(infer(func.value, place), place.sources)
    method = method_of(cls, func.attr, place.sources) if cls else None
    return method is not None and not changes_self(method)


def defaults(node: ast.arguments, place: Scopes) -> None:
    for default in (*node.defaults, *node.kw_defaults):
        if default is not None:
            thing = mutable(default, place)
            if thing is not None:
                place.report(DEFAULT, default, thing=thing)


def mutable(node: ast.expr, place: Scopes) -> str | None:
    """The mutable value that this expression creates ('a list', 'a deque'); None if there is none."""
    if type(node) in _DISPLAYS:
        return f"a {_DISPLAYS[type(node)]}"
    if isinstance(node, ast.Call):
        path = place.path(node.func)
        if path in _MAKERS:
            return f"a {str(path).rpartition('.')[2]}"
        resolved = place.sources.definition(path)
        if resolved is not None and not resolved[1] and _changes(resolved[0], place):
            return f"a {resolved[0].name}"
    return None


def _changes(definition: Definition, place: Scopes) -> bool:
    is_class = isinstance(definition.node, ast.ClassDef)
    return is_class and changes_itself(class_of(definition), place.sources)


def values(node: ast.Assign | ast.AnnAssign, place: Scopes) -> None:
    """Report a mutable value or an iterator that is assigned in the body of a module or class."""
    if place.is_running or node.value is None:
        return
    target = node.targets[0] if isinstance(node, ast.Assign) else node.target
    name = target.id if isinstance(target, ast.Name) else ast.unparse(target)
    thing = mutable(node.value, place)
    if _is_iterator(node.value, place):
        place.report(ITERATOR, node.value, name=name)
    elif thing is None or name.startswith("__"):
        return
    elif place.scope.what == "class":
        if not _is_enum(place):
            factory = thing.removeprefix("a ")
            place.report(CLASS_MUTABLE, node.value, thing=thing, factory=factory)
    elif isinstance(node.value, ast.Call) and place.path(node.value.func) not in _MAKERS:
        place.report(OBJECT, node.value, name=name, cls=thing.removeprefix("a "))


def _is_enum(place: Scopes) -> bool:
    node = place.scope.node
    assert isinstance(node, ast.ClassDef)
    return is_enum(class_of(Definition(place.module, node.name, node)), place.sources)


def _is_iterator(node: ast.expr, place: Scopes) -> bool:
    if isinstance(node, ast.GeneratorExp):
        return True
    if not isinstance(node, ast.Call):
        return False
    path = place.path(node.func) or ""
    if path in _ITERATORS or path.startswith("itertools."):
        return True
    resolved = place.sources.definition(path)
    if resolved is None or resolved[1] or not isinstance(resolved[0].node, ast.FunctionDef):
        return False
    decorators = [ast.unparse(decorator) for decorator in resolved[0].node.decorator_list]
    yields = any(isinstance(part, ast.Yield | ast.YieldFrom) for part in ast.walk(resolved[0].node))
    return yields and not decorators


CHECKS: Final = {
    ast.Global: (declarations,),
    ast.Nonlocal: (declarations,),
    ast.Attribute: (settings,),
    ast.Subscript: (settings,),
    ast.AugAssign: (additions,),
    ast.Call: (calls,),
    ast.arguments: (defaults,),
    ast.Assign: (values,),
    ast.AnnAssign: (values,),
}
