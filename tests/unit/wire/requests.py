"""A request type with a member of every kind, and what its rows say of a request."""

import msgspec

from hashrange.model.values import Item
from hashrange.wire.constraints import rows
from hashrange.wire.rules import Form
from hashrange.wire.violations import violations


class KeySchemaElement(msgspec.Struct, frozen=True, rename="pascal"):
    attribute_name: str | None = None
    key_type: str | None = None


class ProvisionedThroughput(msgspec.Struct, frozen=True, rename="pascal"):
    read_capacity_units: int | None = None
    write_capacity_units: int | None = None


class PutRequest(msgspec.Struct, frozen=True, rename="pascal"):
    item: Item | None = None


class WriteRequest(msgspec.Struct, frozen=True, rename="pascal"):
    put_request: PutRequest | None = None


class KeysAndAttributes(msgspec.Struct, frozen=True, rename="pascal"):
    keys: list[Item] | None = None


class Request(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    table_name: str | None = None
    item: Item | None = None
    limit: int | None = None
    return_values: str | None = None
    conditional_operator: str | None = None
    attributes_to_get: list[str] | None = None
    key_schema: list[KeySchemaElement] | None = None
    provisioned_throughput: ProvisionedThroughput | None = None
    writes: dict[str, list[WriteRequest]] | None = None
    gets: dict[str, KeysAndAttributes] | None = None
    sse: bool | None = msgspec.field(default=None, name="SSEEnabled")


def told(request, *several, form=Form.MODEL):
    """All violations; the predicate says the same."""
    compiled = rows(*several)
    found = violations(request, compiled, form)
    assert compiled.hold(request) == (not found)
    return found


def value(echo, path, constraint):
    return f"Value '{echo}' at '{path}' failed to satisfy constraint: {constraint}"


def unechoed(path, constraint):
    return f"Value at '{path}' failed to satisfy constraint: {constraint}"
