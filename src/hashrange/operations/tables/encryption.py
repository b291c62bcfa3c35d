"""SSESpecification: requests for encryption with a key of KMS. Pure.

This server encrypts nothing. It refuses such requests unless the operator has set
`accept_encryption_requests`: then it records the key and describes it as the service does. There is
no KMS, so whether the key exists is not checked.

Source: API reference, SSESpecification and SSEDescription; examples of the AWS CLI.
"""

import uuid
from typing import Final

import msgspec

from hashrange.errors import invalid
from hashrange.messages.tables import operations as messages
from hashrange.model.table import Encryption, Table
from hashrange.operations.tables.structures import SSEDescription, SSESpecification

_ALIAS_OF_SERVICE: Final = "alias/aws/dynamodb"
_KIND: Final = "KMS"
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


def refuse_encryption(specification: SSESpecification | None, *, accepts: bool) -> None:
    """Refuse a request for encryption, unless the operator accepts them."""
    if _asks(specification) and not accepts:
        raise invalid(messages.encryption_not_supported(), bare=True)


def encryption_of(
    specification: SSESpecification | None, *, account: str, region: str
) -> Encryption | None:
    """The encryption of a checked specification; None for the service's own key."""
    if specification is None or not _asks(specification):
        return None
    prefix = f"arn:aws:kms:{region}:{account}:"
    key = specification.kms_master_key_id
    if key is None or key.removeprefix(prefix) == _ALIAS_OF_SERVICE:
        managed = uuid.uuid5(_MANAGED_KEYS, prefix)
        return Encryption(key_arn=f"{prefix}key/{managed}")
    if key.startswith("arn:"):
        return Encryption(key_arn=key)
    return Encryption(key_arn=prefix + (key if key.startswith("alias/") else f"key/{key}"))


def encrypted(table: Table, specification: SSESpecification, now_ms: int) -> Table:
    """The table with a new key. Raises ValidationException if it has that key already."""
    requested = encryption_of(specification, account=table.account, region=table.region)
    if requested == table.encryption:
        text = (
            messages.encrypted_by_default if requested is None else messages.encrypted_by_given_key
        )
        raise invalid(text())
    return msgspec.structs.replace(table, encryption=requested, encryption_changed_ms=now_ms)


def described_encryption(table: Table, now_ms: int, transient_ms: int) -> SSEDescription | None:
    """The SSEDescription of a table; None for the service's own key."""
    changed_ms = table.encryption_changed_ms
    if changed_ms is not None and now_ms < changed_ms + transient_ms:
        return SSEDescription(status="UPDATING")
    if table.encryption is None:
        return None
    return SSEDescription(
        status="ENABLED", sse_type=_KIND, kms_master_key_arn=table.encryption.key_arn
    )


def _asks(specification: SSESpecification | None) -> bool:
    """A type without Enabled turns encryption on. Source: measured by users, October 2026."""
    if specification is None or specification.enabled is False:
        return False
    return specification.enabled is True or specification.sse_type is not None
