"""Finds the key in a condition: the item of a write, or the ranges of keys of a SELECT."""

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from math import prod
from typing import Final, cast

import msgspec

from hashrange.expressions.condition_checks import leaves, operands_of
from hashrange.expressions.key_conditions import MIRRORED
from hashrange.expressions.syntax import (
    And,
    Between,
    Call,
    Comparison,
    Condition,
    Constant,
    In,
    Not,
    Operand,
    Or,
    Path,
)
from hashrange.limits.requests import STATEMENT_READS_MAX
from hashrange.model.values import KeyOperator

_BRANCHES_MAX: Final = 1000
"""The bound on alternatives during the search; that of a SELECT is lower."""


class KeyPart(msgspec.Struct, frozen=True):
    """A condition on one key attribute, with the positions of its constants."""

    attribute: str
    operator: KeyOperator
    positions: tuple[int, ...]


class Branch(msgspec.Struct, frozen=True):
    """One alternative of a condition: its parts on the key, and the rest."""

    parts: tuple[KeyPart, ...] = ()
    rest: tuple[Condition, ...] = ()

    def of(self, attribute: str) -> list[KeyPart]:
        """The parts on one attribute."""
        return [part for part in self.parts if part.attribute == attribute]

    def plus(self, other: "Branch") -> "Branch":
        """The conjunction of both."""
        return Branch(self.parts + other.parts, self.rest + other.rest)


class Branches(msgspec.Struct, frozen=True):
    """The alternatives of a condition.

    Attributes:
        branches: all of them; none if there are more than anybody looks at.
        parts: every condition on the key, in the order of the text.
        pins: each alternative names values of the partition key.
        negates_key: a condition on the key is negated.
    """

    branches: tuple[Branch, ...]
    parts: tuple[KeyPart, ...]
    pins: bool
    negates_key: bool = False

    @property
    def too_many(self) -> bool:
        """The error for more alternatives than a statement may have."""
        return self.pins and not 0 < len(self.branches) <= STATEMENT_READS_MAX


def conjuncts(condition: Condition | None) -> Sequence[Condition]:
    """The conditions of a conjunction."""
    if condition is None:
        return ()
    return condition.conditions if isinstance(condition, And) else (condition,)


def together(conditions: Sequence[Condition]) -> Condition | None:
    """The conjunction of conditions; None if there are none."""
    if not conditions:
        return None
    return conditions[0] if len(conditions) == 1 else And(tuple(conditions))


def equality(condition: Condition, names: Sequence[str]) -> KeyPart | None:
    """The part that sets one of these attributes equal to a constant; None if it does not."""
    parts = _parts(condition, lambda attribute: attribute in names)
    if len(parts) == 1 and parts[0].operator == "=" and not isinstance(condition, In):
        return parts[0]
    return None


def branches_of(condition: Condition | None, partition: str, sort: str | None) -> Branches:
    """The alternatives of a condition.

    Args:
        condition: WHERE.
        partition: the partition attribute.
        sort: the sort attribute; None if there is none.
    """
    spreading = _Spreading(partition, sort)
    found = spreading.spread(condition) if condition is not None else [Branch()]
    pins = condition is not None and _pins(condition, partition)
    branches = () if spreading.too_many else tuple(found)
    return Branches(branches, tuple(spreading.parts), pins, spreading.negates_key)


def names_of(condition: Condition) -> Iterator[str]:
    """The top-level attributes in a condition, in the order of the text."""
    for leaf in leaves(condition):
        rest: list[Operand] = list(operands_of(leaf))[::-1]
        while rest:
            operand = rest.pop()
            if isinstance(operand, Path):
                yield str(operand.elements[0])
            elif isinstance(operand, Call):
                rest += operand.operands[::-1]


class _Spreading:
    """Finds the alternatives of one condition.

    Attributes:
        parts: the conditions on the key that were met.
        too_many: there are more alternatives than are looked at.
        negates_key: a negated condition on the key was met.
    """

    def __init__(self, partition: str, sort: str | None) -> None:
        self._partition = partition
        self._sort = sort
        self.parts: list[KeyPart] = []
        self.too_many = False
        self.negates_key = False

    def spread(self, condition: Condition) -> list[Branch]:
        """The alternatives of a condition."""
        parts = _parts(condition, self._is_key)
        if parts and self._suits(parts, condition):
            self.parts += parts
            return [Branch((part,)) for part in parts]
        match condition:
            case And(conditions):
                spread = [self.spread(each) for each in conditions]
                if prod(map(len, spread)) > _BRANCHES_MAX:
                    self.too_many = True
                    return [Branch()]
                return [_joined(several) for several in product(*spread)]
            case Or(conditions) if any(map(self._names_key, conditions)):
                found = [branch for each in conditions for branch in self.spread(each)]
                self.too_many = self.too_many or len(found) > _BRANCHES_MAX
                return found
            case _:
                self.negates_key = self.negates_key or self._negates_key(condition)
                return [Branch(rest=(condition,))]

    def _negates_key(self, condition: Condition) -> bool:
        match condition:
            case Not(negated):
                return bool(_parts(negated, self._is_key))
            case Comparison("<>", Path((str(name),)), Constant()):
                return self._is_key(name)
            case Comparison("<>", Constant(), Path((str(name),))):
                return self._is_key(name)
            case _:
                return False

    def _is_key(self, attribute: str) -> bool:
        return attribute in {self._partition, self._sort}

    def _suits(self, parts: list[KeyPart], condition: Condition) -> bool:
        """Whether parts on the partition key are = or IN, which alone select partitions."""
        if parts[0].attribute != self._partition:
            return True
        return isinstance(condition, In) or parts[0].operator == "="

    def _names_key(self, condition: Condition) -> bool:
        """Whether it contains a condition on the key that is not negated."""
        match condition:
            case And(conditions) | Or(conditions):
                return any(map(self._names_key, conditions))
            case _:
                parts = _parts(condition, self._is_key)
                return bool(parts) and self._suits(parts, condition)


def _joined(branches: Sequence[Branch]) -> Branch:
    joined = Branch()
    for branch in branches:
        joined = joined.plus(branch)
    return joined


def _pins(condition: Condition, partition: str) -> bool:
    match condition:
        case And(conditions):
            return any(_pins(each, partition) for each in conditions)
        case Or(conditions):
            return all(_pins(each, partition) for each in conditions)
        case _:
            parts = _parts(condition, lambda attribute: attribute == partition)
            return bool(parts) and (isinstance(condition, In) or parts[0].operator == "=")


def _parts(condition: Condition, is_key: Callable[[str], bool]) -> list[KeyPart]:
    """The parts of a condition on a key attribute, one for each value of IN; else none."""
    found: list[KeyPart] = []
    match condition:
        case Comparison("<>"):
            pass
        case Comparison(operator, Path((str(name),)), Constant(position)) if is_key(name):
            found.append(KeyPart(name, cast("KeyOperator", operator), (position,)))
        case Comparison(operator, Constant(position), Path((str(name),))) if is_key(name):
            found.append(KeyPart(name, MIRRORED[operator], (position,)))
        case Between(Path((str(name),)), Constant(lower), Constant(upper)) if is_key(name):
            found.append(KeyPart(name, "BETWEEN", (lower, upper)))
        case Call("begins_with", (Path((str(name),)), Constant(position))) if is_key(name):
            found.append(KeyPart(name, "begins_with", (position,)))
        case In(Path((str(name),)), members) if is_key(name):
            values = [member.position for member in members if isinstance(member, Constant)]
            if len(values) == len(members):
                found += [KeyPart(name, "=", (position,)) for position in values]
        case _:
            pass
    return found
