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


def as_sent(structure: object) -> dict[str, Any]:
    """The members of a structure that were sent, by their names in the API."""
    found: dict[str, Any] = _without_absent(msgspec.to_builtins(structure))
    return found


def _without_absent(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: _without_absent(each) for key, each in data.items() if each is not None}
    return [_without_absent(each) for each in data] if isinstance(data, list) else data
