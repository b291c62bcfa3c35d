"""The model's constraints: what holds, what is told, in which words and order."""

import pytest

from hashrange.wire import enums
from hashrange.wire.constraints import (
    between,
    each,
    each_value,
    inside,
    length,
    list_members,
    map_keys,
    map_values,
    matches,
    one_of,
    required,
)
from hashrange.wire.rules import ITSELF, Form
from tests.unit.wire.requests import KeySchemaElement, Request, told, unechoed, value

NAME = "[a-zA-Z0-9_.-]+"

LONG = "Member must have length less than or equal to 5"
SMALL = "Member must have value greater than or equal to 1"


ALL_ROWS = (
    required("table_name"),
    length("table_name", 3, 5),
    matches("table_name", NAME),
    between("limit", 1, None),
    between("limit", None, 100),
    one_of("return_values", enums.RETURN_VALUE),
    list_members("attributes_to_get", least=3, most=5),
    each("key_schema", required("attribute_name"), one_of("key_type", enums.KEY_TYPE)),
    inside("provisioned_throughput", required("read_capacity_units")),
    map_keys("writes", least=3, most=5, pattern=NAME),
    map_values("writes", least=1, most=5),
    each_value("writes", each(ITSELF, inside("put_request", required("item")))),
    each_value("gets", required("keys"), length("keys", None, 5)),
)


@pytest.mark.parametrize(("number", "holds"), [(2, False), (3, True), (5, True), (6, False)])
def test_bounds_are_inclusive(number, holds):
    request = Request(
        table_name="a" * number,
        limit=number,
        attributes_to_get=["a" * number],
        key_schema=[KeySchemaElement()] * number,
    )
    for row in (
        length("table_name", 3, 5),
        between("limit", 3, 5),
        list_members("attributes_to_get", least=3, most=5),
        length("key_schema", 3, 5),
    ):
        assert (told(request, row) == []) == holds


# Only required members mind being absent.
def test_absent_members_pass():
    assert told(Request(table_name="abc"), *ALL_ROWS) == []


def test_no_more_than_ten_are_listed():
    request = Request(key_schema=[KeySchemaElement()] * 12)
    found = told(request, each("key_schema", required("attribute_name")))
    assert len(found) == 10
    assert "'keySchema.10.member.attributeName'" in found[-1]


# The current layer stops at the first value of no enum, but goes on with all other rules.
def test_one_enum_is_told_in_the_current_layer():
    request = Request(
        return_values="x", conditional_operator="x", table_name="", limit=0, attributes_to_get=[]
    )
    several = (
        one_of("return_values", enums.RETURN_VALUE),
        length("table_name", 1, None),
        one_of("conditional_operator", enums.CONDITIONAL_OPERATOR),
        between("limit", 1, None),
        one_of("return_values", enums.RETURN_VALUE),
        length("attributes_to_get", 1, None),
    )
    enum = f"Member must satisfy enum value set: [{', '.join(enums.RETURN_VALUE.printed_current)}]"
    assert told(request, *several, form=Form.CURRENT) == [
        f"Failed to satisfy constraint: {enum}",
        unechoed("TableName", "Member must have length greater than or equal to 1"),
        unechoed("Limit", "Member must have value greater than or equal to 1"),
        unechoed("AttributesToGet", "Member must have length greater than or equal to 1"),
    ]
    # The model's layer tells them all.
    assert len(told(request, *several)) == len(several)


# A row may be worded otherwise than the request: long names are echoed on every layer.
def test_the_form_of_a_row_wins():
    request = Request(table_name="abcdef", limit=0)
    model = length("table_name", 3, 5, form=Form.MODEL)
    assert told(request, model, between("limit", 1, 9), form=Form.CURRENT) == [
        value("abcdef", "tableName", LONG),
        unechoed("Limit", SMALL),
    ]
    current = required("item", form=Form.CURRENT)
    assert told(request, current) == [unechoed("Item", "Member must not be null")]
