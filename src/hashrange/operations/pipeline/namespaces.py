"""The policy of separate namespaces: ARNs of other accounts and regions are not found.

On AWS the ARN of another account's resource can be used if a resource policy allows it. There are
no such policies here.
"""

from typing import Any, Final

from hashrange.operations.pipeline.accesses import Resource
from hashrange.operations.pipeline.operation import AnyOperation, Caller
from hashrange.wire.arns import owner_of

_PREFIX: Final = "arn:"


class Isolation:
    """Allows everything in the caller's own account and region, and nothing elsewhere."""

    reads_plans = False

    def allow(self, caller: Caller, operation: AnyOperation, checked: Any) -> None:
        """Refuse an ARN of another account or region as a resource that does not exist."""
        for access in operation.accesses(checked):
            if _is_foreign(access.resource, caller):
                raise operation.not_found(access.resource.name)

    def allow_plan(self, caller: Caller, operation: AnyOperation, checked: Any, plan: Any) -> None:
        """Never called, since `reads_plans` is False: names are enough."""


def _is_foreign(resource: Resource, caller: Caller) -> bool:
    """Whether an ARN is of another account or region; malformed ARNs are refused later."""
    if not resource.name.startswith(_PREFIX):
        return False
    owner = owner_of(resource.name)
    return owner is not None and owner != (caller.account, caller.region)
