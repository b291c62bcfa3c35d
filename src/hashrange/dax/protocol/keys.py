"""Keys as the protocol has them: bytes that only a table's schema explains."""

from binascii import a2b_base64, b2a_base64
from collections.abc import Mapping
from typing import Any, Final, TypeAlias

import msgspec

from hashrange.dax.protocol import lex_decimal
from hashrange.dax.protocol.cbor import (
    MAP,
    IncompleteError,
    MalformedError,
    read_head,
)
from hashrange.dax.protocol.encoding import BREAK, START_MAP, text
from hashrange.dax.protocol.numbers import encode_number
from hashrange.dax.protocol.values import encode_value, read_members, read_value
from hashrange.errors import invalid
from hashrange.messages.items.values import key_schema_mismatch
from hashrange.model.values import Item, KeyType

Key: TypeAlias = dict[str, Any]

_UNREADABLE: Final = (IncompleteError, MalformedError, UnicodeDecodeError)
_NO_KEY: Final[Key] = {"?": {"NULL": True}}


class Schema(msgspec.Struct, frozen=True):
    """The key attributes of a table; `sort` is None if it has none."""

    partition: str
    partition_type: KeyType
    sort: str | None = None
    sort_type: KeyType | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Partition key, then sort key."""
        return (self.partition,) if self.sort is None else (self.partition, self.sort)


def read_key(schema: Schema | None, data: bytes) -> Key:
    """The attributes of a key, not canonical.

    A table that does not exist has no schema: the key has no meaning, and the request is refused
    for its table. Raises DynamoError for bytes that do not fit the schema.
    """
    if schema is None:
        return dict(_NO_KEY)
    try:
        if schema.sort is None:
            return {schema.partition: _whole(schema.partition_type, data)}
        value, at = read_value(data, 0)
        assert schema.sort_type is not None, "the sort key has a type"
        return {schema.partition: value, schema.sort: _sort_value(schema.sort_type, data[at:])}
    except _UNREADABLE as error:
        raise invalid(key_schema_mismatch()) from error


def _whole(kind: KeyType, data: bytes) -> dict[str, str]:
    """A partition key without a sort key."""
    if kind == "S":
        return {"S": data.decode()}
    if kind == "B":
        return {"B": b2a_base64(data, newline=False).decode()}
    value, at = read_value(data, 0)
    if at != len(data) or "N" not in value:
        raise MalformedError("a key is no number")
    return value


def _sort_value(kind: KeyType, data: bytes) -> dict[str, str]:
    if kind == "N":
        return {"N": lex_decimal.decode(data)}
    return _whole(kind, data)


def encode_key(schema: Schema, item: Mapping[str, Any]) -> bytes:
    """The key of a canonical item.

    Raises DynamoError if it has another key: its table was replaced a moment ago.
    """
    try:
        partition = item[schema.partition]
        if schema.sort is None:
            return _whole_bytes(schema.partition_type, partition)
        sort = item[schema.sort]
        if schema.sort_type == "N":
            return encode_value(partition) + lex_decimal.encode(sort["N"])
        assert schema.sort_type is not None, "the sort key has a type"
        return encode_value(partition) + _whole_bytes(schema.sort_type, sort)
    except KeyError as error:
        raise invalid(key_schema_mismatch()) from error


def _whole_bytes(kind: KeyType, value: Mapping[str, str]) -> bytes:
    if kind == "S":
        return value["S"].encode()
    if kind == "B":
        return a2b_base64(value["B"])
    return encode_number(value["N"])


def read_compound_key(data: bytes) -> Key:
    """The attributes of a starting key of an index. Raises DynamoError."""
    try:
        major, count, at = read_head(data, 0)
        if major != MAP:
            raise MalformedError("a compound key is no map")
        found, _ = read_members(data, count, at)
    except _UNREADABLE as error:
        raise invalid(key_schema_mismatch()) from error
    return found


def encode_compound_key(key: Item) -> bytes:
    """A starting key of an index; one client wants its map to be of indefinite length."""
    members = b"".join([text(name) + encode_value(value) for name, value in key.items()])
    return START_MAP + members + BREAK
