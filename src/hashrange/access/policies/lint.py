"""Statements that LeadingKeys or Attributes seem to confine and do not. Pure.

Source: Developer Guide, "Using IAM policy conditions for fine-grained access control".
"""

from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

from hashrange.access.policies.actions import ACTIONS
from hashrange.access.policies.conditions import FixedKeys, request_tests
from hashrange.access.policies.operators import NULL
from hashrange.access.policies.resources import names_action
from hashrange.access.policies.syntax import Condition, Document, Statement
from hashrange.access.policies.variables import MULTIVALUED, Context
from hashrange.messages import policies as messages
from hashrange.model.iam_actions import Action

_LEADING_KEYS: Final = "dynamodb:leadingkeys"
_KEY_VALUES: Final = frozenset(key for key in MULTIVALUED if key.endswith("keyvalues")) | {
    _LEADING_KEYS
}
_ATTRIBUTES: Final = frozenset({"dynamodb:attributes"})
_SELECT: Final = "dynamodb:select"
_RETURN_VALUES: Final = "dynamodb:returnvalues"
_FULL_SCAN: Final = "dynamodb:fulltablescan"
_SHOWING_SELECTIONS: Final = ("ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES")
_SHOWING_VALUES: Final = ("ALL_OLD", "ALL_NEW")
_NOTHING_FIXED: Final = FixedKeys({})


class Finding(msgspec.Struct, frozen=True):
    """A fault of a statement.

    Attributes:
        place: of the statement in its document, from 1.
        sid: of the statement.
        text: a sentence for the author of the policy.
        actions: that the finding is about; empty if it is about the statement.
    """

    place: int
    sid: str | None
    text: str
    actions: tuple[str, ...] = ()


def findings(document: Document) -> list[Finding]:
    """The faults of the statements of a policy, in their order."""
    return [
        Finding(place, statement.sid, text, actions)
        for place, statement in enumerate(document.statements, 1)
        for text, actions in _of_statement(statement)
    ]


def _of_statement(statement: Statement) -> Iterator[tuple[str, tuple[str, ...]]]:
    for condition in statement.conditions:
        compares = condition.quantifier is None and condition.operator != NULL
        if compares and condition.key in MULTIVALUED:
            yield messages.needs_quantifier(condition.key), ()
    rows = {
        name: row
        for name, row in ACTIONS.items()
        if (row.reads_items or row.writes_items) and names_action(statement, name.lower())
    }
    keys = {condition.key for condition in statement.conditions}
    if keys & _KEY_VALUES:
        loose = [name for name, row in rows.items() if _escapes(statement, row, _KEY_VALUES)]
        yield from _found(messages.keys_absent(statement.effect), loose)
    if keys & _ATTRIBUTES:
        loose = [name for name, row in rows.items() if _escapes(statement, row, _ATTRIBUTES)]
        yield from _found(messages.attributes_absent(statement.effect), loose)
        whole = [name for name, row in rows.items() if _shows_all(statement, row, _SELECT)]
        yield from _found(messages.whole_items_read(), whole)
        whole = [name for name, row in rows.items() if _shows_all(statement, row, _RETURN_VALUES)]
        yield from _found(messages.whole_items_returned(), whole)


def _found(text: str, actions: list[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    if actions:
        yield text, tuple(actions)


def _escapes(statement: Statement, row: Action, confining: frozenset[str]) -> bool:
    """Whether requests without the confining keys are allowed, or not denied."""
    scans = _FULL_SCAN in row.keys and confining is _KEY_VALUES
    if confining & row.keys and not scans:
        return False
    context: Context = {_FULL_SCAN: ("true",)} if scans else {}
    relevant = confining | {_FULL_SCAN}
    holds = _hold(_on(statement.conditions, relevant), context)
    return holds == (statement.effect == "Allow")


def _shows_all(statement: Statement, row: Action, key: str) -> bool:
    """Whether an allowed request may ask for attributes that it does not name."""
    if statement.effect == "Deny" or key not in row.keys or not row.reads_items:
        return False
    if key == _RETURN_VALUES and _SELECT in row.keys:
        return False
    values = _SHOWING_SELECTIONS if key == _SELECT else _SHOWING_VALUES
    conditions = _on(statement.conditions, {key})
    return any(_hold(conditions, {key: (value,)}) for value in values)


def _on(conditions: Iterable[Condition], keys: Iterable[str]) -> list[Condition]:
    return [condition for condition in conditions if condition.key in keys]


def _hold(conditions: list[Condition], context: Context) -> bool:
    tests = request_tests(conditions, _NOTHING_FIXED, has_variables=True)
    return tests is not None and all(test(context) for test in tests)
