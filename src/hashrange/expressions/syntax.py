"""What an expression says, once parsed: frozen nodes without text, placeholders or values.

Names are resolved; a constant is known by its position among the values that come with it. So one
tree serves every request of the same shape, and whoever has no text (a legacy parameter, a
statement of another language) builds the same trees and has them compiled the same way.
"""

from typing import Literal, TypeAlias

import msgspec

Element: TypeAlias = str | int
"""A name in a map, or an index in a list."""

Comparator: TypeAlias = Literal["=", "<>", "<", "<=", ">", ">="]


class Path(msgspec.Struct, frozen=True):
    """A document path: the name of an attribute, and how to go on below it."""

    elements: tuple[Element, ...]


class Constant(msgspec.Struct, frozen=True):
    """The value at a position of the request's values."""

    position: int


class Undefined(msgspec.Struct, frozen=True):
    """A placeholder that the request does not define, or a path with one.

    It stands where it was met until the checks refuse it; it is never compiled.
    """

    placeholder: str


class Call(msgspec.Struct, frozen=True):
    """A function: a condition, or an operand if it has a value."""

    function: str
    operands: "tuple[Operand, ...]"


Operand: TypeAlias = Path | Constant | Undefined | Call


class Comparison(msgspec.Struct, frozen=True):
    """One operand compared with another."""

    comparator: Comparator
    left: Operand
    right: Operand


class Between(msgspec.Struct, frozen=True):
    """Bounds inclusive."""

    operand: Operand
    lower: Operand
    upper: Operand


class In(msgspec.Struct, frozen=True):
    """Equal to any of the members."""

    operand: Operand
    members: tuple[Operand, ...]


class Not(msgspec.Struct, frozen=True):
    """The reverse of a condition."""

    condition: "Condition"


class And(msgspec.Struct, frozen=True):
    """All of two or more conditions."""

    conditions: "tuple[Condition, ...]"


class Or(msgspec.Struct, frozen=True):
    """Any of two or more conditions."""

    conditions: "tuple[Condition, ...]"


Leaf: TypeAlias = Comparison | Between | In | Call
"""A condition without conditions in it."""

Condition: TypeAlias = Leaf | Not | And | Or


class Arithmetic(msgspec.Struct, frozen=True):
    """A sum or a difference."""

    operator: Literal["+", "-"]
    left: Operand
    right: Operand


class Set(msgspec.Struct, frozen=True):
    """Write a value, whatever was there."""

    target: Path | Undefined
    value: Operand | Arithmetic


class Remove(msgspec.Struct, frozen=True):
    """Remove an attribute, a member of a map, or an element of a list."""

    target: Path | Undefined


class Add(msgspec.Struct, frozen=True):
    """Add to a number or a set; with `legacy` to a list as well, as AttributeUpdates does."""

    target: Path | Undefined
    operand: Constant | Undefined
    legacy: bool = False


class Delete(msgspec.Struct, frozen=True):
    """Take members out of a set; `legacy` if AttributeUpdates asks for it."""

    target: Path | Undefined
    operand: Constant | Undefined
    legacy: bool = False


Action: TypeAlias = Set | Remove | Add | Delete
