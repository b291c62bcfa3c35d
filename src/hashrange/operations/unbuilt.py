"""Parameters that DynamoDB has and this server not yet: refused, never accepted and ignored."""

from collections.abc import Mapping

from hashrange.errors import invalid
from hashrange.messages import tables as messages
from hashrange.messages.tables import not_supported
from hashrange.operations.table_shapes import SSESpecification


def refuse_unbuilt(request: object, members: Mapping[str, str]) -> None:
    """Refuse a request that has one of `members`, given as field → what to call it."""
    for field, name in members.items():
        if getattr(request, field) is not None:
            raise invalid(not_supported(name), bare=True)


def refuse_encryption(specification: SSESpecification | None) -> None:
    """Refuse a key of the customer's; the service's own key leaves no trace in descriptions.

    A type without Enabled turns encryption on. Source: measured by users, October 2026.
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
    if enabled or kind is not None:
        raise invalid(not_supported("SSESpecification"))
