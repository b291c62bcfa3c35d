"""Items of answers of the upstream, and as the item cache has them: their canonical JSON."""

from typing import Any, Final

import msgspec

from hashrange.model.canonical import canonical_item, encoded_item
from hashrange.model.values import AttributeValue, Item
from hashrange.model.wording import Wording

_decode: Final = msgspec.json.Decoder(dict[str, AttributeValue]).decode


def stored_item(item: Any) -> bytes:
    """The canonical JSON of an item, as sent by a client or the upstream. Raises DynamoError."""
    return encoded_item(item, Wording.CURRENT).json


def item_of(json: bytes) -> Item:
    """An item of the item cache."""
    found: Any = _decode(json)
    return found  # type: ignore[no-any-return]


def canonical(item: Any) -> Item:
    """An item of the upstream in the form that the protocol needs. Raises DynamoError."""
    return canonical_item(item, Wording.CURRENT).item
