"""Operations on access keys."""

from typing import Any

import msgspec

from hashrange.access.identities.entities import AccessKey
from hashrange.access.identities.store import Edit
from hashrange.api.iam import descriptions
from hashrange.api.iam.errors import Code, QueryError
from hashrange.api.iam.lookups import page, user_of, user_resource
from hashrange.api.iam.operation import IdentityContext, Result
from hashrange.api.iam.rows import operation
from hashrange.limits.access import USER_KEYS_MAX
from hashrange.messages import identities as messages
from hashrange.wire.service import by_name


def _create(request: Any, context: IdentityContext) -> Edit[Result]:
    user = user_of(request, context)
    if len(user.keys) >= USER_KEYS_MAX:
        text = messages.quota_exceeded("AccessKeysPerUser", USER_KEYS_MAX)
        raise QueryError(Code.LIMIT_EXCEEDED, text)
    key, secret_key = context.identities.new_key(context.now_ms)
    shown = {**descriptions.access_key(user, key), "SecretAccessKey": secret_key}
    return Edit({"AccessKey": shown}, [msgspec.structs.replace(user, keys=(*user.keys, key))])


def _list(request: Any, context: IdentityContext) -> Edit[Result]:
    user = user_of(request, context)
    found = ((f"{place}", key) for place, key in enumerate(user.keys))

    def shown(key: AccessKey) -> object:
        return descriptions.access_key(user, key)

    return Edit(page(request, "AccessKeyMetadata", found, shown))


def _update(request: Any, context: IdentityContext) -> Edit[Result]:
    user, wanted = user_of(request, context), request.access_key_id
    _check_there(user.keys, wanted)
    keys = tuple(
        msgspec.structs.replace(key, status=request.status) if key.id == wanted else key
        for key in user.keys
    )
    return Edit(None, [msgspec.structs.replace(user, keys=keys)])


def _delete(request: Any, context: IdentityContext) -> Edit[Result]:
    user, wanted = user_of(request, context), request.access_key_id
    _check_there(user.keys, wanted)
    keys = tuple(key for key in user.keys if key.id != wanted)
    return Edit(None, [msgspec.structs.replace(user, keys=keys)])


def _check_there(keys: tuple[AccessKey, ...], access_key: str) -> None:
    if access_key not in {key.id for key in keys}:
        raise QueryError(Code.NO_SUCH_ENTITY, messages.access_key_not_found(access_key))


OPERATIONS = by_name(
    operation("iam:CreateAccessKey", resource=user_resource, run=_create),
    operation("iam:ListAccessKeys", resource=user_resource, run=_list),
    operation("iam:UpdateAccessKey", resource=user_resource, run=_update),
    operation("iam:DeleteAccessKey", resource=user_resource, run=_delete),
)
