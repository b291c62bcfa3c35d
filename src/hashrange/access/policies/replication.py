"""Whether resource policies let the service replicate a table. Pure; times are arguments.

Within an account replication has a role, and stops when any action is denied that the role has on
tables or streams. Between accounts the service replicates in its own name, and each replica allows
it for all replicas, itself too. Source: Developer Guide, "DynamoDB global tables security", also on
multi-account global tables; AWS Managed Policy Reference, "DynamoDBReplicationServiceRolePolicy",
version 8.
"""

from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from hashrange.access.policies.actions import SERVICE, STREAM_ACTIONS
from hashrange.access.policies.connections import service_keys
from hashrange.access.policies.decisions import Decisions, GovernedResource, Subject, denial
from hashrange.access.policies.principals import Principal
from hashrange.access.policies.variables import Context
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


_SERVICE: Final = "replication.dynamodb.amazonaws.com"
ACTIONS: Final = ("ReadDataForReplication", "WriteDataForReplication", "ReplicateSettings")
"""Actions that each replica allows."""


class Member(msgspec.Struct, frozen=True):
    """A replica for which the service calls."""

    account: str
    arn: str


class _Call(msgspec.Struct, frozen=True):
    action: str
    verdict: Decision | Residual
    keys: Context


class Calls:
    """The verdict of the policy of one replica of the calls of the service.

    Args:
        resource: the replica.
        members: all replicas, the replica itself among them.
    """

    def __init__(self, resource: GovernedResource, members: Iterable[Member]) -> None:
        self._resource = resource
        self._subject = Subject(Principal(type="Service", arn=_SERVICE, account=""))
        decisions = Decisions()
        self._calls = [
            _Call(
                action,
                decisions.verdict(self._subject, action, resource),
                {"aws:sourceaccount": (each.account,), "aws:sourcearn": (each.arn,)},
            )
            for each in members
            for action in (f"{SERVICE}:{name}" for name in ACTIONS)
        ]

    def hold(self, region: str, now_ms: int) -> bool:
        """Whether something is not allowed now to the service, which calls the region."""
        return self.refusal(region, now_ms) is not None

    def refusal(self, region: str, now_ms: int) -> str | None:
        """The text of what is not allowed; None if all is."""
        keys = {
            **service_keys(region=region, now_ms=now_ms),
            "aws:principalservicename": (_SERVICE,),
        }
        for call in self._calls:
            verdict = call.verdict
            if isinstance(verdict, Residual):
                verdict = verdict.decision({**keys, **call.keys})
            if not verdict.allowed:
                return denial(verdict, self._subject, call.action, self._resource)
        return None
