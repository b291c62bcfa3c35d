"""Structures of the API's model that several operations on backups share."""

import msgspec

from hashrange.operations.tables.structures import (
    KeySchemaElement,
    OnDemandThroughput,
    Projection,
    ProvisionedThroughput,
    SSEDescription,
    StreamSpecification,
    api_name,
)
from hashrange.operations.tables.time_to_live import TimeToLiveDescription


class BackupDetails(msgspec.Struct, frozen=True, kw_only=True, rename="pascal", omit_defaults=True):
    """A backup by itself; dates are in seconds since the epoch."""

    backup_arn: str
    backup_name: str
    backup_size_bytes: int
    backup_status: str
    backup_type: str
    backup_creation_date_time: float
    backup_expiry_date_time: float | None = None


class BackupSummary(msgspec.Struct, frozen=True, kw_only=True, rename="pascal", omit_defaults=True):
    """A backup in a list."""

    table_name: str
    table_id: str
    table_arn: str
    backup_arn: str
    backup_name: str
    backup_creation_date_time: float
    backup_expiry_date_time: float | None = None
    backup_status: str
    backup_type: str
    backup_size_bytes: int


class SourceTableDetails(
    msgspec.Struct, frozen=True, kw_only=True, rename="pascal", omit_defaults=True
):
    """The table when the backup was made."""

    table_name: str
    table_id: str
    table_arn: str
    table_size_bytes: int
    key_schema: list[KeySchemaElement]
    table_creation_date_time: float
    provisioned_throughput: ProvisionedThroughput
    on_demand_throughput: OnDemandThroughput | None = None
    item_count: int
    billing_mode: str


class IndexInfo(msgspec.Struct, frozen=True, kw_only=True, rename="pascal", omit_defaults=True):
    """An index when the backup was made; units are of global indexes only."""

    index_name: str
    key_schema: list[KeySchemaElement]
    projection: Projection
    provisioned_throughput: ProvisionedThroughput | None = None
    on_demand_throughput: OnDemandThroughput | None = None


class SourceTableFeatureDetails(
    msgspec.Struct, frozen=True, kw_only=True, rename=api_name, omit_defaults=True
):
    """The features that were enabled when the backup was made."""

    local_secondary_indexes: list[IndexInfo] | None = None
    global_secondary_indexes: list[IndexInfo] | None = None
    stream_description: StreamSpecification | None = None
    time_to_live_description: TimeToLiveDescription | None = None
    sse_description: SSEDescription | None = None


class BackupDescription(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """A backup with the table that it was made of."""

    backup_details: BackupDetails
    source_table_details: SourceTableDetails
    source_table_feature_details: SourceTableFeatureDetails


class BackupDescriptionAnswer(msgspec.Struct, frozen=True, rename="pascal"):
    """The answer to DescribeBackup and DeleteBackup."""

    backup_description: BackupDescription
