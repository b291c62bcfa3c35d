"""Constraints of the model on definitions of tables.

Members are in the order in which the service lists violations, as far as it is known.
"""

from typing import Final

from hashrange.limits.items import KEY_ATTRIBUTE_NAME_CHARS_MAX
from hashrange.wire import enums
from hashrange.wire.constraints import between, inside, length, one_of, required

ATTRIBUTE_DEFINITION: Final = (
    required("attribute_type"),
    one_of("attribute_type", enums.ATTRIBUTE_TYPE),
    required("attribute_name"),
    length("attribute_name", 1, KEY_ATTRIBUTE_NAME_CHARS_MAX),
)
KEY_SCHEMA_ELEMENT: Final = (
    required("attribute_name"),
    length("attribute_name", 1, KEY_ATTRIBUTE_NAME_CHARS_MAX),
    required("key_type"),
    one_of("key_type", enums.KEY_TYPE),
)
_CAPACITY: Final = (
    one_of("billing_mode", enums.BILLING_MODE),
    inside(
        "provisioned_throughput",
        required("write_capacity_units"),
        between("write_capacity_units", 1, None),
        required("read_capacity_units"),
        between("read_capacity_units", 1, None),
    ),
)
_ENCRYPTION: Final = inside(
    "sse_specification",
    one_of("sse_type", enums.SSE_TYPE),
    length("kms_master_key_id", 1, None),
)
TABLE_SETTINGS: Final = (
    *_CAPACITY,
    inside(
        "stream_specification",
        required("stream_enabled"),
        one_of("stream_view_type", enums.STREAM_VIEW_TYPE),
    ),
    _ENCRYPTION,
)
"""Constraints that CreateTable and UpdateTable share."""
SETTINGS_OF_IMPORT: Final = (*_CAPACITY, _ENCRYPTION)
"""Those of them that ImportTable has."""
