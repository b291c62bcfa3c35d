"""Finds the violations of a request that breaks its rows, in the service's words."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, assert_never

import msgspec

from hashrange.limits.requests import VIOLATIONS_MAX
from hashrange.messages import wire as messages
from hashrange.wire.echo import as_java, as_json, lower_first
from hashrange.wire.member_types import ListOf, MapOf, MemberType, Structure, structure_of
from hashrange.wire.rules import (
    ITSELF,
    Each,
    EachValue,
    Form,
    Inside,
    Leaf,
    Length,
    ListMembers,
    MapKeys,
    MapValues,
    OneOf,
    Pattern,
    Range,
    Required,
    Row,
    Rows,
    predicate,
)


class _Location(msgspec.Struct, frozen=True):
    """The place of a value: its type, its path in both forms, and the wording of the request."""

    member_type: MemberType
    form: Form
    model: str = ""
    current: str = ""

    def member(self, attribute: str) -> "_Location":
        """The location of a member, by the name of the Struct's attribute."""
        assert isinstance(self.member_type, Structure), "only structures have members"
        own = self.member_type.attributes.items()
        name = next(name for name, candidate in own if candidate == attribute)
        member_type = self.member_type.members[name]
        if not self.model:
            return _Location(member_type, self.form, lower_first(name), name)
        return _Location(
            member_type, self.form, f"{self.model}.{lower_first(name)}", f"{self.current}.{name}"
        )

    def part(self, label: object) -> "_Location":
        """The location of an element, by its number from 1, or of a map's value, by its key."""
        assert isinstance(self.member_type, (ListOf, MapOf)), "only lists and maps have parts"
        member_type = (
            self.member_type.element
            if isinstance(self.member_type, ListOf)
            else self.member_type.value
        )
        suffix = f".{label}.member"
        return _Location(member_type, self.form, self.model + suffix, self.current + suffix)


class _Violation(msgspec.Struct, frozen=True):
    """A violation.

    Attributes:
        is_enum: it is of an enum in the current form.
        is_refusal: the text is the whole refusal.
    """

    text: str
    is_enum: bool = False
    is_refusal: bool = False


def violations(request: object, rows: Rows, form: Form) -> list[str]:
    """The first VIOLATIONS_MAX violations, in the order of the rows.

    Args:
        request: a Struct.
        rows: those of its type.
        form: the wording of rows without a wording of their own.
    """
    found = _found(request, rows, _Location(structure_of(type(request)), form))
    return [violation.text for violation in islice(_with_one_enum(found), VIOLATIONS_MAX)]


def first_refusal(request: object, rows: Rows, form: Form) -> str:
    """The refusal of a request, in the order of the rows, with one violation only."""
    first = next(_found(request, rows, _Location(structure_of(type(request)), form)))
    return first.text if first.is_refusal else messages.envelope([first.text])


def _with_one_enum(found: Iterable[_Violation]) -> Iterator[_Violation]:
    """Leave out further violations of enums: in the current form the service reports the first."""
    has_enum = False
    for violation in found:
        if not (violation.is_enum and has_enum):
            yield violation
        has_enum = has_enum or violation.is_enum


def _found(value: object, rows: Rows, at: _Location) -> Iterator[_Violation]:
    for row in rows.rows:
        if row.name == ITSELF:
            yield from _row(value, row, at)
        else:
            yield from _row(getattr(value, row.name), row, at.member(row.name))


def _row(value: Any, row: Row, at: _Location) -> Iterator[_Violation]:
    form = row.form or at.form
    match row.rule:
        case Required():
            if value is None:
                yield _Violation(_absent(at, form))
        case _ if value is None:
            return
        case Inside(rows):
            yield from _found(value, rows, at)
        case Each(rows):
            yield from _parts(enumerate(value, start=1), rows, at)
        case EachValue(rows):
            yield from _parts(value.items(), rows, at)
        case Pattern(refusal=refusal) as rule if refusal is not None:
            if not predicate(rule)(value):
                yield _Violation(refusal(at.model), is_refusal=True)
        case rule:
            is_enum = isinstance(rule, OneOf) and form is Form.CURRENT
            for constraint in _broken(value, rule, form):
                yield _Violation(_worded(value, rule, constraint, at=at, form=form), is_enum)


def _parts(
    parts: Iterable[tuple[object, object]], rows: Rows, at: _Location
) -> Iterator[_Violation]:
    for label, part in parts:
        if not rows.hold(part):
            yield from _found(part, rows, at.part(label))


def _absent(at: _Location, form: Form) -> str:
    if form is not Form.CURRENT:
        return messages.value_null(at.model, messages.not_null())
    return messages.value_unechoed(at.current, messages.not_null())


def _worded(value: object, rule: Leaf, constraint: str, *, at: _Location, form: Form) -> str:
    if form is Form.MODEL:
        is_json = isinstance(rule, MapKeys) and rule.as_json
        text = as_json(value) if is_json else as_java(value, at.member_type)
        return messages.value_echoed(text, at.model, constraint)
    if form is Form.UNECHOED:
        return messages.value_unechoed(at.model, constraint)
    if isinstance(rule, OneOf):
        return messages.failed(constraint)
    return messages.value_unechoed(at.current, constraint)


def _broken(value: Any, rule: Leaf, form: Form) -> Iterator[str]:
    """The constraints of one rule that a value breaks; a length has two."""
    match rule:
        case Length(least, most):
            yield from _out_of_bounds(len(value), least, most, of_length=True)
        case Range(least, most):
            yield from _out_of_bounds(value, least, most, of_length=False)
        case _ if predicate(rule)(value):
            return
        case OneOf(enum):
            is_current = form is Form.CURRENT
            yield messages.enum_value_set(enum.printed_current if is_current else enum.printed)
        case Pattern(expression):
            yield messages.pattern(expression)
        case MapKeys(rules):
            yield messages.map_keys(_listed(rules))
        case MapValues(rules):
            yield messages.map_value(_listed(rules))
        case ListMembers(rules):
            more = [messages.not_null()] if form is Form.UNECHOED else []
            yield messages.list_member([*_listed(rules), *more])
        case _:
            assert_never(rule)


def _out_of_bounds(
    number: int, least: int | None, most: int | None, *, of_length: bool
) -> Iterator[str]:
    if least is not None and number < least:
        at_least = messages.length_at_least if of_length else messages.value_at_least
        yield at_least(least)
    if most is not None and number > most:
        at_most = messages.length_at_most if of_length else messages.value_at_most
        yield at_most(most)


def _listed(rules: tuple[Length | Pattern, ...]) -> list[str]:
    """All rules, as they are listed between brackets."""
    return [text for rule in rules for text in _texts(rule)]


def _texts(rule: Length | Pattern) -> Iterator[str]:
    match rule:
        case Length(least, most):
            assert least is not None, "listed lengths have both bounds"
            assert most is not None, "listed lengths have both bounds"
            yield messages.length_at_most(most)
            yield messages.length_at_least(least)
        case Pattern(expression):
            yield messages.pattern(expression)
        case _:
            assert_never(rule)
