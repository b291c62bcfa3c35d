"""An operation of IAM or STS as a row: its members, what it asks of policies, what it does."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

import msgspec

from hashrange.iam.errors import invalid
from hashrange.iam.members import Parameters
from hashrange.identities.entities import PARTITION
from hashrange.identities.opening import Identities
from hashrange.identities.roster import Roster
from hashrange.identities.store import Edit
from hashrange.messages import identities as messages
from hashrange.policies.decisions import GovernedResource, Subject
from hashrange.policies.resources import tag_keys
from hashrange.policies.variables import Context

Result: TypeAlias = Mapping[str, Any] | None
"""The members of an answer; None for an operation that returns nothing."""

ANYTHING: Final = "*"
"""The resource of actions that have none."""
PAGING: Final = ("Marker", "MaxItems")


class Situation(msgspec.Struct, frozen=True, kw_only=True):
    """What an operation knows beside its parameters.

    Attributes:
        roster: all identities, at one revision.
        identities: makes keys and ids, seals secrets.
        account: of the caller.
        subject: the caller; None for the operator, who may do everything.
        access_key: that the request was signed with.
        connection: the condition keys of the connection.
        now_ms: when the request came.
    """

    roster: Roster
    identities: Identities
    account: str
    subject: Subject | None
    access_key: str
    connection: Context
    now_ms: int

    @property
    def principal_name(self) -> str:
        """The user who calls. Raises QueryError if it is no user."""
        name = None if self.subject is None else self.subject.principal.user_name
        if name is None:
            raise invalid(messages.needs_user_name())
        return name

    def arn(self, kind: str, name: str) -> str:
        """The ARN of an entity of the account, which need not exist, without a path."""
        return f"{PARTITION}{self.account}:{kind}/{name}"


def governed(arn: str, account: str, tags: Mapping[str, str] | None = None) -> GovernedResource:
    """A resource of IAM, which has no policy of its own."""
    return GovernedResource(arn, account, keys=tag_keys(tags or {}, "aws", "iam"))


class Operation(msgspec.Struct, frozen=True, kw_only=True):
    """One operation.

    Attributes:
        resource: what its action is done to; None for an operation that needs no permission.
        run: reads, or decides what is changed; pure, and may run several times.
        required: members that must be there.
        optional: members that may be there.
    """

    resource: Callable[[Parameters, Situation], GovernedResource] | None
    run: Callable[[Parameters, Situation], Edit[Result]]
    required: Sequence[str] = ()
    optional: Sequence[str] = ()


def anything(_parameters: Parameters, situation: Situation) -> GovernedResource:
    """The resource of an action that has none."""
    return governed(ANYTHING, situation.account)
