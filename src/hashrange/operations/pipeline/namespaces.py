"""Separate namespaces without policies: ARNs of other accounts and regions are not found.

On AWS the ARN of another account's resource can be used if a resource policy allows it. Without
authentication nobody is asked, so that no account sees another one. Restores alone read from other
regions, of the caller's account (`Operation.across_regions`).
"""

from typing import Any, Final

from hashrange.operations.pipeline.operation import AnyOperation, Caller
from hashrange.wire.arns import owner_of

_PREFIX: Final = "arn:"


def refuse_foreign(operation: AnyOperation, checked: Any, caller: Caller) -> None:
    """Refuse an ARN of another account or region as a resource that does not exist."""
    if operation.across_regions:
        return
    for access in operation.accesses(checked):
        if is_foreign(access.resource.name, caller):
            raise operation.not_found(access.resource.name)


def is_foreign(name_or_arn: str, caller: Caller) -> bool:
    """Whether an ARN is of another account or region; malformed ARNs are refused later."""
    if not name_or_arn.startswith(_PREFIX):
        return False
    owner = owner_of(name_or_arn)
    return owner is not None and owner != (caller.account, caller.region)
