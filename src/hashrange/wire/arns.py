"""ARNs of tables, indexes and streams; every member TableName accepts a name or an ARN."""

import re
from typing import Final

import msgspec

from hashrange.errors import DynamoError, Fault, invalid
from hashrange.limits.tables import TABLE_ARN_CHARS_MAX
from hashrange.messages import wire as messages
from hashrange.messages.tables.operations import arn_not_found

_PREFIX: Final = "arn:"
_VENDOR: Final = "dynamodb"
_PARTITION: Final = re.compile(r"aws(-[a-z]{1,16}){0,3}")
_REGION: Final = re.compile(r"[A-Za-z0-9._-]{1,63}", re.ASCII)
_ACCOUNT: Final = re.compile(r"[0-9]{12}", re.ASCII)
_NAME: Final = re.compile(r"[a-zA-Z0-9_.-]{3,255}", re.ASCII)
_LABEL: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}")
_JOB: Final = re.compile(r"[0-9A-Za-z-]{1,64}", re.ASCII)
_FIELDS: Final = 6
_OTHER_KINDS: Final = {"backup", "bulk-operation", "export", "import"}


class Arn(msgspec.Struct, frozen=True):
    """The ARN of a table, or of an index or a stream of a table.

    Attributes:
        region: the region.
        account: twelve digits.
        table: the name of the table.
        index: the name of the index; None for a table or a stream.
        label: the label of the stream, the time at which it was enabled; None for a table or an
            index.
    """

    region: str
    account: str
    table: str
    index: str | None = None
    label: str | None = None


def table_arn(*, region: str, account: str, table: str) -> str:
    """The ARN of a table."""
    return f"arn:aws:dynamodb:{region}:{account}:table/{table}"


def index_arn(arn: str, index: str) -> str:
    """The ARN of an index, from the ARN of its table."""
    return f"{arn}/index/{index}"


def stream_arn(arn: str, label: str) -> str:
    """The ARN of a stream, from the ARN of its table and the label of the stream."""
    return f"{arn}/stream/{label}"


def table_name_of(name_or_arn: str) -> str:
    """The name of the table in a member TableName; plain names are not checked.

    Raises:
        DynamoError: ValidationException for a text that begins like an ARN and is not the ARN of a
            table.
    """
    return name_or_arn if name_or_arn[:4] != _PREFIX else table_of(name_or_arn).table


def table_of(arn: str) -> Arn:
    """Parse an ARN in a member TableName.

    Raises:
        DynamoError: ValidationException if it is not the ARN of a table.
    """
    shown = arn[:TABLE_ARN_CHARS_MAX]
    fields = arn.split(":", _FIELDS - 1)
    if len(fields) != _FIELDS or fields[0] != "arn" or fields[2] != _VENDOR:
        raise invalid(messages.arn_format(shown), bare=True)
    _, partition, _, region, account, resource = fields
    if _PARTITION.fullmatch(partition) is None:
        raise invalid(messages.arn_partition(shown), bare=True)
    if _REGION.fullmatch(region) is None:
        raise invalid(messages.arn_region(shown), bare=True)
    kind, _, table = resource.partition("/")
    if kind != "table":
        raise invalid(messages.arn_resource_type(shown), bare=True)
    if _ACCOUNT.fullmatch(account) is None or _NAME.fullmatch(table) is None:
        raise invalid(messages.arn_format(shown), bare=True)
    return Arn(region, account, table)


def resource_of_arn(resource_arn: str) -> Arn:
    """Parse a member ResourceArn, which names a table or a stream.

    Raises:
        DynamoError: ValidationException if it is not the ARN of a table or a stream.
    """
    shown = resource_arn[:TABLE_ARN_CHARS_MAX]
    if not resource_arn.startswith(_PREFIX):
        raise invalid(messages.arn_prefix(shown))
    arn = parsed(resource_arn)
    if arn is None:
        raise invalid(_no_resource(resource_arn, shown))
    if arn.index is not None:
        raise invalid(messages.index_resource_arn(shown))
    return arn


def table_of_arn(resource_arn: str) -> str:
    """The name of the table in a member ResourceArn of a tag operation.

    Raises:
        DynamoError: ValidationException if it is not the ARN of a table; ResourceNotFoundException
            for a stream, as for a stream that does not exist: streams have no tags here.
    """
    arn = resource_of_arn(resource_arn)
    if arn.label is not None:
        raise DynamoError(
            Fault.RESOURCE_NOT_FOUND, arn_not_found(resource_arn[:TABLE_ARN_CHARS_MAX])
        )
    return arn.table


def is_job_arn(arn: str, kind: str) -> bool:
    """Whether a text is the ARN of a job of a table, such as a `backup` or an `import`."""
    table, separator, job = arn.rpartition(f"/{kind}/")
    if not separator or _JOB.fullmatch(job) is None:
        return False
    found = parsed(table)
    return found is not None and found.index is None and found.label is None


def _no_resource(arn: str, shown: str) -> str:
    fields = arn.split(":", _FIELDS - 1)
    if len(fields) == _FIELDS and fields[2] == _VENDOR:
        kind, _, rest = fields[-1].partition("/")
        if kind == "table" and "/" not in rest:
            return messages.invalid_resource_arn(shown)
    return messages.foreign_resource_arn(shown)


def parsed(arn: str) -> Arn | None:
    """Parse the ARN of a table, an index or a stream; None if it is not one of them."""
    _, separator, rest = arn.partition("/")[2].partition("/")
    try:
        head = table_of(arn.removesuffix(separator + rest) if separator else arn)
    except DynamoError:
        return None
    if not separator:
        return head
    kind, _, name = rest.partition("/")
    if kind == "index" and _NAME.fullmatch(name) is not None:
        return msgspec.structs.replace(head, index=name)
    if kind == "stream" and _LABEL.fullmatch(name) is not None:
        return msgspec.structs.replace(head, label=name)
    return None


def owner_of(arn: str) -> tuple[str, str] | None:
    """Account and region of an ARN.

    None if it is not the ARN of a table, or of an index, a stream, a backup or a job of one.
    """
    name = parsed(arn)
    if name is None:
        head, kind, rest = _split(arn)
        name = parsed(head) if kind in _OTHER_KINDS and rest else None
    return None if name is None else (name.account, name.region)


def _split(arn: str) -> tuple[str, str, str]:
    """The ARN of the table, and kind and name of the resource of that table."""
    head, _, rest = arn.partition("/")
    table, _, rest = rest.partition("/")
    kind, _, name = rest.partition("/")
    return f"{head}/{table}", kind, name
