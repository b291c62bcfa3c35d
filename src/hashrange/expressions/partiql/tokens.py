"""The tokens of a statement, and a cursor over them.

Source: the specification of PartiQL; what is refused, and how, as measured against the service.

Source: the words of SQL-92, those that PartiQL adds and its names of types, in its reference
implementation, which the service's parser is. The service was seen to refuse some of each, and to
take ONLY.
"""

import re
from enum import Enum, auto
from typing import Final

import msgspec

from hashrange.errors import DynamoError, invalid
from hashrange.limits.requests import INT32_MAX, INT32_MIN
from hashrange.messages import partiql as messages

OPERATOR_WORDS: Final = frozenset({"AND", "OR", "NOT", "IS", "IN", "BETWEEN", "LIKE"})
"""Words that are operators."""

_OTHERS: Final = """
ABSOLUTE ACTION ADD ALL ALLOCATE ALTER ANY ARE AS ASC ASSERTION AT AUTHORIZATION AVG BAG BEGIN
BIGINT BIT BIT_LENGTH BLOB BOOL BOOLEAN BY CAN_CAST CAN_LOSSLESS_CAST CASCADE CASCADED CASE CAST
CATALOG CHAR CHARACTER CHARACTER_LENGTH CHAR_LENGTH CHECK CLOB CLOSE COALESCE COLLATE COLLATION
COLUMN COMMIT CONFLICT CONNECT CONNECTION CONSTRAINT CONSTRAINTS CONTINUE CONVERT CORRESPONDING
COUNT CREATE CROSS CURRENT CURRENT_DATE CURRENT_TIME CURRENT_TIMESTAMP CURRENT_USER CURSOR DATE
DATE_ADD DATE_DIFF DEALLOCATE DEC DECIMAL DECLARE DEFAULT DEFERRABLE DEFERRED DELETE DESC
DESCRIBE DESCRIPTOR DIAGNOSTICS DISCONNECT DISTINCT DO DOMAIN DOUBLE DROP ELSE END ESCAPE EXCEPT
EXCEPTION EXEC EXECUTE EXISTS EXTERNAL EXTRACT FALSE FETCH FIRST FLOAT FOR FOREIGN FOUND FROM
FULL GET GLOBAL GO GOTO GRANT GROUP HAVING IDENTITY IMMEDIATE INDEX INDICATOR INITIALLY INNER
INPUT INSENSITIVE INSERT INT INT2 INT4 INT8 INTEGER INTEGER2 INTEGER4 INTEGER8 INTERSECT
INTERVAL INTO ISOLATION JOIN KEY LANGUAGE LAST LEFT LET LEVEL LIMIT LIST LOCAL LOWER MATCH MAX
MIN MISSING MODIFIED MODULE NAMES NATIONAL NATURAL NCHAR NEW NEXT NO NOTHING NULL NULLIF NUMERIC
OCTET_LENGTH OF OFFSET OLD ON OPEN OPTION ORDER OUTER OUTPUT OVERLAPS PAD PARTIAL PIVOT
POSITION PRECISION PREPARE PRESERVE PRIMARY PRIOR PRIVILEGES PROCEDURE PUBLIC READ REAL
REFERENCES RELATIVE REMOVE RESTRICT RETURNING REVOKE RIGHT ROLLBACK ROWS SCHEMA SCROLL SECTION
SELECT SESSION SESSION_USER SET SEXP SIZE SMALLINT SOME SPACE SQL SQLCODE SQLERROR SQLSTATE
STRING STRUCT SUBSTRING SUM SYMBOL SYSTEM_USER TABLE TEMPORARY THEN TIME TIMESTAMP TO
TRANSACTION TRANSLATE TRANSLATION TRIM TRUE TUPLE UNION UNIQUE UNKNOWN UNPIVOT UPDATE UPPER
USAGE USER USING VALUE VALUES VARCHAR VARYING VIEW WHEN WHENEVER WHERE WITH WORK WRITE ZONE
"""

KEYWORDS: Final = OPERATOR_WORDS | frozenset(_OTHERS.split())
"""All keywords, in capitals."""


# Possessive quantifiers: text without its end is refused in one pass.
_SCAN: Final = re.compile(
    r"""
    (?: [ \t\r\n\f\v]++ | --[^\n]*+ | /\*(?:[^*]++|\*(?!/))*+\*/ )++
    | (?P<NAME>     [A-Za-z_$][A-Za-z0-9_$]*+ )
    | (?P<NUMBER>   (?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][+-]?[0-9]++|(?![eE])) )
    | (?P<SYMBOL>   <> | <= | >= | << | >> | != | \|\| | [=<>+\-*%()\[\]{},.:;?] | /(?!\*) )
    | (?P<QUOTED>   "(?:[^"]++|"")*+" )
    | (?P<TEXT>     '(?:[^']++|'')*+' )
    """,
    re.VERBOSE,
)
_SYMBOL_OPERATORS: Final = frozenset(
    {"=", "<>", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "%", "||"}
)


class Kind(Enum):
    """The kind of a token."""

    SYMBOL = auto()
    """A separator or a bracket, a dot, a question mark."""
    OPERATOR = auto()
    """A sign or a word that is an operator."""
    KEYWORD = auto()
    NAME = auto()
    """A name of a table, an attribute or a function."""
    QUOTED = auto()
    """A name in double quotes."""
    TEXT = auto()
    """A string."""
    NUMBER = auto()
    END = auto()


class Token(msgspec.Struct, frozen=True):
    """A token.

    Attributes:
        kind: what it is.
        value: its text, without quotes; of operators and keywords in capitals.
        start: where it begins, in characters.
        length: in characters, with quotes.
    """

    kind: Kind
    value: str
    start: int
    length: int


def place(text: str, start: int, length: int) -> str:
    """Line, column and length, as texts of faults have them; both are counted from 1."""
    line = text.count("\n", 0, start) + 1
    return f"{line}:{start - text.rfind(chr(10), 0, start)}:{length}"


def scanned(text: str) -> list[Token]:
    """All tokens of a statement; the last is the end.

    Raises ValidationException: a character, a quote, a comment or a number that cannot be read.
    """
    tokens: list[Token] = []
    position, end = 0, len(text)
    match_at = _SCAN.match
    while position < end:  # each turn reads a character at least
        match = match_at(text, position)
        if match is None:
            raise invalid(messages.not_well_formed())
        start, position = match.span()
        group = match.lastgroup
        if group is not None:
            tokens.append(_token(group, match.group(), start))
    tokens.append(Token(Kind.END, "", end, 0))
    return tokens


def _token(group: str, text: str, start: int) -> Token:
    kind, value = Kind[group], text
    match group:
        case "NAME":
            word = text.upper()
            if word in KEYWORDS:
                kind = Kind.OPERATOR if word in OPERATOR_WORDS else Kind.KEYWORD
                value = word
        case "SYMBOL":
            if text in _SYMBOL_OPERATORS:
                kind, value = Kind.OPERATOR, "<>" if text == "!=" else text
        case "TEXT":
            value = text[1:-1].replace("''", "'")
        case "QUOTED":
            value = text[1:-1].replace('""', '"')
        case _:
            _check_scale(text)
    return Token(kind, value, start, len(text))


def _check_scale(number: str) -> None:
    """Refuse a number whose exponent or scale does not fit 32 bits."""
    mantissa, _, exponent = number.lower().partition("e")
    if not exponent:
        return
    value = int(exponent) if len(exponent) <= _EXPONENT_CHARS_MAX else INT32_MAX + 1
    scale = len(mantissa.partition(".")[2]) - value
    if not (INT32_MIN <= value <= INT32_MAX and INT32_MIN <= scale <= INT32_MAX):
        raise invalid(messages.not_well_formed())


_EXPONENT_CHARS_MAX: Final = 20


class Cursor:
    """Reads the tokens of a statement from left to right.

    Args:
        text: the statement.

    Attributes:
        text: the statement.
        token: the one that comes next.
        refusal: the text for the first part that was read and is not supported; used if all can
            be read.
    """

    __slots__ = ("_position", "_tokens", "refusal", "text", "token")

    def __init__(self, text: str) -> None:
        self.text = text
        self._tokens = scanned(text)
        self._position = 0
        self.token = self._tokens[0]
        self.refusal: str | None = None

    def refuse(self, text: str) -> None:
        """Note that what was read is not supported."""
        if self.refusal is None:
            self.refusal = text

    def advance(self) -> Token:
        """Consume the next token; the end is never consumed."""
        token = self.token
        if token.kind is not Kind.END:
            self._position += 1
            self.token = self._tokens[self._position]
        return token

    def following(self) -> Token:
        """The token after the next one."""
        return self._tokens[min(self._position + 1, len(self._tokens) - 1)]

    def at(self, symbol: str) -> bool:
        """Whether the next token is this symbol, operator or keyword."""
        token = self.token
        return token.value == symbol and token.kind in _WRITTEN

    def ends(self) -> bool:
        """Whether nothing follows but a semicolon."""
        token = self.token if self.token.value != ";" else self.following()
        return token.kind is Kind.END

    def take(self, symbol: str) -> bool:
        """Consume the next token if it is this symbol, operator or keyword."""
        token = self.token
        if token.value != symbol or token.kind not in _WRITTEN:
            return False
        self._position += 1
        self.token = self._tokens[self._position]
        return True

    def expect(self, symbol: str) -> None:
        """Consume this symbol or keyword. Raises ValidationException: another token is next."""
        if not self.take(symbol):
            name = _NAMES.get(symbol)
            raise self.unexpected() if name is None else invalid(messages.expected_token(name))

    def unexpected(self) -> DynamoError:
        """The error for an unexpected token."""
        match self.token.kind:
            case Kind.KEYWORD if self.token.value not in _MARKS:
                return invalid(messages.unexpected_keyword())
            case Kind.OPERATOR if self.token.value != "*":
                return invalid(messages.unexpected_operator())
            case _:
                return invalid(messages.unexpected_term())

    def place(self, start: int, length: int) -> str:
        """The position of a part of the text, as messages give it: line, column, length."""
        return place(self.text, start, length)


_NAMES: Final = {
    ")": "RIGHT_PAREN",
    "]": "RIGHT_BRACKET",
    ">>": "RIGHT_DOUBLE_ANGLE_BRACKET",
    "}": "RIGHT_CURLY",
    ":": "COLON",
    "BY": "BY",
}
"""Symbols that a statement lacks, as texts name them."""
_MARKS: Final = frozenset({"AS", "AT", "BY", "FOR", "ASC", "DESC"})
"""Words that are keywords, and in texts terms."""
_WRITTEN: Final = frozenset({Kind.SYMBOL, Kind.OPERATOR, Kind.KEYWORD})
