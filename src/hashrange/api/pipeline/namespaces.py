"""Separate namespaces: ARNs of other accounts, without policies, and of other regions are refused.

On AWS the ARN of another account's resource can be used if a resource policy allows it. Without
authentication nobody is asked, so that no account sees another one. Restores alone read from other
regions, of the caller's account (`Operation.across_regions`).
"""

from typing import Any, Final

from hashrange.api.pipeline.accesses import Resource
from hashrange.api.pipeline.operation import AnyOperation, Caller
from hashrange.errors import DynamoError
from hashrange.wire.arns import owner_of

_PREFIX: Final = "arn:"
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
