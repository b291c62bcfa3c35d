"""Keys of KMS of replicas: each has one of its own, and all have the same kind of encryption. Pure.

Source: API reference, KMSMasterKeyId of replicas; texts as users of the service have reported them.
"""

import contextlib
from collections.abc import Mapping, Sequence

from hashrange.api.dynamodb.definitions.encryption import (
    asks_for_encryption,
    encryption_of,
    refuse_encryption,
    with_encryption,
)
from hashrange.api.steps.operation import RequestContext, TableChoices
from hashrange.errors import DynamoError, invalid
from hashrange.messages.tables import operations as operation_messages
from hashrange.messages.tables import replicas as messages
from hashrange.model.replication import Overrides, SettingValue
from hashrange.model.structures.dynamodb import SSESpecification
from hashrange.model.table import Encryption, Table
from hashrange.regions.peers.messages import TableQuery
from hashrange.regions.replication.groups import replicas_of
from hashrange.tables.catalog.registers import CUSTOMER, ENCRYPTION, KEY, MANAGED, register_name


def key_of_new_replica(
    source: Table, region: str, key: str | None, choices: TableChoices
) -> Encryption | None:
    """The encryption of a new replica: that of the source, with a key of the replica's region.

    Raises ValidationException: a key is missing, is not of the kind of the others, or the source
    has the service's own key.
    """
    if (source.encryption is None or is_managed(source, choices)) is not (key is None):
        raise invalid(messages.key_needed())
    if source.encryption is None:
        return None
    found = _encryption(source.account, region, key, choices)
    if key is not None and found == _encryption(source.account, region, None, choices):
        raise invalid(messages.kinds_of_keys())
    return found


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
    return with_encryption(table, encryption, now_ms)


def with_kind(
    table: Table, specification: SSESpecification, now_ms: int, choices: TableChoices
) -> Table:
    """A replica when another one has changed its encryption: each has the key of its region."""
    wanted = encryption_of(
        specification, account=table.account, region=table.region, choices=choices
    )
    if wanted == table.encryption:
        return table
    return with_encryption(table, wanted, now_ms)


def accepts(choices: TableChoices) -> bool:
    """Whether tables of this server can have keys of KMS."""
    return choices.accepts_encryption or choices.master_key_id is not None


async def refuse_elsewhere(table: Table, context: RequestContext, regions: Sequence[str]) -> None:
    """Refuse encryption that servers of other regions cannot have, as far as they say so.

    Raises ValidationException.
    """
    peers = context.choices.peers
    if peers is None:
        return
    query = TableQuery(account=table.account, name=table.name)
    for region in regions:
        found = await peers.table(query, sender=table.region, receiver=region)
        if found is not None and not found.encrypts:
            raise invalid(operation_messages.encryption_not_supported(), bare=True)


def encryption_values(table: Table, choices: TableChoices) -> dict[str, SettingValue]:
    """The registers of the encryption of a table: its kind, and the key of its region."""
    if table.encryption is None:
        return {ENCRYPTION: None}
    if is_managed(table, choices):
        return {ENCRYPTION: MANAGED}
    return {ENCRYPTION: CUSTOMER, **key_values({table.region: table.encryption.key_arn})}


def encryption_register(specification: SSESpecification) -> dict[str, SettingValue]:
    """The register of a change of all replicas, which does not name a key."""
    return {ENCRYPTION: MANAGED if asks_for_encryption(specification) else None}


def key_values(keys: Mapping[str, str | None]) -> dict[str, SettingValue]:
    """The registers of keys by regions."""
    return {
        register_name(KEY, region=region): key for region, key in keys.items() if key is not None
    }


def encrypted_as_registered(table: Table, now_ms: int, choices: TableChoices) -> Table:
    """A replica with the encryption of its registers; none on a server that has none."""
    assert table.replication is not None, "a global table"
    registers = table.replication.registers
    kind = registers.get(ENCRYPTION)
    if kind is None:
        return table
    wanted = None
    if kind.value is not None and accepts(choices):
        own = registers.get(register_name(KEY, region=table.region))
        key = own.value if kind.value == CUSTOMER and own is not None else None
        with contextlib.suppress(DynamoError):  # it is not a key of this directory
            wanted = _encryption(
                table.account, table.region, key if isinstance(key, str) else None, choices
            )
    if wanted == table.encryption:
        return table
    return with_encryption(table, wanted, now_ms)


def is_managed(table: Table, choices: TableChoices) -> bool:
    """Whether a table has the key of the service in KMS."""
    return table.encryption == _encryption(table.account, table.region, None, choices)


def _encryption(
    account: str, region: str, key: str | None, choices: TableChoices
) -> Encryption | None:
    specification = SSESpecification(enabled=True, sse_type="KMS", kms_master_key_id=key)
    return encryption_of(specification, account=account, region=region, choices=choices)


class ReplicaEncryption:
    """The encryption that tables of a server can have: a `regions.peers.receiving.Encryption`.

    Args:
        choices: of the operator.
    """

    def __init__(self, choices: TableChoices) -> None:
        self._choices = choices

    @property
    def is_accepted(self) -> bool:
        """Whether tables can have keys of KMS."""
        return accepts(self._choices)

    def adopted(self, table: Table, now_ms: int) -> Table:
        """A replica with the encryption of its registers; none if it cannot have it."""
        return encrypted_as_registered(table, now_ms, self._choices)
