"""The operations of the API by name."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

import msgspec

from hashrange.scaling import actions, activities, policies, tags, targets
from hashrange.scaling.places import ScalingContext
from hashrange.wire.codec import Decoder


class Verb(msgspec.Struct, frozen=True):
    """An operation: the decoder of its request, and what it does.

    `run` raises ScalingError, and DynamoError with a ValidationException.
    """

    decoder: Decoder[Any]
    run: Callable[[Any, ScalingContext], Awaitable[object]]


def _verb(request: type[Any], run: Callable[[Any, ScalingContext], Awaitable[object]]) -> Verb:
    return Verb(Decoder(request), run)


VERBS: Final[Mapping[str, Verb]] = {
    "DeleteScalingPolicy": _verb(policies.DeleteScalingPolicy, policies.delete),
    "DeleteScheduledAction": _verb(actions.DeleteScheduledAction, actions.delete),
    "DeregisterScalableTarget": _verb(targets.DeregisterScalableTarget, targets.deregister),
    "DescribeScalableTargets": _verb(targets.DescribeScalableTargets, targets.describe),
    "DescribeScalingActivities": _verb(activities.DescribeScalingActivities, activities.describe),
    "DescribeScalingPolicies": _verb(policies.DescribeScalingPolicies, policies.describe),
    "DescribeScheduledActions": _verb(actions.DescribeScheduledActions, actions.describe),
    "ListTagsForResource": _verb(tags.ListTagsForResource, tags.tags_of),
    "PutScalingPolicy": _verb(policies.PutScalingPolicy, policies.put),
    "PutScheduledAction": _verb(actions.PutScheduledAction, actions.put),
    "RegisterScalableTarget": _verb(targets.RegisterScalableTarget, targets.register),
    "TagResource": _verb(tags.TagResource, tags.tag),
    "UntagResource": _verb(tags.UntagResource, tags.untag),
}
