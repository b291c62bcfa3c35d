"""How an operation says which members there must be and what they may hold.

The rows stand next to the request type:

    ROWS: Final = rows(
        required("table_name"),
        length("table_name", 1, TABLE_ARN_CHARS_MAX),
        one_of("return_values", RETURN_VALUES),
        inside("provisioned_throughput", required("write_capacity_units")),
        each("key_schema", required("attribute_name"), one_of("key_type", KEY_TYPE)),
    )

Names are those of the Struct's attributes; only `required` minds absent members. A valid request
pays for one predicate; what is wrong is looked for only when that says no.
"""

from hashrange.errors import DynamoError, invalid
from hashrange.messages.requests import constraints as messages
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
    compiled,
)
from hashrange.wire.violations import violations


def check(request: object, rows: Rows, form: Form, *, enveloped: bool = True) -> None:
    """Refuse a request that breaks a row.

    Args:
        request: a Struct with the members that the rows name.
        rows: as `rows` compiles them.
        form: the wording of rows that do not say theirs.
        enveloped: put the violations behind their count.

    Raises:
        DynamoError: ValidationException with the first violations, in the order of the rows.
    """
    if not rows.hold(request):
        raise _refusal(violations(request, rows, form), enveloped=enveloped)


def _refusal(found: list[str], *, enveloped: bool) -> DynamoError:
    assert found, "the predicate and the texts look at the same rows"
    return invalid(messages.envelope(found) if enveloped else "; ".join(found), bare=True)


def rows(*several: Row) -> Rows:
    """Compile rows; the order is that in which violations are told."""
    return compiled(several)


def required(name: str, *, form: Form = Form.MODEL) -> Row:
    """The member must be there; told in the model's form on every layer, unless said otherwise."""
    return Row(name, Required(), form)


def length(name: str, least: int | None, most: int | None, *, form: Form | None = None) -> Row:
    """Characters of a text, elements of a list or entries of a map; inclusive."""
    return Row(name, Length(least, most), form)


def between(name: str, least: int | None, most: int | None, *, form: Form | None = None) -> Row:
    """A number; inclusive."""
    return Row(name, Range(least, most), form)


def one_of(name: str, enum: EnumSet, *, form: Form | None = None) -> Row:
    """A text out of a closed set."""
    return Row(name, OneOf(enum), form)


def matches(name: str, expression: str, *, form: Form | None = None) -> Row:
    """A text that matches a regular expression as a whole."""
    return Row(name, Pattern(expression), form)


def map_keys(
    name: str,
    *,
    least: int,
    most: int,
    pattern: str | None = None,
    form: Form | None = None,
    as_json: bool = False,
) -> Row:
    """The keys of a map, told together: `Map keys must satisfy constraint: [...]`.

    Args:
        name: of the map.
        least: characters.
        most: characters.
        pattern: None if any key of that length will do.
        form: None for that of the request.
        as_json: echo the map as JSON, as BatchGetItem does.
    """
    return Row(name, MapKeys(_rules(least, most, pattern), as_json), form)


def map_values(name: str, *, least: int, most: int, form: Form | None = None) -> Row:
    """Lengths of a map's values, told together: `Map value must satisfy constraint: [...]`."""
    return Row(name, MapValues(_rules(least, most, None)), form)


def list_members(name: str, *, least: int, most: int, form: Form | None = None) -> Row:
    """Lengths of a list's elements, told together: `Member must satisfy constraint: [...]`."""
    return Row(name, ListMembers(_rules(least, most, None)), form)


def inside(name: str, *members: Row) -> Row:
    """Rows about the members of a structure."""
    return Row(name, Inside(compiled(members)))


def each(name: str, *members: Row) -> Row:
    """Rows about each element of a list; `ITSELF` names the element."""
    return Row(name, Each(compiled(members)))


def each_value(name: str, *members: Row) -> Row:
    """Rows about each value of a map; `ITSELF` names the value."""
    return Row(name, EachValue(compiled(members)))


def _rules(least: int, most: int, pattern: str | None) -> tuple[Length | Pattern, ...]:
    bounds = Length(least, most)
    return (bounds,) if pattern is None else (bounds, Pattern(pattern))
