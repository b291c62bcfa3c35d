"""SSESpecification: requests for encryption with a key of KMS. Pure.

An encrypted data directory has one key, which stands for the key of the service in KMS
(alias/aws/dynamodb) and has an ARN of its own. Other keys do not exist. Without encryption such
requests are refused unless the operator has set `accept_encryption_requests`: then any key is
recorded and described, and nothing is encrypted with it.

Source: API reference, SSESpecification and SSEDescription; examples of the AWS CLI.
"""

import uuid
from typing import Final

import msgspec

from hashrange.api.steps.operation import TableChoices
from hashrange.errors import DynamoError, Fault, invalid
from hashrange.limits.tables import (
    ENCRYPTION_CHANGE_MS_MIN,
    ENCRYPTION_CHANGES_MAX,
    ENCRYPTION_WINDOW_MS,
)
from hashrange.messages.tables import operations as messages
from hashrange.model.structures.dynamodb import SSEDescription, SSESpecification
from hashrange.model.table import Encryption, Table
from hashrange.model.times import iso_time_ms
from hashrange.tables.catalog.lifecycle import is_encrypting

ALIAS_OF_SERVICE: Final = "alias/aws/dynamodb"
_KIND: Final = "KMS"
_ARN_FIELDS: Final = 6
_REGION_FIELD: Final = 3
_MANAGED_KEYS: Final = uuid.UUID("5f1c0d2e-6a58-4c8e-9d43-0b7f5d0f6c11")
"""Namespace of the ids of managed keys: one key for each account and region."""


def check_encryption(specification: SSESpecification | None) -> None:
    """Refuse members that contradict each other. Raises ValidationException.

    Source: measured by users, October 2026.
    """
    if specification is None:
        return
    enabled, kind = specification.enabled, specification.sse_type
    key = specification.kms_master_key_id
    if enabled is False:
        if kind is not None:
            raise invalid(messages.encryption_off_with("SSEType"))
        if key is not None:
            raise invalid(messages.encryption_off_with("KMSMasterKeyId"))
        return
    if kind is None and key is not None:
        raise invalid(messages.key_without_type())
    if kind == "AES256":
        raise invalid(messages.encryption_type_unsupported(kind))


def refuse_encryption(specification: SSESpecification | None, choices: TableChoices) -> None:
    """Refuse a request for encryption, unless data are encrypted or the operator accepts them."""
    accepts = choices.accepts_encryption or choices.master_key_id is not None
    if asks_for_encryption(specification) and not accepts:
        raise invalid(messages.encryption_not_supported(), bare=True)


def encryption_of(
    specification: SSESpecification | None, *, account: str, region: str, choices: TableChoices
) -> Encryption | None:
    """The encryption of a checked specification; None for the service's own key.

    Raises ValidationException: there is no such key.
    """
    if specification is None or not asks_for_encryption(specification):
        return None
    arn = key_arn(specification.kms_master_key_id or ALIAS_OF_SERVICE, account, region)
    alias, local = key_arn(ALIAS_OF_SERVICE, account, region), choices.master_key_id
    if local is not None:
        if arn in {alias, key_arn(local, account, region)}:
            return Encryption(key_arn=alias, is_local=True)
        if not choices.accepts_encryption:
            raise invalid(messages.kms_key_not_found(arn, _elsewhere(arn, region)), bare=True)
    return Encryption(key_arn=managed_key_arn(account, region) if arn == alias else arn)


def key_arn(key: str, account: str, region: str) -> str:
    """The ARN of a key, or of an alias, which a request names by it, by an id or as an alias."""
    if key.startswith("arn:"):
        return key
    return _prefix(account, region) + (key if key.startswith("alias/") else f"key/{key}")


def managed_key_arn(account: str, region: str) -> str:
    """The ARN of the key of the service in KMS, where data are not encrypted with one."""
    prefix = _prefix(account, region)
    return f"{prefix}key/{uuid.uuid5(_MANAGED_KEYS, prefix)}"


def _elsewhere(arn: str, region: str) -> str | None:
    """The region of a key, if it is another one."""
    found = [*arn.split(":"), *[""] * _ARN_FIELDS][_REGION_FIELD]
    return None if found == region else found


def _prefix(account: str, region: str) -> str:
    return f"arn:aws:kms:{region}:{account}:"


def encrypted(
    table: Table,
    specification: SSESpecification,
    now_ms: int,
    choices: TableChoices,
    *,
    transient_ms: int = 0,
) -> Table:
    """The table with a new key, or encrypted once more with the key that it has.

    Only a request that names that key by its ARN is refused, with ValidationException; another
    key has to wait until a change is complete, or ResourceInUseException is raised. Raises
    LimitExceededException for frequent changes. Source: measured by users, October 2026.
    """
    changes_ms = _changes(table, now_ms)
    requested = encryption_of(
        specification, account=table.account, region=table.region, choices=choices
    )
    if requested is None and table.encryption is None:
        raise invalid(messages.encrypted_by_default())
    if requested == table.encryption:
        assert requested is not None
        if specification.kms_master_key_id == _described_arn(requested, choices.master_key_id):
            raise invalid(messages.encrypted_by_given_key())
    elif is_encrypting(table, now_ms, transient_ms):
        raise DynamoError(Fault.RESOURCE_IN_USE, messages.encryption_being_updated())
    table = with_encryption(table, requested, now_ms)
    return msgspec.structs.replace(table, encryption_changes_ms=(*changes_ms, now_ms))


def _changes(table: Table, now_ms: int) -> tuple[int, ...]:
    """The changes of a day that began with the first of them, before one that is made now.

    Raises LimitExceededException. Source: measured by users, October 2026.
    """
    changes_ms = table.encryption_changes_ms
    if not changes_ms or now_ms >= changes_ms[0] + ENCRYPTION_WINDOW_MS:
        return ()
    end_ms, last_ms = changes_ms[0] + ENCRYPTION_WINDOW_MS, changes_ms[-1]
    next_ms = min(last_ms + ENCRYPTION_CHANGE_MS_MIN, end_ms)
    if len(changes_ms) >= ENCRYPTION_CHANGES_MAX and now_ms < next_ms:
        last, following, end = map(iso_time_ms, (last_ms, next_ms, end_ms))
        text = messages.too_many_encryption_changes(len(changes_ms), last, following, end)
        raise DynamoError(Fault.LIMIT_EXCEEDED, text)
    return changes_ms


def with_encryption(table: Table, encryption: Encryption | None, now_ms: int) -> Table:
    """The table when its encryption changes."""
    return msgspec.structs.replace(
        table,
        encryption=encryption,
        encryption_changed_ms=now_ms,
        encryption_before=table.encryption,
    )


def described_encryption(
    table: Table, now_ms: int, transient_ms: int, master_key_id: str | None
) -> SSEDescription | None:
    """The SSEDescription of a table; None for the service's own key.

    A table of a directory that was encrypted, and is not any more, has none either.
    """
    is_changing = is_encrypting(table, now_ms, transient_ms)
    encryption = table.encryption_before if is_changing else table.encryption
    arn = None if encryption is None else _described_arn(encryption, master_key_id)
    if is_changing:
        kind = None if arn is None else _KIND
        return SSEDescription(status="UPDATING", sse_type=kind, kms_master_key_arn=arn)
    if arn is None:
        return None
    return SSEDescription(status="ENABLED", sse_type=_KIND, kms_master_key_arn=arn)


def _described_arn(encryption: Encryption, master_key_id: str | None) -> str | None:
    """The ARN of a key; None for that of a directory that is not encrypted any more."""
    if not encryption.is_local:
        return encryption.key_arn
    if master_key_id is None:
        return None
    return encryption.key_arn.replace(ALIAS_OF_SERVICE, f"key/{master_key_id}")


def asks_for_encryption(specification: SSESpecification | None) -> bool:
    """Whether a specification turns encryption on, as also a type without Enabled does.

    Source: measured by users, October 2026.
    """
    if specification is None or specification.enabled is False:
        return False
    return specification.enabled is True or specification.sse_type is not None
