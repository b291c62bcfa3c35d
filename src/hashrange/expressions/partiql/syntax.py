"""The syntax tree of a statement: frozen nodes with the places of their tokens.

Names of nodes are those of PartiQL's published syntax tree, for texts of faults have them.
"""

from typing import Literal, TypeAlias

import msgspec

from hashrange.expressions.syntax import Element


class Node(msgspec.Struct, frozen=True, kw_only=True):
    """A part of an expression; `start` and `length` are those of its first token."""

    start: int
    length: int


class Lit(Node, frozen=True):
    """A string, a number as it was written, true, false or null."""

    kind: Literal["S", "N", "BOOL", "NULL"]
    value: str | bool


class Missing(Node, frozen=True):
    """The word MISSING."""


class Parameter(Node, frozen=True):
    """A question mark; `position` counts those before it."""

    position: int


class Id(Node, frozen=True):
    """A document path that begins with a name."""

    elements: tuple[Element, ...]


class Sequence(Node, frozen=True):
    """A list or a bag."""

    name: Literal["List", "Bag"]
    members: "tuple[Expr, ...]"


class Struct(Node, frozen=True):
    """A document: names, as expressions, and values."""

    members: "tuple[tuple[Expr, Expr], ...]"


class Call(Node, frozen=True):
    """A function; its name in lower case."""

    function: str
    arguments: "tuple[Expr, ...]"


class Not(Node, frozen=True):
    """The reverse of a condition."""

    operand: "Expr"


class Neg(Node, frozen=True):
    """A sign before an operand that is not a number literal."""

    operator: str
    operand: "Expr"


class Logical(Node, frozen=True):
    """AND or OR of two or more conditions."""

    operator: Literal["AND", "OR"]
    operands: "tuple[Expr, ...]"


class Binary(Node, frozen=True):
    """A comparison, or arithmetic."""

    operator: str
    left: "Expr"
    right: "Expr"


class InCollection(Node, frozen=True):
    """IN with the members of its list; None if its right side is not a list."""

    operand: "Expr"
    members: "tuple[Expr, ...] | None"


class Between(Node, frozen=True):
    """Bounds inclusive."""

    operand: "Expr"
    lower: "Expr"
    upper: "Expr"


class IsType(Node, frozen=True):
    """IS with the DynamoDB types of the named type; none for MISSING."""

    operand: "Expr"
    kinds: tuple[str, ...]


Expr: TypeAlias = (
    Lit
    | Missing
    | Parameter
    | Id
    | Sequence
    | Struct
    | Call
    | Not
    | Neg
    | Logical
    | Binary
    | InCollection
    | Between
    | IsType
)


class Source(msgspec.Struct, frozen=True):
    """FROM: the names of a table and optionally of an index; further names are refused later."""

    components: tuple[str, ...]


class Order(msgspec.Struct, frozen=True):
    """A term of ORDER BY."""

    attribute: str
    descending: bool


class Select(msgspec.Struct, frozen=True):
    """SELECT; `columns` is None for `*`. With `exists` it is the operand of EXISTS()."""

    source: Source
    columns: tuple[Expr, ...] | None
    where: Expr | None
    order: tuple[Order, ...] = ()
    exists: bool = False


class Insert(msgspec.Struct, frozen=True):
    """INSERT of one item."""

    source: Source
    value: Expr


class Assignment(msgspec.Struct, frozen=True):
    """SET, or REMOVE with a value of None."""

    target: Id
    value: Expr | None


Returning: TypeAlias = Literal["ALL OLD", "ALL NEW", "MODIFIED OLD", "MODIFIED NEW"]


class Update(msgspec.Struct, frozen=True):
    """UPDATE, or FROM with SET and REMOVE."""

    source: Source
    assignments: tuple[Assignment, ...]
    where: Expr | None
    returning: Returning | None


class Delete(msgspec.Struct, frozen=True):
    """DELETE."""

    source: Source
    where: Expr | None
    returning: Returning | None


Statement: TypeAlias = Select | Insert | Update | Delete
