"""Filter patterns: which records a trigger wants, in the syntax of Lambda and EventBridge. Pure.

A pattern is an object like the record: each of its members must match, a list of rules matches if
one of them does. Rules are of values that are no objects; of a list, one element must match. What
is compared is the JSON of the record, where DynamoDB's numbers are strings: `{"N": ["7"]}`.

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
    """A pattern that cannot be. The text says what is wrong, for people."""


class Equals(msgspec.Struct, frozen=True):
    """The same value: the same characters, or the same number written in the same way."""

    value: Scalar


class Text(msgspec.Struct, frozen=True):
    """A string that begins so, ends so, or is so; with `fold`, in whatever case."""

    where: str
    text: str
    fold: bool


class AnythingBut(msgspec.Struct, frozen=True):
    """A value that none of the rules holds for."""

    rules: "tuple[Rule, ...]"


class Exists(msgspec.Struct, frozen=True):
    """A value that is there, or not."""

    wanted: bool


class Numeric(msgspec.Struct, frozen=True):
    """A number within bounds; DynamoDB's own numbers are strings, and never are."""

    bounds: tuple[tuple[str, float], ...]


Rule: TypeAlias = Equals | Text | AnythingBut | Exists | Numeric


class Leaf(msgspec.Struct, frozen=True):
    """One of the rules must hold."""

    rules: tuple[Rule, ...]


class Fields(msgspec.Struct, frozen=True):
    """Each member must match, and of each of the alternatives one."""

    members: "tuple[tuple[str, Fields | Leaf], ...]"
    alternatives: "tuple[tuple[Fields, ...], ...]" = ()


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
    found: list[tuple[str, Fields | Leaf]] = []
    alternatives: list[tuple[Fields, ...]] = []
    for name, value in members.items():
        if name == _OR:
            if not isinstance(value, list) or not value:
                raise PatternError(f"{_OR} of {where} is not a list of objects")
            alternatives.append(tuple(_fields(each, f"{_OR} of {where}") for each in value))
        elif isinstance(value, list):
            found.append((name, _leaf(value, name)))
        else:
            found.append((name, _fields(value, name)))
    return Fields(tuple(found), tuple(alternatives))


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
    ((what, operand),) = rule.items()
    match what:
        case "prefix" | "suffix" | "equals-ignore-case":
            return _text(what, operand, name)
        case "anything-but":
            return AnythingBut(tuple(_anything_but(operand, name)))
        case "exists":
            if not isinstance(operand, bool):
                raise PatternError(f"exists of {name} is neither true nor false")
            return Exists(operand)
        case "numeric":
            return _numeric(operand, name)
        case _:
            raise PatternError(f"{what} of {name} is not an operator")


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
    """Whether a record, as decoded JSON, is wanted."""
    if isinstance(record, list):
        return any(matches(pattern, element) for element in record)
    # Of what is not there, `exists: false` still holds at any depth.
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
    """The values that rules are of: none of an object, those of the elements of a list."""
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
            # 300 is not 300.0, nor 1 true: numbers are the same if they are written the same.
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
