"""Kinds of values, a class for each: the bytes of its values in the ABI, their words in storage, their text and JSON.

`kind` has what all kinds share, `numbers`, `texts`, `records`, `unions` and `lists` the kinds; `annotations` makes a kind of an
annotation, `source` writes the functions of a kind, `mismatch` has the errors about values that do not
fit, `inputs` checks arguments from users. May import `errors`, `source`, `crypto`. Begin with `kind`.
"""

from __future__ import annotations

from typing import Final

from chain.crypto.address import Address
from chain.values.kind import ValueType, accepts, explain_mismatch
from chain.values.lists import ListType, RemadeType
from chain.values.mismatch import BadData, ValueMismatch, join, short_repr
from chain.values.numbers import BoolType, EnumType, Int, Scalar
from chain.values.records import VARIANTS, Field, KeyMark, OptionalType, StructType
from chain.values.texts import AddressType, Blob, BytesType, FixedBytes, RawScalar, StringType
from chain.values.unions import UnionType

__all__ = [
    "PLAIN",
    "VARIANTS",
    "AddressType",
    "BadData",
    "Blob",
    "BoolType",
    "BytesType",
    "EnumType",
    "Field",
    "FixedBytes",
    "Int",
    "KeyMark",
    "ListType",
    "OptionalType",
    "RawScalar",
    "RemadeType",
    "Scalar",
    "StringType",
    "StructType",
    "UnionType",
    "ValueMismatch",
    "ValueType",
    "accepts",
    "explain_mismatch",
    "join",
    "short_repr",
]

# The types of Python that are value types as they are.
PLAIN: Final[dict[type, ValueType]] = {
    bool: BoolType(),
    str: StringType(),
    bytes: BytesType(),
    Address: AddressType(),
}
