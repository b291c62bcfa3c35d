"""Reads document paths and operands, which all grammars share.

    operand = value | path | function '(' operand (',' operand)* ')' | '(' operand ')'
    path    = name ( '.' name | '[' index ']' )*

No function here is recursive: an expression can be nested more deeply than Python's stack allows.

Source: the grammar that AWS publishes with its DAX clients.
"""

from hashrange.expressions.placeholders import Scope
from hashrange.expressions.reserved import RESERVED_WORDS
from hashrange.expressions.syntax import Call, Constant, Element, Operand, Path, Undefined
from hashrange.expressions.tokens import Cursor, Kind
from hashrange.limits import EXPRESSION_OPERATORS_MAX, LIST_INDEX_MAX, PATH_ELEMENTS_MAX
from hashrange.messages.expressions import syntax as messages

_INDEX_DIGITS_MAX = len(str(LIST_INDEX_MAX))


class Reader:
    """Reads one expression, and keeps faults that rank after syntax errors for `check_paths`.

    Args:
        cursor: the tokens.
        scope: the placeholders of the request.
    """

    def __init__(self, cursor: Cursor, scope: Scope) -> None:
        self.cursor = cursor
        self.operators = 0
        """Operators and functions read so far."""
        self._scope = scope
        self._reserved: str | None = None
        self._path_fault: str | None = None

    def end(self) -> None:
        """Raises DynamoError: the text goes on, else more operators and functions than allowed."""
        if self.cursor.token.kind is not Kind.END:
            raise self.cursor.unexpected()
        if self.operators > EXPRESSION_OPERATORS_MAX:
            # The service counts no further than this.
            count = EXPRESSION_OPERATORS_MAX + 1
            raise self.cursor.refusal(messages.too_many_operators(count))

    def check_paths(self) -> None:
        """Raises DynamoError: a reserved word, else a path that is too deep or reaches too far."""
        if self._reserved is not None:
            raise self.cursor.refusal(messages.reserved_keyword(self._reserved))
        if self._path_fault is not None:
            raise self.cursor.refusal(self._path_fault)

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
                name = self._scope.name(placeholder)
                if name is None and undefined is None:
                    undefined = placeholder
                elements.append(name or placeholder)
            elif kind is Kind.WORD:
                word = cursor.advance().text
                if self._reserved is None and word.upper() in RESERVED_WORDS:
                    self._reserved = word
                elements.append(word)
            else:
                raise cursor.unexpected()
            while cursor.symbol == "[":
                elements.append(self._index())
            reading = cursor.symbol == "."
            if reading:
                cursor.advance()
        if undefined is not None:
            return Undefined(undefined)
        if len(elements) > PATH_ELEMENTS_MAX:
            self._path_fault = self._path_fault or messages.path_too_deep(len(elements))
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
        return self._scope.value(self.cursor.expect_kind(Kind.VALUE).text)

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
            if kind is Kind.WORD and cursor.at_call():
                opened.append(_Opened(cursor.advance().text))
                cursor.expect("(")
                self.operators += 1
                continue
            if kind is Kind.VALUE:
                operand = self._scope.value(cursor.advance().text)
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
                in_parentheses = False
            opened.pop()
        return operand

    def _index(self) -> int:
        self.cursor.expect("[")
        text = self.cursor.expect_kind(Kind.INDEX).text
        self.cursor.expect("]")
        if len(text) > _INDEX_DIGITS_MAX or int(text) > LIST_INDEX_MAX:
            self._path_fault = self._path_fault or messages.list_index_too_large(text)
            return 0
        return int(text)


class _Opened:
    """An open parenthesis: of a function, or around an operand (`function` is None)."""

    __slots__ = ("function", "operands")

    def __init__(self, function: str | None) -> None:
        self.function = function
        self.operands: list[Operand] = []
