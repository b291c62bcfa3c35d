"""What is known of the shape of a request: it changes no answer and no refusal, and is bounded."""

import itertools

import pytest

from hashrange.api.dynamodb.items import get_item, query
from hashrange.errors import DynamoError
from hashrange.limits.requests import EXPRESSION_SHAPE_CHARS_MAX, EXPRESSION_SHAPES_MAX
from hashrange.model.structures.dynamodb import Condition, GetItem, Query
from hashrange.model.table import Index, KeyAttribute
from hashrange.tables.opened.open_table import OpenTable
from tests.unit.caches import forget, known
from tests.unit.tables.definitions import definition

P, K = KeyAttribute("p", "S"), KeyAttribute("k", "S")
N = KeyAttribute("k", "N")
GLOBAL = Index(
    name="global", number=1, partition=(K,), sort=(P,), projection="INCLUDE", non_key=("a",)
)
LOCAL = Index(name="local", number=2, is_local=True, partition=(P,), projection="KEYS_ONLY")
MANY = Index(name="many", number=3, partition=(P, K), projection="ALL")


def table(number, sort, *indexes):
    """A table `t`."""
    attributes = (P,) if sort is None else (P, sort)
    changes = {"attributes": attributes, "partition": P, "sort": sort, "indexes": indexes}
    return OpenTable(definition(number=number, name="t", **changes), {})


TEXTS = table(1, K, GLOBAL, LOCAL, MANY)
NUMBERS = table(2, N)
ALONE = table(3, None)
TABLES = [TEXTS, NUMBERS, ALONE]

S, OTHER = {"S": "x"}, {"S": "y"}
KEY = {"p": S, "k": S}
GETS = [
    {},
    {"table_name": None},
    {"table_name": ""},
    {"table_name": "another"},
    {"table_name": "?"},
    {"consistent_read": True},
    {"consistent_read": False},
    {"return_consumed_capacity": "TOTAL"},
    {"return_consumed_capacity": "INDEXES"},
    {"return_consumed_capacity": "ALL"},
    {"attributes_to_get": ["a"]},
    {"attributes_to_get": []},
    {"attributes_to_get": ["a"], "projection_expression": "a"},
    {"projection_expression": "a"},
    {"projection_expression": "p.a"},
    {"projection_expression": ""},
    {"projection_expression": "#a"},
    {"projection_expression": "#a", "expression_attribute_names": {"#a": "a"}},
    {"projection_expression": "#a", "expression_attribute_names": {"#a": "b"}},
    {"projection_expression": "a", "expression_attribute_names": {"#a": "b"}},
    {"projection_expression": "a", "expression_attribute_names": {}},
    {"expression_attribute_names": {"#a": "a"}},
    {"expression_attribute_names": {}},
    {"key": None},
    {"key": {}},
    {"key": {"p": OTHER, "k": OTHER}},
    {"key": {"k": S, "p": S}},
    {"key": {"p": S}},
    {"key": {"p": S, "q": S}},
    {"key": {"p": S, "": S}},
    {"key": {"p": S, "k": S, "q": S}},
    {"key": {"p": S, "k": {}}},
    {"key": {"p": {}, "k": {"S": "x", "N": "1"}}},
    {"key": {"p": {"S": "x", "N": "1"}, "k": {}}},
    {"key": {"p": S, "k": {"N": "1"}}},
    {"key": {"p": S, "k": {"N": "1.0"}}},
    {"key": {"p": S, "k": {"N": "one"}}},
    {"key": {"p": S, "k": {"NULL": False}}},
    {"key": {"p": S, "k": {"SS": ["a", "a"]}}},
    {"key": {"p": S, "k": {"B": "?"}}},
    {"key": {"p": {"S": ""}, "k": S}},
    {"key": {"p": S, "k": {"S": ""}}},
    {"key": {"p": {"S": "x" * 2049}, "k": S}},
    {"key": {"p": S, "k": {"S": "é" * 513}}},
]

KEYED = {"key_condition_expression": "p = :p"}
VALUES = "expression_attribute_values"
SORTED = {"key_condition_expression": "p = :p AND k > :k", VALUES: {":p": S, ":k": S}}
BETWEEN = {"key_condition_expression": "k BETWEEN :a AND :b AND p = :p"}
EQUAL = {"key_condition_expression": "p = :p AND k = :k", VALUES: {":p": S, ":k": S}}
FILTERED = {"filter_expression": "a = :a", VALUES: {":p": S, ":a": S}}
OF_GLOBAL = {"index_name": "global", "key_condition_expression": "k = :p"}
EQUALS_X = Condition(comparison_operator="EQ", attribute_value_list=[S])
LEGACY = {"key_condition_expression": None, VALUES: None, "key_conditions": {"p": EQUALS_X}}
EMPTY, LONG = {"S": ""}, {"S": "x" * 2049}
QUERIES = [
    {},
    {"table_name": "another"},
    {"table_name": None},
    {"consistent_read": True},
    {"limit": 1},
    {"limit": 7},
    {"limit": 0},
    {"limit": -1},
    {"scan_index_forward": False},
    {"scan_index_forward": True},
    {"select": "COUNT"},
    {"select": "ALL_ATTRIBUTES"},
    {"select": "ALL_PROJECTED_ATTRIBUTES"},
    {"select": "SPECIFIC_ATTRIBUTES"},
    {"select": "SOME"},
    {"return_consumed_capacity": "INDEXES"},
    {"return_consumed_capacity": "ALL"},
    {"projection_expression": "a"},
    {"projection_expression": "p.a"},
    {"projection_expression": "a", "select": "COUNT"},
    {"projection_expression": "#a", "expression_attribute_names": {"#a": "a"}},
    {"projection_expression": "#a", "expression_attribute_names": {"#a": "p"}},
    {"expression_attribute_names": {"#a": "a"}},
    {"expression_attribute_names": {}},
    {VALUES: None},
    {VALUES: {}},
    {VALUES: {":p": OTHER}},
    {VALUES: {":p": EMPTY}},
    {VALUES: {":p": LONG}},
    {VALUES: {":p": {"S": "x", "N": "1"}}},
    {VALUES: {":p": {}}},
    {VALUES: {":p": {"N": "1"}}},
    {VALUES: {":p": S, ":q": S}},
    {VALUES: {":q": S}},
    {"exclusive_start_key": {"p": S, "k": OTHER}},
    {"exclusive_start_key": {"p": OTHER, "k": OTHER}},
    {"exclusive_start_key": {"p": S, "k": {"N": "?"}}},
    {"exclusive_start_key": {"p": S}, VALUES: {":p": {"N": "?"}}},
    {"exclusive_start_key": {"p": S}},
    {"exclusive_start_key": {}},
    SORTED,
    {**SORTED, VALUES: {":p": S, ":k": OTHER}},
    {**SORTED, VALUES: {":k": S, ":p": S}},
    {**SORTED, VALUES: {":p": S, ":k": EMPTY}},
    {**SORTED, VALUES: {":p": EMPTY, ":k": EMPTY}},
    {**SORTED, VALUES: {":p": S, ":k": LONG}},
    {**SORTED, VALUES: {":p": S, ":k": {"N": "1.0"}}},
    {**SORTED, VALUES: {":p": S, ":k": {"N": "1"}}},
    {**SORTED, VALUES: {":p": S, ":k": {"N": "?"}}},
    {**SORTED, "exclusive_start_key": {"p": S, "k": OTHER}},
    {**SORTED, "limit": 1},
    {**BETWEEN, VALUES: {":p": S, ":a": S, ":b": OTHER}},
    {**BETWEEN, VALUES: {":p": S, ":a": OTHER, ":b": S}},
    {**BETWEEN, VALUES: {":p": S, ":a": {"N": "1"}, ":b": {"N": "2"}}},
    {**BETWEEN, VALUES: {":p": S, ":a": {"N": "2"}, ":b": {"N": "1"}}},
    {**EQUAL, "limit": 1},
    {**EQUAL, "limit": 1, "exclusive_start_key": {"p": S, "k": S}},
    {"key_condition_expression": "p = :p AND q = :p"},
    {"key_condition_expression": "p > :p"},
    {"key_condition_expression": "p ="},
    {"key_condition_expression": None},
    FILTERED,
    {**FILTERED, VALUES: {":p": S, ":a": OTHER}},
    {**FILTERED, "filter_expression": "k = :a"},
    {**FILTERED, "filter_expression": "a < :a"},
    {"filter_expression": "size(a) > :p"},
    {"index_name": "none"},
    {"index_name": "?"},
    {"index_name": "local"},
    {"index_name": "local", "select": "ALL_ATTRIBUTES"},
    {"index_name": "local", "projection_expression": "b"},
    OF_GLOBAL,
    {**OF_GLOBAL, "consistent_read": True},
    {**OF_GLOBAL, "projection_expression": "b"},
    {**OF_GLOBAL, "limit": 1},
    {**OF_GLOBAL, "key_condition_expression": "k = :p AND p = :p", "limit": 1},
    {"index_name": "many"},
    {"index_name": "many", **EQUAL},
    {"key_condition_expression": None, "key_conditions": {}},
    LEGACY,
    {**LEGACY, "attributes_to_get": ["a"]},
    {**LEGACY, "attributes_to_get": ["b"]},
    {**LEGACY, "key_conditions": {"p": Condition(comparison_operator="EQ")}},
    {**LEGACY, "query_filter": {"a": EQUALS_X}},
    {**LEGACY, "query_filter": {"a": EQUALS_X}, "conditional_operator": "OR"},
    {**LEGACY, "conditional_operator": "OR"},
    {"attributes_to_get": ["a"]},
    {"conditional_operator": "AND"},
    {"query_filter": {}},
]


def get_of(members):
    return GetItem(**{"table_name": "t", "key": KEY, **members})


def query_of(members):
    return Query(**{"table_name": "t", **KEYED, VALUES: {":p": S}, **members})


def got(members, opened):
    """What is read, or why nothing is."""
    try:
        plan = get_item.fit(get_item.check(get_of(members)), opened)
    except DynamoError as error:
        return error.fault, error.message, error.bare
    checked = plan.checked
    return plan.table, plan.key, checked.table_names, checked.shape, checked.key


def queried(members, opened):
    """What is read, or why nothing is."""
    try:
        plan = query.fit(query.check(query_of(members)), opened)
    except DynamoError as error:
        return error.fault, error.message, error.bare
    source = plan.source
    path = (source.access_path.table, source.access_path.index)
    told = (source.table_names, source.view, source.consistent, source.consumed_detail)
    return path, told, plan.keys, plan.limit, plan.filter


# Whatever was asked before, of whichever table: each pair of requests, the second one twice.
@pytest.mark.parametrize(
    ("module", "answer", "requests"), [(get_item, got, GETS), (query, queried, QUERIES)]
)
@pytest.mark.parametrize("opened", TABLES)
def test_every_answer_is_that_of_a_first_request(module, answer, requests, opened):
    alone = []
    for members in requests:
        forget(module)
        alone.append(answer(members, opened))
    refused = sum(isinstance(told[1], str) for told in alone)
    assert 0 < refused < len(alone)
    for before in requests:
        forget(module)
        for first in TABLES:
            answer(before, first)
        for members, expected in zip(requests, alone, strict=True):
            for _ in range(2):
                assert answer(members, opened) == expected, (before, members)


# A table that is changed, or deleted and made anew, is another value under the same name.
def test_nothing_of_another_table_is_used():
    for members in GETS, QUERIES:
        assert members[0] == {}
    for first, second in itertools.permutations([*TABLES, table(4, K)], 2):
        for opened in first, second, first:
            assert queried({}, opened)[0] == (opened, None)
            assert queried({}, opened)[2].start[:4] == opened.number.to_bytes(4, "big")
            key = {"key": {"p": S, "k": {"N": "1"}}} if opened is NUMBERS else {}
            if opened is not ALONE:
                assert got(key, opened)[1][:4] == opened.number.to_bytes(4, "big")


# Whoever sends ever new shapes fills no memory.
def test_shapes_are_bounded():
    for module, answer in (get_item, got), (query, queried):
        forget(module)
        for number in range(EXPRESSION_SHAPES_MAX + 2):
            answer({"table_name": f"table{number}"}, TEXTS)
        assert 7 / 8 * EXPRESSION_SHAPES_MAX <= known(module) <= EXPRESSION_SHAPES_MAX
        long = "x" * EXPRESSION_SHAPE_CHARS_MAX
        for large in (
            {"projection_expression": "#a", "expression_attribute_names": {"#a": long}},
            {"projection_expression": f"a{' ' * 4000}"},
        ):
            forget(module)
            answer(large, TEXTS)
            assert known(module) == (len(str(large)) < EXPRESSION_SHAPE_CHARS_MAX)
    forget(get_item)
    got({"key": {"p": S, long: S}}, TEXTS)
    assert known(get_item) == 0
