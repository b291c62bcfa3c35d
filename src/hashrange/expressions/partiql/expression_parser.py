"""Parses the expressions of statements: terms, and operators by their precedence."""

from typing import Final, cast

from msgspec.structs import replace

from hashrange.errors import DynamoError, invalid
from hashrange.expressions.partiql import syntax
from hashrange.expressions.partiql.bounds import Bounds
from hashrange.expressions.partiql.literals import type_named
from hashrange.expressions.partiql.operands import path
from hashrange.expressions.partiql.syntax import Expr
from hashrange.expressions.partiql.tokens import Cursor, Kind, Token
from hashrange.messages import partiql as messages

_OR, _AND, _NOT, _EQUAL, _ORDER, _JOIN, _SUM, _PRODUCT = range(1, 9)
_PRECEDENCES: Final = {
    "OR": _OR,
    "AND": _AND,
    "=": _EQUAL,
    "<>": _EQUAL,
    "IS": _EQUAL,
    "IN": _EQUAL,
    "<": _ORDER,
    "<=": _ORDER,
    ">": _ORDER,
    ">=": _ORDER,
    "BETWEEN": _ORDER,
    "LIKE": _ORDER,
    "||": _JOIN,
    "+": _SUM,
    "-": _SUM,
    "*": _PRODUCT,
    "/": _PRODUCT,
    "%": _PRODUCT,
}
_NEGATABLE: Final = frozenset({"IN", "BETWEEN", "LIKE"})
_OTHER_TERMS: Final = frozenset({"CASE", "CAST", "DATE", "TIME", "SELECT", "VALUES", "PIVOT"})
_ENDS: Final = {"[": "]", "<<": ">>"}
_AGGREGATES: Final = frozenset({"count", "avg", "max", "min", "sum"})
_NAMED: Final[dict[str, Expr]] = {
    "TRUE": syntax.Lit(start=0, length=0, kind="BOOL", value=True),
    "FALSE": syntax.Lit(start=0, length=0, kind="BOOL", value=False),
    "NULL": syntax.Lit(start=0, length=0, kind="NULL", value=True),
    "MISSING": syntax.Missing(start=0, length=0),
}


class ExpressionParser:
    """Parses the expressions of one statement.

    Attributes:
        cursor: the tokens.
        parameters: question marks read so far.
    """

    __slots__ = ("_bounds", "cursor", "parameters")

    def __init__(self, cursor: Cursor) -> None:
        self.cursor = cursor
        self.parameters = 0
        self._bounds = Bounds()

    def expression(self, above: int = 0) -> Expr:
        """An expression whose operators all bind tighter than `above`.

        Raises ValidationException: wrong syntax, or more operators or levels than may be.
        """
        left = self._unary()
        links = 0
        while True:  # each turn reads an operator
            token = self.cursor.token
            if token.kind is not Kind.OPERATOR:
                return left
            operator, negated = token.value, False
            if operator == "NOT":
                operator, negated = self.cursor.following().value, True
                if operator not in _NEGATABLE:
                    return left
            precedence = _PRECEDENCES[operator]
            if precedence <= above:
                return left
            self._bounds.operator()
            if links:
                self._bounds.link()
            links += 1
            self.cursor.advance()
            if negated:
                self.cursor.advance()
            left = self._infix(left, operator, precedence, token)
            if negated:
                left = syntax.Not(start=token.start, length=token.length, operand=left)

    def _infix(self, left: Expr, operator: str, precedence: int, token: Token) -> Expr:
        at = {"start": token.start, "length": token.length}
        if operator == "IS":
            return _is(self.cursor, left, at)
        _check_right_side(self.cursor)
        if operator in {"AND", "OR"}:
            operands = [left, self.expression(precedence)]
            while self.cursor.at(operator):
                self._bounds.operator()
                self.cursor.advance()
                _check_right_side(self.cursor)
                operands.append(self.expression(precedence))
            return syntax.Logical(operator=operator, operands=tuple(operands), **at)  # type: ignore[arg-type]
        if operator == "IN":
            return self._in(left, at)
        if operator == "BETWEEN":
            lower = self.expression(precedence)
            _read_between_bounds(self.cursor)
            upper = self.expression(precedence)
            return syntax.Between(operand=left, lower=lower, upper=upper, **at)
        right = self.expression(precedence)
        return syntax.Binary(operator=operator, left=left, right=right, **at)

    def _in(self, left: Expr, at: dict[str, int]) -> Expr:
        if self.cursor.take("("):
            members = self._members(")")
            return syntax.InCollection(operand=left, members=members, **at)
        collection = self.expression(_EQUAL)
        listed = collection.members if isinstance(collection, syntax.Sequence) else None
        return syntax.InCollection(operand=left, members=listed, **at)

    def _unary(self) -> Expr:
        """A term with the signs and NOTs before it."""
        cursor = self.cursor
        if cursor.token.kind is not Kind.OPERATOR:
            return self._term()
        signs: list[Token] = []
        while cursor.at("-") or cursor.at("+"):
            signs.append(cursor.advance())
        inner = self._not() if cursor.at("NOT") else self._term()
        for token in reversed(signs):
            inner = _signed(token, inner)
        return inner

    def _not(self) -> Expr:
        first, nots = self.cursor.token, 0
        while self.cursor.take("NOT"):
            self._bounds.operator()
            nots += 1
        self._bounds.enter(parenthesis=True)
        inner = self.expression(_NOT)
        self._bounds.leave(parenthesis=True)
        # An even number says nothing, but that it is a condition.
        for _ in range(2 - nots % 2):
            inner = syntax.Not(start=first.start, length=first.length, operand=inner)
        return inner

    def _term(self) -> Expr:
        cursor = self.cursor
        token = cursor.token
        at = {"start": token.start, "length": token.length}
        match token.kind:
            case Kind.NAME | Kind.QUOTED:
                if token.kind is Kind.NAME and cursor.following().value == "(":
                    return self._call()
                return path(cursor)
            case Kind.TEXT:
                cursor.advance()
                return syntax.Lit(kind="S", value=token.value, **at)
            case Kind.NUMBER:
                cursor.advance()
                return syntax.Lit(kind="N", value=token.value, **at)
            case Kind.SYMBOL:
                return self._bracketed()
            case Kind.KEYWORD:
                return self._word()
            case _:
                raise cursor.unexpected()

    def _bracketed(self) -> Expr:
        cursor = self.cursor
        token = cursor.token
        at = {"start": token.start, "length": token.length}
        if cursor.take("?"):
            self.parameters += 1
            return syntax.Parameter(position=self.parameters - 1, **at)
        if token.value not in {"(", "[", "<<", "{"}:
            raise cursor.unexpected()
        cursor.advance()
        if token.value == "(":
            members = self._members(")")
            if len(members) == 1:
                return members[0]
            return syntax.Sequence(name="List", members=members, **at)
        if token.value == "{":
            return self._struct(at)
        members = self._members(_ENDS[token.value])
        name = "List" if token.value == "[" else "Bag"
        return syntax.Sequence(name=name, members=members, **at)  # type: ignore[arg-type]

    def _members(self, end: str) -> tuple[Expr, ...]:
        """Expressions separated by commas, up to the closing bracket."""
        if end != ")" and self.cursor.take(end):
            return ()
        parenthesis = end == ")"
        self._bounds.enter(parenthesis=parenthesis)
        members = [self.expression()]
        while self.cursor.take(","):
            members.append(self.expression())
        self._bounds.leave(parenthesis=parenthesis)
        self.cursor.expect(end)
        return tuple(members)

    def _struct(self, at: dict[str, int]) -> Expr:
        cursor = self.cursor
        members: list[tuple[Expr, Expr]] = []
        self._bounds.enter(parenthesis=False)
        reading = not cursor.at("}")
        while reading:
            name = self.expression()
            cursor.expect(":")
            members.append((name, self.expression()))
            reading = cursor.take(",")
        cursor.expect("}")
        self._bounds.leave(parenthesis=False)
        return syntax.Struct(members=tuple(members), **at)

    def _word(self) -> Expr:
        """A term that begins with a keyword."""
        cursor = self.cursor
        token = cursor.token
        if (named := _NAMED.get(token.value)) is not None:
            cursor.advance()
            return replace(named, start=token.start, length=token.length)
        if token.value == "FROM":
            raise _manipulation(self)
        if cursor.following().value == "(" and token.value not in _OTHER_TERMS:
            return self._call()
        raise cursor.unexpected()

    def _call(self) -> Expr:
        cursor = self.cursor
        token = cursor.advance()
        cursor.expect("(")
        arguments: tuple[Expr, ...] = ()
        self._bounds.operator()
        if cursor.at("*"):
            _read_star(cursor, token)
        else:
            if not cursor.take(")"):
                arguments = self._members(")")
            _check_arguments(token, len(arguments))
        at = {"start": token.start, "length": token.length}
        return syntax.Call(function=token.value.lower(), arguments=arguments, **at)


def _read_between_bounds(cursor: Cursor) -> None:
    """Read the AND of BETWEEN. Raises ValidationException: it lacks, or what follows it."""
    if not cursor.take("AND"):
        raise invalid(messages.expected_keyword("AND"))
    if cursor.ends():
        raise invalid(messages.expected_upper_bound())


def _aggregate(token: Token) -> str | None:
    """The name of an aggregate function; None for another."""
    name = token.value.lower()
    return name if token.kind is Kind.KEYWORD and name in _AGGREGATES else None


def _read_star(cursor: Cursor, token: Token) -> None:
    """Read a star in place of arguments. Raises ValidationException: it is not of count."""
    if _aggregate(token) != "count":
        written = token.value.lower() if token.kind is Kind.KEYWORD else token.value
        raise invalid(messages.star_argument(written))
    cursor.advance()
    cursor.expect(")")


def _check_arguments(token: Token, count: int) -> None:
    """Refuse an aggregate of none, and of several but for count."""
    aggregate = _aggregate(token)
    if aggregate and (count < 1 or (count > 1 and aggregate != "count")):
        raise invalid(messages.aggregate_not_unary())


def _manipulation(parser: ExpressionParser) -> DynamoError:
    """The error for FROM inside an expression."""
    cursor = parser.cursor
    cursor.advance()
    parser.expression(_EQUAL)
    if cursor.take("WHERE"):
        parser.expression()
    if cursor.at("SET") or cursor.at("REMOVE"):
        return cursor.unexpected()
    return invalid(messages.expected_manipulation())


def _signed(sign: Token, inner: Expr) -> Expr:
    """A number with its sign. A sign before another operand is refused later."""
    at = {"start": sign.start, "length": sign.length}
    if isinstance(inner, syntax.Lit) and inner.kind == "N":
        number = cast("str", inner.value)
        if sign.value == "-":
            number = number[1:] if number.startswith("-") else f"-{number}"
        return syntax.Lit(kind="N", value=number, **at)
    if isinstance(inner, syntax.Neg):
        return inner
    return syntax.Neg(operator=sign.value, operand=inner, **at)


def _check_right_side(cursor: Cursor) -> None:
    if cursor.token.kind is Kind.END:
        raise invalid(messages.missing_right_side())


def _is(cursor: Cursor, left: Expr, at: dict[str, int]) -> Expr:
    negated = cursor.take("NOT")
    tested = syntax.IsType(operand=left, kinds=type_named(cursor), **at)
    return syntax.Not(operand=tested, **at) if negated else tested
