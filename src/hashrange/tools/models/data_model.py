"""`dynamodb_data_model.json` of the DynamoDB MCP server of AWS: requests and commands. Pure.

`tables` are CreateTable requests, `items` are those of BatchWriteItem, and an access pattern has a
command of the AWS CLI. Source: awslabs/mcp, "DynamoDB Data Model JSON Generation Guide".
"""

import json
import re
import shlex
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from hashrange.tools.definition import TableDefinition
from hashrange.tools.models.samples import typed_item, types_in
from hashrange.tools.models.schema import AccessPattern, Entity, Model, ModelError
from hashrange.tools.models.table_parts import key_types

_LENGTH_MAX: Final = 100_000
_WORDS: Final = re.compile(r"[A-Z][a-z]*")
_NUMBERS: Final = {"Limit", "Segment", "TotalSegments"}
_IGNORED: Final = {
    "Output",
    "Query",
    "Region",
    "Profile",
    "EndpointUrl",
    "NoCliPager",
    "CliInputJson",
}
"""Options of the command line itself, which no request has."""


def request_of(command: str) -> tuple[str, dict[str, Any]]:
    """The operation and the request of a command. Raises ModelError."""
    if len(command) > _LENGTH_MAX:
        raise ModelError("the command is too long")
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise ModelError(f"{error}: {command[:60]}") from error
    if words[:2] != ["aws", "dynamodb"] or len(words) < 3:  # noqa: PLR2004 - aws dynamodb query
        raise ModelError(f"it does not begin with aws dynamodb: {command[:60]}")
    operation = _pascal(words[2])
    request: dict[str, Any] = {}
    at = 3
    while at < len(words):
        name, equals, text = words[at].partition("=")
        if not name.startswith("--"):
            raise ModelError(f"{words[at][:60]} is not an option of aws dynamodb {words[2]}")
        at += 1
        if not equals and at < len(words) and not words[at].startswith("--"):
            text, equals = words[at], "="
            at += 1
        member = _pascal(name.removeprefix("--"))
        if member in _IGNORED:
            continue
        if equals:
            request[member] = _value(member, text)
        else:
            request[member.removeprefix("No")] = not member.startswith("No")
    return operation, request


def _value(member: str, text: str) -> Any:
    if text[:1] in {"{", "["}:
        try:
            return json.loads(text)
        except (ValueError, RecursionError) as error:
            raise ModelError(f"--{_kebab(member)}: it is not JSON: {error}") from error
    if member in _NUMBERS and text.isdecimal():
        return int(text)
    return text


def _pascal(text: str) -> str:
    return "".join(word.capitalize() for word in text.split("-"))


def _kebab(text: str) -> str:
    return "-".join(_WORDS.findall(text)).lower()


class _Write(msgspec.Struct, frozen=True):
    put: dict[str, dict[str, Any]] = msgspec.field(name="PutRequest")


class _Element(msgspec.Struct, frozen=True, rename="pascal"):
    attribute_name: str
    key_type: str


class _Definition(msgspec.Struct, frozen=True, rename="pascal"):
    attribute_name: str
    attribute_type: str


class _Index(msgspec.Struct, frozen=True, rename="pascal"):
    index_name: str
    key_schema: tuple[_Element, ...]
    projection: dict[str, Any]


class _Table(msgspec.Struct, frozen=True, rename="pascal"):
    """The members of CreateTable that other modules read; all are passed on."""

    table_name: str
    key_schema: tuple[_Element, ...]
    attribute_definitions: tuple[_Definition, ...]
    global_secondary_indexes: tuple[_Index, ...] | None = None
    local_secondary_indexes: tuple[_Index, ...] | None = None


class _Pattern(msgspec.Struct, frozen=True):
    pattern: str | int
    description: str = ""
    table: str | None = None
    index: str | None = None
    dynamodb_operation: str | None = None
    implementation: str | None = None
    reason: str | None = None


class _Document(msgspec.Struct, frozen=True):
    tables: tuple[dict[str, Any], ...]
    items: dict[str, tuple[_Write, ...]] = {}
    access_patterns: tuple[_Pattern, ...] = ()


def model_of_data_model(members: Mapping[str, Any], name: str) -> Model:
    """The model of a document. Raises ModelError, msgspec.ValidationError."""
    document = msgspec.convert(members, _Document)
    msgspec.convert({"tables": document.tables}, dict[str, tuple[_Table, ...]])
    tables = tuple(
        TableDefinition(request={"BillingMode": "PAY_PER_REQUEST", **table})
        for table in document.tables
    )
    entities = []
    for table in tables:
        types = key_types(table.request)
        writes = document.items.get(table.name, ())
        items = tuple(typed_item(write.put.get("Item", {}), types) for write in writes)
        found = types_in(items)
        entities.append(
            Entity(
                name=table.name,
                table=table.name,
                attributes=found,
                optional=tuple(each for each in found if any(each not in item for item in items)),
                samples=items,
            )
        )
    patterns = tuple(
        _pattern(pattern, number) for number, pattern in enumerate(document.access_patterns)
    )
    return Model(name=name, tables=tables, entities=tuple(entities), patterns=patterns)


def _pattern(pattern: _Pattern, number: int) -> AccessPattern:
    common: dict[str, Any] = {
        "name": str(pattern.pattern),
        "description": pattern.description,
        "table": pattern.table,
        "index": pattern.index,
    }
    if not pattern.implementation:
        return AccessPattern(**common, note=pattern.reason or "it has no implementation")
    try:
        operation, request = request_of(pattern.implementation)
    except ModelError as error:
        place = f"$.access_patterns[{number}].implementation"
        raise ModelError(f"{error} - at `{place}`") from error
    return AccessPattern(**common, operation=operation, request=request)
