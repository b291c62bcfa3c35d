"""The ranges of sort conditions against the conditions themselves."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashrange.tables.keys.key_ranges import sort_range
from hashrange.tables.keys.ordering import ordered
from tests.rows import rows
from tests.unit.model.strategies import base64, data, texts
from tests.unit.tables.key_values import (
    binary_values,
    comparable,
    number_values,
    string_values,
    suffixes,
    within,
)

MEETS = {
    "=": lambda value, operand: value == operand,
    "<": lambda value, operand: value < operand,
    "<=": lambda value, operand: value <= operand,
    ">": lambda value, operand: value > operand,
    ">=": lambda value, operand: value >= operand,
    "BETWEEN": lambda value, low, high: low <= value <= high,
    "begins_with": lambda value, operand: value.startswith(operand),
}


@st.composite
def conditions(draw, operator):
    """Operands and values of their type, many of them near the operands."""
    kinds = [string_values, binary_values]
    if operator != "begins_with":
        kinds.append(number_values)
    kind = draw(st.sampled_from(kinds))
    operands = draw(st.lists(kind, min_size=2, max_size=2))[: 2 if operator == "BETWEEN" else 1]
    values = draw(st.lists(kind, max_size=4)) + operands
    for operand in operands:
        if "S" in operand:
            values += [{"S": operand["S"] + draw(texts)}, {"S": operand["S"][:-1]}]
        if "B" in operand:
            raw = comparable(operand)
            values += [{"B": base64(raw + draw(data))}, {"B": base64(raw[:-1])}]
            if raw and raw[-1] < 255:
                values.append({"B": base64(raw[:-1] + bytes([raw[-1] + 1]))})
    return operands, values


@pytest.mark.parametrize("operator", MEETS)
@given(st.data(), st.sampled_from([b"", b"\x00", b"p", b"p\xff", b"\xff\xff"]), suffixes)
def test_ranges_hold_exactly_what_meets_the_condition(operator, drawn, partition, suffix):
    operands, values = drawn.draw(conditions(operator))
    bounds = sort_range(b"\x01" + partition, operator, operands)
    assert bounds[0] <= bounds[1]
    for value in values:
        meets = MEETS[operator](comparable(value), *map(comparable, operands))
        assert within(b"\x01" + partition + ordered(value) + suffix, bounds) == meets
        for other_partition in (b"\x00", b"\x02"):
            assert not within(other_partition + partition + ordered(value) + suffix, bounds)


@pytest.mark.parametrize(
    ("operand", "begins", "other"),
    [
        (b"", b"\xff" * 20, None),
        (b"\xff", b"\xff" * 20, b"\xfe\xff"),
        (b"a\xff", b"a\xff\xff", b"b"),
        (b"abcdefgh", b"abcdefghi", b"abcdefgi"),
        (b"abcdefghi", b"abcdefghi\0", b"abcdefgh"),
        (b"\0" * 8, b"\0" * 9, b"\0" * 7),
    ],
)
def test_begins_with_is_no_byte_prefix(operand, begins, other):
    bounds = sort_range(b"p", "begins_with", [{"B": base64(operand)}])
    assert within(b"p" + ordered({"B": base64(operand)}), bounds)
    assert within(b"p" + ordered({"B": base64(begins)}) + b"\xff", bounds)
    if other is not None:
        assert not within(b"p" + ordered({"B": base64(other)}) + b"\xff", bounds)


@rows("operator", MEETS)
@rows("operand", [{"S": ""}, {"B": ""}, {"N": "0"}])
def test_other_types_under_the_prefix_are_no_part_of_a_range(operator, operand):
    if operator == "begins_with" and "N" in operand:
        operand = {"S": "0"}  # there are no numbers that begin with another
    bounds = sort_range(b"p", operator, [operand, operand])
    for other in ({"S": "x"}, {"B": "AA=="}, {"N": "1"}, {"N": "-1"}):
        if not other.keys() & operand.keys():
            assert not within(b"p" + ordered(other), bounds)
