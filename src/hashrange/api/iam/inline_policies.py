"""Inline policies of users and roles."""

from typing import Any

import msgspec

from hashrange.access.identities.entities import Holder
from hashrange.access.identities.store import Edit
from hashrange.access.policies.checks import PolicyUse
from hashrange.api.iam.descriptions import encoded_policy
from hashrange.api.iam.documents import check_inline, document
from hashrange.api.iam.errors import Code, QueryError
from hashrange.api.iam.lookups import holder_of, kind_of, page, role_resource, user_resource
from hashrange.api.iam.operation import IdentityContext, Result
from hashrange.api.iam.rows import operation
from hashrange.messages import identities as messages
from hashrange.wire.service import AnyServiceOperation, by_name


def _put(request: Any, context: IdentityContext) -> Edit[Result]:
    holder, text = holder_of(request, context), request.policy_document
    document(text, PolicyUse.INLINE)
    name = _stored_name(holder, request.policy_name)
    inline = {**holder.inline, name or request.policy_name: text}
    check_inline(kind_of(holder), holder.name, inline)
    return Edit(None, [msgspec.structs.replace(holder, inline=inline)])


def _stored_name(holder: Holder, name: str) -> str | None:
    """The name of an inline policy, which is the same in any case; None if there is none."""
    if name in holder.inline:
        return name
    return next((each for each in holder.inline if each.lower() == name.lower()), None)


def _found(request: Any, context: IdentityContext) -> tuple[Holder, str]:
    """The holder, and the name of its policy. Raises QueryError."""
    holder, name = holder_of(request, context), request.policy_name
    stored = _stored_name(holder, name)
    if stored is None:
        text = messages.inline_policy_not_found(kind_of(holder), name)
        raise QueryError(Code.NO_SUCH_ENTITY, text)
    return holder, stored


def _get(request: Any, context: IdentityContext) -> Edit[Result]:
    holder, name = _found(request, context)
    member = "RoleName" if kind_of(holder) == "role" else "UserName"
    return Edit(
        {
            member: holder.name,
            "PolicyName": request.policy_name,
            "PolicyDocument": encoded_policy(holder.inline[name]),
        }
    )


def _list(request: Any, context: IdentityContext) -> Edit[Result]:
    names = ((name, name) for name in holder_of(request, context).inline)
    return Edit(page(request, "PolicyNames", names, str))


def _delete(request: Any, context: IdentityContext) -> Edit[Result]:
    holder, name = _found(request, context)
    inline = {each: text for each, text in holder.inline.items() if each != name}
    return Edit(None, [msgspec.structs.replace(holder, inline=inline)])


def _rows(kind: str, resource: Any) -> dict[str, AnyServiceOperation]:
    return by_name(
        operation(f"iam:Put{kind}Policy", resource=resource, run=_put),
        operation(f"iam:Get{kind}Policy", resource=resource, run=_get),
        operation(f"iam:List{kind}Policies", resource=resource, run=_list),
        operation(f"iam:Delete{kind}Policy", resource=resource, run=_delete),
    )


OPERATIONS = {**_rows("User", user_resource), **_rows("Role", role_resource)}
