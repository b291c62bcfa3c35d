"""The IAM actions of DynamoDB: its condition keys, and where policies reach.

Source: Service Authorization Reference, "Actions, resources, and condition keys for Amazon
DynamoDB" (2026); Developer Guide, "API operations supported by resource-based policies" and
"Cross-account access with resource-based policies".
"""

from typing import Final

import msgspec

_NONE: Final[frozenset[str]] = frozenset()
_KEY_VALUES: Final = frozenset(
    {
        "dynamodb:leadingkeys",
        "dynamodb:firstpartitionkeyvalues",
        "dynamodb:secondpartitionkeyvalues",
        "dynamodb:thirdpartitionkeyvalues",
        "dynamodb:fourthpartitionkeyvalues",
    }
)
ATTRIBUTES: Final = frozenset({"dynamodb:attributes"})
ITEM: Final = _KEY_VALUES | ATTRIBUTES
SELECT: Final = frozenset({"dynamodb:select"})
VALUES: Final = frozenset({"dynamodb:returnvalues"})
CAPACITY: Final = frozenset({"dynamodb:returnconsumedcapacity"})
ENCLOSING: Final = frozenset({"dynamodb:enclosingoperation"})
TAG_KEYS: Final = frozenset({"aws:tagkeys"})
TAGS: Final = TAG_KEYS | {"aws:requesttag"}


class Action(msgspec.Struct, frozen=True, kw_only=True):
    """An IAM action.

    Attributes:
        keys: condition keys that only some actions have, in lower case; `aws:requesttag` stands for
            all keys that begin so.
        resource_policies: policies of tables or streams are asked.
        cross_account: they can allow it to other accounts.
        reads_items: it shows items or their changes, in its answer or elsewhere.
        writes_items: it changes items.
        without_resource: policies are asked for `*`, whatever table or stream a request names.
    """

    keys: frozenset[str] = _NONE
    resource_policies: bool = False
    cross_account: bool = False
    reads_items: bool = False
    writes_items: bool = False
    without_resource: bool = False


OWN: Final = Action()
"""Policies of resources do not allow it."""
UNBOUND: Final = Action(without_resource=True)
WITHIN_ACCOUNT: Final = Action(resource_policies=True)
SHARED: Final = Action(resource_policies=True, cross_account=True)


def tags(keys: frozenset[str]) -> Action:
    """An action on the tags of a resource, with these condition keys."""
    return Action(keys=keys, resource_policies=True, cross_account=True)


def reading(keys: frozenset[str] = _NONE, *, cross_account: bool = True) -> Action:
    """An action that reads items, with these condition keys."""
    return Action(keys=keys, resource_policies=True, cross_account=cross_account, reads_items=True)


def writing(keys: frozenset[str], *, shows: bool = True, cross_account: bool = True) -> Action:
    """An action that writes items, with these condition keys; `shows`: its answer has items."""
    return Action(
        keys=keys,
        resource_policies=True,
        cross_account=cross_account,
        reads_items=shows,
        writes_items=True,
    )
