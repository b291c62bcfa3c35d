"""Parses a statement.

SELECT * | column (, column)* FROM table[.index] [WHERE condition] [ORDER BY key [ASC|DESC], …]
INSERT INTO table VALUE { 'name': value, … }
UPDATE table (SET path = value (, path = value)* | REMOVE path)+ [WHERE condition] [RETURNING …]
FROM table [WHERE condition] (SET … | REMOVE …)+ [RETURNING …]
DELETE FROM table [WHERE condition] [RETURNING …]
EXISTS ( SELECT … )
"""

from collections.abc import Callable
from typing import Final, NoReturn, cast

import msgspec

from hashrange.errors import invalid
from hashrange.expressions.partiql import syntax
from hashrange.expressions.partiql.expression_parser import ExpressionParser
from hashrange.expressions.partiql.operands import NAMES, simple_path
from hashrange.expressions.partiql.syntax import Expr, Source, Statement
from hashrange.expressions.partiql.tokens import Cursor, Kind
from hashrange.messages import partiql as messages

_ALIASES: Final = ("AS", "AT", "BY")
_JOINS: Final = frozenset({"JOIN", "INNER", "LEFT", "RIGHT", "FULL", "CROSS", "OUTER", "NATURAL"})
_CLAUSES: Final = frozenset({"GROUP", "HAVING", "OFFSET", "LET", "UNION", "EXCEPT", "INTERSECT"})
_WHICH: Final = frozenset({"MODIFIED", "ALL"})
_WHEN: Final = frozenset({"OLD", "NEW"})
_OPERATION_NAMES: Final = {
    "=": "Eq",
    "<>": "Ne",
    "<": "Lt",
    "<=": "Lte",
    ">": "Gt",
    ">=": "Gte",
    "+": "Plus",
    "-": "Minus",
    "*": "Times",
    "/": "Divide",
    "%": "Modulo",
    "||": "Concat",
    "LIKE": "Like",
    "AND": "And",
    "OR": "Or",
}


class Parsed(msgspec.Struct, frozen=True):
    """A statement, and the number of its parameters."""

    statement: Statement
    parameters: int


def parsed(text: str) -> Parsed:
    """Parse a statement. Raises ValidationException: the first fault of its syntax."""
    cursor = Cursor(text)
    reader = _StatementParser(cursor)
    statement = reader.statement()
    if not cursor.ends():
        if cursor.at(";"):
            raise invalid(messages.token_after_semicolon())
        raise invalid(messages.unexpected_token())
    if cursor.refusal is not None:
        raise invalid(cursor.refusal)
    if not isinstance(statement, Statement):
        _refuse_expression(statement)
    return Parsed(statement, reader.expressions.parameters)


def _refuse_expression(expression: Expr) -> NoReturn:
    """The error for an expression in place of a statement; it names the node of the syntax tree."""
    match expression:
        case syntax.Binary(operator=operator) | syntax.Logical(operator=operator):
            name = _OPERATION_NAMES[operator]
        case syntax.Sequence(name=sequence):
            name = sequence
        case syntax.Neg(operator=sign):
            name = "Neg" if sign == "-" else "Pos"
        case _:
            name = type(expression).__name__
    raise invalid(messages.unsupported_operation(name))


class _StatementParser:
    """Parses one statement."""

    def __init__(self, cursor: Cursor) -> None:
        self.cursor = cursor
        self.expressions = ExpressionParser(cursor)

    def statement(self) -> Statement | Expr:
        """Parse the statement; its first word determines its kind."""
        cursor = self.cursor
        verbs: dict[str, Callable[[], Statement]] = {
            "SELECT": self._select,
            "INSERT": self._insert,
            "UPDATE": self._update,
            "DELETE": self._delete,
            "FROM": self._update_from,
        }
        read = verbs.get(cursor.token.value) if cursor.token.kind is Kind.KEYWORD else None
        if read is not None:
            cursor.advance()
            return read()
        if cursor.at("EXISTS") and cursor.following().value == "(":
            return self._exists()
        return self.expressions.expression()

    def _exists(self) -> Statement | Expr:
        cursor = self.cursor
        cursor.advance()
        cursor.expect("(")
        cursor.expect("SELECT")
        select = self._select()
        cursor.expect(")")
        return msgspec.structs.replace(select, exists=True)

    def _select(self) -> syntax.Select:
        cursor = self.cursor
        if cursor.take("DISTINCT"):
            cursor.refuse(messages.unsupported_clause("DISTINCT"))
        else:
            cursor.take("ALL")
        if cursor.take("VALUE"):
            cursor.refuse(messages.unsupported_clause("VALUE"))
        columns = self._columns()
        if not cursor.take("FROM"):
            raise invalid(messages.expected_from_of_select())
        source = _source_of(self.expressions.expression(), self.cursor)
        _refuse_aliases(cursor)
        while cursor.take(","):
            cursor.refuse(messages.several_sources())
            self.expressions.expression()
            _refuse_aliases(cursor)
        if cursor.token.kind is Kind.KEYWORD and cursor.token.value in _JOINS:
            raise invalid(messages.several_sources())
        where = self._where()
        _refuse_clauses(cursor)
        order: tuple[syntax.Order, ...] = ()
        if cursor.take("ORDER"):
            cursor.expect("BY")
            order = self._order()
        _refuse_clauses(cursor)
        if cursor.take("LIMIT"):
            cursor.refuse(messages.unsupported_clause("LIMIT"))
            self.expressions.expression()
        return syntax.Select(source, columns, where, order)

    def _columns(self) -> tuple[Expr, ...] | None:
        """The columns; None for all."""
        cursor = self.cursor
        columns: list[Expr] = []
        stars = 0
        reading = True
        while reading:
            if cursor.take("*"):
                stars += 1
            else:
                columns.append(self.expressions.expression())
                _refuse_alias(cursor, "AS")
            reading = cursor.take(",")
        if stars and (columns or stars > 1):
            raise invalid(messages.columns_beside_star())
        return None if stars else tuple(columns)

    def _table(self) -> Source:
        """The table of a write."""
        return _source_of(simple_path(self.cursor), self.cursor)

    def _where(self) -> Expr | None:
        return self.expressions.expression() if self.cursor.take("WHERE") else None

    def _order(self) -> tuple[syntax.Order, ...]:
        terms: list[syntax.Order] = []
        reading = True
        while reading:
            path = self.expressions.expression()
            if not isinstance(path, syntax.Id) or len(path.elements) > 1:
                at = self.cursor.place(path.start, path.length)
                raise invalid(messages.unexpected_path_component(at))
            descending = self.cursor.take("DESC")
            if not descending:
                self.cursor.take("ASC")
            terms.append(syntax.Order(str(path.elements[0]), descending))
            reading = self.cursor.take(",")
        return tuple(terms)

    def _insert(self) -> syntax.Insert:
        cursor = self.cursor
        if not cursor.take("INTO"):
            raise invalid(messages.unexpected_keyword())
        source = self._table()
        if not cursor.take("VALUE"):
            cursor.refuse(messages.unsupported_operation("Insert"))
            value = self._rows() if cursor.take("VALUES") else self.expressions.expression()
            return syntax.Insert(source, value)
        value = self.expressions.expression()
        if cursor.at("ON") and cursor.following().value == "CONFLICT":
            raise invalid(messages.unsupported_clause("ON CONFLICT"))
        if cursor.take("RETURNING"):
            _returned(cursor)
            cursor.refuse(messages.returning_of_insert())
        return syntax.Insert(source, value)

    def _rows(self) -> Expr:
        """VALUES: rows in parentheses. Returns the last of them."""
        while True:  # each turn reads a row
            if not self.cursor.at("("):
                raise invalid(messages.expected_row())
            row = self.expressions.expression()
            if not self.cursor.take(","):
                return row

    def _update(self) -> syntax.Update:
        source = self._table()
        _refuse_aliases(self.cursor)
        assignments = self._assignments()
        return syntax.Update(source, assignments, self._where(), _returning(self.cursor))

    def _update_from(self) -> syntax.Update:
        source = _source_of(self.expressions.expression(), self.cursor)
        _refuse_aliases(self.cursor)
        where = self._where()
        return syntax.Update(source, self._assignments(), where, _returning(self.cursor))

    def _delete(self) -> syntax.Delete:
        if not self.cursor.take("FROM"):
            raise invalid(messages.expected_from_of_delete())
        source = self._table()
        _refuse_aliases(self.cursor)
        return syntax.Delete(source, self._where(), _returning(self.cursor))

    def _assignments(self) -> tuple[syntax.Assignment, ...]:
        """All SET and REMOVE clauses. Raises ValidationException: there are none."""
        cursor = self.cursor
        found: list[syntax.Assignment] = []
        while True:  # each turn reads a keyword
            if cursor.take("SET"):
                found.append(self._set())
                while cursor.take(","):
                    found.append(self._set())
            elif cursor.take("REMOVE"):
                found.append(syntax.Assignment(simple_path(self.cursor), None))
            elif found:
                return tuple(found)
            else:
                raise invalid(messages.expected_manipulation())

    def _set(self) -> syntax.Assignment:
        target = simple_path(self.cursor)
        if not self.cursor.take("="):
            raise invalid(messages.expected_assignment())
        return syntax.Assignment(target, self.expressions.expression())


def _refuse_aliases(cursor: Cursor) -> None:
    """Read the other names of a table. Raises ValidationException: AS, AT or BY without a name."""
    for word in _ALIASES:
        _refuse_alias(cursor, word)


def _refuse_alias(cursor: Cursor, word: str) -> None:
    """Read another name after this word, which AS may lack."""
    if cursor.take(word):
        if cursor.token.kind not in NAMES:
            raise invalid(messages.expected_alias(word))
    elif word != "AS" or cursor.token.kind not in NAMES:
        return
    cursor.advance()
    cursor.refuse(messages.aliasing())


def _refuse_clauses(cursor: Cursor) -> None:
    token = cursor.token
    if token.kind is Kind.KEYWORD and token.value in _CLAUSES:
        raise invalid(messages.unsupported_clause(token.value))


def _source_of(path: Expr, cursor: Cursor) -> Source:
    """The table; the syntax of SELECT permits any expression, all others names."""
    elements = path.elements if isinstance(path, syntax.Id) else ()
    names = tuple([element for element in elements if isinstance(element, str)])
    if not names or len(names) < len(elements):
        cursor.refuse(messages.unexpected_source())
    return Source(names)


def _returning(cursor: Cursor) -> syntax.Returning | None:
    return _returned(cursor) if cursor.take("RETURNING") else None


def _returned(cursor: Cursor) -> syntax.Returning:
    first, second = cursor.token, cursor.following()
    which, when = first.value, second.value
    is_written = first.kind is second.kind is Kind.KEYWORD
    if not (is_written and which in _WHICH and when in _WHEN):
        raise invalid(messages.expected_returning())
    cursor.advance()
    cursor.advance()
    cursor.expect("*")
    return cast("syntax.Returning", f"{which} {when}")
