"""ARNs of the resources that requests name. Pure.

A resource has one ARN here, however a request names it, so that no other spelling gets around a
policy.
"""

from typing import Final

from hashrange.api.pipeline.accesses import Access, Resource
from hashrange.api.pipeline.operation import Caller
from hashrange.model.operations import OPERATION_FACTS
from hashrange.model.table import Table
from hashrange.wire.arns import index_arn, owner_of, stream_arn, table_arn, table_name_of

_PREFIX: Final = "arn:"
_STREAM: Final = "/stream/"
_ALL_TABLES: Final = "*"
_ON_ALL_TABLES: Final = frozenset({"ListTables"})
_WITHOUT_RESOURCE: Final = frozenset(
    name for name, row in OPERATION_FACTS.items() if row.action and row.action.without_resource
)


def is_of_tables(access: Access) -> bool:
    """Whether an action is asked of a table, or of an index or a stream of one."""
    is_kind = access.resource.kind in {"table", "index", "stream"}
    return is_kind and access.action not in _WITHOUT_RESOURCE


def known_arn(resource: Resource, table: Table) -> str:
    """The ARN of a resource of a table that exists."""
    if resource.kind == "stream":
        return stream_arn(table.arn, label_of(resource))
    return table.arn if resource.index is None else index_arn(table.arn, resource.index)


def label_of(resource: Resource) -> str:
    """The label in the ARN of a stream; empty for other resources."""
    return resource.name.partition(_STREAM)[2] if resource.kind == "stream" else ""


def arn_of(access: Access, caller: Caller, *, separate: bool) -> str:
    """The ARN of a resource that need not exist.

    Actions without a resource are on `*`, which policies must name so; ListTables is on all tables,
    as the service's denials have it.

    Args:
        access: the action and the resource.
        caller: whose account and region names without ARN are of.
        separate: each account and region has tables of its own; else all are the caller's.
    """
    resource = access.resource
    if access.action in _ON_ALL_TABLES:
        return table_arn(region=caller.region, account=caller.account, table=_ALL_TABLES)
    if resource.kind == "*" or access.action in _WITHOUT_RESOURCE:
        return "*"
    if resource.region is not None:
        table = table_name_of(resource.name)
        return table_arn(region=resource.region, account=caller.account, table=table)
    if not is_of_tables(access):
        of_global = f"arn:aws:dynamodb::{caller.account}:global-table/{resource.name}"
        return of_global if resource.kind == "global-table" else resource.name
    account, region = owner(resource, caller, separate=separate)
    name = table_name_of(resource.name.partition(_STREAM)[0])
    arn = table_arn(region=region, account=account, table=name)
    if resource.kind == "stream":
        return stream_arn(arn, label_of(resource))
    return arn if resource.index is None else index_arn(arn, resource.index)


def owner(resource: Resource, caller: Caller, *, separate: bool) -> tuple[str, str]:
    """The account and the region of a resource; arguments as of `arn_of`."""
    named = None
    if separate and resource.name.startswith(_PREFIX):
        named = owner_of(resource.name)
    return (caller.account, caller.region) if named is None else named


def is_out_of_reach(access: Access, caller: Caller) -> bool:
    """Whether no policy can let a caller at a resource, in separate namespaces.

    That is another region, or another account for an action that is asked of no resource.
    """
    if access.resource.region is not None:
        return False
    account, region = owner(access.resource, caller, separate=True)
    if region != caller.region:
        return True
    return account != caller.account and access.action in _WITHOUT_RESOURCE
