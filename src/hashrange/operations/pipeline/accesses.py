"""The accesses that a request needs: pairs of an IAM action and a resource. Pure.

Source: Service Authorization Reference, "Actions, resources, and condition keys for Amazon
DynamoDB".
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Final, Literal, Protocol, TypeAlias

import msgspec

ResourceKind: TypeAlias = Literal["table", "index", "stream", "backup", "export", "import", "*"]


class Resource(msgspec.Struct, frozen=True):
    """The resource of an action.

    Attributes:
        kind: the kind of the resource; `*` for an action without a resource.
        name: the name or ARN, as sent; for an index, that of its table.
        index: the name of the index; None for other kinds.
    """

    kind: ResourceKind
    name: str = "*"
    index: str | None = None


class Access(msgspec.Struct, frozen=True):
    """An action on a resource; `action` is the IAM action without the prefix `dynamodb:`."""

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
    """The accesses of an operation on tables: the action on each table of the request."""

    def accesses(checked: OnTables) -> Iterable[Access]:
        return [Access(action, Resource("table", name)) for name in checked.table_names]

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
        return (Access(action, Resource("table", table_name)),)
    return (Access(action, Resource("index", table_name, index_name)),)


def on_arn(action: str, kind: ResourceKind, arn: str) -> Iterable[Access]:
    """The action on a resource, by its ARN."""
    return (Access(action, Resource(kind, arn)),)
