"""Structures of the API's model, and their constraints, that imports and bulk operations share."""

from typing import Any, Final

import msgspec

from hashrange.limits.imports import (
    BUCKET_NAME_CHARS_MAX,
    IMPORT_HEADER_CHARS_MAX,
    IMPORT_HEADERS_MAX,
    S3_PREFIX_CHARS_MAX,
)
from hashrange.operations.pipeline.constraints import BUCKET as BUCKET_NAME
from hashrange.operations.pipeline.constraints import BUCKET_OWNER
from hashrange.operations.tables.structures import (
    AttributeDefinition,
    GlobalSecondaryIndex,
    KeySchemaElement,
    OnDemandThroughput,
    ProvisionedThroughput,
    SSESpecification,
    VectorIndex,
    api_name,
)
from hashrange.wire.constraints import each, inside, length, matches, required
from hashrange.wire.rules import ITSELF

_HEADER_PATTERN: Final = r"[\x20-\x21\x23-\x2B\x2D-\x7E]*"

BUCKET: Final = (length("s3_bucket", None, BUCKET_NAME_CHARS_MAX), BUCKET_NAME)
PREFIX: Final = length("s3_key_prefix", None, S3_PREFIX_CHARS_MAX)
CSV: Final = inside(
    "csv",
    matches("delimiter", "[,;:|\\t ]"),
    length("delimiter", 1, 1),
    length("header_list", 1, IMPORT_HEADERS_MAX),
    each(
        "header_list", length(ITSELF, 1, IMPORT_HEADER_CHARS_MAX), matches(ITSELF, _HEADER_PATTERN)
    ),
)
SOURCE: Final = (BUCKET_OWNER, required("s3_bucket"), *BUCKET, PREFIX)


class S3BucketSource(
    msgspec.Struct, frozen=True, kw_only=True, rename=api_name, omit_defaults=True
):
    """The bucket of an import, and the beginning of the keys of its objects."""

    s3_bucket_owner: str | None = None
    s3_bucket: str | None = None
    s3_key_prefix: str | None = None


class CsvOptions(msgspec.Struct, frozen=True, kw_only=True, rename="pascal", omit_defaults=True):
    """How CSV is read."""

    delimiter: str | None = None
    header_list: list[str] | None = None


class InputFormatOptions(
    msgspec.Struct, frozen=True, kw_only=True, rename="pascal", omit_defaults=True
):
    """How objects of one format are read."""

    csv: CsvOptions | None = None


class TableCreationParameters(
    msgspec.Struct, frozen=True, kw_only=True, rename=api_name, omit_defaults=True
):
    """The table that an import creates."""

    table_name: str | None = None
    attribute_definitions: list[AttributeDefinition] | None = None
    key_schema: list[KeySchemaElement] | None = None
    billing_mode: str | None = None
    provisioned_throughput: ProvisionedThroughput | None = None
    on_demand_throughput: OnDemandThroughput | None = None
    sse_specification: SSESpecification | None = None
    global_secondary_indexes: list[GlobalSecondaryIndex] | None = None
    vector_indexes: list[VectorIndex] | None = None


class InputS3Configuration(
    msgspec.Struct, frozen=True, kw_only=True, rename=api_name, omit_defaults=True
):
    """The records of a bulk operation."""

    s3_bucket_owner: str | None = None
    s3_bucket: str | None = None
    s3_key_prefix: str | None = None
    input_format: str | None = None
    input_compression_type: str | None = None


class OutputS3Configuration(
    msgspec.Struct, frozen=True, kw_only=True, rename=api_name, omit_defaults=True
):
    """Where a bulk operation reports the records that it did not put."""

    s3_bucket_owner: str | None = None
    s3_bucket: str | None = None
    s3_key_prefix: str | None = None
    s3_sse_algorithm: str | None = None
    s3_sse_kms_key_id: str | None = None
    output_type: list[str] | None = None


def as_sent(structure: object) -> dict[str, Any]:
    """The members of a structure that were sent, by their names in the API."""
    found: dict[str, Any] = _without_absent(msgspec.to_builtins(structure))
    return found


def _without_absent(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: _without_absent(each) for key, each in data.items() if each is not None}
    return [_without_absent(each) for each in data] if isinstance(data, list) else data
