"""Which requests with the same ClientRequestToken are the same transaction.

Source: captures of the service, September 2026.
"""

from collections.abc import Sequence
from hashlib import blake2b
from typing import Final

import msgspec

from hashrange.api.dynamodb.transactions.actions import Action
from hashrange.model.canonical import canonical_constants
from hashrange.model.structures import dynamodb as structures
from hashrange.model.structures.dynamodb import TransactWriteItem
from hashrange.model.wording import Wording
from hashrange.tables.writing.tokens import IDENTITY_BYTES

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
    values, failure = (
        sent.expression_attribute_values,
        sent.return_values_on_condition_check_failure,
    )
    changed: dict[str, object] = {}
    if values is not None:
        changed["expression_attribute_values"] = canonical_constants(values, Wording.OLDER).item
    if failure is not None:
        changed["return_values_on_condition_check_failure"] = unless_none(failure)
    if isinstance(sent, structures.Put):
        if action.item is not sent.item:
            changed["item"] = action.item
    elif action.item is not sent.key:
        changed["key"] = action.item
    if changed:
        sent = msgspec.structs.replace(sent, **changed)
    return TransactWriteItem(**{_MEMBERS[type(sent)]: sent})  # type: ignore[arg-type]


_MEMBERS: Final[dict[type, str]] = {
    structures.Put: "put",
    structures.Update: "update",
    structures.Delete: "delete",
    structures.ConditionCheck: "condition_check",
}
