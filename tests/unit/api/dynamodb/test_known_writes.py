"""What is known of writes asked for before: it changes no answer and no refusal, and is bounded."""

import itertools

import pytest

from hashrange.api.dynamodb.items import delete_item, put_item, update_item
from hashrange.errors import DynamoError
from hashrange.limits.requests import EXPRESSION_SHAPE_CHARS_MAX, EXPRESSION_SHAPES_MAX
from hashrange.model.structures.dynamodb import AttributeValueUpdate, ExpectedAttributeValue
from hashrange.model.table import Index, KeyAttribute
from hashrange.tables.opened.open_table import OpenTable
from tests.unit.caches import forget, known
from tests.unit.tables.definitions import definition

NAMES, VALUES = "expression_attribute_names", "expression_attribute_values"
ITEM = {"pk": {"S": "k"}, "n": {"N": "1"}}
KEY = {"pk": {"S": "k"}}
N = KeyAttribute("n", "N")
INDEX = Index(name="by-n", number=1, partition=(N,), projection="ALL")
TABLES = [
    OpenTable(definition(), {}),
    OpenTable(definition(number=2, indexes=(INDEX,)), {}),
    OpenTable(definition(number=3, partition=N, attributes=(N,)), {}),
]
OPERATIONS = {
    "PutItem": (put_item, put_item.PutItem, {"item": ITEM}),
    "UpdateItem": (update_item, update_item.UpdateItem, {"key": KEY}),
    "DeleteItem": (delete_item, delete_item.DeleteItem, {"key": KEY}),
}
# The first of each is right; of the others some are, and some are not.
CHOICES = {
    "table_name": ["t", "other", "arn:aws:dynamodb:us-east-1:000000000000:table/t", "", "?", None],
    "return_values": [None, "NONE", "ALL_OLD", "ALL_NEW", "UPDATED_OLD", "UPDATED_NEW", "all_old"],
    "return_consumed_capacity": [None, "TOTAL", "INDEXES", "NONE", "ALL"],
    "return_item_collection_metrics": [None, "SIZE", "NONE", "ALL"],
    "return_values_on_condition_check_failure": [None, "ALL_OLD", "NONE", "ALL_NEW"],
    "condition_expression": [None, "pk = :v", "n > :v", "attribute_exists(#n)", "n.a = n", ""],
    VALUES: [None, {":v": {"S": "k"}}, {":v": {"N": "1.0"}}, {":v": {"N": "x"}}, {":v": {}}, {}],
    NAMES: [None, {"#n": "n"}, {"#n": "m"}, {}],
    "expected": [None, {"n": ExpectedAttributeValue(exists=False)}, {}],
    "conditional_operator": [None, "AND", "OR", "XOR"],
}
OF_UPDATE = {
    "update_expression": [None, "SET n = :v", "SET #n = :v", "REMOVE n", "REMOVE n.a", "SET", ""],
    "attribute_updates": [None, {"n": AttributeValueUpdate(action="DELETE")}, {}],
}
KEYS = [
    {"pk": {"S": "other"}},
    {"n": {"N": "1"}},
    {"n": {"N": "1.0"}},
    {"n": {"N": "x"}},
    {"pk": {"S": ""}},
    {"pk": {"S": "k", "N": "1"}},
    {"pk": {}},
    {"": {"S": "k"}},
    {},
    None,
]


def requests(make, whole):
    """Requests that differ in one member or in two."""
    choices = CHOICES | (OF_UPDATE if make is update_item.UpdateItem else {})
    first = {member: some[0] for member, some in choices.items()} | whole
    varied = [{member: choice} for member, some in choices.items() for choice in some]
    varied += [{member: key} for member in whole for key in KEYS]
    for one, other in itertools.combinations(varied, 2):
        yield make(**{**first, **one, **other})


def outcome(module, request, table):
    try:
        plan = module.fit(module.check(request), table)
    except DynamoError as error:
        return error.fault, error.message, error.bare
    return plan


# Whatever was asked before, of whichever table, a request is told what it is told as the first of
# all; and the second time what it is told the first.
@pytest.mark.parametrize(("module", "make", "whole"), OPERATIONS.values(), ids=OPERATIONS)
def test_nothing_is_known_of_another_request(module, make, whole):
    made = list(requests(make, whole))
    alone = []
    for request in made:
        for table in TABLES:
            forget(module)
            alone.append(outcome(module, request, table))
    refused = sum(isinstance(each, tuple) for each in alone)
    assert 0 < refused < len(alone)
    for _ in range(2):
        again = [outcome(module, request, table) for request in made for table in TABLES]
        assert again == alone
    other_way = [outcome(module, request, table) for request in made for table in TABLES[::-1]]
    for position in range(0, len(alone), len(TABLES)):
        here = slice(position, position + len(TABLES))
        assert other_way[here][::-1] == alone[here]


@pytest.mark.parametrize("name", ["PutItem", "DeleteItem"])
def test_what_is_right_is_known_and_what_is_refused_is_not(name):
    module, make, whole = OPERATIONS[name]
    for wanted in ("ALL_OLD", "all_old"):
        forget(module)
        outcome(module, make(table_name="items", return_values=wanted, **whole), TABLES[0])
        assert known(module) == (wanted == "ALL_OLD")


# Whoever sends ever new requests fills no memory.
def test_what_is_known_is_bounded():
    forget(update_item)
    for number in range(EXPRESSION_SHAPES_MAX + 2):
        request = update_item.UpdateItem(table_name=f"table{number}", key=KEY)
        outcome(update_item, request, TABLES[0])
    assert 7 / 8 * EXPRESSION_SHAPES_MAX <= known(update_item) <= EXPRESSION_SHAPES_MAX
    forget(update_item)
    long = "x" * EXPRESSION_SHAPE_CHARS_MAX
    expression = {"update_expression": "REMOVE #n", NAMES: {"#n": long}}
    for large in ({"key": {**KEY, long: {"S": "x"}}}, {"key": KEY, **expression}):
        update_item.check(update_item.UpdateItem(table_name="t", **large))
        assert known(update_item) == 0
