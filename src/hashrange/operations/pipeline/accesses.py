"""What a request needs to be allowed: pairs of an IAM action and a resource. Pure.

Source: Service Authorization Reference, "Actions, resources, and condition keys for Amazon
DynamoDB".
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Final, Literal, Protocol, TypeAlias

import msgspec

ResourceKind: TypeAlias = Literal["table", "index", "stream", "backup", "export", "import", "*"]


class Resource(msgspec.Struct, frozen=True):
    """What an action is done to.

    Attributes:
        kind: of the resource; `*` for an action that has no resource of its own.
        name: the name or ARN, as sent; of an index, that of its table.
        index: the name of the index.
    """

    kind: ResourceKind
    name: str = "*"
    index: str | None = None


class Access(msgspec.Struct, frozen=True):
    """One action on one resource; `action` is the IAM action without the prefix `dynamodb:`."""

    action: str
    resource: Resource


ANY: Final = Resource("*")


class OnTables(Protocol):
    """A checked request that names tables."""

    @property
    def table_names(self) -> Sequence[str]:
        """Names or ARNs, as sent, each once."""


Accesses: TypeAlias = Callable[[OnTables], Iterable[Access]]


def on_tables(action: str) -> Accesses:
    """The action, on each table that the request names."""

    def accesses(checked: OnTables) -> Iterable[Access]:
        return [Access(action, Resource("table", name)) for name in checked.table_names]

    return accesses


def on_tables_or_anything(action: str) -> Accesses:
    """The action, on each table that the request names; if it names none, on no resource."""
    named, unnamed = on_tables(action), on_anything(action)

    def accesses(checked: OnTables) -> Iterable[Access]:
        return named(checked) if checked.table_names else unnamed(checked)

    return accesses


def on_anything(action: str) -> Callable[[object], Iterable[Access]]:
    """The action, which has no resource of its own."""
    access = (Access(action, ANY),)

    def accesses(_checked: object) -> Iterable[Access]:
        return access

    return accesses


def on_view(action: str, table_name: str | None, index_name: str | None) -> Iterable[Access]:
    """The action on a table, or on the index that is read."""
    assert table_name is not None, "checked"
    if index_name is None:
        return (Access(action, Resource("table", table_name)),)
    return (Access(action, Resource("index", table_name, index_name)),)


def on_arn(action: str, kind: ResourceKind, arn: str) -> Iterable[Access]:
    """The action on one resource of a kind."""
    return (Access(action, Resource(kind, arn)),)
