"""Structures of the operations on the auto scaling of replicas."""

from typing import Final

from hashrange.limits.scaling import SCALING_ID_CHARS_MAX, SCALING_NAME_CHARS_MAX
from hashrange.limits.tables import INDEX_NAME_CHARS_MAX, INDEX_NAME_CHARS_MIN
from hashrange.operations.pipeline.constraints import NAME_PATTERN
from hashrange.wire.constraints import between, each, inside, length, matches, required, rows
from hashrange.wire.rules import Row

_INDEX_NAME: Final[tuple[Row, ...]] = (
    required("index_name"),
    length("index_name", INDEX_NAME_CHARS_MIN, INDEX_NAME_CHARS_MAX),
    matches("index_name", NAME_PATTERN),
)


def _settings(name: str) -> Row:
    return inside(
        name,
        between("minimum_units", 1, None),
        between("maximum_units", 1, None),
        length("auto_scaling_role_arn", 1, SCALING_ID_CHARS_MAX),
        inside(
            "scaling_policy_update",
            length("policy_name", 1, SCALING_NAME_CHARS_MAX),
            required("target_tracking_scaling_policy_configuration"),
            inside("target_tracking_scaling_policy_configuration", required("target_value")),
        ),
    )


DESCRIBE_ROWS: Final = rows()
UPDATE_ROWS: Final = rows(
    length("global_secondary_index_updates", 1, None),
    each(
        "global_secondary_index_updates",
        *_INDEX_NAME,
        _settings("provisioned_write_capacity_auto_scaling_update"),
    ),
    _settings("provisioned_write_capacity_auto_scaling_update"),
    length("replica_updates", 1, None),
    each(
        "replica_updates",
        required("region_name"),
        each(
            "replica_global_secondary_index_updates",
            *_INDEX_NAME,
            _settings("provisioned_read_capacity_auto_scaling_update"),
        ),
        _settings("replica_provisioned_read_capacity_auto_scaling_update"),
    ),
)
