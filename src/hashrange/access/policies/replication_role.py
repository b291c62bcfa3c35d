"""Whether resource policies deny replication to the role that does it. Pure; times are arguments.

Source: Developer Guide, "DynamoDB global tables security"; AWS Managed Policy Reference,
"DynamoDBReplicationServiceRolePolicy", version 8: replication stops when any action is denied that
the role has on tables or streams.
"""

from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from hashrange.access.policies.actions import SERVICE, STREAM_ACTIONS
from hashrange.access.policies.connections import service_keys
from hashrange.access.policies.decisions import Decisions, GovernedResource, Subject
from hashrange.access.policies.principals import Principal
from hashrange.access.policies.verdicts import Decision, Residual

_NAME: Final = "AWSServiceRoleForDynamoDBReplication"
TABLE_ACTIONS: Final = (
    "DeleteItem",
    "DescribeTable",
    "DescribeTimeToLive",
    "GetItem",
    "GetResourcePolicy",
    "PutItem",
    "Scan",
    "UpdateItem",
    "UpdateTable",
    "UpdateTimeToLive",
)
"""Actions of the role on a replica."""


class Denials(msgspec.Struct, frozen=True):
    """Denials to the role by the policies of one replica.

    Attributes:
        is_always: something is denied whatever the time is.
        residual: what depends on the time.
    """

    is_always: bool
    residual: tuple[Residual, ...] = ()

    def hold(self, region: str, now_ms: int) -> bool:
        """Whether something is denied now, to a role that calls the region."""
        if self.is_always or not self.residual:
            return self.is_always
        keys = service_keys(region=region, now_ms=now_ms)
        return any(_is_denied(each.decision(keys)) for each in self.residual)


def role_arn(account: str) -> str:
    """The ARN of the role in an account."""
    return (
        f"arn:aws:iam::{account}:role/aws-service-role/replication.dynamodb.amazonaws.com/{_NAME}"
    )


def denials_of(
    account: str, tables: Iterable[GovernedResource], streams: Iterable[GovernedResource]
) -> Denials:
    """Denials to the role of an account.

    Args:
        account: of the role.
        tables: those on which it works.
        streams: those that it reads.
    """
    role = Principal(
        type="AssumedRole",
        arn=f"arn:aws:sts::{account}:assumed-role/{_NAME}/replication",
        account=account,
        issuer=role_arn(account),
    )
    # The policy of the role itself is not asked: it allows all of these actions.
    subject, decisions = Subject(role), Decisions()
    residual: list[Residual] = []
    pairs: tuple[tuple[Iterable[GovernedResource], Sequence[str]], ...] = (
        (tables, [f"{SERVICE}:{name}" for name in TABLE_ACTIONS]),
        (streams, sorted(STREAM_ACTIONS)),
    )
    for resources, actions in pairs:
        for resource in resources:
            for action in actions:
                verdict = decisions.verdict(subject, action, resource)
                if isinstance(verdict, Residual):
                    residual.append(verdict)
                elif _is_denied(verdict):
                    return Denials(is_always=True)
    return Denials(is_always=False, residual=tuple(residual))


def _is_denied(decision: Decision) -> bool:
    return decision.explicit and decision.kind == "resource"
