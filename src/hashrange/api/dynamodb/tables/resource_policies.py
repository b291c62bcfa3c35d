"""PutResourcePolicy, GetResourcePolicy and DeleteResourcePolicy, of tables and streams.

They work without authentication too: policies are kept and shown, and nothing is denied.
"""

from collections.abc import Callable, Coroutine, Iterable
from typing import Any, Final, TypeVar

import msgspec

from hashrange.access.policies.canonical import canonical, shown
from hashrange.access.policies.checks import MalformedPolicyError, PolicyUse
from hashrange.access.policies.decisions import Decisions
from hashrange.access.policies.documents import parse
from hashrange.access.policies.resource_policies import resource_policy
from hashrange.api.dynamodb.streams.specification import no_such_arn
from hashrange.api.dynamodb.tables.policy_changes import PolicyChange, changed, policy_at
from hashrange.api.steps.accesses import Access, ResourceKind, on_arn
from hashrange.api.steps.governed import governed
from hashrange.api.steps.operation import (
    AnyOperation,
    Operation,
    Outcome,
    RequestContext,
)
from hashrange.api.steps.service_authorization import keys_of_connection
from hashrange.api.steps.table_lookup import deleting_table
from hashrange.errors import DynamoError, Fault, invalid
from hashrange.messages import policies as messages
from hashrange.messages import wire as wire_messages
from hashrange.messages.tables import operations as table_messages
from hashrange.model.operations import OPERATION_FACTS
from hashrange.model.structures.dynamodb import (
    DeleteResourcePolicy,
    GetResourcePolicy,
    PolicyAnswer,
    PutResourcePolicy,
    RevisionAnswer,
)
from hashrange.model.table import Table
from hashrange.model.table_features import ResourcePolicy
from hashrange.tables.catalog.catalog import not_found
from hashrange.tables.catalog.lifecycle import is_creating
from hashrange.wire.arns import Arn, resource_of_arn
from hashrange.wire.constraints import check as check_constraints
from hashrange.wire.model_constraints.dynamodb import (
    DELETE_RESOURCE_POLICY_ROWS,
    GET_RESOURCE_POLICY_ROWS,
    PUT_RESOURCE_POLICY_ROWS,
)
from hashrange.wire.rules import Form

R = TypeVar("R")


class CheckedPolicyRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A request that passed all checks that need no table.

    Attributes:
        text: the ARN as sent.
        resource: its parts.
        policy: the new policy in canonical form.
        expected: the revision that is expected.
        may_lock_out: the author need not be able to change the policy again.
    """

    text: str
    resource: Arn
    policy: str | None = None
    expected: str | None = None
    may_lock_out: bool = False


def canonical_policy(text: str, *, is_stream: bool) -> str:
    """A policy as it is stored. Raises ValidationException."""
    try:
        resource_policy(text, is_stream=is_stream)
    except MalformedPolicyError as error:
        raise invalid(str(error)) from error
    return canonical(text)


def ids_of(policy: str | None, context: RequestContext) -> dict[str, str]:
    """The unique ids of the principals that a policy in canonical form names."""
    if policy is None:
        return {}
    statements = parse(policy, PolicyUse.RESOURCE).statements
    named = (each.principals.aws for each in statements if each.principals is not None)
    return context.choices.principals.unique_ids(sorted(frozenset().union(*named)))


def new_policy(policy: str | None, context: RequestContext) -> ResourcePolicy | None:
    """The policy of a new table, in canonical form; None if it has none."""
    if policy is None:
        return None
    ids = ids_of(policy, context)
    return ResourcePolicy(text=policy, revision_ms=context.now_ms, principal_ids=ids)


def check_get(request: GetResourcePolicy) -> CheckedPolicyRequest:
    """Refuse an invalid ARN."""
    check_constraints(request, GET_RESOURCE_POLICY_ROWS, Form.MODEL)
    text = str(request.resource_arn)
    return CheckedPolicyRequest(text=text, resource=resource_of_arn(text))


def check_put(request: PutResourcePolicy) -> CheckedPolicyRequest:
    """Refuse invalid members and an invalid policy, before it is known whether the table exists."""
    check_constraints(request, PUT_RESOURCE_POLICY_ROWS, Form.MODEL)
    text = str(request.resource_arn)
    resource = resource_of_arn(text)
    return CheckedPolicyRequest(
        text=text,
        resource=resource,
        policy=canonical_policy(str(request.policy), is_stream=resource.label is not None),
        expected=request.expected_revision_id,
        may_lock_out=request.confirm_remove_self_resource_access is True,
    )


def check_delete(request: DeleteResourcePolicy) -> CheckedPolicyRequest:
    """Refuse invalid members."""
    check_constraints(request, DELETE_RESOURCE_POLICY_ROWS, Form.MODEL)
    text = str(request.resource_arn)
    return CheckedPolicyRequest(
        text=text, resource=resource_of_arn(text), expected=request.expected_revision_id
    )


def _accesses(action: str) -> Callable[[CheckedPolicyRequest], Iterable[Access]]:
    def accesses(checked: CheckedPolicyRequest) -> Iterable[Access]:
        kind: ResourceKind = "table" if checked.resource.label is None else "stream"
        return on_arn(action, kind, checked.text)

    return accesses


async def run_get(checked: CheckedPolicyRequest, context: RequestContext) -> Outcome:
    """Show the policy; also that of a table which is still shown as DELETING."""
    name = checked.resource.table
    opened = await context.catalog.open(name)
    if opened is None:
        table = await deleting_table(context.catalog, name, context)
    else:
        table = (
            None
            if is_creating(opened.table, context.now_ms, context.transient_ms)
            else opened.table
        )
    if table is None:
        raise not_found(name)
    policy = policy_at(table, checked.resource.label)
    if policy is None or policy.text is None:
        raise DynamoError(Fault.POLICY_NOT_FOUND, messages.policy_not_found(checked.text))
    gone = context.choices.principals.gone_since(policy.principal_ids)
    return Outcome(PolicyAnswer(shown(policy.text, gone), str(policy.revision_ms)))


async def run_put(checked: CheckedPolicyRequest, context: RequestContext) -> Outcome:
    """Set the policy; a policy with the same meaning changes nothing."""
    label = checked.resource.label
    await context.choices.principals.refresh()
    change = changed(_change(checked, context))

    def set_policy(table: Table) -> Table:
        made = change(table)
        if not checked.may_lock_out:
            _refuse_lock_out(made, checked, context)
        return made

    await _refuse_transient(checked, context)
    policy = policy_at(await context.catalog.change(checked.resource.table, set_policy), label)
    assert policy is not None, "it was set"
    return Outcome(RevisionAnswer(str(policy.revision_ms)))


async def run_delete(checked: CheckedPolicyRequest, context: RequestContext) -> Outcome:
    """Delete the policy, if there is one; the answer has its revision, or that of its deletion."""
    label, change = checked.resource.label, changed(_change(checked, context))
    revision: str | None = None

    def delete(table: Table) -> Table:
        nonlocal revision
        policy = policy_at(table, label)
        revision = None if policy is None else str(policy.revision_ms)
        return change(table)

    await _refuse_transient(checked, context)
    await context.catalog.change(checked.resource.table, delete)
    return Outcome(RevisionAnswer(revision))


def _change(checked: CheckedPolicyRequest, context: RequestContext) -> PolicyChange:
    return PolicyChange(
        label=checked.resource.label,
        text=checked.policy,
        principal_ids=ids_of(checked.policy, context),
        expected=checked.expected,
        now_ms=context.now_ms,
        transient_ms=context.transient_ms,
    )


async def _refuse_transient(checked: CheckedPolicyRequest, context: RequestContext) -> None:
    """Raise ResourceInUseException for a DELETING table; one that is CREATING is not found yet."""
    name = checked.resource.table
    opened = await context.catalog.open(name)
    if opened is not None:
        if is_creating(opened.table, context.now_ms, context.transient_ms):
            raise not_found(name)
    elif await deleting_table(context.catalog, name, context) is not None:
        raise DynamoError(Fault.RESOURCE_IN_USE, table_messages.table_busy(name, "deleted"))


def _refuse_lock_out(table: Table, checked: CheckedPolicyRequest, context: RequestContext) -> None:
    """Raise AccessDeniedException if the author could not change the policy again.

    Only PutResourcePolicy is looked at. Measured by users, October 2026 (DDB-TABLE-210).
    """
    caller = context.caller
    if caller.subject is None:
        return
    (access,) = _accesses("PutResourcePolicy")(checked)
    policy = policy_at(table, checked.resource.label)
    resource = governed(access.resource, table, policy, caller.account)
    keys = keys_of_connection(caller, context.now_ms)
    decision = Decisions().decide(caller.subject, "dynamodb:PutResourcePolicy", resource, keys)
    if not decision.allowed:
        raise DynamoError(Fault.ACCESS_DENIED, messages.locks_out_author())


def _in_other_region(arn: str) -> DynamoError:
    return invalid(wire_messages.elsewhere_resource_arn(arn))


def _operation(
    name: str,
    request: type[R],
    check: Callable[[R], CheckedPolicyRequest],
    run: Callable[[CheckedPolicyRequest, RequestContext], Coroutine[Any, Any, Outcome]],
) -> AnyOperation:
    return Operation(
        facts=OPERATION_FACTS[name],
        request=request,
        check=check,
        accesses=_accesses(name),
        not_found=no_such_arn,
        elsewhere=_in_other_region,
        run=run,
    )


GET_RESOURCE_POLICY: Final = _operation("GetResourcePolicy", GetResourcePolicy, check_get, run_get)
PUT_RESOURCE_POLICY: Final = _operation("PutResourcePolicy", PutResourcePolicy, check_put, run_put)
DELETE_RESOURCE_POLICY: Final = _operation(
    "DeleteResourcePolicy", DeleteResourcePolicy, check_delete, run_delete
)
