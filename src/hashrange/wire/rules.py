"""The constraints of the API's model: rules about members, compiled to a predicate.

`wire.constraints` has the functions to declare them; `wire.violations` finds what a request breaks.
"""

import re
from collections.abc import Callable, Sequence
from enum import Enum
from operator import attrgetter
from typing import Any, Final, TypeAlias, assert_never

import msgspec

from hashrange.wire.enums import EnumSet

ITSELF: Final = ""
"""The name of a row about an element as a whole rather than about a member of it."""

Predicate: TypeAlias = Callable[[Any], bool]


class Form(Enum):
    """The wording of a violation.

    MODEL echoes the value and names members in lower camel case; UNECHOED, that of IAM, does the
    same without the value; CURRENT does not echo, and names members as the API does.
    """

    MODEL = "model"
    UNECHOED = "unechoed"
    CURRENT = "current"


class Required(msgspec.Struct, frozen=True):
    """The member is present."""


class Length(msgspec.Struct, frozen=True):
    """Characters, elements or entries, inclusive; None is no bound."""

    least: int | None
    most: int | None


class Range(msgspec.Struct, frozen=True):
    """A number, inclusive; None is no bound."""

    least: int | None
    most: int | None


class OneOf(msgspec.Struct, frozen=True):
    """A value of an enum."""

    enum: EnumSet


class Pattern(msgspec.Struct, frozen=True):
    """A text that a regular expression matches as a whole.

    Attributes:
        expression: as the service prints it.
        linear: an equivalent one, if the other takes more time than in proportion to the text, or
            is none in Python.
        refusal: a text of the member's path that is the whole refusal; None for a violation.
    """

    expression: str
    linear: str | None = None
    refusal: Callable[[str], str] | None = None


class MapKeys(msgspec.Struct, frozen=True):
    """Rules about every key of a map; if one is broken, the violation lists all."""

    rules: tuple[Length | Pattern, ...]
    as_json: bool
    """The map is echoed as JSON, and not as Java prints it."""


class MapValues(msgspec.Struct, frozen=True):
    """Rules about every value of a map; if one is broken, the violation lists all."""

    rules: tuple[Length | Pattern, ...]


class ListMembers(msgspec.Struct, frozen=True):
    """Rules about every element of a list; if one is broken, the violation lists all."""

    rules: tuple[Length | Pattern, ...]


class Inside(msgspec.Struct, frozen=True):
    """Rows about the members of a structure."""

    rows: "Rows"


class Each(msgspec.Struct, frozen=True):
    """Rows about each element of a list."""

    rows: "Rows"


class EachValue(msgspec.Struct, frozen=True):
    """Rows about each value of a map."""

    rows: "Rows"


Leaf: TypeAlias = Length | Range | OneOf | Pattern | MapKeys | MapValues | ListMembers
OfValue: TypeAlias = Leaf | Inside | Each | EachValue
"""A rule about a member that is present."""
Rule: TypeAlias = Required | OfValue


class Row(msgspec.Struct, frozen=True):
    """A rule about a member; `form` is set if its wording is not that of the request."""

    name: str
    rule: Rule
    form: Form | None = None


class Rows:
    """Rows in the order of their violations, and the predicate that they compile to at first use.

    Attributes:
        hold: reads each member once and stops at the first violation.
    """

    __slots__ = ("hold", "rows")

    def __init__(self, rows: tuple[Row, ...]) -> None:
        self.rows = rows
        self.hold: Predicate = self._compile

    def _compile(self, value: Any) -> bool:
        self.hold = compiled(self.rows)
        return self.hold(value)


def compiled(rows: tuple[Row, ...]) -> Predicate:
    """The predicate of rows."""
    _, own = _check([row.rule for row in rows if row.name == ITSELF])
    names = list(dict.fromkeys(row.name for row in rows if row.name != ITSELF))
    if not names:
        return own
    is_free = own is _anything
    members = _members(names)
    checks = [_check([row.rule for row in rows if row.name == name]) for name in names]
    # Most members are not sent: one comparison finds that no optional member is present.
    simple = [name for name, check in zip(names, checks, strict=True) if check == (True, _anything)]
    optional = [name for name in names if name not in simple]
    optionals: Callable[[Any], Any]
    absent: tuple[None, ...] | None
    if len(optional) == 1:
        optionals, absent = attrgetter(*optional), None
    else:
        optionals, absent = _members(optional), (None,) * len(optional)
    required = _members(simple)
    needed = [name for name, (is_required, _) in zip(names, checks, strict=True) if is_required]
    can_be_absent = needed == simple

    def hold(value: Any) -> bool:
        if can_be_absent and optionals(value) == absent:
            return (not simple or None not in required(value)) and (is_free or own(value))
        # Without `strict`, which would cost a tenth; they are equally long.
        for member, (is_required, holds) in zip(members(value), checks):  # noqa: B905
            if member is None:
                if is_required:
                    return False
            elif not holds(member):
                return False
        return is_free or own(value)

    return hold


def predicate(rule: OfValue) -> Predicate:
    """A function that returns whether a value keeps a rule."""
    match rule:
        case Length(least, most):
            return _length(least or 0, most)
        case Range(least, most):
            return lambda number: (
                (least is None or number >= least) and (most is None or number <= most)
            )
        case OneOf(enum):
            return enum.values.__contains__
        case Pattern(expression, linear):
            match_whole = re.compile(linear or expression, re.ASCII).fullmatch
            return lambda text: match_whole(text) is not None
        case _:
            return _predicate_of_parts(rule)


def _predicate_of_parts(
    rule: MapKeys | MapValues | ListMembers | Inside | Each | EachValue,
) -> Predicate:
    match rule:
        case MapKeys(rules) | ListMembers(rules):
            part = _all_of([predicate(one) for one in rules])
            return lambda parts: all(map(part, parts))
        case MapValues(rules):
            entry = _all_of([predicate(one) for one in rules])
            return lambda entries: all(map(entry, entries.values()))
        case Inside(rows):
            return compiled(rows.rows)
        case Each(rows):
            each = compiled(rows.rows)
            return lambda elements: all(map(each, elements))
        case EachValue(rows):
            each = compiled(rows.rows)
            return lambda entries: all(map(each, entries.values()))
        case _:
            assert_never(rule)


def _length(least: int, most: int | None) -> Predicate:
    if most is None:
        return lambda parts: len(parts) >= least
    return lambda parts: least <= len(parts) <= most


def _check(rules: Sequence[Rule]) -> tuple[bool, Predicate]:
    """Whether a member is required, and the predicate of its value."""
    of_value = [rule for rule in rules if not isinstance(rule, Required)]
    return len(of_value) < len(rules), _all_of([predicate(rule) for rule in of_value])


def _all_of(predicates: Sequence[Predicate]) -> Predicate:
    """The conjunction of predicates, without a loop."""
    if not predicates:
        return _anything
    first, *rest = predicates
    if not rest:
        return first
    others = _all_of(rest)
    return lambda value: first(value) and others(value)


def _anything(_: object) -> bool:
    return True


def _members(names: Sequence[str]) -> Callable[[Any], tuple[Any, ...]]:
    """Like attrgetter of several names, but returns a tuple also for one name or none."""
    if len(names) > 1:
        return attrgetter(*names)
    if not names:
        return lambda _: ()
    member = attrgetter(names[0])
    return lambda value: (member(value),)
