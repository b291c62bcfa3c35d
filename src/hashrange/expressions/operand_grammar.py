"""Reads document paths and operands, which all grammars share.

    operand = value | path | function '(' operand (',' operand)* ')' | '(' operand ')'
    path    = name ( '.' name | '[' index ']' )*

No function here is recursive: an expression can be nested more deeply than Python's stack allows.

Source: the grammar that AWS publishes with its DAX clients.
"""

from typing import TypeVar

from hashrange.errors import DynamoError
from hashrange.expressions.operands import Part
from hashrange.expressions.placeholders import Scope
from hashrange.expressions.reserved import RESERVED_WORDS
from hashrange.expressions.syntax import (
    Action,
    Call,
    Constant,
    Element,
    Leaf,
    Operand,
    Path,
    Undefined,
)
from hashrange.expressions.tokens import NAME_KINDS, Cursor, Kind
from hashrange.limits.requests import EXPRESSION_OPERATORS_MAX, LIST_INDEX_MAX, PATH_ELEMENTS_MAX
from hashrange.messages import expressions as messages

N = TypeVar("N", bound=Leaf | Action)

_INDEX_DIGITS_MAX = len(str(LIST_INDEX_MAX))


class Reader:
    """Reads one expression, and keeps the faults that rank after syntax errors.

    Attributes:
        cursor: the tokens.
        operators: operators and functions read so far.
        path_fault: the first reserved word, else the first path that is too deep or reaches too
            far.

    Args:
        cursor: as the attribute.
        scope: the placeholders of the request; those in the text are marked as used.
    """

    def __init__(self, cursor: Cursor, scope: Scope) -> None:
        self.cursor = cursor
        self.operators = 0
        self.path_fault: str | None = None
        self._names, self._constants = scope.names, scope.constants
        scope.used.update(cursor.placeholders)
        self._calls: list[Call] = []
        self._undefined: Undefined | None = None
        self._has_reserved = False

    def end(self) -> None:
        """Raises DynamoError: the text goes on."""
        if self.cursor.token.kind is not Kind.END:
            raise self.cursor.unexpected()

    def too_many_operators(self) -> DynamoError:
        """The refusal of more operators and functions than `EXPRESSION_OPERATORS_MAX`."""
        # The service counts no further than this.
        return self.cursor.refusal(messages.too_many_operators(EXPRESSION_OPERATORS_MAX + 1))

    def part(self, node: N, operands: tuple[Operand, ...]) -> Part[N]:
        """The part that the operands belong to which were read since the last part."""
        part = Part(node, operands, self._calls, self._undefined)
        self._calls, self._undefined = [], None
        return part

    def path(self) -> Path | Undefined:
        """Read a document path; `Undefined` if one of its placeholders is not defined."""
        cursor = self.cursor
        undefined: str | None = None
        elements: list[Element] = []
        reading = True
        while reading:
            kind = cursor.token.kind
            if kind is Kind.NAME:
                placeholder = cursor.advance().text
                name = self._names.get(placeholder)
                if name is None and undefined is None:
                    undefined = placeholder
                elements.append(name or placeholder)
            elif kind in NAME_KINDS:
                word = cursor.advance().text
                if not self._has_reserved and word.upper() in RESERVED_WORDS:
                    self._has_reserved = True
                    self.path_fault = messages.reserved_keyword(word)
                elements.append(word)
            else:
                raise cursor.unexpected()
            while cursor.symbol == "[":
                elements.append(self._index())
            reading = cursor.symbol == "."
            if reading:
                cursor.advance()
        if undefined is not None:
            return self._without_definition(undefined)
        if len(elements) > PATH_ELEMENTS_MAX:
            self.path_fault = self.path_fault or messages.path_too_deep(len(elements))
        return Path(tuple(elements))

    def paths(self) -> list[Path | Undefined]:
        """Read one or more paths, separated by commas."""
        paths = [self.path()]
        while self.cursor.symbol == ",":
            self.cursor.advance()
            paths.append(self.path())
        return paths

    def value(self) -> Constant | Undefined:
        """Read a placeholder of a value."""
        placeholder = self.cursor.expect_kind(Kind.VALUE).text
        return self._constants.get(placeholder) or self._without_definition(placeholder)

    def operand(self) -> Operand:
        """Read an operand. Raises DynamoError: wrong syntax, redundant parentheses."""
        cursor = self.cursor
        operand: Operand
        opened: list[_Opened] = []
        while True:
            kind = cursor.token.kind
            if cursor.symbol == "(":
                cursor.advance()
                opened.append(_Opened(None))
                continue
            if kind is Kind.CALL:
                opened.append(_Opened(cursor.advance().text))
                cursor.expect("(")
                self.operators += 1
                continue
            if kind is Kind.VALUE:
                placeholder = cursor.advance().text
                constant = self._constants.get(placeholder)
                operand = constant or self._without_definition(placeholder)
            else:
                operand = self.path()
            if not opened:
                return operand
            closed = self._closed(operand, opened)
            if closed is not None:
                return closed

    def _closed(self, operand: Operand, opened: "list[_Opened]") -> Operand | None:
        """Close the parentheses that end after `operand`, and return the outermost operand.

        None if a function has another operand.
        """
        in_parentheses = False
        while opened:
            innermost = opened[-1]
            if innermost.function is None:
                self.cursor.expect(")")
                if in_parentheses:
                    raise self.cursor.refusal(messages.redundant_parentheses())
                in_parentheses = True
            else:
                innermost.operands.append(operand)
                if self.cursor.symbol == ",":
                    self.cursor.advance()
                    return None
                self.cursor.expect(")")
                operand = Call(innermost.function, tuple(innermost.operands))
                self._calls.append(operand)
                in_parentheses = False
            opened.pop()
        return operand

    def _without_definition(self, placeholder: str) -> Undefined:
        undefined = Undefined(placeholder)
        if self._undefined is None:
            self._undefined = undefined
        return undefined

    def _index(self) -> int:
        self.cursor.expect("[")
        text = self.cursor.expect_kind(Kind.INDEX).text
        self.cursor.expect("]")
        if len(text) > _INDEX_DIGITS_MAX or int(text) > LIST_INDEX_MAX:
            self.path_fault = self.path_fault or messages.list_index_too_large(text)
            return 0
        return int(text)


class _Opened:
    """An open parenthesis: of a function, or around an operand (`function` is None)."""

    __slots__ = ("function", "operands")

    def __init__(self, function: str | None) -> None:
        self.function = function
        self.operands: list[Operand] = []
