"""Statements that name what does not exist, or grant everything. Pure.

Source: IAM User Guide, "Policy validation check reference", for the kinds of findings.
"""

from collections.abc import Collection, Iterator, Mapping
from typing import Final

import msgspec

from hashrange.access.policies.conditions import FIXED_KEYS, FIXED_PREFIXES
from hashrange.access.policies.connections import CONNECTION_KEYS
from hashrange.access.policies.lint import Finding
from hashrange.access.policies.resources import names_action
from hashrange.access.policies.service_keys import CONDITION_KEYS
from hashrange.access.policies.syntax import Document, Statement
from hashrange.access.policies.wildcards import SEPARATOR, arn_like, completed, like, plain
from hashrange.messages import policies as messages

_ANYTHING: Final = "*"
_VARIABLE: Final = "${"
_SERVICE_PLACE: Final = 2
_OWN_PREFIXES: Final = (*FIXED_PREFIXES, "iam:resourcetag/")
_OF_ITEMS: Final = "dynamodb:"
_TABLE: Final = "table/"
_ALL_OF: Final = ":*"


class ServerNames(msgspec.Struct, frozen=True):
    """Names that statements can have.

    Attributes:
        actions: all actions of the server, with their services.
        tables: the ARNs of all tables; None if they are not known.
    """

    actions: Collection[str]
    tables: Collection[str] | None = None


def statement_findings(document: Document, known: ServerNames) -> list[Finding]:
    """The faults of the statements of a policy, in their order."""
    return [
        Finding(place, statement.sid, text, actions)
        for place, statement in enumerate(document.statements, 1)
        for text, actions in (
            *_of_actions(statement, known),
            *_of_resources(document, statement, known),
            *_of_conditions(statement, known),
            *_of_grants(statement),
        )
    ]


def _of_actions(statement: Statement, known: ServerNames) -> Iterator[tuple[str, tuple[str, ...]]]:
    names = [each.lower() for each in known.actions]
    unknown = tuple(
        pattern
        for pattern in statement.actions
        if not any(map(like(plain(pattern.lower())), names))
    )
    if unknown:
        yield messages.unknown_actions(), unknown


def _of_resources(
    document: Document, statement: Statement, known: ServerNames
) -> Iterator[tuple[str, tuple[str, ...]]]:
    if statement.not_resources or statement.not_actions:
        return
    services = {action.partition(SEPARATOR)[0].lower() for action in statement.actions}
    for text in statement.resources:
        parts = text.split(SEPARATOR)
        service = parts[_SERVICE_PLACE] if len(parts) > _SERVICE_PLACE else _ANYTHING
        if text == _ANYTHING or _VARIABLE in text:
            continue
        if not any(map(like(plain(service.lower())), services)) and _ANYTHING not in services:
            yield messages.resource_of_other_service(text), ()
        elif (
            service == _OF_ITEMS[:-1] and parts[-1].startswith(_TABLE) and known.tables is not None
        ):
            pattern = completed(plain(text)) if document.completes_arns else plain(text)
            matches = arn_like(pattern)
            if not any(matches(arn) or matches(_like_it(arn, text)) for arn in known.tables):
                yield messages.resource_of_no_table(text), ()


def _like_it(arn: str, text: str) -> str:
    """An index or stream of a table, as a pattern may name it."""
    _, slash, rest = text.partition(_TABLE)[2].partition("/")
    return f"{arn}{slash}{rest.replace(_ANYTHING, 'x').replace('?', 'x')}"


def _of_conditions(
    statement: Statement, known: ServerNames
) -> Iterator[tuple[str, tuple[str, ...]]]:
    named = [name for name in known.actions if names_action(statement, name.lower())]
    for key in dict.fromkeys(condition.key for condition in statement.conditions):
        if key in CONNECTION_KEYS or key in FIXED_KEYS or key.startswith(_OWN_PREFIXES):
            continue
        stem = key.partition("/")[0]
        lacking = tuple(sorted(name for name in named if stem not in _keys_of(name)))
        if stem not in _ALL_KEYS:
            yield messages.unknown_key(key), ()
        elif named and len(lacking) == len(named):
            yield (
                messages.key_of_other_actions(key),
                lacking if len(lacking) <= len(statement.actions) else (),
            )


def _keys_of(action: str) -> Collection[str]:
    return _KEYS.get(action.lower(), ())


def _of_grants(statement: Statement) -> Iterator[tuple[str, tuple[str, ...]]]:
    if statement.effect == "Deny":
        return
    if statement.not_actions:
        yield messages.allows_all_but(), statement.actions
    elif not statement.conditions and _ANYTHING in statement.resources:
        wide = tuple(
            each for each in statement.actions if each == _ANYTHING or each.endswith(_ALL_OF)
        )
        if wide:
            yield messages.allows_everything(), wide
    if statement.not_resources:
        yield messages.allows_all_resources_but(), ()
    names = statement.principals
    if names is not None and names.anyone and not statement.conditions:
        yield messages.allows_everyone(), ()


def _by_action() -> Mapping[str, frozenset[str]]:
    return {name.lower(): keys for name, keys in CONDITION_KEYS.items()}


_KEYS: Final = _by_action()
_ALL_KEYS: Final = frozenset(key for keys in CONDITION_KEYS.values() for key in keys)
