"""Inline policies of users and roles."""

from typing import Any

import msgspec

from hashrange.iam.answers import encoded_policy
from hashrange.iam.documents import check_inline, document
from hashrange.iam.errors import Code, QueryError
from hashrange.iam.lookups import holder_of, kind_of, role_resource, user_resource
from hashrange.iam.members import Parameters
from hashrange.iam.operation import PAGING, Operation, Result, Situation
from hashrange.iam.pages import page
from hashrange.identities.entities import Holder
from hashrange.identities.store import Edit
from hashrange.messages import identities as messages
from hashrange.policies.checks import PolicyUse


def _put(parameters: Parameters, situation: Situation) -> Edit[Result]:
    holder, text = holder_of(parameters, situation), parameters["PolicyDocument"]
    document(text, PolicyUse.INLINE)
    name = _stored_name(holder, parameters["PolicyName"])
    inline = {**holder.inline, name or parameters["PolicyName"]: text}
    check_inline(kind_of(holder), holder.name, inline)
    return Edit(None, [msgspec.structs.replace(holder, inline=inline)])


def _stored_name(holder: Holder, name: str) -> str | None:
    """The name of an inline policy, which is the same in any case; None if there is none."""
    if name in holder.inline:
        return name
    return next((each for each in holder.inline if each.lower() == name.lower()), None)


def _found(parameters: Parameters, situation: Situation) -> tuple[Holder, str]:
    """The holder, and the name of its policy. Raises QueryError."""
    holder, name = holder_of(parameters, situation), parameters["PolicyName"]
    stored = _stored_name(holder, name)
    if stored is None:
        text = messages.inline_policy_not_found(kind_of(holder), name)
        raise QueryError(Code.NO_SUCH_ENTITY, text)
    return holder, stored


def _get(parameters: Parameters, situation: Situation) -> Edit[Result]:
    holder, name = _found(parameters, situation)
    member = "RoleName" if "RoleName" in parameters else "UserName"
    return Edit(
        {
            member: holder.name,
            "PolicyName": parameters["PolicyName"],
            "PolicyDocument": encoded_policy(holder.inline[name]),
        }
    )


def _list(parameters: Parameters, situation: Situation) -> Edit[Result]:
    names = ((name, name) for name in holder_of(parameters, situation).inline)
    return Edit(page(parameters, "PolicyNames", names, str))


def _delete(parameters: Parameters, situation: Situation) -> Edit[Result]:
    holder, name = _found(parameters, situation)
    inline = {each: text for each, text in holder.inline.items() if each != name}
    return Edit(None, [msgspec.structs.replace(holder, inline=inline)])


def _rows(kind: str, resource: Any) -> dict[str, Operation]:
    member = f"{kind}Name"
    named = [member, "PolicyName"]
    return {
        f"Put{kind}Policy": Operation(
            resource=resource, run=_put, required=[*named, "PolicyDocument"]
        ),
        f"Get{kind}Policy": Operation(resource=resource, run=_get, required=named),
        f"List{kind}Policies": Operation(
            resource=resource, run=_list, required=[member], optional=PAGING
        ),
        f"Delete{kind}Policy": Operation(resource=resource, run=_delete, required=named),
    }


OPERATIONS = {**_rows("User", user_resource), **_rows("Role", role_resource)}
