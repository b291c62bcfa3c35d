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


def _enum(printed: str, *, current: str | None = None) -> EnumSet:
    values = tuple(printed.split())
    return EnumSet(
        values=frozenset(values),
        printed=values,
        printed_current=values if current is None else tuple(current.split()),
    )


# Items
RETURN_VALUE: Final = _enum(
    "ALL_NEW UPDATED_OLD ALL_OLD NONE UPDATED_NEW",
    current="ALL_OLD UPDATED_OLD ALL_NEW UPDATE_NEW NONE",
)
RETURN_CONSUMED_CAPACITY: Final = _enum("INDEXES TOTAL NONE")
RETURN_ITEM_COLLECTION_METRICS: Final = _enum("SIZE NONE")
RETURN_VALUES_ON_CONDITION_CHECK_FAILURE: Final = _enum("ALL_OLD NONE")
CONDITIONAL_OPERATOR: Final = _enum("OR AND", current="ALL OR")
COMPARISON_OPERATOR: Final = _enum(
    "IN NULL BETWEEN LT NOT_CONTAINS EQ GT NOT_NULL NE LE BEGINS_WITH GE CONTAINS"
)
ATTRIBUTE_ACTION: Final = _enum("ADD PUT DELETE")
SELECT: Final = _enum("SPECIFIC_ATTRIBUTES COUNT ALL_ATTRIBUTES ALL_PROJECTED_ATTRIBUTES")

# Tables
SCALAR_ATTRIBUTE_TYPE: Final = _enum("B N S")
KEY_TYPE: Final = _enum("HASH RANGE")
BILLING_MODE: Final = _enum("PROVISIONED PAY_PER_REQUEST")
PROJECTION_TYPE: Final = _enum("ALL INCLUDE KEYS_ONLY")
TABLE_CLASS: Final = _enum("STANDARD STANDARD_INFREQUENT_ACCESS")
STREAM_VIEW_TYPE: Final = _enum("OLD_IMAGE KEYS_ONLY NEW_AND_OLD_IMAGES NEW_IMAGE")
SSE_TYPE: Final = _enum("AES256 KMS")
GLOBAL_TABLE_SETTINGS_REPLICATION_MODE: Final = _enum("ENABLED DISABLED ENABLED_WITH_OVERRIDES")
REGION_NAME: Final = _enum(
    "ap-east-2 sa-east-1 us-gov-west-1 ca-west-1 us-west-1 us-isob-east-1 us-west-2 me-central-1 "
    "cn-north-1 ap-northeast-1 ap-northeast-2 af-south-1 ca-central-1 ap-northeast-3 "
    "us-iso-west-1 eu-north-1 il-central-1 us-gov-east-1 ap-southeast-1 us-east-1 eu-west-1 "
    "ap-southeast-2 eu-west-2 us-east-2 ap-southeast-3 eu-west-3 ap-southeast-4 ap-south-1 "
    "eu-south-1 ap-southeast-5 ap-south-2 us-isob-west-1 us-isof-south-1 eu-south-2 "
    "ap-southeast-6 cn-northwest-1 ap-southeast-7 mx-central-1 us-northeast-1 us-iso-east-1 "
    "eu-central-1 me-south-1 eu-central-2 us-isof-east-1 ap-east-1"
)
CONTRIBUTOR_INSIGHTS_ACTION: Final = _enum("ENABLE DISABLE")
CONTRIBUTOR_INSIGHTS_MODE: Final = _enum("ACCESSED_AND_THROTTLED_KEYS THROTTLED_KEYS")
BACKUP_TYPE_FILTER: Final = _enum("USER SYSTEM AWS_BACKUP ALL")
MULTI_REGION_CONSISTENCY: Final = _enum("EVENTUAL STRONG")
VECTOR_DISTANCE_FUNCTION: Final = _enum("COSINE DOT_PRODUCT EUCLIDEAN")
SEARCH_SCHEMA_ELEMENT_TYPE: Final = _enum("HASH INLINE_FILTER")

# Exports
EXPORT_FORMAT: Final = _enum("DYNAMODB_JSON ION")
EXPORT_TYPE: Final = _enum("FULL_EXPORT INCREMENTAL_EXPORT")
EXPORT_VIEW_TYPE: Final = _enum("NEW_IMAGE NEW_AND_OLD_IMAGES")
S3_SSE_ALGORITHM: Final = _enum("AES256 KMS")

# Imports and bulk operations
INPUT_FORMAT: Final = _enum("ION CSV DYNAMODB_JSON")
BULK_OPERATION_INPUT_FORMAT: Final = _enum("ION DYNAMODB_JSON")
INPUT_COMPRESSION_TYPE: Final = _enum("ZSTD NONE GZIP")
OUTPUT_TYPE_ENUM: Final = _enum("ERROR CONDITION_CHECK_FAILURE")
BULK_OPERATION_PERFORMANCE_TIER: Final = _enum("STANDARD ACCELERATED")

# Streams
SHARD_ITERATOR_TYPE: Final = _enum(
    "TRIM_HORIZON LATEST AT_SEQUENCE_NUMBER AFTER_SEQUENCE_NUMBER AT_TIMESTAMP"
)
SHARD_FILTER_TYPE: Final = _enum("CHILD_SHARDS")
