"""The model's constraints: what holds, what is told, in which words and order."""

import msgspec
import pytest

from hashrange.wire import enums
from hashrange.wire.constraints import (
    between,
    check,
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
    rows,
)
from hashrange.wire.rules import ITSELF, Form
from tests.unit.refusals import refusal
from tests.unit.wire.requests import (
    KeysAndAttributes,
    KeySchemaElement,
    ProvisionedThroughput,
    PutRequest,
    Request,
    WriteRequest,
    null_at,
    told,
    unechoed,
    value,
)

NAME = "[a-zA-Z0-9_.-]+"

# One text per rule and form, as the service was seen to say it.
SHORT = "Member must have length greater than or equal to 3"
LONG = "Member must have length less than or equal to 5"
SMALL = "Member must have value greater than or equal to 1"
KEY_TYPES = "Member must satisfy enum value set: [HASH, RANGE]"
PATTERN = f"Member must satisfy regular expression pattern: {NAME}"


VALID = Request(
    table_name="abc",
    item={},
    limit=1,
    return_values="UPDATED_NEW",
    attributes_to_get=["abc"],
    key_schema=[KeySchemaElement("a", "HASH")],
    provisioned_throughput=ProvisionedThroughput(1, 1),
    writes={"abc": [WriteRequest(PutRequest({}))]},
    gets={"abc": KeysAndAttributes([])},
)
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


@pytest.mark.parametrize("form", Form)
def test_a_valid_request_passes(form):
    assert refusal(check, VALID, rows(*ALL_ROWS), form) is None
    assert refusal(check, msgspec.structs.replace(VALID, limit=0), rows(*ALL_ROWS), form)


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


def test_no_rows_at_all():
    assert told(Request()) == []


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


def test_nested_paths_of_both_forms():
    request = Request(
        key_schema=[KeySchemaElement(key_type="Woop"), KeySchemaElement("a")],
        provisioned_throughput=ProvisionedThroughput(read_capacity_units=-1),
        writes={"aa;": [WriteRequest(), WriteRequest(PutRequest())]},
        gets={"T": KeysAndAttributes([])},
    )
    several = (
        each(
            "key_schema",
            required("attribute_name"),
            required("key_type"),
            one_of("key_type", enums.KEY_TYPE),
        ),
        inside(
            "provisioned_throughput",
            required("write_capacity_units"),
            between("read_capacity_units", 1, None),
        ),
        each_value("writes", each(ITSELF, inside("put_request", required("item")))),
        each_value("gets", length("keys", 1, 100)),
    )
    least = "Member must have length greater than or equal to 1"
    assert told(request, *several) == [
        null_at("keySchema.1.member.attributeName"),
        value("Woop", "keySchema.1.member.keyType", KEY_TYPES),
        null_at("keySchema.2.member.keyType"),
        null_at("provisionedThroughput.writeCapacityUnits"),
        value("-1", "provisionedThroughput.readCapacityUnits", SMALL),
        null_at("writes.aa;.member.2.member.putRequest.item"),
        value("[]", "gets.T.member.keys", least),
    ]
    assert told(request, *several, form=Form.CURRENT)[-1] == unechoed("Gets.T.member.Keys", least)


# Rows about an element as a whole, beside rows about its members.
def test_an_element_itself():
    request = Request(attributes_to_get=["abc", "abcdef"], writes={"T": []})
    assert told(
        request,
        each("attributes_to_get", length(ITSELF, 3, 5)),
        each_value("writes", length(ITSELF, 3, None)),
        form=Form.CURRENT,
    ) == [unechoed("AttributesToGet.2.member", LONG), unechoed("Writes.T.member", SHORT)]


# Without rules of its own an element may be anything; with both kinds, both are told.
def test_an_element_and_its_members():
    request = Request(writes={"T": [WriteRequest(PutRequest())]}, gets={"T": KeysAndAttributes()})
    assert told(request, each_value("writes", each(ITSELF))) == []
    assert told(
        Request(attributes_to_get=["ab"], key_schema=[KeySchemaElement()]),
        each("attributes_to_get", length(ITSELF, 3, 5), matches(ITSELF, "x*")),
        each("key_schema", required("key_type"), one_of("attribute_name", enums.KEY_TYPE)),
    ) == [
        value("ab", "attributesToGet.1.member", SHORT),
        value("ab", "attributesToGet.1.member", PATTERN.replace(NAME, "x*")),
        null_at("keySchema.1.member.keyType"),
    ]


def test_a_list_and_its_elements_are_told_together():
    request = Request(key_schema=[KeySchemaElement("a", "HASH")] * 2 + [KeySchemaElement("b")])
    found = told(request, length("key_schema", None, 2), each("key_schema", required("key_type")))
    assert found == [
        value(
            "[KeySchemaElement(attributeName=a, keyType=HASH), "
            "KeySchemaElement(attributeName=a, keyType=HASH), "
            "KeySchemaElement(attributeName=b, keyType=null)]",
            "keySchema",
            "Member must have length less than or equal to 2",
        ),
        null_at("keySchema.3.member.keyType"),
    ]
