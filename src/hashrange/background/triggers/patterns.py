"""Filter patterns of triggers, in the syntax of Lambda and EventBridge. Pure.

A pattern is an object with the structure of the record: each of its members must match. A list of
rules matches if one of them does; a list in the record matches if one of its elements does. The
record's JSON is compared, in which DynamoDB's numbers are strings: `{"N": ["7"]}`.

Source: Lambda Developer Guide, "Control which events Lambda sends to your function" and "Using
event filtering with a DynamoDB event source"; EventBridge User Guide, "Comparison operators".
"""

import operator
from collections.abc import Callable, Iterator
from typing import Any, Final, TypeAlias, assert_never

import msgspec

_OR: Final = "$or"
_IGNORE_CASE: Final = "equals-ignore-case"
_COMPARISONS: Final[dict[str, Callable[[float, float], bool]]] = {
    "=": operator.eq,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_BOUNDS_MAX: Final = 2
_MISSING: Final = object()

Scalar: TypeAlias = str | int | float | bool | None


class PatternError(ValueError):
    """A pattern is invalid. The text names the fault for the operator."""


class Equals(msgspec.Struct, frozen=True):
    """The value is equal and has the same type; numbers must be written in the same way."""

    value: Scalar


class Text(msgspec.Struct, frozen=True):
    """A string with this prefix or suffix, or equal to this text."""

    where: str
    """The operator: `prefix`, `suffix` or `equals-ignore-case`."""
    text: str
    """Case-folded if `fold`."""
    fold: bool
    """Upper and lower case are the same."""


class AnythingBut(msgspec.Struct, frozen=True):
    """A value that matches none of the rules."""

    rules: "tuple[Rule, ...]"


class Exists(msgspec.Struct, frozen=True):
    """A value exists, or does not if `wanted` is false."""

    wanted: bool


class Numeric(msgspec.Struct, frozen=True):
    """A number within bounds. DynamoDB's numbers are strings in the record and never match."""

    bounds: tuple[tuple[str, float], ...]


Rule: TypeAlias = Equals | Text | AnythingBut | Exists | Numeric


class Leaf(msgspec.Struct, frozen=True):
    """A member of a pattern with rules, of which one must match."""

    rules: tuple[Rule, ...]


class Fields(msgspec.Struct, frozen=True):
    """An object of a pattern: each member must match."""

    members: "tuple[tuple[str, Fields | Leaf], ...]"
    alternatives: "tuple[tuple[Fields, ...], ...]" = ()
    """The lists of `$or`; one object of each list must match."""


def pattern_from(text: str) -> Fields:
    """Read a pattern. Raises PatternError."""
    try:
        members = msgspec.json.decode(text.encode())
    except (msgspec.DecodeError, UnicodeError) as error:
        raise PatternError(f"it is not JSON: {error}") from error
    return _fields(members, "the pattern")


def _fields(members: object, where: str) -> Fields:
    if not isinstance(members, dict) or not members:
        raise PatternError(f"{where} is not an object with members")
    fields: list[tuple[str, Fields | Leaf]] = []
    alternatives: list[tuple[Fields, ...]] = []
    for name, value in members.items():
        if name == _OR:
            if not isinstance(value, list) or not value:
                raise PatternError(f"{_OR} of {where} is not a list of objects")
            alternatives.append(tuple(_fields(each, f"{_OR} of {where}") for each in value))
        elif isinstance(value, list):
            fields.append((name, _leaf(value, name)))
        else:
            fields.append((name, _fields(value, name)))
    return Fields(tuple(fields), tuple(alternatives))


def _leaf(rules: list[object], name: str) -> Leaf:
    if not rules:
        raise PatternError(f"{name} has no rule")
    return Leaf(tuple(_rule(rule, name) for rule in rules))


def _rule(rule: object, name: str) -> Rule:
    if not isinstance(rule, dict | list):
        assert rule is None or isinstance(rule, str | int | float), "of JSON"
        return Equals(rule)
    if not isinstance(rule, dict) or len(rule) != 1:
        raise PatternError(f"a rule of {name} is neither a value nor an object with one operator")
    ((rule_operator, operand),) = rule.items()
    match rule_operator:
        case "prefix" | "suffix" | "equals-ignore-case":
            return _text(rule_operator, operand, name)
        case "anything-but":
            return AnythingBut(tuple(_anything_but(operand, name)))
        case "exists":
            if not isinstance(operand, bool):
                raise PatternError(f"exists of {name} is neither true nor false")
            return Exists(operand)
        case "numeric":
            return _numeric(operand, name)
        case _:
            raise PatternError(f"{rule_operator} of {name} is not an operator")


def _text(where: str, operand: object, name: str) -> Text:
    fold = where == _IGNORE_CASE
    if isinstance(operand, dict) and not fold and set(operand) == {_IGNORE_CASE}:
        fold, operand = True, operand[_IGNORE_CASE]
    if not isinstance(operand, str):
        raise PatternError(f"{where} of {name} is not a string")
    return Text(where, operand.casefold() if fold else operand, fold)


def _anything_but(operand: object, name: str) -> Iterator[Rule]:
    if isinstance(operand, dict):
        if len(operand) != 1 or not set(operand) <= {"prefix", "suffix", _IGNORE_CASE}:
            raise PatternError(f"anything-but of {name} has another operator than it may")
        ((where, texts),) = operand.items()
        for text in _listed(texts, name):
            yield _text(where, text, name)
        return
    for value in _listed(operand, name):
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise PatternError(f"anything-but of {name} has neither strings nor numbers")
        yield Equals(value)


def _listed(operand: object, name: str) -> list[Any]:
    values = operand if isinstance(operand, list) else [operand]
    if not values:
        raise PatternError(f"anything-but of {name} has no value")
    return values


def _numeric(operand: object, name: str) -> Numeric:
    wrong = PatternError(
        f"numeric of {name} is not one or two times an operator, of {' '.join(_COMPARISONS)}, "
        "and a number"
    )
    if not isinstance(operand, list) or len(operand) not in {2, 2 * _BOUNDS_MAX}:
        raise wrong
    bounds = tuple(zip(operand[::2], operand[1::2], strict=True))
    for comparison, number in bounds:
        if isinstance(number, bool) or not isinstance(number, int | float):
            raise wrong
        if not isinstance(comparison, str) or comparison not in _COMPARISONS:
            raise wrong
    return Numeric(bounds)


def matches(pattern: Fields, record: object) -> bool:
    """Whether a record, as decoded JSON, matches a pattern."""
    if isinstance(record, list):
        return any(matches(pattern, element) for element in record)
    # A missing member is an empty object, so that `exists: false` matches at any depth.
    members = record if isinstance(record, dict) else {}
    for name, wanted in pattern.members:
        value = members.get(name, _MISSING)
        if isinstance(wanted, Leaf):
            values = list(_values(value))
            if not any(_holds(rule, values) for rule in wanted.rules):
                return False
        elif not matches(wanted, value):
            return False
    return all(any(matches(each, record) for each in group) for group in pattern.alternatives)


def _values(value: object) -> Iterator[Scalar]:
    """The values that rules compare: scalars, and those within lists; none for an object."""
    if isinstance(value, list):
        for element in value:
            yield from _values(element)
    elif value is None or isinstance(value, str | int | float):
        yield value


def _holds(rule: Rule, values: list[Scalar]) -> bool:
    if isinstance(rule, Exists):
        return bool(values) == rule.wanted
    return any(_holds_of(rule, value) for value in values)


def _holds_of(rule: Rule, value: Scalar) -> bool:
    match rule:
        case Equals(wanted):
            # 300 does not match 300.0, and 1 does not match true.
            return type(value) is type(wanted) and value == wanted
        case Text(where, text, fold):
            return isinstance(value, str) and _fits(
                where, value.casefold() if fold else value, text
            )
        case AnythingBut(rules):
            return not any(_holds_of(each, value) for each in rules)
        case Exists(wanted):
            return wanted
        case Numeric(bounds):
            return (
                isinstance(value, int | float)
                and not isinstance(value, bool)
                and all(_COMPARISONS[comparison](value, bound) for comparison, bound in bounds)
            )
        case _:
            assert_never(rule)


def _fits(where: str, value: str, text: str) -> bool:
    match where:
        case "prefix":
            return value.startswith(text)
        case "suffix":
            return value.endswith(text)
        case _:
            return value == text
