"""The keys that a statement of PartiQL names: values that key attributes must be equal to. Pure.

Only what certainly is the value of a key attribute is found: a literal or a parameter behind an
equal sign, in a list of IN, or in the item of an INSERT. Anything else may be another value.
"""

from collections.abc import Collection, Iterator, Sequence
from typing import Final

import msgspec

from hashrange.expressions.partiql.tokens import Kind, Token

_NAMES: Final = frozenset({Kind.NAME, Kind.QUOTED})
_ENDS: Final = frozenset({"AND", "OR", ")", "]", ",", "}", "RETURNING", "ORDER", ""})
_LISTS: Final = {"[": "]", "(": ")"}
_OPENING: Final = frozenset({"{", "[", "<<"})
_CLOSING: Final = frozenset({"}", "]", ">>"})


class KeyValue(msgspec.Struct, frozen=True):
    """A value of a key attribute in a statement.

    Attributes:
        name: of the attribute.
        text: the literal; None for a parameter.
        parameter: its place, from 0.
        is_number: the literal is a number.
    """

    name: str
    text: str | None
    parameter: int = 0
    is_number: bool = False


def key_values_of(tokens: Sequence[Token], key_names: Collection[str]) -> tuple[KeyValue, ...]:
    """The values in a statement, in its order.

    Args:
        tokens: all of the statement, the end too.
        key_names: the names of the key attributes of its table.
    """
    if not key_names:
        return ()
    is_insert = _word(tokens[0]) == "INSERT"
    return tuple((_inserted if is_insert else _compared)(tokens, key_names))


def _word(token: Token) -> str:
    """A symbol, an operator or a keyword; empty for names, literals and the end."""
    is_written = token.kind in {Kind.SYMBOL, Kind.OPERATOR, Kind.KEYWORD}
    return token.value if is_written else ""


def _compared(tokens: Sequence[Token], key_names: Collection[str]) -> Iterator[KeyValue]:
    is_condition, before = False, tokens[0]
    for place, token in enumerate(tokens[:-2]):
        if _word(token) == "WHERE":
            is_condition = True
        elif is_condition and token.kind in _NAMES and token.value in key_names:
            following = _word(tokens[place + 1])
            if following == "=" and _word(before) in {"WHERE", "AND", "OR", "("}:
                yield from _value(tokens, place + 2, token.value)
            elif following == "IN" and _word(tokens[place + 2]) in _LISTS:
                yield from _listed(tokens, place + 3, token.value)
        before = token


def _listed(tokens: Sequence[Token], place: int, name: str) -> Iterator[KeyValue]:
    while place < len(tokens):
        found = list(_value(tokens, place, name))
        if not found:
            return
        yield from found
        place += 2 + (_word(tokens[place]) == "-")
        if _word(tokens[place - 1]) != ",":
            return


def _inserted(tokens: Sequence[Token], key_names: Collection[str]) -> Iterator[KeyValue]:
    depth = 0
    for place, token in enumerate(tokens[:-2]):
        word = _word(token)
        depth += (word in _OPENING) - (word in _CLOSING)
        if depth == 1 and word in {"{", ","}:
            name = tokens[place + 1]
            is_key = name.kind is Kind.TEXT and name.value in key_names
            if is_key and _word(tokens[place + 2]) == ":":
                yield from _value(tokens, place + 3, name.value)


def _value(tokens: Sequence[Token], place: int, name: str) -> Iterator[KeyValue]:
    """The value at a place, unless it is a part of an operation."""
    sign = "-" if _word(tokens[place]) == "-" else ""
    value = tokens[min(place + len(sign), len(tokens) - 1)]
    following = tokens[min(place + len(sign) + 1, len(tokens) - 1)]
    if _word(following) not in _ENDS or following.kind in {*_NAMES, Kind.TEXT, Kind.NUMBER}:
        return
    if value.kind is Kind.NUMBER:
        yield KeyValue(name, sign + value.value, is_number=True)
    elif value.kind is Kind.TEXT and not sign:
        yield KeyValue(name, value.value)
    elif _word(value) == "?" and not sign:
        before = sum(_word(each) == "?" for each in tokens[:place])
        yield KeyValue(name, None, before)
