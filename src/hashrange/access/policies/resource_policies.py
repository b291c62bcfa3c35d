"""Policies of tables and streams: what DynamoDB accepts, and Block Public Access. Pure.

Source: Developer Guide, "Resource-based policy considerations" and "Blocking public access with
resource-based policies"; texts measured by users, October 2026 (DDB-TABLE-211, 352, 355, 356).
"""

import json
from typing import Any, Final

from hashrange.access.policies.actions import ACTIONS, STREAM_ACTIONS
from hashrange.access.policies.checks import MalformedPolicyError, PolicyUse
from hashrange.access.policies.documents import parse
from hashrange.access.policies.syntax import Condition, Document, Statement
from hashrange.access.policies.trust import is_aws_principal
from hashrange.access.policies.wildcards import like, plain
from hashrange.limits.access import RESOURCE_POLICY_BYTES_MAX
from hashrange.messages import policies as messages

_SERVICES: Final = frozenset({"redshift.amazonaws.com", "replication.dynamodb.amazonaws.com"})
_STREAM: Final = "/stream/"
_REASONS: Final = {
    messages.no_resources(): messages.required_field("Resource"),
    messages.sids_not_unique(): messages.statement_ids_not_unique(),
}
"""Reasons of DynamoDB for errors of IAM."""
_RESTRICTING_KEYS: Final = frozenset(
    {
        "aws:ec2instancesourcevpc",
        "aws:principalaccount",
        "aws:principalarn",
        "aws:principalisawsservice",
        "aws:principalorgid",
        "aws:principalorgpaths",
        "aws:principalservicename",
        "aws:principalservicenameslist",
        "aws:sourceaccount",
        "aws:sourcearn",
        "aws:sourceorgid",
        "aws:sourceorgpaths",
        "aws:sourcevpc",
        "aws:sourcevpce",
        "aws:userid",
    }
)
_RESTRICTING_OPERATORS: Final = frozenset(
    {"StringEquals", "StringEqualsIgnoreCase", "StringLike", "ArnEquals", "ArnLike"}
)


def resource_policy(text: str, *, is_stream: bool) -> Document:
    """The policy of a table or a stream, as PutResourcePolicy and CreateTable accept it.

    Whether the principals in it exist is left to the caller.

    Raises:
        MalformedPolicyError: with the text of the ValidationException.
    """
    if len(text.encode("utf-8", "replace")) > RESOURCE_POLICY_BYTES_MAX:
        raise MalformedPolicyError(messages.policy_too_large(RESOURCE_POLICY_BYTES_MAX))
    try:
        _check_form(text)
        document = parse(text, PolicyUse.RESOURCE)
    except MalformedPolicyError as error:
        reason = _REASONS.get(str(error), str(error))
        raise MalformedPolicyError(messages.invalid_document(reason)) from error
    for statement in document.statements:
        _check_principals(statement)
        _check_resources(statement, is_stream=is_stream)
    invalid = sorted(
        action
        for statement in document.statements
        for action in statement.actions
        if not _can_be_allowed(action, is_stream=is_stream)
    )
    if invalid:
        raise MalformedPolicyError(
            messages.invalid_document(messages.invalid_action_names(invalid))
        )
    if public_statement(document) is not None:
        raise MalformedPolicyError(messages.public_policy())
    return document


def _check_form(text: str) -> None:
    """Refuse what DynamoDB itself refuses, before IAM's checks."""
    try:
        document: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise MalformedPolicyError(messages.invalid_json()) from error
    if isinstance(document, dict) and document.get("Statement") == []:
        raise MalformedPolicyError(messages.statement_is_empty())


def _check_resources(statement: Statement, *, is_stream: bool) -> None:
    """Refuse the ARN of a stream in the policy of a table, and of a table in that of a stream."""
    for arn in statement.resources:
        relative = arn.partition("/")[0].rpartition(":")[2] + "/" + arn.partition("/")[2]
        names_stream = _STREAM in arn
        if "*" not in arn and "${" not in arn and names_stream != is_stream:
            raise MalformedPolicyError(
                messages.invalid_document(messages.relative_id_invalid(relative, arn))
            )


def _check_principals(statement: Statement) -> None:
    names = statement.principals
    assert names is not None, "parsed as a resource policy"
    if names.federated or not all(map(is_aws_principal, names.aws)):
        raise MalformedPolicyError(messages.invalid_principal())
    if not names.services <= _SERVICES:
        raise MalformedPolicyError(messages.invalid_document(messages.invalid_service_principal()))
    if not (names.anyone or names.aws or names.services):
        raise MalformedPolicyError(messages.invalid_principal())


def _can_be_allowed(action: str, *, is_stream: bool) -> bool:
    """Whether an action, or one that its wildcards stand for, is asked of such policies."""
    matches = like(plain(action.lower()))
    return any(
        matches(name.lower())
        for name, row in ACTIONS.items()
        if row.resource_policies and (name in STREAM_ACTIONS) == is_stream
    )


def public_statement(document: Document) -> Statement | None:
    """The first statement that allows something to everybody; None if no statement does."""
    for statement in document.statements:
        names = statement.principals
        if statement.effect == "Deny" or names is None:
            continue
        restricted = any(
            _restricts(condition, has_variables=document.has_variables)
            for condition in statement.conditions
        )
        if names.anyone and not restricted:
            return statement
    return None


def _restricts(condition: Condition, *, has_variables: bool) -> bool:
    """Whether a condition fixes who calls, or from where, to values without wildcards."""
    if condition.key not in _RESTRICTING_KEYS or condition.if_exists:
        return False
    if condition.key == "aws:principalisawsservice":
        values = {value.lower() for value in condition.values}
        return condition.operator == "Bool" and values == {"true"}
    if condition.operator not in _RESTRICTING_OPERATORS or condition.quantifier == "ForAllValues":
        return False
    return bool(condition.values) and not any(
        "*" in value or "?" in value or (has_variables and "${" in value)
        for value in condition.values
    )
