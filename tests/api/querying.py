"""Requests of Query, Scan and the batches in short, and texts that several of their tests meet."""

from typing import Any

from tests.api.items import INVALID, NOT_VALID, values

NAMES, VALUES = "ExpressionAttributeNames", "ExpressionAttributeValues"
CALLS = {
    "Query": "query",
    "Scan": "scan",
    "BatchGetItem": "batch_get_item",
    "BatchWriteItem": "batch_write_item",
}

START = "The provided starting key is invalid"
OUTSIDE = "The provided starting key is outside query boundaries based on provided conditions"
OFF_RANGE = "The provided starting key does not match the range key predicate"
SINGLE_ROW = (
    "The provided exclusive start key is invalid: ExclusiveStartKey: {{pk=AttributeValue: {}}}"
)
ONE_ROW = "The query can return at most one row and cannot be restarted"
CONDITION_TYPE = f"{INVALID}Condition parameter type does not match schema type"
UNSUPPORTED = "Query key condition not supported"
MISSED = "Query condition missed key schema element: "
NO_EQUALITY = "HASH key attributes {} must have equality conditions specified in the query"
TOO_MANY_CONDITIONS = (
    "The number of query conditions ({}) exceeds the number of key attributes "
    "defined in the schema ({})"
)
NO_CONDITION = (
    "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request."
)
ON_KEY = "Filter Expression can only contain non-primary key attributes: Primary key attribute: "
BELOW_KEY = (
    "Key attributes must be scalars; list random access '[]' and map lookup '.' "
    "are not allowed: Key: "
)
NO_INDEX = "The table does not have the specified index: "
NO_TOTAL = (
    "The TotalSegments parameter is required but was not present in the request when "
    "Segment parameter is present"
)
NO_SEGMENT = (
    "The Segment parameter is required but was not present in the request when "
    "parameter TotalSegments is present"
)
NO_PROJECTION = (
    "Must specify the AttributesToGet or ProjectionExpression when choosing to get "
    "SPECIFIC_ATTRIBUTES"
)
MIXED = (
    "Can not use both expression and non-expression parameters in the same request: "
    "Non-expression parameters: {{{}}} Expression parameters: {{{}}}"
)
NAMES_ALONE = f"{NAMES} can only be specified when using expressions"
VALUES_ALONE = f"{VALUES} can only be specified when using expressions"
NO_FILTER = f"{VALUES_ALONE}: FilterExpression is null"
NO_TYPE = "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"
MANY_TYPES = (
    "Supplied AttributeValue has more than one datatypes set, "
    "must contain exactly one of the supported datatypes"
)
DUPLICATES = "Provided list of item keys contains duplicates"
TOO_LARGE = "Item size has exceeded the maximum allowed size"
EMPTY = NOT_VALID + "The AttributeValue for a key attribute cannot contain an empty {} value. Key: "
EMPTY_STRING, EMPTY_BINARY = EMPTY.format("string"), EMPTY.format("binary")
HASH_SIZE = f"{INVALID}Size of hashkey has exceeded the maximum size limit of2048 bytes"
RANGE_SIZE = f"{INVALID}Aggregated size of all range keys has exceeded the size limit of 1024 bytes"

ENUM = "satisfy enum value set: "
SELECTS = f"{ENUM}[SPECIFIC_ATTRIBUTES, COUNT, ALL_ATTRIBUTES, ALL_PROJECTED_ATTRIBUTES]"
CAPACITIES = f"{ENUM}[INDEXES, TOTAL, NONE]"


def unechoed(path: str, constraint: str) -> str:
    """The current layer's violation, which does not show the value."""
    return f"Value at '{path}' failed to satisfy constraint: Member must {constraint}"


def keyed(condition: str = "pk = :p", /, **operands: Any) -> dict[str, Any]:
    """The members of a query; `:p` is the partition key "k" unless it is given."""
    return {"KeyConditionExpression": condition, VALUES: values(**{"p": {"S": "k"}, **operands})}


def put(item: dict[str, Any]) -> dict[str, Any]:
    """A write of a batch."""
    return {"PutRequest": {"Item": item}}


def delete(key: dict[str, Any]) -> dict[str, Any]:
    """A write of a batch."""
    return {"DeleteRequest": {"Key": key}}
