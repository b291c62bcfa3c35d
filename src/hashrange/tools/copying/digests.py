"""Checksums of sets of items, which do not depend on the order of the items. Pure."""

from collections.abc import Callable, Iterable, Mapping
from hashlib import blake2b
from typing import Any, Final, TypeAlias

import msgspec

from hashrange.errors import DynamoError
from hashrange.model.canonical import canonical_item
from hashrange.model.wording import Wording

_BYTES: Final = 16
_MODULUS: Final = 1 << 8 * _BYTES
_encode: Final = msgspec.json.Encoder(order="sorted").encode
_decode: Final = msgspec.json.Decoder(dict[str, Any]).decode

Text: TypeAlias = bytes | msgspec.Raw
"""An item in JSON."""
Digest: TypeAlias = Callable[[Text], int]
"""The digest of one item."""


class Tally(msgspec.Struct, frozen=True):
    """The number of items in a set, and the sum of their digests modulo 2**128."""

    items: int = 0
    digest: str = f"{0:0{2 * _BYTES}x}"
    """Hexadecimal, since many JSON parsers lose digits of large numbers."""

    def plus(self, items: Iterable[Text], digest: Digest) -> "Tally":
        """The tally with more items."""
        digests = [digest(item) for item in items]
        return self._with(len(digests), sum(digests))

    def joined(self, other: "Tally") -> "Tally":
        """The tally of both sets together."""
        return self._with(other.items, int(other.digest, 16))

    def _with(self, items: int, digest: int) -> "Tally":
        total = (int(self.digest, 16) + digest) % _MODULUS
        return Tally(self.items + items, f"{total:0{2 * _BYTES}x}")


def digest_of_text(text: Text) -> int:
    """A digest of the bytes, for places in which equal items have equal JSON."""
    return int.from_bytes(blake2b(text, digest_size=_BYTES).digest())


def digest_of_any_text(text: Text) -> int:
    """A digest of the item, whatever its JSON is; costs seven times as much."""
    return digest_of(_decode(text))


def joined(tallies: Iterable[Tally]) -> Tally:
    """The tally of all sets together."""
    total = Tally()
    for tally in tallies:
        total = total.joined(tally)
    return total


def digest_of(item: Mapping[str, Any]) -> int:
    """The digest of an item's canonical JSON, in which attributes are sorted."""
    return digest_of_text(text_of(item))


def text_of(item: Mapping[str, Any]) -> bytes:
    """The canonical JSON of an item or a key, with sorted attributes."""
    try:
        return _encode(canonical_item(item, Wording.CURRENT).item)
    except DynamoError:
        # Other servers may store items that DynamoDB does not allow; TO may refuse them.
        return _encode(item)
