"""Tags of users, roles and policies."""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from hashrange.iam import descriptions
from hashrange.iam.errors import Code, QueryError
from hashrange.iam.lookups import (
    own_policy_of,
    policy_of,
    policy_resource,
    role_of,
    role_resource,
    user_of,
    user_resource,
)
from hashrange.iam.members import Parameters
from hashrange.iam.operation import PAGING, Operation, Result, Situation, tag_context
from hashrange.iam.pages import page
from hashrange.identities.entities import Entity
from hashrange.identities.store import Edit
from hashrange.limits.tables import TAGS_MAX
from hashrange.messages import identities as messages

_Find = Callable[[Parameters, Situation], Entity]


def new_tags(own: Mapping[str, str], parameters: Parameters) -> dict[str, str]:
    """Tags with those of a request; keys are the same in any case. Raises QueryError."""
    given = {each["Key"]: each["Value"] for each in parameters.get("Tags", ())}
    lowered = {key.lower() for key in given}
    if len(lowered) < len(parameters.get("Tags", ())):
        raise QueryError(Code.INVALID_INPUT, messages.duplicate_tag_keys())
    if any(key.startswith("aws:") for key in lowered):
        raise QueryError(Code.INVALID_INPUT, messages.tag_reserved())
    tags = {key: value for key, value in own.items() if key.lower() not in lowered} | given
    if len(tags) > TAGS_MAX:
        text = messages.quota_exceeded("TagsPerResource", TAGS_MAX)
        raise QueryError(Code.LIMIT_EXCEEDED, text)
    return tags


def _without(own: Mapping[str, str], parameters: Parameters) -> dict[str, str]:
    keys = {key.lower() for key in parameters["TagKeys"]}
    return {key: value for key, value in own.items() if key.lower() not in keys}


def _rows(
    kind: str, member: str, resource: Any, finds: tuple[_Find, _Find]
) -> dict[str, Operation]:
    find, find_own = finds

    def tag(parameters: Parameters, situation: Situation) -> Edit[Result]:
        entity = find_own(parameters, situation)
        return Edit(None, [msgspec.structs.replace(entity, tags=new_tags(entity.tags, parameters))])

    def untag(parameters: Parameters, situation: Situation) -> Edit[Result]:
        entity = find_own(parameters, situation)
        return Edit(None, [msgspec.structs.replace(entity, tags=_without(entity.tags, parameters))])

    def listed(parameters: Parameters, situation: Situation) -> Edit[Result]:
        tags = descriptions.tags(find(parameters, situation).tags)
        return Edit(page(parameters, "Tags", ((each["Key"], each) for each in tags), _itself))

    return {
        f"Tag{kind}": Operation(
            resource=resource, run=tag, required=[member, "Tags"], context=tag_context
        ),
        f"Untag{kind}": Operation(
            resource=resource, run=untag, required=[member, "TagKeys"], context=tag_context
        ),
        f"List{kind}Tags": Operation(
            resource=resource, run=listed, required=[member], optional=PAGING
        ),
    }


def _itself(tag: dict[str, str]) -> dict[str, str]:
    return tag


OPERATIONS = {
    **_rows("User", "UserName", user_resource, (user_of, user_of)),
    **_rows("Role", "RoleName", role_resource, (role_of, role_of)),
    **_rows("Policy", "PolicyArn", policy_resource, (policy_of, own_policy_of)),
}
