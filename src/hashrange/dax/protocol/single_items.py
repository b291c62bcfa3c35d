"""GetItem, PutItem, DeleteItem, UpdateItem: their methods and answers."""

from collections.abc import Callable
from typing import Any, Final

from hashrange.dax.protocol import answers
from hashrange.dax.protocol.answers import decoded, fields
from hashrange.dax.protocol.calls import Call
from hashrange.dax.protocol.items import (
    Facts,
    encode_attributes,
    encode_changed,
    encode_projected,
    encode_stored,
    read_attributes,
)
from hashrange.dax.protocol.keys import Schema, read_key
from hashrange.dax.protocol.parameters import (
    CAPACITY,
    METRICS,
    RETURN_VALUES,
    Parameters,
    Paths,
    bytes_of,
    text_of,
)
from hashrange.model.structures.dynamodb import (
    DeleteItem,
    GetItem,
    GetItemAnswer,
    PutItem,
    UpdateItem,
    WriteAnswer,
)

_CHANGED: Final = frozenset(("UPDATED_OLD", "UPDATED_NEW"))


def get_item(arguments: list[Any], facts: Facts, _agent: str) -> Call:
    """getItem: table, key, parameters."""
    table, key, sent = arguments
    name, parameters = text_of(table), Parameters(sent)
    schema = facts.schema(name)
    text, paths = parameters.projection()
    request = GetItem(
        table_name=name,
        key=read_key(schema, bytes_of(key)),
        consistent_read=parameters.consistent(),
        return_consumed_capacity=parameters.choice(CAPACITY),
        projection_expression=text,
        expression_attribute_names=parameters.names,
    )
    return Call("GetItem", request, _encode_got(schema, paths))


def _encode_got(schema: Schema | None, paths: Paths | None) -> Callable[[Any, Facts], bytes]:
    def encode(answer: GetItemAnswer, facts: Facts) -> bytes:
        item = None
        if answer.item is not None:
            if paths is not None:
                item = encode_projected(decoded(answer.item), paths)
            else:
                assert schema is not None, "its table exists"
                item = encode_stored(answer.item, schema, facts)
        capacity = answers.capacity(answer.consumed_capacity)
        return fields([(answers.ITEM, item), (answers.CAPACITY, capacity)])

    return encode


def put_item(arguments: list[Any], facts: Facts, _agent: str) -> Call:
    """putItem: table, key, attributes, parameters."""
    table, key, attributes, sent = arguments
    name, parameters = text_of(table), Parameters(sent)
    schema = facts.schema(name)
    item = read_attributes(bytes_of(attributes), facts) | read_key(schema, bytes_of(key))
    condition = parameters.condition()
    returned = parameters.choice(RETURN_VALUES)
    request = PutItem(
        table_name=name,
        item=item,
        return_values=returned,
        return_consumed_capacity=parameters.choice(CAPACITY),
        return_item_collection_metrics=parameters.choice(METRICS),
        condition_expression=condition,
        expression_attribute_names=parameters.names,
        expression_attribute_values=parameters.values,
    )
    return Call("PutItem", request, _encode_written(schema, returned))


def delete_item(arguments: list[Any], facts: Facts, _agent: str) -> Call:
    """deleteItem: table, key, parameters."""
    table, key, sent = arguments
    name, parameters = text_of(table), Parameters(sent)
    schema = facts.schema(name)
    condition = parameters.condition()
    returned = parameters.choice(RETURN_VALUES)
    request = DeleteItem(
        table_name=name,
        key=read_key(schema, bytes_of(key)),
        return_values=returned,
        return_consumed_capacity=parameters.choice(CAPACITY),
        return_item_collection_metrics=parameters.choice(METRICS),
        condition_expression=condition,
        expression_attribute_names=parameters.names,
        expression_attribute_values=parameters.values,
    )
    return Call("DeleteItem", request, _encode_written(schema, returned))


def update_item(arguments: list[Any], facts: Facts, _agent: str) -> Call:
    """updateItem: table, key, parameters."""
    table, key, sent = arguments
    name, parameters = text_of(table), Parameters(sent)
    schema = facts.schema(name)
    update, condition = parameters.update(), parameters.condition()
    returned = parameters.choice(RETURN_VALUES)
    request = UpdateItem(
        table_name=name,
        key=read_key(schema, bytes_of(key)),
        return_values=returned,
        return_consumed_capacity=parameters.choice(CAPACITY),
        return_item_collection_metrics=parameters.choice(METRICS),
        update_expression=update,
        condition_expression=condition,
        expression_attribute_names=parameters.names,
        expression_attribute_values=parameters.values,
    )
    return Call("UpdateItem", request, _encode_written(schema, returned))


def _encode_written(schema: Schema | None, returned: str | None) -> Callable[[Any, Facts], bytes]:
    def encode(answer: WriteAnswer, facts: Facts) -> bytes:
        attributes = None
        found = decoded(answer.attributes)
        if found:
            if returned in _CHANGED:
                attributes = encode_changed(found, facts)
            else:
                assert schema is not None, "its table exists"
                attributes = encode_attributes(found, schema, facts)
        return fields(
            [
                (answers.CAPACITY, answers.capacity(answer.consumed_capacity)),
                (answers.ATTRIBUTES, attributes),
                (answers.METRICS, answers.metrics(answer.item_collection_metrics)),
            ]
        )

    return encode
