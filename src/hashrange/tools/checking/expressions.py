"""Names of attributes in expressions; those that are reserved words get placeholders. Pure."""

from collections.abc import Iterator, Mapping
from typing import Final

from hashrange.expressions.reserved import RESERVED_WORDS
from hashrange.expressions.tokens import Cursor, Kind, Token

_LENGTH_MAX: Final = 4096
"""DynamoDB refuses longer expressions."""


def names_in_expression(text: str, names: Mapping[str, str]) -> list[str]:
    """The attributes that an expression has, without those inside of maps and lists."""
    found: list[str] = []
    last = ""
    for token in _tokens(text):
        if last != ".":
            if token.kind is Kind.WORD:
                found.append(token.text)
            elif token.kind is Kind.NAME and token.text in names:
                found.append(names[token.text])
        last = token.text
    return list(dict.fromkeys(found))


def placeholder_of(attribute: str, names: dict[str, str]) -> str:
    """A placeholder for an attribute, which is added to the names unless it is there."""
    for placeholder, name in names.items():
        if name == attribute:
            return placeholder
    placeholder = f"#n{len(names)}"
    while placeholder in names:
        placeholder += "n"
    names[placeholder] = attribute
    return placeholder


def with_placeholders(text: str, names: dict[str, str]) -> str:
    """An expression without reserved words as names; their placeholders are added to the names."""
    parts: list[str] = []
    end = 0
    for token in _tokens(text):
        if token.kind is Kind.WORD and token.text.upper() in RESERVED_WORDS:
            parts += [text[end : token.start], placeholder_of(token.text, names)]
            end = token.end
    return "".join([*parts, text[end:]])


def _tokens(text: str) -> Iterator[Token]:
    cursor = Cursor(text[:_LENGTH_MAX], "")
    while cursor.token.kind is not Kind.END:
        yield cursor.advance()
