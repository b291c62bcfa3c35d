"""ARNs of the resources that requests name. Pure.

A resource has one ARN here, however a request names it, so that no other spelling gets around a
policy.

On AWS the ARN of another account's resource can be used if a resource policy allows it. Without
authentication nobody is asked, so that no account sees another one. Restores alone read from other
regions, of the caller's account (`Operation.across_regions`).
"""

from typing import Any, Final

from hashrange.api.steps.accesses import Access, Resource
from hashrange.api.steps.operation import AnyOperation, Caller
from hashrange.errors import DynamoError
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


_WITH_REGION: Final = frozenset({"table", "index", "backup", "export", "import", "bulk-operation"})


def refuse_foreign(operation: AnyOperation, checked: Any, caller: Caller) -> None:
    """Refuse an ARN of another account, as one of nothing, or of another region."""
    if operation.across_regions:
        return
    for access in operation.accesses(checked):
        if is_foreign(access.resource.name, caller):
            raise foreign_error(operation, access.resource, caller)


def foreign_error(operation: AnyOperation, resource: Resource, caller: Caller) -> DynamoError:
    """The error for an ARN that `is_foreign`."""
    owner = owner_of(resource.name)
    assert owner is not None, "it is foreign"
    account, region = owner
    if account != caller.account and operation.foreign is not None:
        return operation.foreign()
    if region != caller.region and resource.kind in _WITH_REGION:
        return operation.elsewhere(resource.name)
    return operation.not_found(resource.name)


def is_foreign(name_or_arn: str, caller: Caller) -> bool:
    """Whether an ARN is of another account or region; malformed ARNs are refused later."""
    if not name_or_arn.startswith(_PREFIX):
        return False
    owner = owner_of(name_or_arn)
    return owner is not None and owner != (caller.account, caller.region)
