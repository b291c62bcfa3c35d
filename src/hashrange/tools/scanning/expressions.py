"""Expressions as people type them: reserved words get placeholders, values are plain JSON. Pure."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from hashrange.expressions.reserved import RESERVED_WORDS
from hashrange.expressions.tokens import Cursor, Kind
from hashrange.messages import expressions as messages
from hashrange.tools.copying.item_lines import ItemError, parsed_json, value_of_json
from hashrange.tools.copying.place import CopyError

_KEYWORDS: Final[Mapping[str, frozenset[str]]] = {
    "filter": frozenset({"AND", "OR", "NOT", "BETWEEN", "IN"}),
    "condition": frozenset({"AND", "OR", "NOT", "BETWEEN", "IN"}),
    "update": frozenset({"SET", "REMOVE", "ADD", "DELETE"}),
    "projection": frozenset(),
}
"""The keywords of each kind of expression; the lexer knows those of all."""


class InputError(CopyError):
    """The arguments of a tool cannot be used. The text is one line."""


class Expressions(msgspec.Struct, frozen=True):
    """Expressions by their kind, with the placeholders that they share.

    Attributes:
        texts: by kind: filter, condition, update, projection.
        names: ExpressionAttributeNames.
        values: ExpressionAttributeValues in DynamoDB-JSON.
    """

    texts: Mapping[str, str] = {}
    names: Mapping[str, str] = {}
    values: Mapping[str, Mapping[str, Any]] = {}

    def members(self, **texts: str) -> dict[str, Any]:
        """The members of a request with some expressions, and the placeholders that they use.

        Args:
            texts: by the names of the members.
        """
        used = {name for text in texts.values() for name in Cursor(text, "").placeholders}
        names = {name: each for name, each in self.names.items() if name in used}
        values = {name: each for name, each in self.values.items() if name in used}
        found: dict[str, Any] = {**texts}
        if names:
            found["ExpressionAttributeNames"] = names
        if values:
            found["ExpressionAttributeValues"] = values
        return found

    def all_members(self, **texts: str) -> dict[str, Any]:
        """As `members`, with all placeholders, so that the server refuses those without use."""
        found: dict[str, Any] = {**texts}
        if self.names:
            found["ExpressionAttributeNames"] = self.names
        if self.values:
            found["ExpressionAttributeValues"] = self.values
        return found

    def check_use(self) -> None:
        """Refuse placeholders that no expression uses, in DynamoDB's words. Raises InputError."""
        used = {name for text in self.texts.values() for name in Cursor(text, "").placeholders}
        if names := [name for name in self.names if name not in used]:
            raise InputError(messages.names_unused(names))
        if values := [name for name in self.values if name not in used]:
            raise InputError(messages.values_unused(values))


def expressions(
    texts: Mapping[str, str | None], names: str | None = None, values: str | None = None
) -> Expressions:
    """Expressions in which reserved words are placeholders. Raises InputError.

    Args:
        texts: by kind; None for an expression that is missing.
        names: a JSON object of names by placeholder; the number sign may be left out.
        values: a JSON object of values by placeholder, plain or in DynamoDB-JSON; the colon may be
            left out.
    """
    named = _names(names)
    replaced = {
        kind: _with_placeholders(text, kind, named)
        for kind, text in texts.items()
        if text is not None
    }
    return Expressions(replaced, named, _values(values))


def placeholder_of(attribute: str, names: dict[str, str]) -> str:
    """A placeholder for an attribute, which is added to the names unless it is there."""
    for placeholder, name in names.items():
        if name == attribute:
            return placeholder
    stem = "".join(sign for sign in attribute if sign.isascii() and sign.isalnum())
    placeholder, number = f"#{stem}", 1
    while placeholder in names or placeholder == "#":
        number += 1
        placeholder = f"#{stem}_{number}"
    names[placeholder] = attribute
    return placeholder


def _with_placeholders(text: str, kind: str, names: dict[str, str]) -> str:
    parts: list[str] = []
    end = 0
    cursor = Cursor(text, kind)
    while cursor.token.kind is not Kind.END:
        token = cursor.advance()
        word = token.text.upper()
        is_name = token.kind is Kind.WORD or (
            token.kind is Kind.KEYWORD and word not in _KEYWORDS[kind]
        )
        if is_name and word in RESERVED_WORDS:
            parts += [text[end : token.start], placeholder_of(token.text, names)]
            end = token.end
    return "".join([*parts, text[end:]])


def _names(text: str | None) -> dict[str, str]:
    names = {}
    for key, name in _object(text, "--names").items():
        if not isinstance(name, str):
            raise InputError(f"--names: the name of {key} is not a text")
        names[key if key.startswith("#") else f"#{key}"] = name
    return names


def _values(text: str | None) -> dict[str, dict[str, Any]]:
    return {
        key if key.startswith(":") else f":{key}": value_of_json(value)
        for key, value in _object(text, "--values").items()
    }


def _object(text: str | None, option: str) -> dict[str, Any]:
    if text is None:
        return {}
    try:
        found = parsed_json(text)
    except ItemError as error:
        raise InputError(f"{option}: {error}") from error
    if not isinstance(found, dict):
        raise InputError(f'{option}: it is not a JSON object, as {{"placeholder": "text"}}')
    return found
