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
from hashrange.identities.store import Edit
from hashrange.messages import identities as messages
from hashrange.policies.checks import PolicyUse


def _put(parameters: Parameters, situation: Situation) -> Edit[Result]:
    holder, text = holder_of(parameters, situation), parameters["PolicyDocument"]
    document(text, PolicyUse.INLINE)
    inline = {**holder.inline, parameters["PolicyName"]: text}
    check_inline(kind_of(holder), holder.name, inline)
    return Edit(None, [msgspec.structs.replace(holder, inline=inline)])


def _found(parameters: Parameters, situation: Situation) -> tuple[str, str]:
    """The name of the holder, and the text of the policy."""
    holder, name = holder_of(parameters, situation), parameters["PolicyName"]
    if name not in holder.inline:
        text = messages.inline_policy_not_found(kind_of(holder), name)
        raise QueryError(Code.NO_SUCH_ENTITY, text)
    return holder.name, holder.inline[name]


def _get(parameters: Parameters, situation: Situation) -> Edit[Result]:
    name, text = _found(parameters, situation)
    member = "RoleName" if "RoleName" in parameters else "UserName"
    return Edit(
        {
            member: name,
            "PolicyName": parameters["PolicyName"],
            "PolicyDocument": encoded_policy(text),
        }
    )


def _list(parameters: Parameters, situation: Situation) -> Edit[Result]:
    names = ((name, name) for name in holder_of(parameters, situation).inline)
    return Edit(page(parameters, "PolicyNames", names, str))


def _delete(parameters: Parameters, situation: Situation) -> Edit[Result]:
    _found(parameters, situation)
    holder = holder_of(parameters, situation)
    inline = {
        name: text for name, text in holder.inline.items() if name != parameters["PolicyName"]
    }
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
