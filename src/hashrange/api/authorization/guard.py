"""The policy of the pipeline: callers may do what their policies and those of resources allow.

Policies are partially evaluated before the caller learns whether a table exists: what no condition
key of the request decides is decided then. The residuals are evaluated on the plan. If a fault of
the request prevents a plan, the fault is reported only to a caller who might be allowed it.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

from hashrange.access.policies.connections import CONNECTION_KEYS
from hashrange.access.policies.decisions import Decisions, Subject
from hashrange.access.policies.variables import Context
from hashrange.access.policies.verdicts import ALLOWED, Decision, Residual
from hashrange.api.authorization.residuals import Evaluation, Residuals, denies_each, permissions
from hashrange.api.requests.pipeline import Fit
from hashrange.api.steps.accesses import Access
from hashrange.api.steps.arns import foreign_error, is_of_tables, is_out_of_reach
from hashrange.api.steps.governed import GovernedResources, policy_chars
from hashrange.api.steps.operation import AnyOperation, Caller, Connection, TableMode
from hashrange.api.steps.service_authorization import keys_of_connection
from hashrange.api.steps.table_lookup import Governing, governing_name
from hashrange.bounded_cache import BoundedCache
from hashrange.errors import DynamoError
from hashrange.limits.access import (
    CONNECTIONS_KEYS_CHARS_MAX,
    CONNECTIONS_KEYS_MAX,
    POLICY_VERDICTS_CHARS_MAX,
    POLICY_VERDICTS_MAX,
)
from hashrange.tables.opened.open_table import OpenTable

_SERVICE: Final = "dynamodb:"
_NOTHING: Final[Sequence[Context]] = ({},)


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
        self._known = BoundedCache[tuple[Subject, Access], Evaluation](
            entries_max=POLICY_VERDICTS_MAX,
            chars_max=POLICY_VERDICTS_CHARS_MAX,
            entry_chars_max=POLICY_VERDICTS_CHARS_MAX,
        )
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
        accesses = tuple(operation.accesses(checked))
        if len(accesses) == 1:
            access = accesses[0]
            known = self._known.get((subject, access))
            if (
                known is not None
                and known.table is tables.get(governing_name(access.resource))
                and not (self._separate and is_out_of_reach(access, caller))
            ):
                if known.verdict is ALLOWED:
                    return operation.fit
                if isinstance(known.verdict, Residual) and not denies_each(operation):
                    return partial(self._fit, operation, caller, known)
        return self._residuals(operation, accesses, caller=caller, tables=tables)

    def _fit(
        self,
        operation: AnyOperation,
        caller: Caller,
        evaluation: Evaluation,
        checked: Any,
        *tables: Any,
    ) -> Any:
        """`Residuals.fit` of a request with one access, whose residual is in the cache.

        Most requests are such, and this takes half the time.
        """
        subject, verdict = caller.subject, evaluation.verdict
        assert subject is not None, "as in `allow`"
        assert isinstance(verdict, Residual), "the cached verdict is a residual"
        try:
            plan = operation.fit(checked, *tables)
        except DynamoError:
            evaluation.refuse_unless(verdict.best_case.decision(self._connection(caller)), subject)
            raise
        keys = verdict.keys
        found = [each.context for each in permissions(operation, checked, plan, keys)]
        for context in found or _NOTHING:
            if not keys.isdisjoint(CONNECTION_KEYS):
                context = {**context, **self._connection(caller)}  # noqa: PLW2901
            decision = verdict.decision(context)
            if decision is not ALLOWED:
                evaluation.refuse_unless(decision, subject)
        return plan

    def _residuals(
        self,
        operation: AnyOperation,
        accesses: Sequence[Access],
        *,
        caller: Caller,
        tables: Governing,
    ) -> Fit:
        """As `allow`, for any request."""
        subject = caller.subject
        assert subject is not None, "as in `allow`"
        confined = self._separate and not operation.across_regions
        evaluations: dict[Access, Evaluation] = {}
        foreign: list[Access] = []
        for access in accesses:
            evaluation = self._evaluation(subject, access, caller, tables)
            if evaluation.verdict is not ALLOWED:
                evaluations[access] = evaluation
            if confined and is_out_of_reach(access, caller):
                foreign.append(access)
        if not (evaluations or foreign):
            return operation.fit
        residuals = Residuals(subject, operation, evaluations, lambda: self._connection(caller))
        for access in foreign:
            residuals.refuse_denied(access)
            raise foreign_error(operation, access.resource, caller)
        if denies_each(operation):
            return residuals.fit_statements
        for access, evaluation in evaluations.items():
            is_refused = isinstance(evaluation.verdict, Decision)
            if is_refused or _will_not_be_found(access, operation, tables):
                residuals.refuse_denied(access)
        return residuals.fit

    def _evaluation(
        self, subject: Subject, access: Access, caller: Caller, tables: Governing
    ) -> Evaluation:
        """The partial evaluation for an access; kept for as long as its table stays as it is."""
        looked = tables.get(governing_name(access.resource)) if is_of_tables(access) else None
        known = self._known.get((subject, access))
        if known is not None and known.table is looked:
            return known
        table = looked.table if isinstance(looked, OpenTable) else looked
        resource = self._resources.of(access, caller, table)
        action = access.action
        if ":" not in action:
            action = _SERVICE + action
        evaluation = Evaluation(self._verdict(subject, action, resource), action, resource, looked)
        if table is not None:
            chars = len(resource.arn) + policy_chars(table.policy)
            self._known.keep((subject, access), evaluation, chars)
        return evaluation

    def _connection(self, caller: Caller) -> Context:
        """The condition keys of the connection; those of one second are the same."""
        connection = caller.connection
        assert connection is not None, "callers with a subject have a connection"
        now_ms = self._now_ms()
        key = (caller.region, connection, now_ms // 1000)
        found = self._connections.get(key)
        if found is None:
            found = keys_of_connection(caller, now_ms)
            chars = sum(len(text) for texts in found.values() for text in texts)
            self._connections.keep(key, found, chars)
        return found


def _will_not_be_found(access: Access, operation: AnyOperation, tables: Governing) -> bool:
    """Whether the request ends before it has a plan, because its table does not exist."""
    if tables.get(governing_name(access.resource)) is not None:
        return False
    return operation.tables is not TableMode.NONE and not operation.may_lack_tables
