"""Residuals of policies, and their evaluation on the plan of a request."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import msgspec

from hashrange.access.policies.connections import CONNECTION_KEYS
from hashrange.access.policies.decisions import GovernedResource, Subject, denial
from hashrange.access.policies.variables import Context
from hashrange.access.policies.verdicts import Decision, Keys, Residual
from hashrange.api.dynamodb.partiql.batch_execute_statement import (
    BatchExecuteStatementPlan,
    PlanOrFault,
)
from hashrange.api.dynamodb.partiql.permissions import of_statement
from hashrange.api.dynamodb.partiql.statements import Member, access_of
from hashrange.api.steps.accesses import Access
from hashrange.api.steps.operation import AnyOperation
from hashrange.api.steps.permissions import ALL_KEYS, Asked, Permission
from hashrange.api.steps.table_lookup import Looked
from hashrange.errors import DynamoError, Fault
from hashrange.model.operations import Items

_NOTHING: Final[Context] = {}
_NO_KEYS: Final[Keys] = frozenset()


def permissions(
    operation: AnyOperation, checked: Any, plan: Any, asked: Asked = ALL_KEYS
) -> Iterable[Permission]:
    """The permissions of a request, all of which policies must allow.

    Args:
        operation: its row.
        checked: what its `check` made.
        plan: what its `fit` made.
        asked: the condition keys that policies look at.
    """
    if operation.permissions is None:
        return [Permission(access, {}) for access in operation.accesses(checked)]
    return operation.permissions(checked, plan, asked)


def denies_each(operation: AnyOperation) -> bool:
    """Whether parts of a request are denied by themselves: the statements of a batch."""
    return operation.facts.items is Items.BATCH and bool(operation.facts.statements)


class Evaluation(msgspec.Struct, frozen=True):
    """The partial evaluation of the policies of a subject for an access.

    Attributes:
        table: as it was looked up; None if there is none.
    """

    verdict: Decision | Residual
    action: str
    resource: GovernedResource
    table: Looked

    def refuse_unless(self, decision: Decision, subject: Subject) -> None:
        """Raise AccessDeniedException unless a decision allows the access."""
        if not decision.allowed:
            text = denial(decision, subject, self.action, self.resource)
            raise DynamoError(Fault.ACCESS_DENIED, text)


class Residuals:
    """The residuals of a request, which are evaluated on its plan.

    Args:
        subject: who makes the request.
        operation: its row.
        evaluations: of the accesses that are not allowed in advance.
        connection: computes the condition keys of the connection.
    """

    __slots__ = ("_connection", "_connection_keys", "_evaluations", "_subject", "operation")

    def __init__(
        self,
        subject: Subject,
        operation: AnyOperation,
        evaluations: Mapping[Access, Evaluation],
        connection: Callable[[], Context],
    ) -> None:
        self.operation = operation
        self._subject = subject
        self._evaluations = evaluations
        self._connection = connection
        self._connection_keys: Context | None = None

    def fit(self, checked: Any, *tables: Any) -> Any:
        """`Operation.fit`; raises AccessDeniedException unless the plan is allowed."""
        try:
            plan = self.operation.fit(checked, *tables)
        except DynamoError:
            for access in self._evaluations:
                self.refuse_denied(access)
            raise
        self._decide_all(permissions(self.operation, checked, plan, self._asked()))
        return plan

    def fit_statements(self, checked: Any, *tables: Any) -> Any:
        """`fit` of BatchExecuteStatement, whose statements are each denied by themselves."""
        plan: BatchExecuteStatementPlan = self.operation.fit(checked, *tables)
        asked = self._asked()
        plans = [
            self._statement(member, planned, asked)
            for member, planned in zip(plan.members, plan.plans, strict=True)
        ]
        return msgspec.structs.replace(plan, plans=plans)

    def _statement(
        self, member: Member | DynamoError, planned: PlanOrFault, asked: Asked
    ) -> PlanOrFault:
        if isinstance(member, DynamoError):
            return planned
        try:
            if isinstance(planned, DynamoError):
                self.refuse_denied(access_of(member.shape.prepared))
            else:
                self._decide_all(of_statement(member.shape.prepared, planned, asked))
        except DynamoError as error:
            return error.as_value()
        return planned

    def _decide_all(self, found: Iterable[Permission]) -> None:
        """Decide the permissions of a plan, and the evaluations that none of them is about."""
        decided = set()
        for permission in found:
            if permission.access in self._evaluations:
                self.decide(permission.access, permission.context)
                decided.add(permission.access)
        # A statement of a batch concerns one evaluation of several.
        is_whole = len(decided) == len(self._evaluations)
        if not is_whole and not denies_each(self.operation):
            for access in self._evaluations.keys() - decided:
                self.decide(access, _NOTHING)

    def _asked(self) -> Asked:
        """The condition keys that the residuals look at."""
        found = _NO_KEYS
        for evaluation in self._evaluations.values():
            if isinstance(evaluation.verdict, Residual):
                found |= evaluation.verdict.keys
        return found

    def decide(self, access: Access, context: Context) -> None:
        """Raise AccessDeniedException unless an access is allowed, with these condition keys."""
        evaluation = self._evaluations.get(access)
        if evaluation is None:
            return
        decision = evaluation.verdict
        if isinstance(decision, Residual):
            if not decision.keys.isdisjoint(CONNECTION_KEYS):
                context = {**context, **self._connected()}
            decision = decision.decision(context)
        evaluation.refuse_unless(decision, self._subject)

    def refuse_denied(self, access: Access) -> None:
        """Raise AccessDeniedException if an access is denied whatever its condition keys are."""
        evaluation = self._evaluations.get(access)
        if evaluation is None:
            return
        decision = evaluation.verdict
        if isinstance(decision, Residual):
            decision = decision.best_case.decision(self._connected())
        evaluation.refuse_unless(decision, self._subject)

    def _connected(self) -> Context:
        if self._connection_keys is None:
            self._connection_keys = self._connection()
        return self._connection_keys
