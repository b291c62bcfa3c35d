"""The tokens of an expression, and a cursor that reads them and reports syntax errors.

Source: the grammar that AWS publishes with its DAX clients; errors as the service prints them.
"""

import re
from enum import Enum, auto
from typing import Final

import msgspec

from hashrange.errors import DynamoError, invalid
from hashrange.messages import expressions as messages

_SCAN: Final = re.compile(
    r"""
    [ \t\r\n]+
    | (?P<SYMBOL>   <> | <= | >= | [=<>+\-()\[\].,] )
    | (?P<CALL>     [A-Za-z][A-Za-z0-9_]* (?= [ \t\r\n]* \( ) )
    | (?P<WORD>     [A-Za-z][A-Za-z0-9_]* )
    | (?P<NAME>     \#[A-Za-z0-9_]+ )
    | (?P<VALUE>    :[A-Za-z0-9_]+ )
    | (?P<INDEX>    0 | [1-9][0-9]* )
    | (?P<UNKNOWN>  . )
    """,
    re.VERBOSE | re.DOTALL,
)

_END_TEXT: Final = "<EOF>"


class Kind(Enum):
    """The kind of a token."""

    SYMBOL = auto()
    """An operator or a separator."""
    KEYWORD = auto()
    """A keyword of any kind of expression."""
    CALL = auto()
    """A name with a parenthesis after it: that of a function, where a function may stand."""
    WORD = auto()
    """The name of an attribute."""
    NAME = auto()
    """A placeholder of a name."""
    VALUE = auto()
    """A placeholder of a value."""
    INDEX = auto()
    """An index in a list."""
    UNKNOWN = auto()
    """A character that no grammar has, such as a quote."""
    END = auto()


class Token(msgspec.Struct, frozen=True):
    """A token and its position in the text."""

    kind: Kind
    text: str
    start: int
    end: int
    symbol: str = ""
    """The text of a symbol, or of a keyword in upper case; empty for others."""


_KINDS: Final = dict(Kind.__members__)
_KEYWORDS: Final = frozenset(
    {"AND", "OR", "NOT", "BETWEEN", "IN", "SET", "REMOVE", "ADD", "DELETE"}
)
"""Keywords of all grammars, which share one lexer: none of them can name an attribute."""
NAME_KINDS: Final = (Kind.WORD, Kind.CALL)
"""The kinds of tokens that name an attribute, where a document path stands."""


class Cursor:
    """Reads the tokens of one expression from left to right, with one token of lookahead.

    Attributes:
        token: that comes next.
        symbol: its text if it is a symbol or a keyword, else nothing.
        placeholders: all placeholders in the text.

    Args:
        text: the expression; its keywords may be in upper or lower case.
        label: the parameter that holds it, for error texts.
    """

    def __init__(self, text: str, label: str) -> None:
        self.label = label
        self._text = text
        self.placeholders: list[str] = []
        self._tokens: list[Token] = []
        for match in _SCAN.finditer(text):
            group = match.lastgroup
            if group is None:
                continue
            token = match.group()
            kind, symbol = _KINDS[group], ""
            if kind is Kind.SYMBOL:
                symbol = token
            elif kind in NAME_KINDS and token.upper() in _KEYWORDS:
                kind, symbol = Kind.KEYWORD, token.upper()
            elif kind is Kind.NAME or kind is Kind.VALUE:
                self.placeholders.append(token)
            self._tokens.append(Token(kind, token, match.start(), match.end(), symbol))
        self._tokens.append(Token(Kind.END, _END_TEXT, len(text), len(text)))
        self._position = 0
        self.token = self._tokens[0]
        self.symbol = self.token.symbol

    def advance(self) -> Token:
        """Read the token that comes next, which is not the end."""
        token = self.token
        assert token.kind is not Kind.END
        self._position += 1
        self.token = self._tokens[self._position]
        self.symbol = self.token.symbol
        return token

    def expect(self, symbol: str) -> None:
        """Read this symbol or keyword. Raises DynamoError: something else comes next."""
        if self.symbol != symbol:
            raise self.unexpected()
        self.advance()

    def expect_kind(self, kind: Kind) -> Token:
        """Read a token of this kind. Raises DynamoError: the next token is of another kind."""
        if self.token.kind is not kind:
            raise self.unexpected()
        return self.advance()

    def unexpected(self) -> DynamoError:
        """The syntax error at the next token."""
        token = self.token
        start = self._tokens[self._position - 1].start if self._position else 0
        after = self._tokens[min(self._position + 1, len(self._tokens) - 1)]
        near = self._text[start : after.end]
        return self.refusal(messages.syntax_error(token.text, near))

    def refusal(self, reason: str) -> DynamoError:
        """The error for this expression."""
        return invalid(messages.invalid_expression(self.label, reason))
