"""The Ethereum contract ABI of whole calls: signatures, calldata, results, logs.

A value type encodes and decodes its values (`chain.values`); here they are put side by side. Property tests check that both
directions agree with eth-abi. `events` encodes logs, `json_abi` reads the ABI of contracts that are not written in Python. May
import `values` and what is below it. Begin with `calls`.
"""

from __future__ import annotations

from chain.abi.calls import (
    call_encoder,
    decode,
    decode_members,
    json_type,
    members_decoder,
    prefixing,
    selector,
    signature,
    widened,
)
from chain.abi.events import EventEncoder, event_encoder, topic_encoder
from chain.values import BadData, ValueMismatch, explain_mismatch
from chain.values.records import abi_name, field_name

__all__ = [
    "BadData",
    "EventEncoder",
    "ValueMismatch",
    "abi_name",
    "call_encoder",
    "decode",
    "decode_members",
    "event_encoder",
    "explain_mismatch",
    "field_name",
    "json_type",
    "members_decoder",
    "prefixing",
    "selector",
    "signature",
    "topic_encoder",
    "widened",
]
