"""The parameters of data events: keys with values, other attributes by name only. Pure.

Values of attributes are never decoded: they are `msgspec.Raw`, of which only those of the table's
key are looked at. Source: records of the service, measured by users, September 2026; Developer
Guide, "Understanding DynamoDB log file entries" (2026).
"""

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from typing import Any, Final, TypeAlias

import msgspec

from hashrange.api.audit.statement_keys import KeyValue
from hashrange.api.audit.statements import REDACTED, Statement, statement_of
from hashrange.errors import DynamoError
from hashrange.limits.access import AUDIT_ACTIONS_MAX
from hashrange.model.data_types import KEY_TYPES
from hashrange.model.numbers import canonical_number
from hashrange.model.operations import OPERATION_FACTS, Items
from hashrange.model.wording import Wording
from hashrange.wire.codec import DECODE_ERRORS

KeyNames: TypeAlias = Callable[[str], Sequence[str]]
"""Returns the names of the key attributes of a table by its name as sent; empty if unknown."""
Parameters: TypeAlias = dict[str, object]

_Values: TypeAlias = dict[str, msgspec.Raw]

_decode_key: Final = msgspec.json.Decoder(dict[str, str]).decode
_decode_list: Final = msgspec.json.Decoder(list[msgspec.Raw]).decode
_is_expression: Final = re.compile(r"[\w#:.,()\[\]=<>+\-\s]*").fullmatch
_has_number: Final = re.compile(r"(?<![\w#:\[])[0-9]").search
_equality: Final = re.compile(r"(?<![\w#.-])([\w#.-]++)\s*+=\s*+(:\w+)")
_NAMES_MAX: Final = 200
"""Attributes of one item that are listed."""


class _Request(msgspec.Struct, rename="pascal"):
    """The members of requests on items that are recorded, and those that are read for it."""

    table_name: str | None = None
    index_name: str | None = None
    key: _Values | None = None
    item: _Values | None = None
    exclusive_start_key: _Values | None = None
    attribute_updates: _Values | None = None
    expected: _Values | None = None
    key_conditions: _Values | None = None
    query_filter: _Values | None = None
    scan_filter: _Values | None = None
    attributes_to_get: list[str] | None = None
    key_condition_expression: str | None = None
    filter_expression: str | None = None
    condition_expression: str | None = None
    update_expression: str | None = None
    projection_expression: str | None = None
    expression_attribute_names: dict[str, str] | None = None
    expression_attribute_values: _Values | None = None
    select: str | None = None
    limit: int | None = None
    segment: int | None = None
    total_segments: int | None = None
    scan_index_forward: bool | None = None
    consistent_read: bool | None = None
    conditional_operator: str | None = None
    return_values: str | None = None
    return_values_on_condition_check_failure: str | None = None
    return_consumed_capacity: str | None = None
    return_item_collection_metrics: str | None = None
    # Of GetShardIterator and GetRecords.
    stream_arn: str | None = None
    shard_id: str | None = None
    shard_iterator_type: str | None = None
    sequence_number: str | None = None
    shard_iterator: str | None = None


_EXPRESSIONS: Final = (
    "key_condition_expression",
    "filter_expression",
    "condition_expression",
    "update_expression",
    "projection_expression",
)
_PLAIN: Final = (
    "index_name",
    "attributes_to_get",
    "expression_attribute_names",
    "select",
    "limit",
    "segment",
    "total_segments",
    "scan_index_forward",
    "consistent_read",
    "conditional_operator",
    "return_values",
    "return_values_on_condition_check_failure",
    "return_consumed_capacity",
    "return_item_collection_metrics",
    "stream_arn",
    "shard_id",
    "shard_iterator_type",
    "sequence_number",
    "shard_iterator",
)
_BY_NAME: Final = (
    "attribute_updates",
    "expected",
    "key_conditions",
    "query_filter",
    "scan_filter",
)
_NAMES: Final = {
    name: name.split("_")[0] + "".join(map(str.capitalize, name.split("_")[1:]))
    for name in _Request.__struct_fields__
} | {"item": "items", "return_values": "returnValue"}


class _Keys(_Request, rename="pascal"):
    keys: list[_Values] | None = None


class _PutRequest(msgspec.Struct, rename="pascal"):
    item: _Values | None = None


class _DeleteRequest(msgspec.Struct, rename="pascal"):
    key: _Values | None = None


class _Write(msgspec.Struct, rename="pascal"):
    put_request: _PutRequest | None = None
    delete_request: _DeleteRequest | None = None


class _Batch(_Request, rename="pascal"):
    request_items: dict[str, _Keys | list[_Write]] | None = None


class _Transaction(_Request, rename="pascal"):
    transact_items: list[dict[str, _Request]] | None = None


class _Statement(_Request, rename="pascal"):
    statement: str | None = None
    parameters: msgspec.Raw = msgspec.Raw(b"[]")


class _Statements(_Request, rename="pascal"):
    statements: list[_Statement] | None = None
    transact_statements: list[_Statement] | None = None


class Described(msgspec.Struct, frozen=True):
    """The parameters in a record of a data event.

    Attributes:
        parameters: None for a body that is not of the operation.
        tables: names or ARNs of the tables, as sent, each once.
    """

    parameters: Parameters | None
    tables: Sequence[str]


_UNREADABLE: Final = Described(None, ())


def described(operation: str, body: bytes, key_names: KeyNames) -> Described:
    """The parameters of a data event, from the body of its request.

    Args:
        operation: its name.
        body: as sent.
        key_names: finds the key attributes of tables.
    """
    facts = OPERATION_FACTS[operation]
    read, describe = _READERS.get((facts.items, bool(facts.statements)), _SINGLE)
    try:
        found = describe(read(body), key_names)
    except DECODE_ERRORS:
        return _UNREADABLE
    if found.parameters is None or not facts.recorded:
        return found
    lacking = {n: value for n, value in facts.recorded.items() if n not in found.parameters}
    return Described(found.parameters | lacking, found.tables)


def _of_request(request: _Request, key_names: KeyNames) -> Described:
    if request.table_name is None:
        arn = request.stream_arn or (request.shard_iterator or "").partition("|")[0]
        table = arn.partition("/stream/")[0]
        return Described(_members(request, ()), (table,) if table else ())
    names = key_names(request.table_name)
    parameters: Parameters = {"tableName": request.table_name}
    parameters |= _members(request, names)
    return Described(parameters, (request.table_name,))


def _members(request: _Request, key_names: Sequence[str]) -> Parameters:
    """The members of a request on one table, in the order in which CloudTrail has them."""
    made: Parameters = {}
    key = _key_of(request, key_names)
    if key:
        made["key"] = key
    if request.item is not None:
        made[_NAMES["item"]] = _names_of(request.item)
    for name in _EXPRESSIONS:
        text = getattr(request, name)
        if text is not None:
            made[_NAMES[name]] = expression(text)
    for name in _BY_NAME:
        values = getattr(request, name)
        if values is not None:
            made[_NAMES[name]] = _names_of(values)
    if request.exclusive_start_key is not None:
        made["exclusiveStartKey"] = key_values(request.exclusive_start_key, key_names)
    for name in _PLAIN:
        value = getattr(request, name)
        if value is not None:
            made[_NAMES[name]] = value
    return made


def _key_of(request: _Request, key_names: Sequence[str]) -> Parameters:
    """The key that a request names; of a Query what its key condition says with an equal sign."""
    given = request.key if request.key is not None else request.item
    if given is None and request.key_condition_expression is not None:
        names, values = request.expression_attribute_names, request.expression_attribute_values
        given = _equalities(request.key_condition_expression, names or {}, values or {})
    return {} if given is None else key_values(given, key_names)


def _equalities(text: str, names: Mapping[str, str], values: _Values) -> _Values:
    found = _equality.findall(text)
    return {names.get(name, name): values[value] for name, value in found if value in values}


def key_values(given: _Values, key_names: Sequence[str]) -> Parameters:
    """The values of key attributes, without their types; others are left out."""
    return {name: _key_value(given[name]) for name in key_names if name in given}


def _key_value(value: msgspec.Raw) -> str:
    try:
        ((kind, text),) = _decode_key(value).items()
    except (msgspec.MsgspecError, ValueError):
        return REDACTED
    if kind == "N":
        return _number(text)
    return text if kind in KEY_TYPES else REDACTED


def _number(text: str) -> str:
    try:
        return canonical_number(text, Wording.OLDER)
    except DynamoError:
        return REDACTED


def _names_of(given: _Values) -> list[str]:
    return [*given][:_NAMES_MAX]


def expression(text: str) -> str:
    """An expression, in which values are placeholders; redacted if anything else stands in it."""
    is_plain = _is_expression(text) is not None and _has_number(text) is None
    return text if is_plain else REDACTED


def _of_batch(request: _Batch, key_names: KeyNames) -> Described:
    items = dict(islice((request.request_items or {}).items(), AUDIT_ACTIONS_MAX))
    made: list[Parameters] = []
    for table, part in items.items():
        names = key_names(table)
        if isinstance(part, list):
            made += [_write(each, table, names) for each in part[:AUDIT_ACTIONS_MAX]]
        else:
            asked = (part.keys or [])[:AUDIT_ACTIONS_MAX]
            keys = [key_values(key, names) for key in asked]
            made.append({"tableName": table, "keys": keys, **_members(part, names)})
    return Described({"requestItems": made, **_members(request, ())}, tuple(items))


def _write(write: _Write, table: str, names: Sequence[str]) -> Parameters:
    if write.put_request is not None:
        item = write.put_request.item or {}
        operation: Parameters = {"operation": "Put", "tableName": table}
        return {**operation, "key": key_values(item, names), _NAMES["item"]: _names_of(item)}
    deleted = write.delete_request.key if write.delete_request is not None else None
    key = key_values(deleted or {}, names)
    return {"operation": "Delete", "tableName": table, "key": key}


def _of_transaction(request: _Transaction, key_names: KeyNames) -> Described:
    made: list[Parameters] = []
    tables: list[str] = []
    for actions in (request.transact_items or [])[:AUDIT_ACTIONS_MAX]:
        for operation, action in islice(actions.items(), AUDIT_ACTIONS_MAX):
            table = action.table_name or ""
            tables.append(table)
            members = _members(action, key_names(table))
            made.append({"operation": operation, "tableName": table, **members})
    parameters: Parameters = {"requestItems": made, **_members(request, ())}
    return Described(parameters, tuple(dict.fromkeys(filter(None, tables))))


def _of_statement(request: _Statement, key_names: KeyNames) -> Described:
    statement = statement_of(request.statement or "", key_names)
    keys = _keys_in(statement, request, key_names)
    parameters: Parameters = {"statement": statement.text, **keys, **_members(request, ())}
    parameters.pop(_NAMES["consistent_read"], None)
    return Described(parameters, () if statement.table is None else (statement.table,))


def _of_statements(request: _Statements, key_names: KeyNames) -> Described:
    given = (request.statements or request.transact_statements or [])[:AUDIT_ACTIONS_MAX]
    found = [statement_of(each.statement or "", key_names) for each in given]
    items: list[Parameters] = []
    for each, request_of in zip(found, given, strict=True):
        keys = _keys_in(each, request_of, key_names)
        table = {"tableName": each.table} if keys else {}
        items.append({"statement": each.text, **table, **keys})
    parameters: Parameters = {"requestItems": items, **_members(request, ())}
    tables = dict.fromkeys(each.table for each in found if each.table is not None)
    return Described(parameters, tuple(tables))


def _keys_in(statement: Statement, request: _Statement, key_names: KeyNames) -> Parameters:
    """The key that a statement names, with the values of its parameters; or all of several."""
    names = () if statement.table is None else key_names(statement.table)
    values: dict[str, list[str]] = {name: [] for name in names}
    for each in statement.keys:
        values[each.name].append(_value_in(each, request.parameters))
    if not (names and values[names[0]]):
        return {}
    partitions, sorts = values[names[0]], [each for name in names[1:] for each in values[name]]
    if len(partitions) > 1:
        return {"keys": [{names[0]: each} for each in partitions]}
    if len(sorts) > 1:
        return {"keys": [dict(zip(names, (*partitions, each), strict=True)) for each in sorts]}
    return {"key": dict(zip(names, (*partitions, *sorts), strict=False))}


def _value_in(value: KeyValue, parameters: msgspec.Raw) -> str:
    if value.text is None:
        try:
            given = _decode_list(parameters)
        except msgspec.MsgspecError:
            return REDACTED
        return _key_value(given[value.parameter]) if value.parameter < len(given) else REDACTED
    return _number(value.text) if value.is_number else value.text


_Reader: TypeAlias = tuple[Callable[[bytes], Any], Callable[[Any, KeyNames], Described]]
_SINGLE: Final[_Reader] = (msgspec.json.Decoder(_Request).decode, _of_request)
_BATCH: Final[_Reader] = (msgspec.json.Decoder(_Batch).decode, _of_batch)
_TRANSACTION: Final[_Reader] = (msgspec.json.Decoder(_Transaction).decode, _of_transaction)
_STATEMENT: Final[_Reader] = (msgspec.json.Decoder(_Statement).decode, _of_statement)
_STATEMENTS: Final[_Reader] = (msgspec.json.Decoder(_Statements).decode, _of_statements)

_READERS: Final[Mapping[tuple[Items | None, bool], _Reader]] = {
    (Items.BATCH, False): _BATCH,
    (Items.TRANSACTION, False): _TRANSACTION,
    (Items.ONE, True): _STATEMENT,
    (Items.BATCH, True): _STATEMENTS,
    (Items.TRANSACTION, True): _STATEMENTS,
}
"""By `OperationFacts.items`, and whether the operation has statements."""
