"""A cluster as its nodes see it: who may use it, and with whose permissions it acts.

A caller needs `dax:` and the name of the operation on the cluster's ARN. Then the role of the
cluster is asked, and the caller's own permissions for tables are not looked at: as AWS warns, a
cluster lets its callers do what its role may do. Source: Developer Guide, "DAX access control".
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from hashrange.access.policies.decisions import GovernedResource, Subject
from hashrange.access.policies.variables import Context
from hashrange.api.dynamodb.transactions.actions import actions_of
from hashrange.api.dynamodb.transactions.transact_write_items import IAM_ACTIONS
from hashrange.api.steps.operation import Caller
from hashrange.api.steps.service_authorization import Authorizer, Requirement
from hashrange.dax.call_counts import CallCounts
from hashrange.dax.cluster_runner import RunningCluster
from hashrange.dax.protocol.calls import Call
from hashrange.errors import DynamoError, Fault
from hashrange.messages.dax import role_unusable
from hashrange.server.dax.service import Node

_CALLERS_MAX: Final = 10_000
_TRANSACT_WRITE: Final = "TransactWriteItems"
_TRANSACT_GET: Final = "TransactGetItems"
_TRANSACTIONS: Final = (_TRANSACT_GET, _TRANSACT_WRITE)


class NodeCluster:
    """A cluster that runs.

    Args:
        cluster: its row, and its nodes.
        role: the subject of a role, by ARN; None if it cannot be assumed.
        now_ms: the time, for conditions.
    """

    def __init__(
        self,
        cluster: RunningCluster,
        role: Callable[[str], Subject | None],
        now_ms: Callable[[], int],
    ) -> None:
        self._cluster = cluster
        self._role = role
        self._authorizer = Authorizer(now_ms)
        stored = cluster.stored
        self._resource = GovernedResource(stored.arn, stored.account)
        self._acting: dict[tuple[int, int], tuple[Caller, Subject | None, Caller]] = {}

    @property
    def calls(self) -> CallCounts:
        """The calls that all its nodes have answered."""
        return self._cluster.calls

    def nodes(self) -> Sequence[Node]:
        """The nodes that listen."""
        return [Node(each.number, each.port, each.zone) for each in self._cluster.nodes]

    def acting(self, caller: Caller) -> Caller:
        """The cluster's role in the place of a caller. Raises AccessDeniedException."""
        stored, subject = self._cluster.stored, None
        if caller.subject is not None:
            subject = self._role(stored.role)
            if subject is None:
                raise DynamoError(Fault.ACCESS_DENIED, role_unusable(stored.role))
        # Both are in the value, so that no other object gets their ids.
        found = self._acting.get((id(caller), id(subject)))
        if found is None:
            if len(self._acting) >= _CALLERS_MAX:
                self._acting.clear()
            made = Caller(stored.account, stored.region, caller.host, subject, caller.connection)
            found = self._acting[id(caller), id(subject)] = (caller, subject, made)
        return found[2]

    def allow(self, caller: Caller, call: Call) -> None:
        """Raise AccessDeniedException unless the caller may make the call."""
        if caller.subject is None:
            return
        keys: Context = {}
        if call.operation in _TRANSACTIONS:
            keys = {"dax:enclosingoperation": (call.operation,)}
        for action in _actions(call):
            requirement = Requirement(f"dax:{action}", self._resource, keys)
            text = self._authorizer.refusal(requirement, caller)
            if text is not None:
                raise DynamoError(Fault.ACCESS_DENIED, text)


def _actions(call: Call) -> Iterable[str]:
    """The actions of DAX that a call needs; those of a transaction by its parts."""
    if call.operation == _TRANSACT_GET:
        return ("GetItem",)
    if call.operation == _TRANSACT_WRITE:
        parts = call.request.transact_items or ()
        sent = [each for part in parts for each in actions_of(part) if each is not None]
        return dict.fromkeys(IAM_ACTIONS[type(each)] for each in sent)
    return (call.operation,)
