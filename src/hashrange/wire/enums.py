"""The enums of the API, in the orders in which the service prints them.

The orders are those of hash tables. Source: captures of the service, or the API's model for enums
that no capture has.
"""

from typing import Final

import msgspec


class EnumSet(msgspec.Struct, frozen=True):
    """An enum.

    Attributes:
        values: accepted texts.
        printed: texts as printed in the model's form.
        printed_current: texts as printed in the current form; misspellings are the service's.
    """

    values: frozenset[str]
    printed: tuple[str, ...]
    printed_current: tuple[str, ...]


def enum_of(printed: str, *, current: str | None = None) -> EnumSet:
    """An enum of the texts that are printed, separated by spaces."""
    values = tuple(printed.split())
    return EnumSet(
        values=frozenset(values),
        printed=values,
        printed_current=values if current is None else tuple(current.split()),
    )


# Items
RETURN_VALUE: Final = enum_of(
    "ALL_NEW UPDATED_OLD ALL_OLD NONE UPDATED_NEW",
    current="ALL_OLD UPDATED_OLD ALL_NEW UPDATE_NEW NONE",
)
RETURN_CONSUMED_CAPACITY: Final = enum_of("INDEXES TOTAL NONE")
RETURN_ITEM_COLLECTION_METRICS: Final = enum_of("SIZE NONE")
RETURN_VALUES_ON_CONDITION_CHECK_FAILURE: Final = enum_of("ALL_OLD NONE")
CONDITIONAL_OPERATOR: Final = enum_of("OR AND", current="ALL OR")
COMPARISON_OPERATOR: Final = enum_of(
    "IN NULL BETWEEN LT NOT_CONTAINS EQ GT NOT_NULL NE LE BEGINS_WITH GE CONTAINS"
)
ATTRIBUTE_ACTION: Final = enum_of("ADD PUT DELETE")
SELECT: Final = enum_of("SPECIFIC_ATTRIBUTES COUNT ALL_ATTRIBUTES ALL_PROJECTED_ATTRIBUTES")

# Tables
SCALAR_ATTRIBUTE_TYPE: Final = enum_of("B N S")
KEY_TYPE: Final = enum_of("HASH RANGE")
BILLING_MODE: Final = enum_of("PROVISIONED PAY_PER_REQUEST")
PROJECTION_TYPE: Final = enum_of("ALL INCLUDE KEYS_ONLY")
SEARCH_SCHEMA_ELEMENT_TYPE: Final = enum_of("HASH INLINE_FILTER")
VECTOR_DISTANCE_FUNCTION: Final = enum_of("COSINE DOT_PRODUCT EUCLIDEAN")
TABLE_CLASS: Final = enum_of("STANDARD STANDARD_INFREQUENT_ACCESS")
STREAM_VIEW_TYPE: Final = enum_of("OLD_IMAGE KEYS_ONLY NEW_AND_OLD_IMAGES NEW_IMAGE")
SSE_TYPE: Final = enum_of("AES256 KMS")
REGION_NAME: Final = enum_of(
    "ap-east-2 sa-east-1 us-gov-west-1 ca-west-1 us-west-1 us-isob-east-1 us-west-2 me-central-1 "
    "cn-north-1 ap-northeast-1 ap-northeast-2 af-south-1 ca-central-1 ap-northeast-3 "
    "us-iso-west-1 eu-north-1 il-central-1 us-gov-east-1 ap-southeast-1 us-east-1 eu-west-1 "
    "ap-southeast-2 eu-west-2 us-east-2 ap-southeast-3 eu-west-3 ap-southeast-4 ap-south-1 "
    "eu-south-1 ap-southeast-5 ap-south-2 us-isob-west-1 us-isof-south-1 eu-south-2 "
    "ap-southeast-6 cn-northwest-1 ap-southeast-7 mx-central-1 us-northeast-1 us-iso-east-1 "
    "eu-central-1 me-south-1 eu-central-2 us-isof-east-1 ap-east-1"
)
APPROXIMATE_CREATION_DATE_TIME_PRECISION: Final = enum_of("MILLISECOND MICROSECOND")
CONTRIBUTOR_INSIGHTS_ACTION: Final = enum_of("ENABLE DISABLE")
CONTRIBUTOR_INSIGHTS_MODE: Final = enum_of("ACCESSED_AND_THROTTLED_KEYS THROTTLED_KEYS")
BACKUP_TYPE_FILTER: Final = enum_of("USER SYSTEM AWS_BACKUP ALL")
DISASSOCIATION_MODE: Final = enum_of("WAIT_FOR_REPLICATION")
MULTI_REGION_CONSISTENCY: Final = enum_of("EVENTUAL STRONG")

# Exports
EXPORT_FORMAT: Final = enum_of("DYNAMODB_JSON ION")
EXPORT_TYPE: Final = enum_of("FULL_EXPORT INCREMENTAL_EXPORT")
EXPORT_VIEW_TYPE: Final = enum_of("NEW_IMAGE NEW_AND_OLD_IMAGES")
S3_SSE_ALGORITHM: Final = enum_of("AES256 KMS")

# Imports and bulk operations
INPUT_FORMAT: Final = enum_of("ION CSV DYNAMODB_JSON")
BULK_OPERATION_INPUT_FORMAT: Final = enum_of("ION DYNAMODB_JSON")
INPUT_COMPRESSION_TYPE: Final = enum_of("ZSTD NONE GZIP")
OUTPUT_TYPE_ENUM: Final = enum_of("ERROR CONDITION_CHECK_FAILURE")
BULK_OPERATION_PERFORMANCE_TIER: Final = enum_of("STANDARD ACCELERATED")

# Streams
SHARD_ITERATOR_TYPE: Final = enum_of(
    "TRIM_HORIZON LATEST AT_SEQUENCE_NUMBER AFTER_SEQUENCE_NUMBER AT_TIMESTAMP"
)
SHARD_FILTER_TYPE: Final = enum_of("CHILD_SHARDS")
