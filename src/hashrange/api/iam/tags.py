"""Tags of users, roles and policies."""

from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

from hashrange.access.identities.entities import Entity
from hashrange.access.identities.store import Edit
from hashrange.api.iam import descriptions
from hashrange.api.iam.errors import Code, QueryError
from hashrange.api.iam.lookups import (
    own_policy_of,
    page,
    policy_of,
    policy_resource,
    role_of,
    role_resource,
    user_of,
    user_resource,
)
from hashrange.api.iam.operation import IdentityContext, Result
from hashrange.api.iam.rows import operation
from hashrange.limits.tables import TAGS_MAX
from hashrange.messages import identities as messages
from hashrange.wire.service import AnyServiceOperation, by_name

_Find = Callable[[Any, IdentityContext], Entity]


def new_tags(
    own: Mapping[str, str], request: Any, twice: Code = Code.INVALID_INPUT
) -> dict[str, str]:
    """Tags of users, roles and sessions with those of a request; keys are the same in any case.

    Args:
        own: the tags before.
        request: of the request.
        twice: the code of the error if a key is there twice.

    Raises:
        QueryError: the tags are refused.
    """
    given = _given(request)
    lowered = {key.lower() for key in given}
    if len(lowered) < len(request.tags or ()):
        raise QueryError(twice, messages.duplicate_tag_keys())
    return _joined({key: each for key, each in own.items() if key.lower() not in lowered}, given)


def new_policy_tags(own: Mapping[str, str], request: Any) -> dict[str, str]:
    """Tags of a policy with those of a request; keys differ in case. Raises QueryError."""
    given = _given(request)
    if len(given) < len(request.tags or ()):
        raise QueryError(Code.INVALID_INPUT, messages.duplicate_policy_tag_keys())
    return _joined(own, given)


def _given(request: Any) -> dict[str, str]:
    return {each.key: each.value for each in request.tags or ()}


def _joined(own: Mapping[str, str], given: Mapping[str, str]) -> dict[str, str]:
    if any(key.lower().startswith("aws:") for key in given):
        raise QueryError(Code.INVALID_INPUT, messages.tag_reserved())
    tags = {**own, **given}
    if len(tags) > TAGS_MAX:
        text = messages.quota_exceeded("TagsPerResource", TAGS_MAX)
        raise QueryError(Code.LIMIT_EXCEEDED, text)
    return tags


def _without(own: Mapping[str, str], request: Any) -> dict[str, str]:
    keys = {key.lower() for key in request.tag_keys}
    return {key: value for key, value in own.items() if key.lower() not in keys}


def _policy_tags_without(own: Mapping[str, str], request: Any) -> dict[str, str]:
    return {key: value for key, value in own.items() if key not in request.tag_keys}


class _Rules(msgspec.Struct, frozen=True):
    """How the tags of a kind change, and the order in which they are listed, by their keys."""

    added: Callable[[Mapping[str, str], Any], dict[str, str]]
    removed: Callable[[Mapping[str, str], Any], dict[str, str]]
    order: Callable[[str], str]


def _rows(
    kind: str, resource: Any, finds: tuple[_Find, _Find], rules: _Rules
) -> dict[str, AnyServiceOperation]:
    """The operations on the tags of a kind."""
    find, find_own = finds

    def tag(request: Any, context: IdentityContext) -> Edit[Result]:
        entity = find_own(request, context)
        if not request.tags:
            raise QueryError(Code.INVALID_INPUT, messages.no_tags())
        tags = rules.added(entity.tags, request)
        return Edit(None, [msgspec.structs.replace(entity, tags=tags)])

    def untag(request: Any, context: IdentityContext) -> Edit[Result]:
        entity = find_own(request, context)
        tags = rules.removed(entity.tags, request)
        return Edit(None, [msgspec.structs.replace(entity, tags=tags)])

    def listed(request: Any, context: IdentityContext) -> Edit[Result]:
        tags = descriptions.tags(find(request, context).tags)
        found = ((rules.order(each["Key"]), each) for each in tags)
        return Edit(page(request, "Tags", found, _itself))

    return by_name(
        operation(f"iam:Tag{kind}", resource=resource, run=tag),
        operation(f"iam:Untag{kind}", resource=resource, run=untag),
        operation(f"iam:List{kind}Tags", resource=resource, run=listed),
    )


def _itself(tag: dict[str, str]) -> dict[str, str]:
    return tag


def _as_written(key: str) -> str:
    return key


_HOLDERS: Final = _Rules(new_tags, _without, _as_written)
_POLICIES: Final = _Rules(new_policy_tags, _policy_tags_without, descriptions.tag_order)

OPERATIONS = {
    **_rows("User", user_resource, (user_of, user_of), _HOLDERS),
    **_rows("Role", role_resource, (role_of, role_of), _HOLDERS),
    **_rows("Policy", policy_resource, (policy_of, own_policy_of), _POLICIES),
}
