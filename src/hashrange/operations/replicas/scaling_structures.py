"""Structures of the operations on the auto scaling of replicas."""

from typing import Final

import msgspec

from hashrange.limits.scaling import SCALING_ID_CHARS_MAX, SCALING_NAME_CHARS_MAX
from hashrange.limits.tables import INDEX_NAME_CHARS_MAX, INDEX_NAME_CHARS_MIN
from hashrange.operations.pipeline.constraints import NAME_PATTERN
from hashrange.wire.constraints import between, each, inside, length, matches, required, rows
from hashrange.wire.member_types import Integer
from hashrange.wire.rules import Row


class AutoScalingTargetTrackingScalingPolicyConfigurationUpdate(
    msgspec.Struct, frozen=True, kw_only=True, rename="pascal", omit_defaults=True
):
    """The configuration of a policy, in requests and answers."""

    disable_scale_in: bool | None = None
    scale_in_cooldown: Integer | None = None
    scale_out_cooldown: Integer | None = None
    target_value: float | None = None


class AutoScalingPolicyUpdate(
    msgspec.Struct, frozen=True, kw_only=True, rename="pascal", omit_defaults=True
):
    """A policy, in requests and answers."""

    policy_name: str | None = None
    target_tracking_scaling_policy_configuration: (
        AutoScalingTargetTrackingScalingPolicyConfigurationUpdate | None
    ) = None


class AutoScalingSettingsUpdate(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """New settings of a target."""

    minimum_units: Integer | None = None
    maximum_units: Integer | None = None
    auto_scaling_disabled: bool | None = None
    auto_scaling_role_arn: str | None = None
    scaling_policy_update: AutoScalingPolicyUpdate | None = None


class GlobalSecondaryIndexAutoScalingUpdate(
    msgspec.Struct, frozen=True, kw_only=True, rename="pascal"
):
    """New settings of the write units of an index, in all regions."""

    index_name: str | None = None
    provisioned_write_capacity_auto_scaling_update: AutoScalingSettingsUpdate | None = None


class ReplicaGlobalSecondaryIndexAutoScalingUpdate(
    msgspec.Struct, frozen=True, kw_only=True, rename="pascal"
):
    """New settings of the read units of an index, in one region."""

    index_name: str | None = None
    provisioned_read_capacity_auto_scaling_update: AutoScalingSettingsUpdate | None = None


class ReplicaAutoScalingUpdate(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """New settings of the read units of a replica."""

    region_name: str | None = None
    replica_global_secondary_index_updates: (
        list[ReplicaGlobalSecondaryIndexAutoScalingUpdate] | None
    ) = None
    replica_provisioned_read_capacity_auto_scaling_update: AutoScalingSettingsUpdate | None = None


class UpdateTableReplicaAutoScaling(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """The request, as the client sent it."""

    global_secondary_index_updates: list[GlobalSecondaryIndexAutoScalingUpdate] | None = None
    table_name: str | None = None
    provisioned_write_capacity_auto_scaling_update: AutoScalingSettingsUpdate | None = None
    replica_updates: list[ReplicaAutoScalingUpdate] | None = None


class DescribeTableReplicaAutoScaling(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """The request, as the client sent it."""

    table_name: str | None = None


class AutoScalingSettings(
    msgspec.Struct, frozen=True, kw_only=True, rename="pascal", omit_defaults=True
):
    """The settings of a target."""

    minimum_units: int | None = None
    maximum_units: int | None = None
    auto_scaling_disabled: bool | None = None
    auto_scaling_role_arn: str | None = None
    scaling_policies: list[AutoScalingPolicyUpdate]


class ReplicaIndexAutoScaling(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """The settings of an index in one region."""

    index_name: str
    index_status: str
    provisioned_read_capacity_auto_scaling_settings: AutoScalingSettings
    provisioned_write_capacity_auto_scaling_settings: AutoScalingSettings


class ReplicaAutoScaling(
    msgspec.Struct, frozen=True, kw_only=True, rename="pascal", omit_defaults=True
):
    """The settings of a replica."""

    region_name: str
    global_secondary_indexes: list[ReplicaIndexAutoScaling] | None = None
    replica_provisioned_read_capacity_auto_scaling_settings: AutoScalingSettings
    replica_provisioned_write_capacity_auto_scaling_settings: AutoScalingSettings
    replica_status: str


class TableAutoScaling(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """The settings of all replicas."""

    table_name: str
    table_status: str
    replicas: list[ReplicaAutoScaling]


class TableAutoScalingAnswer(msgspec.Struct, frozen=True, rename="pascal"):
    """The answer to both operations."""

    table_auto_scaling_description: TableAutoScaling


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
