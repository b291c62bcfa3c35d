"""The API of Application Auto Scaling on the port of the database.

Requests need to be allowed on the scalable target that they name; those that describe, on `*`. A
role that is given for a target needs `iam:PassRole`, tags of a new target `TagResource`.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from hashrange.access.policies.decisions import GovernedResource
from hashrange.access.policies.resources import no_tags, tag_keys
from hashrange.access.policies.service_keys import tag_keys_of
from hashrange.api.aws_services.scaling.requests import (
    ScalingContext,
    address,
    is_target,
    target_of,
)
from hashrange.api.aws_services.scaling.service import AUTO_SCALING
from hashrange.api.steps.operation import Caller
from hashrange.api.steps.service_authorization import Requirement, passing
from hashrange.tables.alarms.store import AlarmRows
from hashrange.tables.catalog.catalog import Catalog
from hashrange.tables.jobs.scaling_store import ScalingRows
from hashrange.tables.writing.store import Store

_DESCRIBES: Final = "application-autoscaling:Describe"
_REGISTER: Final = "application-autoscaling:RegisterScalableTarget"
_TAG: Final = "application-autoscaling:TagResource"
_PLACE_KEYS: Final = {
    "application-autoscaling:scalable-dimension": "scalable_dimension",
    "application-autoscaling:service-namespace": "service_namespace",
}


class AutoScaling:
    """The backend of Application Auto Scaling: see `service_api.Backend`.

    Args:
        store: its engine has the rows.
        catalog: the tables.
        separate: each account and region has tables of its own.
        role_tags: the tags of a role by its ARN.
    """

    def __init__(
        self,
        store: Store,
        catalog: Catalog,
        *,
        separate: bool,
        role_tags: Callable[[str], Mapping[str, str]] = no_tags,
    ) -> None:
        self._clock = store.clock
        self._role_tags = role_tags
        self._new_id = store.clock.new_uuid
        self._catalog = catalog
        self._separate = separate
        self._rows = ScalingRows(store.engine)
        self._alarms = AlarmRows(store.engine, store.clock.random_bytes)

    def context(self, caller: Caller) -> ScalingContext:
        """The tables and rows that a caller can see."""
        catalog, scope = self._catalog, ""
        if self._separate:
            catalog = catalog.within(caller.account, caller.region)
            scope = f"{caller.account}:{caller.region}"
        return ScalingContext(
            rows=self._rows,
            alarms=self._alarms,
            catalog=catalog,
            scope=scope,
            account=caller.account,
            region=caller.region,
            now_ms=self._clock.now_ms(),
            new_id=self._new_id,
        )

    async def requirements(
        self, action: str, typed: Any, caller: Caller, context: ScalingContext
    ) -> list[Requirement]:
        """The operation on the target; a role and tags of a new target by themselves."""
        if action.startswith(_DESCRIBES):
            return [Requirement(action, GovernedResource("*", caller.account))]
        resource = await _target(typed, caller, context)
        keys: dict[str, tuple[str, ...]] = {}
        for key, member in _PLACE_KEYS.items():
            value = getattr(typed, member, None)
            if value is not None:
                keys[key] = (value,)
        tags = getattr(typed, "tags", None) or {}
        keys |= tag_keys_of(tags, tuple(getattr(typed, "tag_keys", None) or ()))
        found = []
        role = getattr(typed, "role_arn", None)
        if role is not None:
            found.append(passing(role, self._role_tags(role), caller, AUTO_SCALING.domain))
        found.append(Requirement(action, resource, keys))
        if tags and action == _REGISTER:
            found.append(Requirement(_TAG, resource, keys))
        return found


async def _target(typed: Any, caller: Caller, context: ScalingContext) -> GovernedResource:
    """The target that a request names by ARN or address; one that is not there has no id."""
    arn = getattr(typed, "resource_arn", None)
    resource, dimension = (
        getattr(typed, name, None) for name in ("resource_id", "scalable_dimension")
    )
    target = None
    if arn is not None:
        target = await target_of(arn, context)
    elif resource is not None and dimension is not None and is_target(resource, dimension):
        target = await context.rows.target(address(context, resource, dimension))
    if target is None:
        unknown = f"arn:aws:{AUTO_SCALING.name}:{caller.region}:{caller.account}:scalable-target/*"
        return GovernedResource(arn or unknown, caller.account)
    return GovernedResource(target.arn, caller.account, keys=tag_keys(target.tags))
