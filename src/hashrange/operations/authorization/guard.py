"""The policy of the pipeline: callers may do what their policies and those of resources allow.

What no condition decides is decided before the caller learns whether a table exists. The rest is
decided on the plan. If there is no plan, because of a fault of the request, only those are told of
the fault who might be allowed such a request.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import msgspec

from hashrange.bounded_cache import BoundedCache
from hashrange.errors import DynamoError, Fault
from hashrange.limits import CONNECTIONS_KEYS_CHARS_MAX, CONNECTIONS_KEYS_MAX
from hashrange.operations.authorization.arns import is_out_of_reach
from hashrange.operations.authorization.connections import keys_of_connection
from hashrange.operations.authorization.governed import GovernedResources
from hashrange.operations.authorization.permissions import Permission
from hashrange.operations.authorization.registry import permissions
from hashrange.operations.authorization.statements import of_member
from hashrange.operations.partiql.batch_execute_statement import (
    BatchExecuteStatement,
    BatchExecuteStatementPlan,
    Member,
    PlanOrFault,
)
from hashrange.operations.partiql.statements import access_of
from hashrange.operations.pipeline.accesses import Access
from hashrange.operations.pipeline.operation import AnyOperation, Caller, Connection, TableMode
from hashrange.operations.pipeline.pipeline import Fit
from hashrange.operations.pipeline.table_lookup import Governing, governing_name
from hashrange.policies.decisions import Decisions, GovernedResource, Subject, denial
from hashrange.policies.variables import Context
from hashrange.policies.verdicts import ALLOWED, Decision, Pending

_SERVICE: Final = "dynamodb:"
_NOTHING: Final[Context] = {}


class Question(msgspec.Struct, frozen=True):
    """What is not settled of an access."""

    verdict: Decision | Pending
    action: str
    resource: GovernedResource


class Guard:
    """Asks the policies of the caller and of the resources for each request.

    Callers have subjects: their signatures were verified.

    Args:
        now_ms: the time, for conditions.
        separate: each account and region has tables of its own.
    """

    def __init__(self, now_ms: Callable[[], int], *, separate: bool) -> None:
        self._now_ms = now_ms
        self._separate = separate
        self._verdict = Decisions().verdict
        self._resources = GovernedResources(separate=separate)
        self._connections = BoundedCache[tuple[str, Connection, int], Context](
            entries_max=CONNECTIONS_KEYS_MAX,
            chars_max=CONNECTIONS_KEYS_CHARS_MAX,
            entry_chars_max=CONNECTIONS_KEYS_CHARS_MAX,
        )

    def allow(
        self, caller: Caller, operation: AnyOperation, checked: Any, tables: Governing
    ) -> Fit:
        """As `Policy.allow`; raises AccessDeniedException."""
        subject = caller.subject
        assert subject is not None, "requests without a verified signature do not get here"
        questions: dict[Access, Question] = {}
        foreign: list[Access] = []
        for access in operation.accesses(checked):
            resource = self._resources.of(access, caller, tables)
            action = _SERVICE + access.action
            verdict = self._verdict(subject, action, resource)
            if verdict is not ALLOWED:
                questions[access] = Question(verdict, action, resource)
            if self._separate and is_out_of_reach(access, caller):
                foreign.append(access)
        if not (questions or foreign):
            return operation.fit
        rest = Rest(subject, operation, questions, lambda: self._connection(caller))
        for access in foreign:
            rest.refuse_hopeless(access)
            raise operation.not_found(access.resource.name)
        if operation.request is BatchExecuteStatement:
            return rest.fit_statements
        for access, question in questions.items():
            is_refused = isinstance(question.verdict, Decision)
            if is_refused or _will_not_be_found(access, operation, tables):
                rest.refuse_hopeless(access)
        return rest.fit

    def _connection(self, caller: Caller) -> Context:
        """The condition keys of the connection; those of one second are the same."""
        connection = caller.connection
        assert connection is not None, "callers with a subject have a connection"
        now_ms = self._now_ms()
        key = (caller.region, connection, now_ms // 1000)
        found = self._connections.get(key)
        if found is None:
            found = keys_of_connection(caller, now_ms)
            self._connections.keep(key, found, sum(len(text) for (text,) in found.values()))
        return found


class Rest:
    """What is left to decide on a request, on its plan.

    Args:
        subject: who makes the request.
        operation: its row.
        questions: the accesses that are not settled.
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
        self._settle_all(permissions(self.operation, checked, plan))
        return plan

    def fit_statements(self, checked: Any, *tables: Any) -> Any:
        """`fit` of BatchExecuteStatement, whose statements are each denied by themselves."""
        plan: BatchExecuteStatementPlan = self.operation.fit(checked, *tables)
        plans = [
            self._statement(member, planned)
            for member, planned in zip(plan.members, plan.plans, strict=True)
        ]
        return msgspec.structs.replace(plan, plans=plans)

    def _statement(self, member: Member | DynamoError, planned: PlanOrFault) -> PlanOrFault:
        if isinstance(member, DynamoError):
            return planned
        try:
            if isinstance(planned, DynamoError):
                self.refuse_hopeless(access_of(member.shape.prepared))
            else:
                self._settle_all(of_member(member, planned))
        except DynamoError as error:
            return error
        return planned

    def _settle_all(self, found: Iterable[Permission]) -> None:
        """Settle the permissions of a plan, and the questions that none of them is about."""
        settled = set()
        for permission in found:
            self.settle(permission.access, permission.context)
            settled.add(permission.access)
        # A statement of a batch is about one question of several.
        if self.operation.request is not BatchExecuteStatement:
            for access in self._questions.keys() - settled:
                self.settle(access, _NOTHING)

    def settle(self, access: Access, context: Context) -> None:
        """Raise AccessDeniedException unless an access is allowed, with these condition keys."""
        question = self._questions.get(access)
        if question is None:
            return
        decision = question.verdict
        if isinstance(decision, Pending):
            decision = decision.decision({**context, **self._connected()})
        self._refuse(question, decision)

    def refuse_hopeless(self, access: Access) -> None:
        """Raise AccessDeniedException if an access is denied whatever its condition keys are."""
        question = self._questions.get(access)
        if question is None:
            return
        decision = question.verdict
        if isinstance(decision, Pending):
            decision = decision.hope.decision(self._connected())
        self._refuse(question, decision)

    def _connected(self) -> Context:
        if self._connection_keys is None:
            self._connection_keys = self._connection()
        return self._connection_keys

    def _refuse(self, question: Question, decision: Decision) -> None:
        if not decision.allowed:
            text = denial(decision, self._subject, question.action, question.resource)
            raise DynamoError(Fault.ACCESS_DENIED, text)


def _will_not_be_found(access: Access, operation: AnyOperation, tables: Governing) -> bool:
    """Whether the request ends before it has a plan, because its table does not exist."""
    if operation.tables is TableMode.NONE or operation.may_lack_tables:
        return False
    return tables.get(governing_name(access.resource)) is None
