"""Which requests with the same ClientRequestToken are the same transaction.

Source: captures of the service, September 2026.
"""

from collections.abc import Sequence
from hashlib import blake2b
from typing import Final

import msgspec

from hashrange.model.canonical import canonical_constants
from hashrange.model.wording import Wording
from hashrange.operations.transactions import structures
from hashrange.operations.transactions.actions import Action
from hashrange.operations.transactions.structures import TransactWriteItem
from hashrange.tables.tokens import IDENTITY_BYTES

_encoded: Final = msgspec.json.Encoder(order="deterministic").encode


def identity_of(members: Sequence[object], *options: str | None) -> bytes:
    """A hash of the members in their order, and of the options that are not NONE."""
    identity = blake2b(_encoded(members), digest_size=IDENTITY_BYTES)
    for option in map(unless_none, options):
        if option is not None:
            identity.update(option.encode())
    return identity.digest()


def unless_none(option: str | None) -> str | None:
    """An option; NONE is the same as none."""
    return None if option == "NONE" else option


def comparable(action: Action) -> TransactWriteItem:
    """An action with canonical values: 1 and 1.0 are the same number."""
    sent = action.sent
    values = sent.expression_attribute_values
    if values is not None:
        values = canonical_constants(values, Wording.OLDER).item
    failure = unless_none(sent.return_values_on_condition_check_failure)
    same = {
        "expression_attribute_values": values,
        "return_values_on_condition_check_failure": failure,
    }
    if isinstance(sent, structures.Put):
        return TransactWriteItem(put=msgspec.structs.replace(sent, item=action.item, **same))
    if isinstance(sent, structures.Update):
        return TransactWriteItem(update=msgspec.structs.replace(sent, key=action.item, **same))
    if isinstance(sent, structures.Delete):
        return TransactWriteItem(delete=msgspec.structs.replace(sent, key=action.item, **same))
    return TransactWriteItem(condition_check=msgspec.structs.replace(sent, key=action.item, **same))
