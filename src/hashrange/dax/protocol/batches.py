"""BatchGetItem and BatchWriteItem: their methods and answers."""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from hashrange.dax.protocol import answers
from hashrange.dax.protocol.answers import SUCCESS, decoded
from hashrange.dax.protocol.calls import Call
from hashrange.dax.protocol.expressions import Placeholders
from hashrange.dax.protocol.items import (
    Facts,
    encode_key_and_attributes,
    encode_projected,
    read_attributes,
)
from hashrange.dax.protocol.keys import Schema, encode_key, read_key
from hashrange.dax.protocol.parameters import (
    CAPACITY,
    METRICS,
    Parameters,
    Paths,
    bytes_of,
    list_of,
    mapping_of,
    projection_of,
    text_of,
)
from hashrange.errors import invalid
from hashrange.messages.dax import parameter_unreadable
from hashrange.model.structures.dynamodb import (
    BatchGetItem,
    BatchGetItemAnswer,
    BatchWriteItem,
    BatchWriteItemAnswer,
    DeleteRequest,
    KeysAndAttributes,
    PutRequest,
    WriteRequest,
)
from hashrange.wire.cbor.encoding import EMPTY_MAP, array, byte_string, mapping, text

_THREE_ITEMS_IN_TWO: bytes = b"\x82"
"""The head of the answer to batchGetItem says two, and three items follow: so do all clients."""


class _Part(msgspec.Struct, frozen=True):
    """The gets of one table, as the answer needs them."""

    schema: Schema | None
    paths: Paths | None


def batch_get_item(arguments: list[Any], facts: Facts, _agent: str) -> Call:
    """batchGetItem: gets by table, parameters."""
    tables, sent = arguments
    parameters = Parameters(sent)
    gets: dict[str, KeysAndAttributes] = {}
    parts: dict[str, _Part] = {}
    for table, part in mapping_of(tables).items():
        name = text_of(table)
        gets[name], parts[name] = _gets(name, list_of(part), facts)
    request = BatchGetItem(request_items=gets, return_consumed_capacity=parameters.choice(CAPACITY))
    return Call("BatchGetItem", request, _encode_gets(parts))


def _gets(name: str, part: list[Any], facts: Facts) -> tuple[KeysAndAttributes, _Part]:
    if len(part) != 3:  # noqa: PLR2004 - consistent, projection, keys
        raise invalid(parameter_unreadable())
    is_consistent, projection, keys = part
    schema, placeholders = facts.schema(name), Placeholders()
    data = None if projection is None else bytes_of(projection)
    expression, paths = projection_of(data, placeholders)
    gets = KeysAndAttributes(
        keys=[read_key(schema, bytes_of(key)) for key in list_of(keys)],
        consistent_read=bool(is_consistent),
        projection_expression=expression,
        expression_attribute_names=placeholders.names or None,
    )
    return gets, _Part(schema, paths)


def _encode_gets(parts: Mapping[str, _Part]) -> Callable[[Any, Facts], bytes]:
    def encode(answer: BatchGetItemAnswer, facts: Facts) -> bytes:
        found = []
        for name, sent in answer.responses.items():
            items, part = decoded(sent), parts[name]
            if part.paths is not None:
                elements = [encode_projected(item, part.paths) for item in items]
            else:
                assert part.schema is not None, "its table exists"
                pairs = [encode_key_and_attributes(item, part.schema, facts) for item in items]
                elements = [each for pair in pairs for each in pair]
            if elements:
                found.append((text(name), array(elements)))
        left = []
        for name, unread in answer.unprocessed_keys.items():
            schema = parts[name].schema
            assert schema is not None, "its table exists"
            keys = [byte_string(encode_key(schema, key)) for key in unread.keys or ()]
            left.append((text(name), array(keys)))
        consumed = answers.capacities(answer.consumed_capacity)
        return SUCCESS + _THREE_ITEMS_IN_TWO + mapping(found) + mapping(left) + consumed

    return encode


def batch_write_item(arguments: list[Any], facts: Facts, _agent: str) -> Call:
    """batchWriteItem: writes by table, parameters."""
    tables, sent = arguments
    parameters = Parameters(sent)
    request = BatchWriteItem(
        request_items={
            text_of(table): _writes(text_of(table), list_of(writes), facts)
            for table, writes in mapping_of(tables).items()
        },
        return_consumed_capacity=parameters.choice(CAPACITY),
        return_item_collection_metrics=parameters.choice(METRICS),
    )
    return Call("BatchWriteItem", request, _encode_writes)


def _writes(name: str, sent: list[Any], facts: Facts) -> list[WriteRequest]:
    """The writes of one table: each a key, and attributes or null."""
    if len(sent) % 2:
        raise invalid(parameter_unreadable())
    schema = facts.schema(name)
    found = []
    for key_sent, attributes in zip(sent[::2], sent[1::2], strict=True):
        key = read_key(schema, bytes_of(key_sent))
        if attributes is None:
            found.append(WriteRequest(delete_request=DeleteRequest(key=key)))
        else:
            item = read_attributes(bytes_of(attributes), facts) | key
            found.append(WriteRequest(put_request=PutRequest(item=item)))
    return found


def _encode_writes(answer: BatchWriteItemAnswer, _facts: Facts) -> bytes:
    """Nothing is unprocessed: clients would lose the keys of such puts."""
    assert not answer.unprocessed_items, "they were tried again, or the batch was refused"
    consumed = answers.capacities(answer.consumed_capacity)
    metrics = answers.metrics_by_table(answer.item_collection_metrics)
    return SUCCESS + EMPTY_MAP + consumed + metrics
