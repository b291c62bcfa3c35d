"""Query and Scan: their methods and answers."""

from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

from hashrange.dax.protocol import answers
from hashrange.dax.protocol.answers import decoded, fields
from hashrange.dax.protocol.calls import Call
from hashrange.dax.protocol.expressions import condition_text
from hashrange.dax.protocol.items import Facts, encode_key_and_attributes, encode_projected
from hashrange.dax.protocol.keys import (
    Schema,
    encode_compound_key,
    encode_key,
    read_compound_key,
    read_key,
)
from hashrange.dax.protocol.parameters import (
    CAPACITY,
    FILTER,
    FORWARD,
    INDEX_NAME,
    LIMIT,
    SEGMENT,
    SEGMENTS,
    SELECT,
    START_KEY,
    Parameters,
    Paths,
    bytes_of,
    text_of,
)
from hashrange.model.structures.dynamodb import PageAnswer, Query, Scan
from hashrange.wire.cbor.encoding import array, byte_string, encode_integer

_SELECTS_ALL_BY_DEFAULT: Final = "DaxGoV2Client"
"""The agent that sends ALL_ATTRIBUTES for a Select that is not set, and leaves it out if it is."""


class _View(msgspec.Struct, frozen=True):
    """The parts of the request that the answer needs."""

    schema: Schema | None
    index: str | None
    paths: Paths | None


def query(arguments: list[Any], facts: Facts, agent: str) -> Call:
    """query: table, key condition, parameters."""
    table, key_condition, sent = arguments
    parameters = Parameters(sent)
    keys = None
    if key_condition is not None:
        keys = condition_text(bytes_of(key_condition), parameters.placeholders)
    members, view = _members(text_of(table), parameters, facts, agent)
    forward = parameters.integer(FORWARD)
    request = Query(
        key_condition_expression=keys,
        scan_index_forward=None if forward is None else bool(forward),
        **members,
    )
    return Call("Query", request, _encode_page(view))


def scan(arguments: list[Any], facts: Facts, agent: str) -> Call:
    """scan: table, parameters."""
    table, sent = arguments
    parameters = Parameters(sent)
    members, view = _members(text_of(table), parameters, facts, agent)
    request = Scan(
        segment=parameters.integer(SEGMENT), total_segments=parameters.integer(SEGMENTS), **members
    )
    return Call("Scan", request, _encode_page(view))


def _members(
    name: str, parameters: Parameters, facts: Facts, agent: str
) -> tuple[dict[str, Any], _View]:
    """The members that both operations have."""
    schema, index = facts.schema(name), parameters.text(INDEX_NAME)
    text, paths = parameters.projection()
    filter_text = parameters.condition(FILTER)
    members = {
        "table_name": name,
        "index_name": index,
        "limit": parameters.integer(LIMIT),
        "select": _select(parameters, agent),
        "exclusive_start_key": _start_key(parameters, schema, index),
        "return_consumed_capacity": parameters.choice(CAPACITY),
        "projection_expression": text,
        "filter_expression": filter_text,
        "expression_attribute_names": parameters.names,
        "expression_attribute_values": parameters.values,
        "consistent_read": parameters.consistent(),
    }
    return members, _View(schema, index, paths)


def _select(parameters: Parameters, agent: str) -> str | None:
    select = parameters.choice(SELECT)
    if select == "ALL_ATTRIBUTES" and agent.startswith(_SELECTS_ALL_BY_DEFAULT):
        return None
    return select


def _start_key(
    parameters: Parameters, schema: Schema | None, index: str | None
) -> dict[str, Any] | None:
    data = parameters.data(START_KEY)
    if data is None:
        return None
    return read_key(schema, data) if index is None else read_compound_key(data)


def _encode_page(view: _View) -> Callable[[Any, Facts], bytes]:
    def encode(answer: PageAnswer, facts: Facts) -> bytes:
        items = None
        if answer.items is not None:
            found = decoded(answer.items)
            items = array([_encode_item(item, view, facts) for item in found])
        last = None
        if answer.last_evaluated_key is not None:
            last = byte_string(_encode_last(answer.last_evaluated_key, view))
        return fields(
            [
                (answers.ITEMS, items),
                (answers.COUNT, encode_integer(answer.count)),
                (answers.SCANNED_COUNT, encode_integer(answer.scanned_count)),
                (answers.LAST_KEY, last),
                (answers.CAPACITY, answers.capacity(answer.consumed_capacity)),
            ]
        )

    return encode


def _encode_item(item: Mapping[str, Any], view: _View, facts: Facts) -> bytes:
    if view.paths is not None:
        return encode_projected(item, view.paths)
    assert view.schema is not None, "its table exists"
    return array(encode_key_and_attributes(item, view.schema, facts))


def _encode_last(key: Any, view: _View) -> bytes:
    if view.index is not None:
        return encode_compound_key(key)
    assert view.schema is not None, "its table exists"
    return encode_key(view.schema, key)
