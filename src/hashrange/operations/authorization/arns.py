"""ARNs of the resources that requests name. Pure."""

from typing import Final

from hashrange.operations.pipeline.accesses import Access
from hashrange.operations.pipeline.operation import Caller
from hashrange.wire.arns import index_arn, table_arn

_PREFIX: Final = "arn:"
_ALL_TABLES: Final = "*"
_ON_ALL_TABLES: Final = frozenset({"ListTables"})


def arn_of(access: Access, caller: Caller) -> str:
    """The ARN of the resource of an access; names are of the caller's account and region.

    Actions without a resource are on `*`, which policies must name so; ListTables is on all tables,
    as the service's denials have it.
    """
    resource = access.resource
    if resource.kind == "*":
        if access.action not in _ON_ALL_TABLES:
            return resource.name
        return table_arn(region=caller.region, account=caller.account, table=_ALL_TABLES)
    arn = resource.name
    if not arn.startswith(_PREFIX):
        arn = table_arn(region=caller.region, account=caller.account, table=arn)
    return arn if resource.index is None else index_arn(arn, resource.index)
