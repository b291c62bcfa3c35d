"""Keys of KMS of replicas: each has one of its own, and all have the same kind of encryption. Pure.

Source: API reference, KMSMasterKeyId of replicas; texts as users of the service have reported them.
"""

from collections.abc import Mapping

import msgspec

from hashrange.errors import invalid
from hashrange.messages.tables import replicas as messages
from hashrange.model.replication import Overrides
from hashrange.model.table import Encryption, Table
from hashrange.operations.pipeline.operation import TableChoices
from hashrange.operations.tables.encryption import encryption_of, refuse_encryption
from hashrange.operations.tables.structures import SSESpecification
from hashrange.replication.groups import replicas_of


def key_of_new_replica(
    source: Table, region: str, key: str | None, choices: TableChoices
) -> Encryption | None:
    """The encryption of a new replica: that of the source, with a key of the replica's region.

    Raises ValidationException: a key is missing, or the source has the service's own key.
    """
    if (source.encryption is None or is_managed(source, choices)) is not (key is None):
        raise invalid(messages.key_needed())
    if source.encryption is None:
        return None
    return _encryption(source.account, region, key, choices)


def check_keys(overrides: Mapping[str, Overrides], table: Table, choices: TableChoices) -> None:
    """Refuse new keys that are not those of all replicas. Raises ValidationException."""
    keys = [each.key for each in overrides.values()]
    if keys.count(None) == len(keys):
        return
    regions = {table.region, *(each.region for each in replicas_of(table))}
    if None in keys or regions != overrides.keys() or table.encryption is None:
        raise invalid(messages.key_needed())
    refuse_encryption(SSESpecification(enabled=True), choices)


def with_key(table: Table, key: str | None, now_ms: int, choices: TableChoices) -> Table:
    """A replica with another key; None changes nothing."""
    if key is None:
        return table
    encryption = _encryption(table.account, table.region, key, choices)
    return msgspec.structs.replace(table, encryption=encryption, encryption_changed_ms=now_ms)


def with_kind(
    table: Table, specification: SSESpecification, now_ms: int, choices: TableChoices
) -> Table:
    """A replica when another one has changed its encryption: each has the key of its region."""
    wanted = encryption_of(
        specification, account=table.account, region=table.region, choices=choices
    )
    if wanted == table.encryption:
        return table
    return msgspec.structs.replace(table, encryption=wanted, encryption_changed_ms=now_ms)


def is_managed(table: Table, choices: TableChoices) -> bool:
    """Whether a table has the key of the service in KMS."""
    return table.encryption == _encryption(table.account, table.region, None, choices)


def _encryption(
    account: str, region: str, key: str | None, choices: TableChoices
) -> Encryption | None:
    specification = SSESpecification(enabled=True, sse_type="KMS", kms_master_key_id=key)
    return encryption_of(specification, account=account, region=region, choices=choices)
