"""Condition keys of the actions of all services on the port: what their requests have. Pure.

Source: Service Authorization Reference, "Actions, resources, and condition keys" of DynamoDB, DAX,
Application Auto Scaling, IAM, STS, CloudTrail, Kinesis, CloudWatch (2026), for what is here. Keys
of the principal, the connection and the resource's tags are not among them: all actions have those.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from hashrange.access.policies.actions import ACTIONS
from hashrange.access.policies.variables import Context

_REQUEST_TAG: Final = "aws:requesttag"
_TAG_KEYS: Final = "aws:tagkeys"
_KINDS: Final = ("User", "Role")
_OF_BOUNDED: Final = (
    "Attach{}Policy",
    "Delete{}PermissionsBoundary",
    "Delete{}Policy",
    "Detach{}Policy",
    "Put{}PermissionsBoundary",
    "Put{}Policy",
)
_TAGGED_IN_IAM: Final = (
    "CreatePolicy",
    "CreateRole",
    "CreateUser",
    "TagPolicy",
    "TagRole",
    "TagUser",
)
_ON_TARGETS: Final = (
    "DeleteScalingPolicy",
    "DeleteScheduledAction",
    "DeregisterScalableTarget",
    "PutScalingPolicy",
    "PutScheduledAction",
    "RegisterScalableTarget",
)
_TAGGED_IN_KINESIS: Final = (
    "AddTagsToStream",
    "CreateStream",
    "RegisterStreamConsumer",
    "TagResource",
)
_PUT_ALARMS: Final = ("PutCompositeAlarm", "PutMetricAlarm")
_OF_ASSUMPTION: Final = ("AssumeRole", "SetSourceIdentity", "TagSession")

_ACTIONS_BY_KEY: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = {
    "iam": {
        "iam:permissionsboundary": (
            *(name.format(kind) for name in _OF_BOUNDED for kind in _KINDS),
            "CreateRole",
            "CreateUser",
            "DeleteRole",
            "GetRole",
            "UpdateAssumeRolePolicy",
            "UpdateRole",
            "UpdateRoleDescription",
        ),
        "iam:policyarn": tuple(
            f"{verb}{kind}Policy" for verb in ("Attach", "Detach") for kind in _KINDS
        ),
        "iam:passedtoservice": ("PassRole",),
        "iam:associatedresourcearn": ("PassRole",),
        _REQUEST_TAG: _TAGGED_IN_IAM,
        _TAG_KEYS: (*_TAGGED_IN_IAM, "UntagPolicy", "UntagRole", "UntagUser"),
    },
    # A statement of a trust policy may be about all three actions: each has all keys.
    "sts": {
        "sts:externalid": _OF_ASSUMPTION,
        "sts:rolesessionname": _OF_ASSUMPTION,
        "sts:sourceidentity": _OF_ASSUMPTION,
        "sts:transitivetagkeys": _OF_ASSUMPTION,
        _REQUEST_TAG: (*_OF_ASSUMPTION, "GetFederationToken"),
        _TAG_KEYS: (*_OF_ASSUMPTION, "GetFederationToken"),
    },
    "application-autoscaling": {
        "application-autoscaling:scalable-dimension": _ON_TARGETS,
        "application-autoscaling:service-namespace": _ON_TARGETS,
        _REQUEST_TAG: ("RegisterScalableTarget", "TagResource"),
        _TAG_KEYS: ("RegisterScalableTarget", "TagResource", "UntagResource"),
    },
    # The reference has no keys of tags for DAX; its requests have tags like those of others.
    "dax": {
        "dax:enclosingoperation": (
            "ConditionCheckItem",
            "DeleteItem",
            "GetItem",
            "PutItem",
            "UpdateItem",
        ),
        _REQUEST_TAG: ("CreateCluster", "TagResource"),
        _TAG_KEYS: ("CreateCluster", "TagResource", "UntagResource"),
    },
    "kinesis": {
        _REQUEST_TAG: _TAGGED_IN_KINESIS,
        _TAG_KEYS: (*_TAGGED_IN_KINESIS, "RemoveTagsFromStream", "UntagResource"),
    },
    "cloudtrail": {},
    "cloudwatch": {
        "cloudwatch:alarmactions": _PUT_ALARMS,
        "cloudwatch:namespace": ("PutMetricData",),
        _REQUEST_TAG: (*_PUT_ALARMS, "PutDashboard", "TagResource"),
        _TAG_KEYS: (*_PUT_ALARMS, "PutDashboard", "TagResource", "UntagResource"),
    },
}


def _rows() -> Mapping[str, frozenset[str]]:
    rows = {name: set(row.keys) for name, row in ACTIONS.items() if row.keys}
    for service, by_key in _ACTIONS_BY_KEY.items():
        for key, names in by_key.items():
            for name in names:
                rows.setdefault(f"{service}:{name}", set()).add(key)
    return {name: frozenset(keys) for name, keys in sorted(rows.items())}


CONDITION_KEYS: Final[Mapping[str, frozenset[str]]] = MappingProxyType(_rows())
"""By the full name of the action, in lower case; `aws:requesttag` stands for all of its keys."""


def request_keys(action: str, found: Context) -> Context:
    """Of the keys that were found for a request those that its action has."""
    has = CONDITION_KEYS.get(action, frozenset())
    return {key: values for key, values in found.items() if key.partition("/")[0] in has}


def tag_keys_of(
    tags: Mapping[str, str], removed: tuple[str, ...] = ()
) -> dict[str, tuple[str, ...]]:
    """The condition keys of a request that sets tags, or removes those of keys."""
    context: dict[str, tuple[str, ...]] = {
        f"{_REQUEST_TAG}/{key.lower()}": (value,) for key, value in tags.items()
    }
    keys = tuple(dict.fromkeys((*tags, *removed)))
    return {**context, _TAG_KEYS: keys} if keys else context
