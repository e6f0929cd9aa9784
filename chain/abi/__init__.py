"""The Ethereum contract ABI: signatures, encoding and decoding of values.

Each value type has a row in three tables: its ABI type (`signatures`), how it is encoded (`encode`), how it is decoded
(`decode`). Both directions are busy, so each is written out once per type as a flat Python function around one
`struct.pack` or `unpack`, as `dataclasses` writes `__init__`; only where that fails is the value walked to say what is
wrong. Property tests hold both equal to eth-abi. `json_abi` reads the ABI of contracts that are not Python. May import
`schema` and what is below it. Begin with `signatures`.
"""

from __future__ import annotations

from chain.abi.decode import BadData, Decoder, decode, decode_members, decoder, members_decoder
from chain.abi.encode import Encoder, encoder, widened
from chain.abi.signatures import (
    abi_name,
    abi_type,
    field_name,
    head_size,
    is_dynamic,
    json_type,
    selector,
    signature,
)
from chain.schema.validation import (
    ValueMismatch,
    explain_mismatch,
)

__all__ = [
    "BadData",
    "Decoder",
    "Encoder",
    "ValueMismatch",
    "abi_name",
    "abi_type",
    "decode",
    "decode_members",
    "decoder",
    "encoder",
    "explain_mismatch",
    "field_name",
    "head_size",
    "is_dynamic",
    "json_type",
    "members_decoder",
    "selector",
    "signature",
    "widened",
]
