"""TransactGetItems and TransactWriteItems: their methods and answers."""

from collections.abc import Callable, Sequence
from itertools import repeat
from typing import Any, Final

from hashrange.dax.protocol import answers
from hashrange.dax.protocol.answers import SUCCESS, decoded
from hashrange.dax.protocol.calls import Call
from hashrange.dax.protocol.expressions import Placeholders, condition_text, update_text
from hashrange.dax.protocol.items import Facts, encode_attributes, encode_projected, read_attributes
from hashrange.dax.protocol.keys import Schema, read_key
from hashrange.dax.protocol.parameters import (
    CAPACITY,
    METRICS,
    TOKEN,
    Parameters,
    Paths,
    bytes_of,
    list_of,
    projection_of,
    text_of,
)
from hashrange.errors import invalid
from hashrange.messages.dax import parameter_unreadable
from hashrange.model.structures.dynamodb import (
    ConditionCheck,
    Delete,
    Get,
    Put,
    TransactGetItem,
    TransactGetItems,
    TransactGetItemsAnswer,
    TransactWriteItem,
    TransactWriteItems,
    TransactWriteItemsAnswer,
    Update,
)
from hashrange.wire.cbor.encoding import EMPTY_ARRAY, NULL, array, head
from hashrange.wire.cbor.reader import ARRAY

_PUT, _DELETE, _UPDATE, _CHECK = 2, 7, 9, 12
_RETURNED: Final = (None, None, "ALL_OLD")
"""ReturnValuesOnConditionCheckFailure, by number."""


def transact_get_items(arguments: list[Any], facts: Facts, _agent: str) -> Call:
    """transactGetItems: tables, keys, projections, parameters."""
    names, keys, projections, sent = arguments
    parameters = Parameters(sent)
    tables = [text_of(name) for name in list_of(names)]
    gets: list[TransactGetItem] = []
    views: list[tuple[Schema | None, Paths | None]] = []
    columns = (tables, _column(keys, tables), _column(projections, tables))
    for name, key, projection in zip(*columns, strict=True):
        schema, placeholders = facts.schema(name), Placeholders()
        data = None if projection is None else bytes_of(projection)
        expression, paths = projection_of(data, placeholders)
        get = Get(
            table_name=name,
            key=read_key(schema, bytes_of(key)),
            projection_expression=expression,
            expression_attribute_names=placeholders.names or None,
        )
        gets.append(TransactGetItem(get=get))
        views.append((schema, paths))
    request = TransactGetItems(
        transact_items=gets, return_consumed_capacity=parameters.choice(CAPACITY)
    )
    return Call("TransactGetItems", request, _encode_gets(views), tables)


def _encode_gets(
    views: Sequence[tuple[Schema | None, Paths | None]],
) -> Callable[[Any, Facts], bytes]:
    def encode(answer: TransactGetItemsAnswer, facts: Facts) -> bytes:
        found = []
        for response, (schema, paths) in zip(answer.responses, views, strict=True):
            item = decoded(response.item)
            if item is None:
                found.append(NULL)
            elif paths is not None:
                found.append(encode_projected(item, paths))
            else:
                assert schema is not None, "its table exists"
                found.append(encode_attributes(item, schema, facts))
        consumed = answers.transaction_capacities(answer.consumed_capacity)
        return SUCCESS + array([array(found), consumed])

    return encode


def transact_write_items(arguments: list[Any], facts: Facts, _agent: str) -> Call:
    """transactWriteItems: operations, tables, keys, items, returned values and so on."""
    kinds, names, *others, sent = arguments
    parameters = Parameters(sent)
    tables = [text_of(name) for name in list_of(names)]
    columns = [_column(each, tables) for each in (kinds, *others)]
    actions = [
        _action(name, each, facts)
        for name, each in zip(tables, zip(*columns, strict=True), strict=True)
    ]
    request = TransactWriteItems(
        transact_items=actions,
        return_consumed_capacity=parameters.choice(CAPACITY),
        return_item_collection_metrics=parameters.choice(METRICS),
        client_request_token=parameters.text(TOKEN),
    )
    return Call("TransactWriteItems", request, _encode_writes, tables)


def _column(sent: Any, tables: Sequence[str]) -> list[Any]:
    """An array with an element for each action; null for nothing."""
    column = list(repeat(None, len(tables))) if sent is None else list_of(sent)
    if len(column) != len(tables):
        raise invalid(parameter_unreadable())
    return column


def _action(name: str, row: Sequence[Any], facts: Facts) -> TransactWriteItem:
    kind, key_sent, attributes, _returned, on_failure, condition_sent, update_sent = row
    key, placeholders = read_key(facts.schema(name), bytes_of(key_sent)), Placeholders()
    update = None if update_sent is None else update_text(bytes_of(update_sent), placeholders)
    condition = (
        None if condition_sent is None else condition_text(bytes_of(condition_sent), placeholders)
    )
    members: dict[str, Any] = {
        "table_name": name,
        "condition_expression": condition,
        "expression_attribute_names": placeholders.names or None,
        "expression_attribute_values": placeholders.values or None,
        "return_values_on_condition_check_failure": _returned_on_failure(on_failure),
    }
    if kind == _PUT:
        item = read_attributes(bytes_of(attributes), facts) | key
        return TransactWriteItem(put=Put(item=item, **members))
    if kind == _DELETE:
        return TransactWriteItem(delete=Delete(key=key, **members))
    if kind == _UPDATE:
        return TransactWriteItem(update=Update(key=key, update_expression=update, **members))
    if kind == _CHECK:
        return TransactWriteItem(condition_check=ConditionCheck(key=key, **members))
    raise invalid(parameter_unreadable())


def _returned_on_failure(sent: Any) -> str | None:
    if sent is None:
        return None
    if type(sent) is not int or not 0 <= sent < len(_RETURNED):
        raise invalid(parameter_unreadable())
    return _RETURNED[sent]


def _encode_writes(answer: TransactWriteItemsAnswer, _facts: Facts) -> bytes:
    consumed = answers.transaction_capacities(answer.consumed_capacity)
    metrics = answers.metrics_by_table(answer.item_collection_metrics)
    return SUCCESS + head(ARRAY, 3) + EMPTY_ARRAY + consumed + metrics
