"""Whether resource policies allow replication between accounts. Pure; times are arguments.

The service replicates in its own name, and each replica allows it for all replicas, itself too.
Source: Developer Guide, "DynamoDB global tables security", on multi-account global tables.
"""

from collections.abc import Iterable
from typing import Final

import msgspec

from hashrange.access.policies.actions import SERVICE
from hashrange.access.policies.connections import service_keys
from hashrange.access.policies.decisions import Decisions, GovernedResource, Subject, denial
from hashrange.access.policies.principals import Principal
from hashrange.access.policies.variables import Context
from hashrange.access.policies.verdicts import Decision, Residual

_NAME: Final = "replication.dynamodb.amazonaws.com"
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
        self._subject = Subject(Principal(type="Service", arn=_NAME, account=""))
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
            "aws:principalservicename": (_NAME,),
        }
        for call in self._calls:
            verdict = call.verdict
            if isinstance(verdict, Residual):
                verdict = verdict.decision({**keys, **call.keys})
            if not verdict.allowed:
                return denial(verdict, self._subject, call.action, self._resource)
        return None
