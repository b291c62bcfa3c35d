"""The names of the tables in a request's body, for the request log."""

import re
from typing import Final

import msgspec

from hashrange.limits.requests import TRANSACTION_ACTIONS_MAX
from hashrange.wire.codec import DECODE_ERRORS

NAMES_MAX: Final = 5
"""Names that are logged for one body."""
_HARMLESS: Final = re.compile(r"[\w.:/-]{1,1024}", re.ASCII).fullmatch


class _Named(msgspec.Struct, rename="pascal"):
    table_name: str | None = None


class _Body(msgspec.Struct, rename="pascal"):
    table_name: str | None = None
    request_items: dict[str, msgspec.Raw] | None = None
    transact_items: list[dict[str, _Named]] | None = None


_decode: Final = msgspec.json.Decoder(_Body).decode


def named_tables(body: bytes) -> str:
    """Names or ARNs as they were sent, joined by commas; empty for a malformed body.

    Texts that are not names are left out, since they could contain line breaks.
    """
    try:
        found = _decode(body)
    except DECODE_ERRORS:
        return ""
    names = [found.table_name, *(found.request_items or ())]
    for entry in (found.transact_items or [])[:TRANSACTION_ACTIONS_MAX]:
        names += [action.table_name for action in entry.values()]
    kept = dict.fromkeys(name for name in names if name is not None and _HARMLESS(name))
    return ",".join([*kept][:NAMES_MAX])
