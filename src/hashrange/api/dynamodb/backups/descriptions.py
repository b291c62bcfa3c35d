"""Descriptions of backups in answers."""

from typing import Final

from hashrange.api.dynamodb.definitions.encryption import described_encryption
from hashrange.api.dynamodb.definitions.on_demand_limits import described_limits
from hashrange.api.dynamodb.indexes.descriptions import described_projection, key_schema
from hashrange.api.dynamodb.indexes.vectors import described_info
from hashrange.api.dynamodb.streams.specification import described_stream
from hashrange.api.dynamodb.tables.time_to_live import described_expiry
from hashrange.api.steps.operation import TableChoices
from hashrange.model.backup import Backup
from hashrange.model.structures.dynamodb import (
    BackupDescription,
    BackupDetails,
    BackupSummary,
    IndexInfo,
    KeySchemaElement,
    ProvisionedThroughput,
    SourceTableDetails,
    SourceTableFeatureDetails,
)
from hashrange.model.table import Index, Table, Throughput

AVAILABLE: Final = "AVAILABLE"
CREATING: Final = "CREATING"
DELETED: Final = "DELETED"


def details(backup: Backup, status: str, arn: str | None = None) -> BackupDetails:
    """A backup by itself; `arn` as the request has it."""
    return BackupDetails(
        backup_arn=arn or backup.arn,
        backup_name=backup.name,
        backup_size_bytes=backup.item_bytes,
        backup_status=status,
        backup_type=kind_of(backup),
        backup_creation_date_time=backup.created_ms / 1000,
        backup_expiry_date_time=None if backup.expires_ms is None else backup.expires_ms / 1000,
    )


def summary(backup: Backup) -> BackupSummary:
    """A backup in a list."""
    table = backup.table
    return BackupSummary(
        table_name=table.name,
        table_id=table.id,
        table_arn=table.arn,
        backup_arn=backup.arn,
        backup_name=backup.name,
        backup_creation_date_time=backup.created_ms / 1000,
        backup_expiry_date_time=None if backup.expires_ms is None else backup.expires_ms / 1000,
        backup_status=status_of(backup),
        backup_type=kind_of(backup),
        backup_size_bytes=backup.item_bytes,
    )


def description(backup: Backup, status: str, arn: str, choices: TableChoices) -> BackupDescription:
    """A backup with its table; the features of a deleted table are not described."""
    table = backup.table
    return BackupDescription(
        backup_details=details(backup, status, arn),
        source_table_details=SourceTableDetails(
            table_name=table.name,
            table_id=table.id,
            table_arn=table.arn,
            table_size_bytes=backup.item_bytes,
            key_schema=[
                KeySchemaElement(attribute_name=attribute.name, key_type=kind)
                for attribute, kind in zip(table.key_attributes, ("HASH", "RANGE"), strict=False)
            ],
            table_creation_date_time=table.created_ms / 1000,
            provisioned_throughput=_units(table.throughput),
            on_demand_throughput=described_limits(table.on_demand),
            item_count=backup.item_count,
            billing_mode=table.billing_mode,
        ),
        source_table_feature_details=SourceTableFeatureDetails()
        if backup.is_system
        else _features(table, choices),
    )


def status_of(backup: Backup) -> str:
    """The status of a backup that exists."""
    return AVAILABLE if backup.source is None else CREATING


def kind_of(backup: Backup) -> str:
    """The type of a backup."""
    return "SYSTEM" if backup.is_system else "USER"


def _features(table: Table, choices: TableChoices) -> SourceTableFeatureDetails:
    return SourceTableFeatureDetails(
        local_secondary_indexes=[_info(each) for each in table.indexes if each.is_local] or None,
        global_secondary_indexes=[_info(each) for each in table.indexes if not each.is_local]
        or None,
        stream_description=described_stream(table),
        vector_indexes=[described_info(each) for each in table.vectors] or None,
        time_to_live_description=None if table.expiry is None else described_expiry(table.expiry),
        sse_description=described_encryption(table, 0, 0, choices.master_key_id),
    )


def _info(index: Index) -> IndexInfo:
    return IndexInfo(
        index_name=index.name,
        key_schema=key_schema(index),
        projection=described_projection(index),
        provisioned_throughput=None if index.is_local else _units(index.throughput),
        on_demand_throughput=None if index.is_local else described_limits(index.on_demand),
    )


def _units(throughput: Throughput) -> ProvisionedThroughput:
    return ProvisionedThroughput(
        read_capacity_units=throughput.read_units, write_capacity_units=throughput.write_units
    )
