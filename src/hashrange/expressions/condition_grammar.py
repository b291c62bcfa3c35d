"""Reads conditions: of ConditionExpression, FilterExpression and KeyConditionExpression.

    or      = and ( OR and )*
    and     = not ( AND not )*
    not     = NOT not | primary
    primary = operand comparator operand | operand BETWEEN operand AND operand
            | operand IN '(' operand (',' operand)* ')' | function | '(' or ')'

Whether a parenthesis holds a condition or an operand is known only after its first operand has
been read: `((a) = :b)` and `(a) = :b` begin alike. So a parenthesis always opens a group, which is
dropped again if it held an operand. No function here is recursive (see `operand_grammar`).

Source: the grammar that AWS publishes with its DAX clients.
"""

from typing import Final, get_args

from hashrange.expressions.operand_grammar import Reader
from hashrange.expressions.syntax import (
    And,
    Between,
    Call,
    Comparator,
    Comparison,
    Condition,
    In,
    Not,
    Operand,
    Or,
)
from hashrange.messages.expressions import syntax as messages

_COMPARATORS: Final[dict[str, Comparator]] = {each: each for each in get_args(Comparator)}
"""By their symbols."""


def condition(reader: Reader) -> Condition:
    """The whole expression as a condition. Raises DynamoError: wrong syntax or too large."""
    read = _Groups(reader).read()
    reader.end()
    return read


class _Group:
    """The part of a parenthesis, or of the whole expression, that has been read so far."""

    __slots__ = ("conjuncts", "disjuncts", "in_parentheses", "nots")

    def __init__(self) -> None:
        self.disjuncts: list[Condition] = []
        self.conjuncts: list[Condition] = []
        self.nots = 0
        self.in_parentheses = False
        """All that has been read is one condition in parentheses."""

    @property
    def empty(self) -> bool:
        """Nothing has been read yet, so the group may hold a single operand."""
        return not (self.nots or self.conjuncts or self.disjuncts)

    def add(self, read: Condition, *, in_parentheses: bool) -> None:
        """Add a condition, with the NOTs that were read before it."""
        self.in_parentheses = in_parentheses and self.empty
        for _ in range(self.nots):
            read = Not(read)
        self.nots = 0
        self.conjuncts.append(read)

    def end_conjunction(self) -> None:
        """Join the conditions since the last OR; called at an OR and at the end."""
        ands = self.conjuncts
        self.disjuncts.append(ands[0] if len(ands) == 1 else And(tuple(ands)))
        self.conjuncts = []

    def closed(self) -> Condition:
        """The condition of the whole group."""
        self.end_conjunction()
        ors = self.disjuncts
        return ors[0] if len(ors) == 1 else Or(tuple(ors))


class _Groups:
    """The groups that are open, the innermost last."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._cursor = reader.cursor
        self._open = [_Group()]

    def read(self) -> Condition:
        """The longest condition that the tokens begin with."""
        cursor = self._cursor
        while True:
            if cursor.symbol == "NOT":
                cursor.advance()
                self._reader.operators += 1
                self._open[-1].nots += 1
            elif cursor.symbol == "(":
                cursor.advance()
                self._open.append(_Group())
            else:
                whole = self._after(*self._leaf())
                if whole is not None:
                    return whole

    def _leaf(self) -> "tuple[Condition, bool]":
        """A comparison or function, and whether it stands in parentheses."""
        cursor = self._cursor
        operand = self._reader.operand()
        in_parentheses = False
        while cursor.symbol == ")" and len(self._open) > 1 and self._open[-1].empty:
            cursor.advance()
            if in_parentheses:
                raise cursor.refusal(messages.redundant_parentheses())
            self._open.pop()
            in_parentheses = True
        comparator = _COMPARATORS.get(cursor.symbol)
        if comparator is not None:
            cursor.advance()
            self._reader.operators += 1
            return Comparison(comparator, operand, self._reader.operand()), False
        if cursor.symbol == "BETWEEN":
            return self._between(operand), False
        if cursor.symbol == "IN":
            return self._in(operand), False
        if isinstance(operand, Call):
            return operand, in_parentheses
        raise cursor.unexpected()

    def _between(self, operand: Operand) -> Between:
        self._cursor.expect("BETWEEN")
        self._reader.operators += 1
        lower = self._reader.operand()
        self._cursor.expect("AND")
        return Between(operand, lower, self._reader.operand())

    def _in(self, operand: Operand) -> In:
        self._cursor.expect("IN")
        self._reader.operators += 1
        self._cursor.expect("(")
        members = [self._reader.operand()]
        while self._cursor.symbol == ",":
            self._cursor.advance()
            members.append(self._reader.operand())
        self._cursor.expect(")")
        return In(operand, tuple(members))

    def _after(self, read: Condition, in_parentheses: bool) -> Condition | None:  # noqa: FBT001
        """Add a condition and close the groups that end after it.

        None if another condition must follow, else the condition of the outermost group.
        """
        cursor = self._cursor
        while True:
            group = self._open[-1]
            group.add(read, in_parentheses=in_parentheses)
            if cursor.symbol == "AND":
                cursor.advance()
                self._reader.operators += 1
                return None
            if cursor.symbol == "OR":
                cursor.advance()
                self._reader.operators += 1
                group.end_conjunction()
                return None
            if len(self._open) == 1:
                return group.closed()
            cursor.expect(")")
            self._open.pop()
            if group.in_parentheses:
                raise cursor.refusal(messages.redundant_parentheses())
            read, in_parentheses = group.closed(), True
