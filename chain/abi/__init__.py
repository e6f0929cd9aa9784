"""The Ethereum contract ABI: signatures, encoding and decoding of values.

A value type knows its name in the ABI, and a scalar its word; `encode` and `decode` put them together. Both are hot paths, so
each is generated once per type as a straight-line Python function around one `struct.pack` or `unpack`, as `dataclasses`
generates `__init__`. Only if that function fails is the value walked to explain the error. Property tests check that both
directions agree with eth-abi. `events` encodes logs, `json_abi` reads the ABI of contracts that are not written in Python. May
import `schema` and what is below it. Begin with `encode`.
"""

from __future__ import annotations

from chain.abi.decode import BadData, Decoder, decode, decode_members, decoder, members_decoder
from chain.abi.encode import Encoder, call_encoder, encoder, key_encoder, member_encoder, widened
from chain.abi.events import EventEncoder, event_encoder, topic_encoder
from chain.abi.signatures import (
    abi_name,
    field_name,
    json_type,
    selector,
    signature,
)
from chain.schema.validation import ValueMismatch, explain_mismatch

__all__ = [
    "BadData",
    "Decoder",
    "Encoder",
    "EventEncoder",
    "ValueMismatch",
    "abi_name",
    "call_encoder",
    "decode",
    "decode_members",
    "decoder",
    "encoder",
    "event_encoder",
    "explain_mismatch",
    "field_name",
    "json_type",
    "key_encoder",
    "member_encoder",
    "members_decoder",
    "selector",
    "signature",
    "topic_encoder",
    "widened",
]
