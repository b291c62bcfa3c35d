"""What is remembered of writes for others with the same options: never what another one asked."""

import itertools

import pytest

from hashrange.errors import DynamoError
from hashrange.limits import WRITE_OPTIONS_MAX
from hashrange.model.legacy import ExpectedAttributeValue
from hashrange.operations import delete_item, put_item, update_item
from hashrange.operations.write_options import known_options, options_of

ITEM = {"pk": {"S": "k"}, "n": {"N": "1"}}
KEY = {"pk": {"S": "k"}}
OPERATIONS = {
    "PutItem": (put_item, put_item.PutItem, {"item": ITEM}),
    "UpdateItem": (update_item, update_item.UpdateItem, {"key": KEY}),
    "DeleteItem": (delete_item, delete_item.DeleteItem, {"key": KEY}),
}
# The first of each is right; of the others some are, and some are not.
CHOICES = {
    "table_name": [
        "items",
        "other",
        "arn:aws:dynamodb:us-east-1:000000000000:table/items",
        "",
        "?",
    ],
    "return_values": [None, "NONE", "ALL_OLD", "ALL_NEW", "UPDATED_OLD", "UPDATED_NEW", "all_old"],
    "return_consumed_capacity": [None, "TOTAL", "INDEXES", "NONE", "ALL"],
    "return_item_collection_metrics": [None, "SIZE", "NONE", "ALL"],
    "return_values_on_condition_check_failure": [None, "ALL_OLD", "NONE", "ALL_NEW"],
    "condition_expression": [None, "pk = :v", "attribute_exists(#n)", "attribute_exists(n)", ""],
    "expression_attribute_values": [None, {":v": {"S": "k"}}, {}],
    "expression_attribute_names": [None, {"#n": "n"}, {}],
    "expected": [None, {"n": ExpectedAttributeValue(exists=False)}, {}],
    "conditional_operator": [None, "AND", "OR", "XOR"],
}


def requests(make, whole):
    """Requests that differ in one member or in two, and some that lack what they must have."""
    first = {member: choices[0] for member, choices in CHOICES.items()} | whole
    varied = [{member: choice} for member, choices in CHOICES.items() for choice in choices]
    absent = [
        {"table_name": None},
        *({member: None} for member in whole),
        {member: {} for member in whole},
    ]
    for one, other in itertools.combinations([*varied, *absent], 2):
        yield make(**{**first, **one, **other})


def outcome(module, request):
    try:
        return module.check(request)
    except DynamoError as error:
        return error.fault, error.message, error.bare


# Whatever was asked before, with the same options but for one or with all of them, a request is
# told what it is told as the first of all; and the second time what it is told the first.
@pytest.mark.parametrize(("module", "make", "whole"), OPERATIONS.values(), ids=OPERATIONS)
def test_nothing_is_remembered_of_another_request(module, make, whole):
    made = list(requests(make, whole))
    alone = []
    for request in made:
        module._known.clear()
        alone.append(outcome(module, request))
    for _ in range(2):
        assert [outcome(module, request) for request in made] == alone
    assert len({repr(each) for each in alone}) > 50


@pytest.mark.parametrize(("module", "make", "whole"), OPERATIONS.values(), ids=OPERATIONS)
def test_what_is_right_is_remembered_and_what_is_refused_is_not(module, make, whole):
    module._known.clear()
    for wanted in ("ALL_OLD", "all_old"):
        request = make(table_name="items", return_values=wanted, **whole)
        outcome(module, request)
        known = module._known.get(module.options_sent(request))
        assert (known is not None) == (wanted == "ALL_OLD")


def test_few_are_kept():
    known = known_options()
    request = put_item.PutItem()
    for number in range(WRITE_OPTIONS_MAX + 10):
        known.keep(number, options_of("items", request), len("items"))
    assert sum(known.get(number) is not None for number in range(WRITE_OPTIONS_MAX + 10)) == 10
