"""Structures of the API's model that several operations on tables share."""

from typing import Annotated, Any, Final, TypeAlias

import msgspec

from hashrange.wire.member_types import unread

_SPELT: Final = {
    "sse_specification": "SSESpecification",
    "sse_specification_override": "SSESpecificationOverride",
    "sse_type": "SSEType",
    "sse_description": "SSEDescription",
    "kms_master_key_id": "KMSMasterKeyId",
    "kms_master_key_arn": "KMSMasterKeyArn",
}


def api_name(field: str) -> str:
    """The name of a field in the API; some names begin with an abbreviation."""
    return _SPELT.get(field) or field.title().replace("_", "")


class AttributeDefinition(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """An attribute of a key, and its type."""

    attribute_name: str | None = None
    attribute_type: str | None = None


class KeySchemaElement(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """An attribute's place in a key: HASH or RANGE."""

    attribute_name: str | None = None
    key_type: str | None = None


class Projection(msgspec.Struct, frozen=True, kw_only=True, rename="pascal", omit_defaults=True):
    """The attributes of an item that an index has."""

    projection_type: str | None = None
    non_key_attributes: list[str] | None = None


class ProvisionedThroughput(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """Capacity units a second."""

    read_capacity_units: int | None = None
    write_capacity_units: int | None = None


class OnDemandThroughput(
    msgspec.Struct, frozen=True, kw_only=True, rename="pascal", omit_defaults=True
):
    """Upper bounds of an on-demand table or index."""

    max_read_request_units: int | None = None
    max_write_request_units: int | None = None


class WarmThroughput(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """Units a second that a table or index is prepared for."""

    read_units_per_second: int | None = None
    write_units_per_second: int | None = None


class LocalSecondaryIndex(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """An index that shares the table's partition key."""

    index_name: str | None = None
    key_schema: list[KeySchemaElement] | None = None
    projection: Projection | None = None


class GlobalSecondaryIndex(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """An index with keys of its own."""

    index_name: str | None = None
    key_schema: list[KeySchemaElement] | None = None
    projection: Projection | None = None
    provisioned_throughput: ProvisionedThroughput | None = None
    on_demand_throughput: OnDemandThroughput | None = None
    warm_throughput: WarmThroughput | None = None


class StreamSpecification(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """Whether changes are streamed, and which images."""

    stream_enabled: bool | None = None
    stream_view_type: str | None = None


class SSESpecification(msgspec.Struct, frozen=True, kw_only=True, rename=api_name):
    """Encryption with a key of KMS."""

    enabled: bool | None = None
    sse_type: str | None = None
    kms_master_key_id: str | None = None


class Tag(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """A key and a value that the owner of a resource has chosen."""

    key: str | None = None
    value: str | None = None


class ProvisionedThroughputDescription(
    msgspec.Struct, frozen=True, kw_only=True, rename="pascal", omit_defaults=True
):
    """The current throughput; dates in seconds since the epoch."""

    last_increase_date_time: float | None = None
    last_decrease_date_time: float | None = None
    number_of_decreases_today: int | None = None
    read_capacity_units: int
    write_capacity_units: int


class BillingModeSummary(
    msgspec.Struct, frozen=True, kw_only=True, rename="pascal", omit_defaults=True
):
    """The billing mode, and when the table last became on demand."""

    billing_mode: str
    last_update_to_pay_per_request_date_time: float | None = None


class ThroughputModeSummary(
    msgspec.Struct, frozen=True, kw_only=True, rename="pascal", omit_defaults=True
):
    """The billing mode again; SDKs do not know it. Source: captures of the service, 2026."""

    table_throughput_mode: str
    last_update_to_pay_per_request_date_time: float | None = None


class TableClassSummary(
    msgspec.Struct, frozen=True, kw_only=True, rename="pascal", omit_defaults=True
):
    """The table class, if one was ever set."""

    table_class: str
    last_update_date_time: float | None = None


class WarmThroughputDescription(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """Units a second that a table or index is prepared for; UPDATING while that changes."""

    read_units_per_second: int
    write_units_per_second: int
    status: str


class LocalSecondaryIndexDescription(
    msgspec.Struct, frozen=True, kw_only=True, rename="pascal", omit_defaults=True
):
    """A local index of a description."""

    index_name: str
    key_schema: list[KeySchemaElement]
    projection: Projection
    index_size_bytes: int
    item_count: int
    index_arn: str


class GlobalSecondaryIndexDescription(
    msgspec.Struct, frozen=True, kw_only=True, rename="pascal", omit_defaults=True
):
    """A global index of a description; `backfilling` only while it is being built."""

    index_name: str
    key_schema: list[KeySchemaElement]
    projection: Projection
    index_status: str | None = None
    backfilling: bool | None = None
    provisioned_throughput: ProvisionedThroughputDescription
    index_size_bytes: int
    item_count: int
    index_arn: str
    on_demand_throughput: OnDemandThroughput | None = None
    warm_throughput: WarmThroughputDescription | None = None
    """Present in all answers but that of CreateTable."""


class SSEDescription(
    msgspec.Struct, frozen=True, kw_only=True, rename=api_name, omit_defaults=True
):
    """Encryption with a key of KMS; only the status while it changes."""

    status: str
    sse_type: str | None = None
    kms_master_key_arn: str | None = None


class RestoreSummary(
    msgspec.Struct, frozen=True, kw_only=True, rename="pascal", omit_defaults=True
):
    """Where the items of a table come from, while it is being restored."""

    source_backup_arn: str | None = None
    source_table_arn: str
    restore_date_time: float
    restore_in_progress: bool


class ProvisionedThroughputOverride(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """Read capacity of one replica."""

    read_capacity_units: int | None = None


class OnDemandThroughputOverride(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """The on-demand maximum of one replica."""

    max_read_request_units: int | None = None


class ReplicaIndexDescription(
    msgspec.Struct, frozen=True, kw_only=True, rename=api_name, omit_defaults=True
):
    """A global index of a replica, with the settings that it has for itself."""

    index_name: str
    provisioned_throughput_override: ProvisionedThroughputOverride | None = None
    on_demand_throughput_override: OnDemandThroughputOverride | None = None
    warm_throughput: WarmThroughputDescription | None = None


class ReplicaDescription(
    msgspec.Struct, frozen=True, kw_only=True, rename=api_name, omit_defaults=True
):
    """Another replica of a global table."""

    region_name: str
    replica_status: str
    replica_arn: str | None = None
    kms_master_key_id: str | None = None
    provisioned_throughput_override: ProvisionedThroughputOverride | None = None
    on_demand_throughput_override: OnDemandThroughputOverride | None = None
    warm_throughput: WarmThroughputDescription | None = None
    global_secondary_indexes: list[ReplicaIndexDescription] | None = None
    replica_table_class_summary: TableClassSummary | None = None
    global_table_settings_replication_mode: str | None = None


class WitnessDescription(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """The witness of a strong table."""

    region_name: str
    witness_status: str


class TableDescription(
    msgspec.Struct, frozen=True, kw_only=True, rename=api_name, omit_defaults=True
):
    """A table of an answer; that of DeleteTable has neither key nor creation date."""

    attribute_definitions: list[AttributeDefinition] | None = None
    table_name: str
    key_schema: list[KeySchemaElement] | None = None
    table_status: str
    creation_date_time: float | None = None
    provisioned_throughput: ProvisionedThroughputDescription
    table_size_bytes: int
    item_count: int
    table_arn: str
    table_id: str
    billing_mode_summary: BillingModeSummary | None = None
    table_throughput_mode_summary: ThroughputModeSummary | None = None
    table_class_summary: TableClassSummary | None = None
    deletion_protection_enabled: bool | None = None
    on_demand_throughput: OnDemandThroughput | None = None
    local_secondary_indexes: list[LocalSecondaryIndexDescription] | None = None
    global_secondary_indexes: list[GlobalSecondaryIndexDescription] | None = None
    stream_specification: StreamSpecification | None = None
    latest_stream_label: str | None = None
    latest_stream_arn: str | None = None
    sse_description: SSEDescription | None = None
    restore_summary: RestoreSummary | None = None
    global_table_version: str | None = None
    replicas: list[ReplicaDescription] | None = None
    global_table_settings_replication_mode: str | None = None
    multi_region_consistency: str | None = None
    global_table_witnesses: list[WitnessDescription] | None = None
    warm_throughput: WarmThroughputDescription | None = None
    """CreateTable answers it only if the request has it, DeleteTable never."""

    def with_billing(self, summary: BillingModeSummary | None) -> "TableDescription":
        """The description with another billing mode, in both summaries."""
        mode = summary and ThroughputModeSummary(
            table_throughput_mode=summary.billing_mode,
            last_update_to_pay_per_request_date_time=(
                summary.last_update_to_pay_per_request_date_time
            ),
        )
        return msgspec.structs.replace(
            self, billing_mode_summary=summary, table_throughput_mode_summary=mode
        )


VectorIndex: TypeAlias = Annotated[dict[str, Any], unread("VectorIndex")]
VectorIndexUpdate: TypeAlias = Annotated[dict[str, Any], unread("VectorIndexUpdate")]
"""Vector indexes are not built: only the presence of these two is checked."""
