"""Whether statements name an action and a resource. Pure.

Source: IAM User Guide, "IAM JSON policy elements: Action" and "… Resource".
"""

from collections.abc import Mapping
from typing import Final

from hashrange.access.policies.conditions import FixedKeys, Test
from hashrange.access.policies.syntax import Document, Statement
from hashrange.access.policies.variables import (
    Context,
    Template,
    is_fixed,
    keys_of,
    resolved,
    template_of,
)
from hashrange.access.policies.wildcards import SEPARATOR, Piece, arn_like, completed, like, plain

_SEGMENTS_BEFORE_NAME: Final = 5


def tag_keys(tags: Mapping[str, str], *prefixes: str) -> Context:
    """The condition keys of the tags of a resource.

    Args:
        tags: of the resource.
        prefixes: of the keys, `aws` by default; tags of users and roles also have `iam`.
    """
    return {
        f"{prefix}:resourcetag/{key.lower()}": (value,)
        for key, value in tags.items()
        for prefix in prefixes or ("aws",)
    }


def no_tags(_arn: str) -> Mapping[str, str]:
    """The tags of resources where none have any."""
    return {}


def names_action(statement: Statement, action: str) -> bool:
    """Whether a statement is about an action.

    Args:
        statement: of a policy; the case of its actions does not matter.
        action: in lower case.
    """
    named = any(like(plain(pattern.lower()))(action) for pattern in statement.actions)
    return named != statement.not_actions


def resource_test(
    document: Document, statement: Statement, arn: str, fixed: FixedKeys
) -> Test | bool:
    """Whether a statement is about a resource; a test if variables of the request decide it.

    A resource with a variable that has no value is none. Statements without resources, of trust
    policies, are about all.
    """
    if not statement.resources:
        return True
    templates = [
        _template(text, has_variables=document.has_variables) for text in statement.resources
    ]

    def concerns(context: Context) -> bool:
        named = any(
            arn_like(completed(pattern) if document.completes_arns else pattern)(arn)
            for template in templates
            if (pattern := resolved(template, context)) is not None
        )
        return named != statement.not_resources

    if all(is_fixed(template, fixed.fixes) for template in templates):
        return concerns(fixed.context)

    return lambda context: concerns({**context, **fixed.context})


def keys_of_resources(document: Document, statement: Statement) -> set[str]:
    """The condition keys of the variables in a statement's resources."""
    found: set[str] = set()
    for text in statement.resources:
        found |= keys_of(_template(text, has_variables=document.has_variables))
    return found


def _template(text: str, *, has_variables: bool) -> Template:
    """Variables stand after the fifth colon only; before it they are plain text."""
    *head, name = text.split(SEPARATOR, _SEGMENTS_BEFORE_NAME)
    if len(head) < _SEGMENTS_BEFORE_NAME:
        return template_of(text, has_variables=False)
    start = SEPARATOR.join([*head, ""])
    return (Piece(start), *template_of(name, has_variables=has_variables))
