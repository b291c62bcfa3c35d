"""ARNs where each account and region has tables of its own: those of others are found by nobody.

On AWS a table of another account can be reached by its ARN if a resource policy allows it. There
are no such policies here.
"""

from collections.abc import Sequence
from typing import Final

import msgspec

from hashrange.errors import DynamoError, Fault
from hashrange.messages import tables as messages
from hashrange.messages.streams import stream_not_found
from hashrange.operations.operation import Caller
from hashrange.wire.arns import parsed, table_name_of

_PREFIX: Final = "arn:"


def refuse_foreign_tables(names: Sequence[str], caller: Caller) -> None:
    """Refuse tables, names or ARNs, that an ARN places elsewhere. Raises ResourceNotFound."""
    if any(_is_foreign(name, caller) for name in names):
        raise DynamoError(Fault.RESOURCE_NOT_FOUND, messages.resource_not_found())


def refuse_foreign_resources(request: object, caller: Caller) -> None:
    """Refuse a request whose members name a resource elsewhere. Raises ResourceNotFound."""
    assert isinstance(request, msgspec.Struct), "requests are structs"
    for member, value in msgspec.structs.asdict(request).items():
        if isinstance(value, str) and _is_foreign(value, caller):
            raise DynamoError(Fault.RESOURCE_NOT_FOUND, _not_found(member, value))


def _not_found(member: str, arn: str) -> str:
    """What is told of a resource that there is not, in the words of the member that names it."""
    match member:
        case "table_name":
            return messages.table_not_found(table_name_of(arn))
        case "stream_arn":
            return stream_not_found(arn)
        case _:
            return messages.arn_not_found(arn)


def _is_foreign(name_or_arn: str, caller: Caller) -> bool:
    if not name_or_arn.startswith(_PREFIX):
        return False
    arn = parsed(name_or_arn)
    return arn is not None and (arn.account, arn.region) != (caller.account, caller.region)
