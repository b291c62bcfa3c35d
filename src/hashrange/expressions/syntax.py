"""The syntax tree of an expression: frozen nodes without text, placeholders or values.

Names are resolved, and a constant is the position of a value among those of the request. So one
tree serves every request of the same shape. The parameters from before expressions build the same
trees without any text.
"""

from typing import Literal, TypeAlias

import msgspec

Element: TypeAlias = str | int
"""A name in a map, or an index in a list."""

Comparator: TypeAlias = Literal["=", "<>", "<", "<=", ">", ">="]


class Path(msgspec.Struct, frozen=True):
    """A document path: the name of an attribute, then names and indexes within it."""

    elements: tuple[Element, ...]


class Constant(msgspec.Struct, frozen=True):
    """The value at a position of the request's values."""

    position: int


class Undefined(msgspec.Struct, frozen=True):
    """A placeholder that the request does not define, or a path with one.

    It stays in the tree until the checks refuse it; it is never compiled.
    """

    placeholder: str


class Call(msgspec.Struct, frozen=True):
    """A function: a condition, or an operand if it has a value.

    In a statement of PartiQL also a sum within a sum: the function is + or -.
    """

    function: str
    operands: "tuple[Operand, ...]"


Operand: TypeAlias = Path | Constant | Undefined | Call


class Comparison(msgspec.Struct, frozen=True):
    """One operand compared with another."""

    comparator: Comparator
    left: Operand
    right: Operand


class Between(msgspec.Struct, frozen=True):
    """A comparison with two bounds, both inclusive."""

    operand: Operand
    lower: Operand
    upper: Operand


class In(msgspec.Struct, frozen=True):
    """True if the operand equals any of the members."""

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
"""A condition that is not composed of other conditions."""

Condition: TypeAlias = Leaf | Not | And | Or


class Arithmetic(msgspec.Struct, frozen=True):
    """A sum or a difference."""

    operator: Literal["+", "-"]
    left: Operand
    right: Operand


class Set(msgspec.Struct, frozen=True):
    """Write a value, and replace the previous one."""

    target: Path | Undefined
    value: Operand | Arithmetic


class Remove(msgspec.Struct, frozen=True):
    """Remove an attribute, a member of a map, or an element of a list."""

    target: Path | Undefined


class Add(msgspec.Struct, frozen=True):
    """Add to a number or a set, and with `legacy` (AttributeUpdates) also to a list."""

    target: Path | Undefined
    operand: Constant | Undefined
    legacy: bool = False


class Delete(msgspec.Struct, frozen=True):
    """Remove members from a set; `legacy` if the action is of AttributeUpdates."""

    target: Path | Undefined
    operand: Constant | Undefined
    legacy: bool = False


Action: TypeAlias = Set | Remove | Add | Delete
