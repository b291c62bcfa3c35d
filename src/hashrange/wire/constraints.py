"""Declares which members of a request are required, and which values they may have.

The rows stand next to the request type:

    ROWS: Final = rows(
        required("table_name"),
        length("table_name", 1, TABLE_ARN_CHARS_MAX),
        one_of("return_values", RETURN_VALUES),
        inside("provisioned_throughput", required("write_capacity_units")),
        each("key_schema", required("attribute_name"), one_of("key_type", KEY_TYPE)),
    )

Names are those of the Struct's attributes; absent members break no row but `required`. A valid
request costs one predicate; the violations are searched for only if it is false.
"""

from collections.abc import Callable

from hashrange.errors import DynamoError, invalid
from hashrange.messages import wire as messages
from hashrange.wire.enums import EnumSet
from hashrange.wire.rules import (
    Each,
    EachValue,
    Form,
    Inside,
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
)
from hashrange.wire.violations import violations


def check(request: object, rows: Rows, form: Form, *, enveloped: bool = True) -> None:
    """Refuse a request that breaks a row.

    Args:
        request: a Struct with the members that the rows name.
        rows: compiled by `rows`.
        form: the wording of rows without a wording of their own.
        enveloped: prefix the text with the number of violations.

    Raises:
        DynamoError: ValidationException with the first violations, in the order of the rows.
    """
    if not rows.hold(request):
        raise _refusal(violations(request, rows, form), enveloped=enveloped)


def _refusal(found: list[str], *, enveloped: bool) -> DynamoError:
    assert found, "predicate and violations are of the same rows"
    return invalid(messages.envelope(found) if enveloped else "; ".join(found), bare=True)


def rows(*several: Row) -> Rows:
    """Compile rows; violations are listed in their order."""
    return Rows(several)


def required(name: str, *, form: Form = Form.MODEL) -> Row:
    """The member must be present; worded in the model's form for all operations by default."""
    return Row(name, Required(), form)


def length(name: str, least: int | None, most: int | None, *, form: Form | None = None) -> Row:
    """Characters of a text, elements of a list or entries of a map; inclusive, None is no bound."""
    return Row(name, Length(least, most), form)


def between(name: str, least: int | None, most: int | None, *, form: Form | None = None) -> Row:
    """A number from `least` to `most`, inclusive; None is no bound."""
    return Row(name, Range(least, most), form)


def one_of(name: str, enum: EnumSet, *, form: Form | None = None) -> Row:
    """A value of an enum."""
    return Row(name, OneOf(enum), form)


def matches(
    name: str,
    expression: str,
    *,
    linear: str | None = None,
    form: Form | None = None,
    refusal: Callable[[str], str] | None = None,
) -> Row:
    """A text that a regular expression matches as a whole.

    Args:
        name: that of the member.
        expression: as the service prints it.
        linear: as in `Pattern`.
        form: None for that of the request.
        refusal: as in `Pattern`.
    """
    return Row(name, Pattern(expression, linear, refusal), form)


def map_keys(
    name: str,
    *,
    least: int,
    most: int,
    pattern: str | None = None,
    form: Form | None = None,
    as_json: bool = False,
) -> Row:
    """The keys of a map, in one violation: `Map keys must satisfy constraint: [...]`.

    Args:
        name: that of the map.
        least: minimum of characters.
        most: maximum of characters.
        pattern: a regular expression; None if only the length counts.
        form: None for that of the request.
        as_json: echo the map as JSON, as the service does for batches of gets.
    """
    return Row(name, MapKeys(_rules(least, most, pattern), as_json), form)


def map_values(name: str, *, least: int, most: int, form: Form | None = None) -> Row:
    """Lengths of a map's values, in one violation: `Map value must satisfy constraint: [...]`."""
    return Row(name, MapValues(_rules(least, most, None)), form)


def list_members(
    name: str, *, least: int, most: int, pattern: str | None = None, linear: str | None = None
) -> Row:
    """The elements of a list, in one violation: `Member must satisfy constraint: [...]`.

    Args:
        name: that of the list.
        least: minimum of characters.
        most: maximum of characters.
        pattern: a regular expression; None if only the length counts.
        linear: as in `Pattern`.
    """
    return Row(name, ListMembers(_rules(least, most, pattern, linear)))


def inside(name: str, *members: Row) -> Row:
    """Rows about the members of a structure."""
    return Row(name, Inside(Rows(members)))


def each(name: str, *members: Row) -> Row:
    """Rows about each element of a list; `ITSELF` names the element."""
    return Row(name, Each(Rows(members)))


def each_value(name: str, *members: Row) -> Row:
    """Rows about each value of a map; `ITSELF` names the value."""
    return Row(name, EachValue(Rows(members)))


def _rules(
    least: int, most: int, pattern: str | None, linear: str | None = None
) -> tuple[Length | Pattern, ...]:
    bounds = Length(least, most)
    return (bounds,) if pattern is None else (bounds, Pattern(pattern, linear))
