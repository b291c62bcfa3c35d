"""Users of a simulated world: access keys, their policies, and what these deny."""

import dataclasses
from typing import Any, Final

from bench.asking import Sent, encoded
from bench.signed import ADMINISTRATOR, EVERYTHING, Users, sign

LIMITED: Final = dataclasses.replace(ADMINISTRATOR, access_key="AKIDLIMITED")
"""Of a user who removes no items, and does not put one of them."""
PROTECTED: Final = "k0"
_DENIALS: Final = (
    {"Effect": "Deny", "Action": "dynamodb:DeleteItem", "Resource": "*"},
    {
        "Effect": "Deny",
        "Action": ["dynamodb:PutItem", "dynamodb:BatchWriteItem"],
        "Resource": "*",
        "Condition": {"ForAnyValue:StringEquals": {"dynamodb:LeadingKeys": PROTECTED}},
    },
)
USERS: Final = Users((LIMITED, [EVERYTHING, *_DENIALS]))
_PUTTING: Final = frozenset({"put", "put if", "batch write", "transact write"})
"""Names of calls that put items by `PutItem`, `BatchWriteItem`, or in a transaction."""


def is_denied(name: str, keys: object, written: object) -> bool:
    """Whether the policies of a user deny a call with this name, which writes these items."""
    if keys != LIMITED:
        return False
    assert isinstance(written, dict)
    return name == "delete" or (name in _PUTTING and PROTECTED in written)


def signature(target: str, body: dict[str, Any], keys: Any, now_ms: int) -> dict[bytes, bytes]:
    """The headers of a signed request, as the HTTP server passes them on."""
    signed = sign(8000, Sent(target, encoded(body)), now_ms, keys=keys)
    return {name.lower().encode(): value.encode() for name, value in signed.items()}
