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

from hashrange.errors import invalid
from hashrange.messages.tables import operations as messages
from hashrange.model.table import Encryption, Table
from hashrange.operations.pipeline.operation import TableChoices
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
    prefix = f"arn:aws:kms:{region}:{account}:"
    arn = _key_arn(specification.kms_master_key_id or _ALIAS_OF_SERVICE, prefix)
    alias, local = prefix + _ALIAS_OF_SERVICE, choices.master_key_id
    if local is not None:
        if arn in {alias, f"{prefix}key/{local}"}:
            return Encryption(key_arn=alias, is_local=True)
        if not choices.accepts_encryption:
            raise invalid(messages.kms_key_not_found(arn), bare=True)
    if arn == alias:
        arn = f"{prefix}key/{uuid.uuid5(_MANAGED_KEYS, prefix)}"
    return Encryption(key_arn=arn)


def _key_arn(key: str, prefix: str) -> str:
    if key.startswith("arn:"):
        return key
    return prefix + (key if key.startswith("alias/") else f"key/{key}")


def encrypted(
    table: Table, specification: SSESpecification, now_ms: int, choices: TableChoices
) -> Table:
    """The table with a new key. Raises ValidationException if it has that key already."""
    requested = encryption_of(
        specification, account=table.account, region=table.region, choices=choices
    )
    if requested == table.encryption:
        text = (
            messages.encrypted_by_default if requested is None else messages.encrypted_by_given_key
        )
        raise invalid(text())
    return msgspec.structs.replace(table, encryption=requested, encryption_changed_ms=now_ms)


def described_encryption(
    table: Table, now_ms: int, transient_ms: int, master_key_id: str | None
) -> SSEDescription | None:
    """The SSEDescription of a table; None for the service's own key.

    A table of a directory that was encrypted, and is not any more, has none either.
    """
    changed_ms = table.encryption_changed_ms
    if changed_ms is not None and now_ms < changed_ms + transient_ms:
        return SSEDescription(status="UPDATING")
    if table.encryption is None:
        return None
    arn = table.encryption.key_arn
    if table.encryption.is_local:
        if master_key_id is None:
            return None
        arn = arn.replace(_ALIAS_OF_SERVICE, f"key/{master_key_id}")
    return SSEDescription(status="ENABLED", sse_type=_KIND, kms_master_key_arn=arn)


def asks_for_encryption(specification: SSESpecification | None) -> bool:
    """Whether a specification turns encryption on, as also a type without Enabled does.

    Source: measured by users, October 2026.
    """
    if specification is None or specification.enabled is False:
        return False
    return specification.enabled is True or specification.sse_type is not None
