"""The accesses that a request needs: pairs of an IAM action and a resource. Pure.

Source: Service Authorization Reference, "Actions, resources, and condition keys for Amazon
DynamoDB".
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Final, Literal, Protocol, TypeAlias

import msgspec

from hashrange.bounded_cache import BoundedCache
from hashrange.limits.access import TABLE_ACCESSES_CHARS_MAX, TABLE_ACCESSES_MAX

ResourceKind: TypeAlias = Literal[
    "table",
    "replica",
    "index",
    "stream",
    "backup",
    "bulk-operation",
    "data-stream",
    "export",
    "global-table",
    "import",
    "object",
    "*",
]


OF_OTHER_SERVICES: Final = frozenset[ResourceKind]({"data-stream", "object"})


class Resource(msgspec.Struct, frozen=True, cache_hash=True):
    """The resource of an action.

    Attributes:
        kind: the kind of the resource; `*` for an action without a resource.
        name: the name or ARN, as sent; for an index, that of its table.
        index: the name of the index; None for other kinds.
        region: of a replica of the table; None for other kinds.
    """

    kind: ResourceKind
    name: str = "*"
    index: str | None = None
    region: str | None = None


class Access(msgspec.Struct, frozen=True, cache_hash=True):
    """An action on a resource; `action` is the IAM action, without the prefix `dynamodb:`."""

    action: str
    resource: Resource


ANY: Final = Resource("*")


class OnTables(Protocol):
    """A checked request that names tables."""

    @property
    def table_names(self) -> Sequence[str]:
        """Names or ARNs, as sent, each once."""


_on_table: Final = BoundedCache[tuple[str, str], "Access"](
    entries_max=TABLE_ACCESSES_MAX,
    chars_max=TABLE_ACCESSES_CHARS_MAX,
    entry_chars_max=TABLE_ACCESSES_CHARS_MAX,
)

Accesses: TypeAlias = Callable[[OnTables], Iterable[Access]]


def on_table(action: str, name: str) -> Access:
    """The action on a table, by its name or ARN as sent; one object for many requests."""
    key = (action, name)
    found = _on_table.get(key)
    if found is None:
        found = Access(action, Resource("table", name))
        _on_table.keep(key, found, len(action) + len(name))
    return found


def on_tables(action: str) -> Accesses:
    """The accesses of an operation on tables: the action on each table of the request."""

    def accesses(checked: OnTables) -> Iterable[Access]:
        return [on_table(action, name) for name in checked.table_names]

    return accesses


def on_tables_or_anything(action: str) -> Accesses:
    """The action on each table of the request; without a resource if the request has no table."""
    named, unnamed = on_tables(action), on_anything(action)

    def accesses(checked: OnTables) -> Iterable[Access]:
        return named(checked) if checked.table_names else unnamed(checked)

    return accesses


def on_anything(action: str) -> Callable[[object], Iterable[Access]]:
    """The accesses of an operation whose action has no resource."""
    access = (Access(action, ANY),)

    def accesses(_checked: object) -> Iterable[Access]:
        return access

    return accesses


def on_view(action: str, table_name: str | None, index_name: str | None) -> Iterable[Access]:
    """The action on a table, or on one of its indexes."""
    assert table_name is not None, "checked"
    if index_name is None:
        return (on_table(action, table_name),)
    return (Access(action, Resource("index", table_name, index_name)),)


def on_arn(action: str, kind: ResourceKind, arn: str | None) -> Iterable[Access]:
    """The action on a resource, by its ARN; on no resource without an ARN."""
    return (Access(action, ANY if arn is None else Resource(kind, arn)),)


def on_objects(actions: Iterable[str], bucket: str) -> Iterable[Access]:
    """Actions of S3, such as `s3:PutObject`, on all objects of a bucket."""
    objects = Resource("object", f"arn:aws:s3:::{bucket}/*")
    return [Access(action, objects) for action in actions]


def on_data_stream(actions: Iterable[str], arn: str) -> Iterable[Access]:
    """Actions of Kinesis, such as `kinesis:PutRecords`, on a data stream."""
    stream = Resource("data-stream", arn)
    return [Access(action, stream) for action in actions]


def on_read_objects(bucket: str) -> Iterable[Access]:
    """The actions of S3 that list a bucket and read its objects."""
    listed = Access("s3:ListBucket", Resource("object", f"arn:aws:s3:::{bucket}"))
    return [listed, *on_objects(["s3:GetObject"], bucket)]
