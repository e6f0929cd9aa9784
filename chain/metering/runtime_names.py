"""The names in an instrumented copy for expensive work: builtins, operators and other functions that charge before they run."""

from __future__ import annotations

import ast
import builtins
import operator
import sys
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any, Final

from chain.metering import arithmetic
from chain.metering.builtin_costs import (
    BUILT,
    ROWS,
    charge_items,
    charge_new_items,
    charge_pictured,
    charge_shown,
    guarded_bytes,
    guarded_digits,
    guarded_extreme,
    guarded_iter,
    guarded_reversed,
    guarded_sorted,
    guarded_str,
    guarded_sum,
    metered_builtin,
    metered_if_long,
    metered_lazy_builtin,
    pay_keys,
    pay_pairs,
    written,
)
from chain.metering.delegation import delegated
from chain.metering.fixed_cost_methods import SHORT_CALLS
from chain.metering.format_costs import guarded_format, pay_for_width
from chain.metering.fuel import INSTRUMENTED_BUILTINS, charge, charge_8
from chain.metering.lookup_costs import asking_classes, charge_slice, contains, index, moved
from chain.metering.method_costs import bound, metered_method, number
from chain.metering.ordered_sets import SETS
from chain.metering.own_costs import TYPED
from chain.metering.stable_hash import no_identity, stable_hash
from chain.metering.stable_text import picturable, worded
from chain.metering.stdlib_costs import metered_stdlib_call, priced
from chain.metering.text_pieces import join_pieces
from chain.metering.value_size import LIGHT, NEAR, PLAIN, key, weigh
from chain.types import u8

WALKING: Final = ("any", "all")
BUILDING: Final = ("list", "tuple")
KEYED: Final = tuple(SETS)
BUILTINS: Final[dict[str, object]] = {
    "sum": guarded_sum,
    "sorted": guarded_sorted,
    "iter": guarded_iter,
    "pow": arithmetic.power,
    "divmod": arithmetic.guarded_divmod,
    "int": arithmetic.guarded_int,
    "format": guarded_format,
    "hash": lambda value: stable_hash(weigh(value)),
    "id": no_identity,
    **{name: asking_classes(getattr(builtins, name)) for name in ("isinstance", "issubclass")},
    **{name: guarded_digits(getattr(builtins, name)) for name in ("bin", "hex", "oct", "round")},
    "str": guarded_str(str, worded, charge_shown),
    **{
        name: guarded_str(getattr(builtins, name), picturable, charge_pictured)
        for name in ("repr", "ascii")
    },
    **{name: guarded_extreme(getattr(builtins, name)) for name in ("min", "max")},
    **{name: metered_builtin(getattr(builtins, name), charge_items) for name in WALKING},
    **{name: metered_builtin(getattr(builtins, name), charge_new_items) for name in BUILDING},
    **{name: metered_builtin(ordered, pay_keys, 128) for name, ordered in SETS.items()},
    "dict": metered_builtin(dict, pay_pairs),
    **{name: guarded_bytes(getattr(builtins, name)) for name in ("bytes", "bytearray")},
    "memoryview": metered_builtin(memoryview, lambda data: data, 64),
    "map": metered_lazy_builtin(map, 1, each=12),
    "filter": metered_lazy_builtin(filter, 1, each=12),
    "zip": metered_lazy_builtin(zip),
    "enumerate": metered_lazy_builtin(enumerate, 0, 1),
    "reversed": guarded_reversed,
}
CLASSES: Final = frozenset(name for name in BUILTINS if isinstance(getattr(builtins, name), type))
# Functions that call some of their first arguments, by their number.
CALLING: Final = {
    **dict.fromkeys(("builtins.map", "builtins.filter", "functools.reduce"), 1),
    **dict.fromkeys(("itertools.starmap", "collections.defaultdict"), 1),
    "functools.partial": sys.maxsize,
}
OPERATORS: Final[dict[type[ast.operator], tuple[Any, Any]]] = {
    ast.Add: (arithmetic.add, operator.iadd),
    ast.Sub: (arithmetic.subtract, operator.isub),
    ast.Mult: (arithmetic.multiply, operator.imul),
    ast.FloorDiv: (arithmetic.divide, operator.ifloordiv),
    ast.Mod: (arithmetic.remainder, operator.imod),
    ast.Pow: (arithmetic.raise_to, operator.ipow),
    ast.LShift: (arithmetic.shift, operator.ilshift),
    ast.BitOr: (arithmetic.unite, operator.ior),
    ast.BitAnd: (arithmetic.intersect, operator.iand),
    ast.BitXor: (arithmetic.differ, operator.ixor),
}
_WORDS: Final = {
    f"__{function.__name__}__": function
    for function in (
        written,
        charge_shown,
        charge_pictured,
        contains,
        charge_slice,
        metered_method,
        bound,
        number,
        metered_stdlib_call,
        priced,
        charge_items,
        charge_new_items,
        pay_keys,
        pay_pairs,
        metered_if_long,
        delegated,
        key,
        weigh,
        index,
        moved,
        pay_for_width,
        charge_8,
        arithmetic.summed,
        join_pieces,
        *(operation for pair in OPERATORS.values() for operation in pair),
    )
}
CALLED: Final[dict[Any, Any]] = {
    builtin: BUILTINS[name]
    for name in CLASSES
    for builtin in (getattr(builtins, name), SETS.get(name, getattr(builtins, name)))
}


def _class_made(*args: object) -> object:
    """Return `type(…)`, which creates a class if it has three arguments."""
    if len(args) > 1:
        charge(2**16)
    return type(*args)


CALLED[type] = _class_made
CALLED.update(TYPED)
_CLASSES: Final = (type, type(u8))  # what a class is an object of, and a type such as `u8`
_PASSING: Final = frozenset({"functools", "typing"})  # modules whose objects pass a call on
_PASSED: Final = 32  # ticks for that
_MADE: Final = 16  # ticks to make an object, where no name shows that a class is called


# Types of callables other than classes.
FUNCTIONS: Final = frozenset({FunctionType, MethodType, BuiltinFunctionType})


def called(thing: object) -> Any:
    """Return `thing`, which is called under an author's own name; for a builtin class, its substitute."""
    if not isinstance(thing, _CLASSES):
        if type(thing).__module__ in _PASSING:
            charge(_PASSED + BUILT * len(getattr(thing, "args", ())))
        return thing
    charge(_MADE)
    return CALLED.get(thing, thing)


INSTRUMENTED_BUILTINS.update(_WORDS)
INSTRUMENTED_BUILTINS.update({"__called__": called, "__called_type__": _class_made})
INSTRUMENTED_BUILTINS.update(
    {
        f"__bare_{name}_paid__": metered_builtin(getattr(builtins, name), pay_keys, 16)
        for name in KEYED
    }
)
INSTRUMENTED_BUILTINS.update({f"__{name}__": guarded for name, guarded in BUILTINS.items()})
INSTRUMENTED_BUILTINS.update({f"__call_{name}__": call for name, call in SHORT_CALLS.items()})
INSTRUMENTED_BUILTINS.update(
    {
        "__light__": LIGHT,
        "__plain__": PLAIN,
        "__class_of__": type,
        "__length_of__": len,
        "__int_class__": int,
        "__functions__": FUNCTIONS,
        "__rows__": ROWS,
        "__below__": -NEAR,
        "__above__": NEAR,
        "__farthest__": arithmetic.FARTHEST,
        "__most__": arithmetic.LARGE,
        "__least__": -arithmetic.LARGE,
    }
)
