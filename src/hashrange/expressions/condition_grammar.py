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

import msgspec

from hashrange.expressions.operand_grammar import Reader
from hashrange.expressions.operands import Part
from hashrange.expressions.syntax import (
    And,
    Between,
    Call,
    Comparator,
    Comparison,
    Condition,
    In,
    Leaf,
    Not,
    Operand,
    Or,
)
from hashrange.messages import expressions as messages

_COMPARATORS: Final[dict[str, Comparator]] = {each: each for each in get_args(Comparator)}
"""By their symbols."""


class ReadCondition(msgspec.Struct, frozen=True):
    """A condition, and the comparisons and functions in it in the order of the text."""

    tree: Condition
    leaves: list[Part[Leaf]]


class _Group(msgspec.Struct):
    """The part of a parenthesis, or of the whole expression, that has been read so far."""

    disjuncts: list[Condition] = msgspec.field(default_factory=list)
    conjuncts: list[Condition] = msgspec.field(default_factory=list)
    """The conditions since the last OR."""
    nots: int = 0
    """The NOTs before the next condition."""
    in_parentheses: bool = False
    """All that has been read is one condition in parentheses."""

    @property
    def empty(self) -> bool:
        """Nothing has been read yet, so the group may hold a single operand."""
        return not (self.nots or self.conjuncts or self.disjuncts)


def condition(reader: Reader) -> ReadCondition:
    """The whole expression as a condition. Raises DynamoError: wrong syntax."""
    cursor = reader.cursor
    leaves: list[Part[Leaf]] = []
    groups = [_Group()]  # those that are open, the innermost last
    tree: Condition | None = None
    while tree is None:
        if cursor.symbol == "NOT":
            cursor.advance()
            reader.operators += 1
            groups[-1].nots += 1
        elif cursor.symbol == "(":
            cursor.advance()
            groups.append(_Group())
        else:
            leaf, in_parentheses = _leaf(reader, groups)
            leaves.append(leaf)
            tree = _joined(reader, groups, leaf.node, in_parentheses=in_parentheses)
    reader.end()
    return ReadCondition(tree, leaves)


def _leaf(reader: Reader, groups: list[_Group]) -> tuple[Part[Leaf], bool]:
    """A comparison or function, and whether it stands in parentheses."""
    cursor = reader.cursor
    operand = reader.operand()
    in_parentheses = False
    while cursor.symbol == ")" and len(groups) > 1 and groups[-1].empty:
        cursor.advance()
        if in_parentheses:
            raise cursor.refusal(messages.redundant_parentheses())
        groups.pop()
        in_parentheses = True
    comparator = _COMPARATORS.get(cursor.symbol)
    if comparator is not None:
        cursor.advance()
        reader.operators += 1
        right = reader.operand()
        return reader.part(Comparison(comparator, operand, right), (operand, right)), False
    if cursor.symbol == "BETWEEN":
        return _between(reader, operand), False
    if cursor.symbol == "IN":
        return _in(reader, operand), False
    if isinstance(operand, Call):
        return reader.part(operand, operand.operands), in_parentheses
    raise cursor.unexpected()


def _between(reader: Reader, operand: Operand) -> Part[Leaf]:
    reader.cursor.expect("BETWEEN")
    reader.operators += 1
    lower = reader.operand()
    reader.cursor.expect("AND")
    upper = reader.operand()
    return reader.part(Between(operand, lower, upper), (operand, lower, upper))


def _in(reader: Reader, operand: Operand) -> Part[Leaf]:
    cursor = reader.cursor
    cursor.expect("IN")
    reader.operators += 1
    cursor.expect("(")
    members = [reader.operand()]
    while cursor.symbol == ",":
        cursor.advance()
        members.append(reader.operand())
    cursor.expect(")")
    return reader.part(In(operand, tuple(members)), (operand, *members))


def _joined(
    reader: Reader, groups: list[_Group], read: Condition, *, in_parentheses: bool
) -> Condition | None:
    """Add a condition to the innermost group, and close the groups that end after it.

    None if another condition must follow, else the condition of the outermost group.
    """
    cursor = reader.cursor
    while True:
        group = groups[-1]
        group.in_parentheses = in_parentheses and group.empty
        for _ in range(group.nots):
            read = Not(read)
        group.nots = 0
        ands, ors = group.conjuncts, group.disjuncts
        ands.append(read)
        if cursor.symbol == "AND":
            cursor.advance()
            reader.operators += 1
            return None
        ors.append(read if len(ands) == 1 else And(tuple(ands)))
        group.conjuncts = []
        if cursor.symbol == "OR":
            cursor.advance()
            reader.operators += 1
            return None
        read = ors[0] if len(ors) == 1 else Or(tuple(ors))
        if len(groups) == 1:
            return read
        cursor.expect(")")
        groups.pop()
        if group.in_parentheses:
            raise cursor.refusal(messages.redundant_parentheses())
        in_parentheses = True
