"""How many items there are, and a sum that tells whether two sets of them are the same. Pure."""

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
"""What is summed of each item."""


class Tally(msgspec.Struct, frozen=True):
    """A number of items, and the sum of their digests, in which their order does not matter."""

    items: int = 0
    digest: str = f"{0:0{2 * _BYTES}x}"
    """Hexadecimal: JSON's numbers are not that large everywhere."""

    def plus(self, items: Iterable[Text], digest: Digest) -> "Tally":
        """With these items, as the wire has them."""
        digests = [digest(item) for item in items]
        return self._with(len(digests), sum(digests))

    def joined(self, other: "Tally") -> "Tally":
        """Of both sets together."""
        return self._with(other.items, int(other.digest, 16))

    def _with(self, items: int, digest: int) -> "Tally":
        total = (int(self.digest, 16) + digest) % _MODULUS
        return Tally(self.items + items, f"{total:0{2 * _BYTES}x}")


def digest_of_text(text: Text) -> int:
    """The same for the same bytes: enough where each item has one text."""
    return int.from_bytes(blake2b(text, digest_size=_BYTES).digest())


def digest_of_any_text(text: Text) -> int:
    """The same for two texts of one item; costs seven times as much."""
    return digest_of(_decode(text))


def joined(tallies: Iterable[Tally]) -> Tally:
    """Of all sets together."""
    total = Tally()
    for tally in tallies:
        total = total.joined(tally)
    return total


def digest_of(item: Mapping[str, Any]) -> int:
    """The same for two forms of one item: numbers, sets and the order of attributes are one."""
    return digest_of_text(text_of(item))


def text_of(item: Mapping[str, Any]) -> bytes:
    """The one JSON of an item, or of its key."""
    try:
        return _encode(canonical_item(item, Wording.CURRENT).item)
    except DynamoError:
        # Another server's leniency: it is no item of DynamoDB, and TO may refuse it.
        return _encode(item)
