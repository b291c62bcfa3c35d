"""What policies leave open of a request, and its decision on the plan."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import msgspec

from hashrange.access.policies.connections import CONNECTION_KEYS
from hashrange.access.policies.decisions import GovernedResource, Subject, denial
from hashrange.access.policies.variables import Context
from hashrange.access.policies.verdicts import Decision, Keys, Pending
from hashrange.api.dynamodb.partiql.batch_execute_statement import (
    BatchExecuteStatementPlan,
    PlanOrFault,
)
from hashrange.api.dynamodb.partiql.permissions import of_statement
from hashrange.api.dynamodb.partiql.statements import Member, access_of
from hashrange.api.pipeline.accesses import Access
from hashrange.api.pipeline.operation import AnyOperation
from hashrange.api.pipeline.permissions import ALL_KEYS, Asked, Permission
from hashrange.api.pipeline.table_lookup import Looked
from hashrange.errors import DynamoError, Fault
from hashrange.model.operations import Items

_NOTHING: Final[Context] = {}
_NO_KEYS: Final[Keys] = frozenset()


def permissions(
    operation: AnyOperation, checked: Any, plan: Any, asked: Asked = ALL_KEYS
) -> Iterable[Permission]:
    """What policies must allow for a request, all of it.

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
    """Whether what a request asks for is denied in parts: the statements of a batch."""
    return operation.facts.items is Items.BATCH and bool(operation.facts.statements)


class Question(msgspec.Struct, frozen=True):
    """What the policies of a subject say of an access.

    Attributes:
        table: as it was looked up; None if there is none.
    """

    verdict: Decision | Pending
    action: str
    resource: GovernedResource
    table: Looked

    def refuse_unless(self, decision: Decision, subject: Subject) -> None:
        """Raise AccessDeniedException unless a decision allows the access."""
        if not decision.allowed:
            text = denial(decision, subject, self.action, self.resource)
            raise DynamoError(Fault.ACCESS_DENIED, text)


class Rest:
    """What is left to decide on a request, on its plan.

    Args:
        subject: who makes the request.
        operation: its row.
        questions: the accesses that are not decided.
        connection: computes the condition keys of the connection.
    """

    __slots__ = ("_connection", "_connection_keys", "_questions", "_subject", "operation")

    def __init__(
        self,
        subject: Subject,
        operation: AnyOperation,
        questions: Mapping[Access, Question],
        connection: Callable[[], Context],
    ) -> None:
        self.operation = operation
        self._subject = subject
        self._questions = questions
        self._connection = connection
        self._connection_keys: Context | None = None

    def fit(self, checked: Any, *tables: Any) -> Any:
        """`Operation.fit`; raises AccessDeniedException unless the plan is allowed."""
        try:
            plan = self.operation.fit(checked, *tables)
        except DynamoError:
            for access in self._questions:
                self.refuse_hopeless(access)
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
                self.refuse_hopeless(access_of(member.shape.prepared))
            else:
                self._decide_all(of_statement(member.shape.prepared, planned, asked))
        except DynamoError as error:
            return error.as_value()
        return planned

    def _decide_all(self, found: Iterable[Permission]) -> None:
        """Decide the permissions of a plan, and the questions that none of them is about."""
        decided = set()
        for permission in found:
            if permission.access in self._questions:
                self.decide(permission.access, permission.context)
                decided.add(permission.access)
        # A statement of a batch is about one question of several.
        is_whole = len(decided) == len(self._questions)
        if not is_whole and not denies_each(self.operation):
            for access in self._questions.keys() - decided:
                self.decide(access, _NOTHING)

    def _asked(self) -> Asked:
        """The condition keys that the questions are about."""
        found = _NO_KEYS
        for question in self._questions.values():
            if isinstance(question.verdict, Pending):
                found |= question.verdict.keys
        return found

    def decide(self, access: Access, context: Context) -> None:
        """Raise AccessDeniedException unless an access is allowed, with these condition keys."""
        question = self._questions.get(access)
        if question is None:
            return
        decision = question.verdict
        if isinstance(decision, Pending):
            if not decision.keys.isdisjoint(CONNECTION_KEYS):
                context = {**context, **self._connected()}
            decision = decision.decision(context)
        question.refuse_unless(decision, self._subject)

    def refuse_hopeless(self, access: Access) -> None:
        """Raise AccessDeniedException if an access is denied whatever its condition keys are."""
        question = self._questions.get(access)
        if question is None:
            return
        decision = question.verdict
        if isinstance(decision, Pending):
            decision = decision.hope.decision(self._connected())
        question.refuse_unless(decision, self._subject)

    def _connected(self) -> Context:
        if self._connection_keys is None:
            self._connection_keys = self._connection()
        return self._connection_keys
