"""Redacts statements of PartiQL: what is compared with a key attribute stays. Pure.

A statement that cannot be split into tokens is redacted as a whole. Comments are left out, since
they could contain values.

Source: records of the service, measured by users, September 2026; Developer Guide, "Understanding
DynamoDB log file entries" (2026), whose example of an INSERT has no values of keys.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from enum import Enum, auto
from itertools import pairwise
from typing import Final

import msgspec

from hashrange.api.audit.statement_keys import KeyValue, key_values_of
from hashrange.bounded_cache import BoundedCache
from hashrange.errors import DynamoError
from hashrange.expressions.partiql.tokens import Kind, Token, scanned
from hashrange.limits.requests import STATEMENT_CHARS_MAX, STATEMENTS_CHARS_MAX, STATEMENTS_MAX

REDACTED: Final = "***(Redacted)"
"""The placeholder of a value, as in CloudTrail."""

_COMPARISONS: Final = frozenset({"=", "<>", "<", "<=", ">", ">="})
_BEFORE_TABLE: Final = frozenset({"FROM", "INTO", "UPDATE"})
_NAMES: Final = frozenset({Kind.NAME, Kind.QUOTED})
_LITERALS: Final = frozenset({Kind.TEXT, Kind.NUMBER})
_OPENING: Final = frozenset({"{", "[", "<<"})
_CLOSING: Final = frozenset({"}", "]", ">>"})
_WORDS: Final = frozenset({"TRUE", "FALSE", "NULL"})
_SIGNS: Final = frozenset({"-", "+"})
_SEPARATORS: Final = frozenset({Kind.SYMBOL, Kind.OPERATOR, Kind.END})
_WRITTEN: Final = frozenset({Kind.SYMBOL, Kind.OPERATOR, Kind.KEYWORD})


class Statement(msgspec.Struct, frozen=True):
    """A statement in the audit log.

    Attributes:
        text: redacted.
        table: its name.
        keys: the values of key attributes.
    """

    text: str
    table: str | None
    keys: tuple[KeyValue, ...] = ()


_cache: Final = BoundedCache[tuple[str, tuple[str, ...]], Statement](
    entries_max=STATEMENTS_MAX, chars_max=STATEMENTS_CHARS_MAX, entry_chars_max=STATEMENT_CHARS_MAX
)
"""Statements by text and key attributes: those with parameters come again and again."""
_tables: Final = BoundedCache[str, str](
    entries_max=STATEMENTS_MAX, chars_max=STATEMENTS_CHARS_MAX, entry_chars_max=STATEMENT_CHARS_MAX
)


def statement_of(text: str, key_names: Callable[[str], Sequence[str]]) -> Statement:
    """A statement as the audit log has it.

    Args:
        text: as sent.
        key_names: finds the key attributes of a table, none for one that is not there.
    """
    table = _tables.get(text)
    if table is not None:
        names = tuple(key_names(table))
        known = _cache.get((text, names))
        if known is not None:
            return known
    if len(text) > STATEMENT_CHARS_MAX:
        return Statement(REDACTED, None)
    try:
        tokens = scanned(text)
    except DynamoError:
        return Statement(REDACTED, None)
    table = _table(tokens)
    names = () if table is None else tuple(key_names(table))
    made = Statement(_redacted(text, tokens, names), table, key_values_of(tokens, names))
    if table is not None:
        _tables.keep(text, table, len(text))
        _cache.keep((text, names), made, 3 * len(text))
    return made


def _table(tokens: Sequence[Token]) -> str | None:
    for before, token in pairwise(tokens):
        if _word(before) in _BEFORE_TABLE and token.kind in _NAMES:
            return token.value
    return None


def _redacted(text: str, tokens: Sequence[Token], key_names: Collection[str]) -> str:
    is_insert = _word(tokens[0]) == "INSERT"
    shown = (_inserted if is_insert else _compared)(tokens, key_names)
    return _joined(text, tokens, shown)


def _word(token: Token) -> str:
    """A symbol, an operator or a keyword; empty for names and literals, whatever their text."""
    return token.value if token.kind in _WRITTEN else ""


def _inserted(tokens: Sequence[Token], key_names: Collection[str]) -> Iterator[str | None]:
    """Of each token of an INSERT its text, None for as it is: values of the item are redacted.

    The literal that is the value of a key attribute is shown. Of maps and lists in the item only
    brackets and separators are.
    """
    depth, in_value, kept = 0, False, -1
    for place, (token, following) in enumerate(pairwise((*tokens, tokens[-1]))):
        word = _word(token)
        if word in _CLOSING:
            depth -= 1
        if depth <= 0 or (depth == 1 and word == ","):
            in_value = False
        is_name = depth == 1 and not in_value and _word(following) == ":"
        is_literal = token.kind in _LITERALS or word in _WORDS
        is_value = token.kind not in _SEPARATORS and (in_value or depth > 1)
        hidden = is_value or (is_literal and not is_name)
        yield REDACTED if hidden and place != kept else None
        if word in _OPENING:
            depth += 1
        elif depth == 1 and word == ":" and not in_value:
            in_value = True
            kept = _key_literal(tokens, place, key_names)


def _key_literal(tokens: Sequence[Token], colon: int, key_names: Collection[str]) -> int:
    """The place of the literal that is all of the value of a key attribute; -1 if there is none."""
    name = tokens[colon - 1]
    if name.kind is not Kind.TEXT or name.value not in key_names:
        return -1
    place = colon + 1 + (_word(tokens[colon + 1]) in _SIGNS)
    found = tokens[place : place + 2]
    is_whole = len(found) > 1 and found[0].kind in _LITERALS and _word(found[1]) in {",", "}"}
    return place if is_whole else -1


class _State(Enum):
    """The role of a literal that comes next."""

    OTHER = auto()
    NAMED = auto()
    """A key attribute was named just before."""
    VALUE = auto()
    """It is compared with a key attribute."""
    LIST = auto()
    """It is one of the values of IN."""
    BETWEEN = auto()
    """It is the lower bound of a key attribute."""
    BOUNDED = auto()
    """The lower bound came just before."""


def _compared(tokens: Sequence[Token], key_names: Collection[str]) -> Iterator[str | None]:
    """Of each token of other statements its text, None for as it is."""
    state, is_condition, before = _State.OTHER, False, tokens[0]
    for place, token in enumerate(tokens):
        is_value = token.kind in _LITERALS or _word(token) in _WORDS
        if _word(token) == "WHERE":
            is_condition = True
        keeps = is_condition and state in {_State.VALUE, _State.LIST, _State.BETWEEN}
        if is_value and _word(before) not in {"IS", "NOT"}:
            yield None if keeps else REDACTED
        elif token.kind is Kind.QUOTED and _word(before) in _COMPARISONS:
            # Quotes of the wrong kind make a name of what was meant as a value.
            yield REDACTED
        else:
            yield None
        following = tokens[min(place + 1, len(tokens) - 1)]
        is_key = token.kind in _NAMES and token.value in key_names
        is_path = _word(before) == "." or _word(following) in {".", "["}
        state = _State.NAMED if is_key and not is_path else _next(state, token, is_value=is_value)
        before = token


def _next(state: _State, token: Token, *, is_value: bool) -> _State:
    word = _word(token)
    if (state, word) in _FOLLOWING:
        return _FOLLOWING[state, word]
    if state is _State.BETWEEN and is_value:
        return _State.BOUNDED
    stays = is_value if state is _State.LIST else False
    return state if stays or word in _STAYING.get(state, ()) else _State.OTHER


_FOLLOWING: Final = {
    (_State.NAMED, "IN"): _State.LIST,
    (_State.NAMED, "BETWEEN"): _State.BETWEEN,
    (_State.NAMED, ","): _State.VALUE,
    **{(_State.NAMED, word): _State.VALUE for word in _COMPARISONS},
    (_State.BOUNDED, "AND"): _State.VALUE,
}
_STAYING: Final = {
    _State.VALUE: {"-", "+"},
    _State.BETWEEN: {"-", "+"},
    _State.LIST: {"[", "(", "<<", ",", "-", "+"},
}


def _joined(text: str, tokens: Sequence[Token], shown: Iterable[str | None]) -> str:
    """The statement with the texts that are shown for its tokens; white space stays."""
    pieces: list[str] = []
    end = 0
    for token, replaced in zip(tokens, shown, strict=True):
        gap = text[end : token.start]
        pieces.append(gap if not gap or gap.isspace() else " ")
        end = token.start + token.length
        piece = text[token.start : end] if replaced is None else replaced
        if piece == REDACTED and pieces[-2:-1] == [REDACTED]:
            pieces.pop()  # the pieces of one value
            continue
        pieces.append(piece)
    return "".join(pieces)
