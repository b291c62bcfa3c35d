"""Items as the protocol has them: the number of an attribute list, then values in its order.

The names of the attributes that are not in the key are an *attribute list*, which has a number for
good. Whoever reads or writes an item must know the list: `Facts` finds it, or raises
`UnknownFactError`, after which the caller loads it and begins again.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol, TypeAlias

import msgspec

from hashrange.bounded_cache import BoundedCache
from hashrange.dax.protocol.keys import Key, Schema, encode_key
from hashrange.dax.protocol.values import encode_value, read_value
from hashrange.errors import invalid
from hashrange.messages.dax import item_unreadable
from hashrange.wire.cbor.encoding import BREAK, START_MAP, byte_string, encode_integer, head
from hashrange.wire.cbor.reader import MAP, IncompleteError, MalformedError, read_item

_decode: Final = msgspec.json.Decoder().decode
EMPTY_LIST: Final = 1
"""The number of the list without names, which no client asks for."""

Names: TypeAlias = tuple[str, ...]


class UnknownFactError(Exception):
    """A fact is to be loaded: the schema of a table, an attribute list, or a list's number."""

    def __init__(self, *, table: str | None = None, list_id: int = 0, names: Names = ()) -> None:
        super().__init__("a fact is not in memory")
        self.table = table
        self.list_id = list_id
        self.names = names


Encoded: TypeAlias = BoundedCache[tuple[str, Schema, bytes], bytes]
"""Items that were encoded, by scope, schema and stored JSON; attribute lists never change."""


class Facts(Protocol):
    """Facts that requests and answers need beside their bytes.

    Attributes:
        scope: whose attribute lists they are.
        encoded: items that were encoded.
    """

    @property
    def scope(self) -> str:
        """As above."""

    @property
    def encoded(self) -> Encoded:
        """As above."""

    def schema(self, table: str) -> Schema | None:
        """The key schema of a table; None if it does not exist. Raises UnknownFactError."""

    def names_of(self, list_id: int) -> Names:
        """The names of an attribute list. Raises UnknownFactError."""

    def list_id(self, names: Names) -> int:
        """The number of an attribute list. Raises UnknownFactError."""


def read_attributes(data: bytes, facts: Facts) -> Key:
    """The attributes of an item, without its key, not canonical. Raises DynamoError."""
    try:
        list_id, at = _read_list_id(data)
        names = () if list_id == EMPTY_LIST else facts.names_of(list_id)
        found: dict[str, Any] = {}
        for name in names:
            found[name], at = read_value(data, at)
    except (IncompleteError, MalformedError) as error:
        raise invalid(item_unreadable()) from error
    if at != len(data):
        raise invalid(item_unreadable())
    return found


def _read_list_id(data: bytes) -> tuple[int, int]:
    list_id, at = read_item(data, 0, 0)
    if type(list_id) is not int:
        raise MalformedError("an attribute list has no number")
    return list_id, at


def encode_attributes(item: Mapping[str, Any], schema: Schema, facts: Facts) -> bytes:
    """An item without its key, as a byte string."""
    keys = schema.names
    names = tuple(sorted([name for name in item if name not in keys]))
    values = b"".join([encode_value(item[name]) for name in names])
    return byte_string(encode_integer(_number(names, facts)) + values)


def encode_stored(item: Any, schema: Schema, facts: Facts) -> bytes:
    """As `encode_attributes`; an item that is stored JSON is encoded once."""
    if not isinstance(item, msgspec.Raw):
        return encode_attributes(item, schema, facts)
    stored = bytes(item)
    key = (facts.scope, schema, stored)
    encoded = facts.encoded.get(key)
    if encoded is None:
        encoded = encode_attributes(_decode(stored), schema, facts)
        facts.encoded.keep(key, encoded, len(stored) + len(encoded))
    return encoded


def encode_changed(attributes: Mapping[str, Any], facts: Facts) -> bytes:
    """The attributes of UPDATED_OLD and UPDATED_NEW: values by their positions in their list."""
    names = tuple(sorted(attributes))
    members = [
        encode_integer(position) + encode_value(attributes[name])
        for position, name in enumerate(names)
    ]
    content = encode_integer(_number(names, facts)) + START_MAP + b"".join(members) + BREAK
    return byte_string(content)


def encode_key_and_attributes(
    item: Mapping[str, Any], schema: Schema, facts: Facts
) -> tuple[bytes, bytes]:
    """The key of an item and its attributes, each as a byte string."""
    key = byte_string(encode_key(schema, item))
    return key, encode_attributes(item, schema, facts)


def encode_projected(item: Mapping[str, Any], paths: Sequence[Sequence[str | int]]) -> bytes:
    """The values at the paths of a projection, by the positions of the paths."""
    members = []
    for position, path in enumerate(paths):
        value = value_at(item, path)
        if value is not None:
            members.append(encode_integer(position) + encode_value(value))
    return head(MAP, len(members)) + b"".join(members)


def value_at(item: Mapping[str, Any], path: Sequence[str | int]) -> Any:
    """The attribute value at a document path; None if there is none."""
    value: Any = {"M": item}
    for element in path:
        if isinstance(element, str):
            value = value.get("M", {}).get(element)
        else:
            elements = value.get("L", ())
            value = elements[element] if element < len(elements) else None
        if value is None:
            return None
    return value


def _number(names: Names, facts: Facts) -> int:
    return facts.list_id(names) if names else EMPTY_LIST
