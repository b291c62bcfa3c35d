"""ARNs where each account and region has tables of its own: those of others are found by nobody.

On AWS a resource of another account can be reached by its ARN if a resource policy allows it. There
are no such policies here.
"""

from typing import Any, Final

from hashrange.operations.pipeline.accesses import Resource
from hashrange.operations.pipeline.operation import AnyOperation, Caller
from hashrange.wire.arns import owner_of

_PREFIX: Final = "arn:"


class Isolation:
    """The policy of separate namespaces: everything in one's own account and region."""

    reads_plans = False

    def allow(self, caller: Caller, operation: AnyOperation, checked: Any) -> None:
        """Refuse a resource that its ARN places elsewhere, as one that is not there."""
        for access in operation.accesses(checked):
            if _is_foreign(access.resource, caller):
                raise operation.not_found(access.resource.name)

    def allow_plan(self, caller: Caller, operation: AnyOperation, plan: Any) -> None:
        """Never called: names say it all."""


def _is_foreign(resource: Resource, caller: Caller) -> bool:
    """Whether it is of another account or region; what is no ARN of its kind is refused later."""
    if not resource.name.startswith(_PREFIX):
        return False
    owner = owner_of(resource.name)
    return owner is not None and owner != (caller.account, caller.region)
