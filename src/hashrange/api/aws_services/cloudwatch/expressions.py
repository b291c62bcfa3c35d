"""Expressions of metric math: from text to a tree. Pure.

Source: CloudWatch User Guide, "Using math expressions with CloudWatch metrics".
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NoReturn, TypeAlias

import msgspec

from hashrange.limits.cloudwatch import EXPRESSION_LEVELS_MAX
from hashrange.messages import cloudwatch as messages


class ExpressionError(Exception):
    """An expression cannot be read or computed; the text is the reason."""


class Number(msgspec.Struct, frozen=True):
    """A number."""

    value: float


class Name(msgspec.Struct, frozen=True):
    """The id of a query, or a word such as REPEAT."""

    text: str


class Quoted(msgspec.Struct, frozen=True):
    """A text in quotes."""

    text: str


class Several(msgspec.Struct, frozen=True):
    """A list in brackets."""

    elements: Sequence["Node"]


class Call(msgspec.Struct, frozen=True):
    """A function with its arguments."""

    name: str
    arguments: Sequence["Node"]


class Negative(msgspec.Struct, frozen=True):
    """The negative of a value."""

    operand: "Node"


class Chain(msgspec.Struct, frozen=True):
    """Operators of one precedence, from left to right."""

    first: "Node"
    steps: Sequence[tuple[str, "Node"]]


Node: TypeAlias = Number | Name | Quoted | Several | Call | Negative | Chain
_Token: TypeAlias = tuple[str, str, int]

_PRECEDENCE: Final = (
    ("OR", "||"),
    ("AND", "&&"),
    ("<=", ">=", "==", "!=", "<", ">"),
    ("+", "-"),
    ("*", "/"),
)
"""Operators that bind from left to right, the weakest first."""
_POWER: Final = "^"
_tokens: Final = re.compile(
    r"""\s*(?:(?P<number>\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+)
    |(?P<word>[A-Za-z][A-Za-z0-9_]*)
    |(?P<text>"[^"]*"|'[^']*')
    |(?P<mark>\|\||&&|<=|>=|==|!=|[-+*/^<>(),\[\]])
    |(?P<end>\Z))""",
    re.VERBOSE,
).match


def parsed(expression: str) -> Node:
    """The tree of an expression. Raises ExpressionError."""
    parser = _Parser([*_read(expression)])
    node = parser.level(0)
    parser.expect("")
    return node


def nodes_of(node: Node) -> Iterator[Node]:
    """All nodes of a tree."""
    todo: list[Node] = [node]
    while todo:
        each = todo.pop()
        yield each
        match each:
            case Several(elements=inner) | Call(arguments=inner):
                todo += inner
            case Negative(operand=operand):
                todo.append(operand)
            case Chain(first=first, steps=steps):
                todo += [first, *(operand for _, operand in steps)]
            case _:
                pass


def _read(expression: str) -> Iterator[_Token]:
    at = 0
    while True:
        match = _tokens(expression, at)
        if match is None:
            raise ExpressionError(messages.syntax_error(at))
        kind = str(match.lastgroup)
        yield kind, match[kind], match.start(kind)
        if kind == "end":
            return
        at = match.end()


class _Parser:
    """Reads tokens by descending through the precedences; brackets bound the depth."""

    def __init__(self, tokens: list[_Token]) -> None:
        self._tokens = tokens
        self._at = 0
        self._depth = 0

    def level(self, precedence: int) -> Node:
        """Operators of a precedence, or a stronger one."""
        if precedence == len(_PRECEDENCE):
            return self._power()
        first = self.level(precedence + 1)
        steps: list[tuple[str, Node]] = []
        while self._text in _PRECEDENCE[precedence]:
            operator = self._take()
            steps.append((operator, self.level(precedence + 1)))
        return Chain(first, steps) if steps else first

    def expect(self, text: str) -> None:
        """Take a token that must come."""
        if self._text != text or (self._kind == "text" and text):
            self._fail()
        self._at += 1

    @property
    def _kind(self) -> str:
        return self._tokens[self._at][0]

    @property
    def _text(self) -> str:
        return self._tokens[self._at][1]

    def _take(self) -> str:
        text = self._text
        self._at += 1
        return text

    def _power(self) -> Node:
        base = self._unary()
        if self._text != _POWER:
            return base
        self._take()
        return Chain(base, [(_POWER, self._inside(self._power))])

    def _unary(self) -> Node:
        if self._text == "-" and self._kind == "mark":
            self._take()
            return Negative(self._inside(self._unary))
        return self._primary()

    def _primary(self) -> Node:
        kind = self._kind
        if kind == "number":
            return Number(float(self._take()))
        if kind == "text":
            return Quoted(self._take()[1:-1])
        if kind == "word":
            name = self._take()
            if self._text == "(":
                return Call(name.upper(), self._listed("(", ")"))
            return Name(name)
        if self._text == "[":
            return Several(self._listed("[", "]"))
        if self._text != "(":
            self._fail()
        self._take()
        node = self._inside(lambda: self.level(0))
        self.expect(")")
        return node

    def _listed(self, opening: str, closing: str) -> list[Node]:
        self.expect(opening)
        found: list[Node] = []
        while self._text != closing or self._kind != "mark":
            if found:
                self.expect(",")
            found.append(self._inside(lambda: self.level(0)))
        self._take()
        return found

    def _inside(self, read: Callable[[], Node]) -> Node:
        """Read one level deeper."""
        self._depth += 1
        if self._depth > EXPRESSION_LEVELS_MAX:
            raise ExpressionError(messages.too_deep())
        node = read()
        self._depth -= 1
        return node

    def _fail(self) -> NoReturn:
        raise ExpressionError(messages.syntax_error(self._tokens[self._at][2]))
