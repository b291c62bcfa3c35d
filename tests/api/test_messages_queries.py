"""Texts of Query and Scan, by their numbers in the catalogue; those about keys have a file.

What an expression is refused for in all its forms stands in the unit tests of expressions; here
each number is met once, in the words of the layer that speaks for the operation (A.4).
"""

import pytest

from tests.api.items import values
from tests.api.querying import (
    BELOW_KEY,
    CALLS,
    CAPACITIES,
    MIXED,
    NAMES,
    NAMES_ALONE,
    NO_FILTER,
    NO_INDEX,
    NO_PROJECTION,
    NO_SEGMENT,
    NO_TOTAL,
    ON_KEY,
    SELECTS,
    VALUES,
    VALUES_ALONE,
    keyed,
    unechoed,
)
from tests.api.refusals import NOT_FOUND, VALIDATION, absent, breaks, brief, refusal, violated

LONG = "a" * 256
TOO_LONG = breaks(LONG, "tableName", "have length less than or equal to 255")
PATTERN = "satisfy regular expression pattern: [a-zA-Z0-9_.-]+"
BAD_NAME = breaks("bad;name", "tableName", PATTERN)
AT_LEAST_1 = "have value greater than or equal to 1"
KEY_CONDITION = "Invalid KeyConditionExpression: "
FILTER = "Invalid FilterExpression: "
PROJECTION = "Invalid ProjectionExpression: "
EMPTY = "The expression can not be empty;"
OPERAND_TYPE = "Incorrect operand type for operator or function; operator or function: "
BAD_KEY = 'contains invalid key: Syntax error; key: "a"'
A_IS_B = {"FilterExpression": "a = b"}
RIGHT = {"Query": keyed(), "Scan": {}}


@pytest.fixture
def told(dynamodb, composite):
    """Code and text of what a request for the table `composite` is refused for."""

    def refused(operation, members):
        request = {"TableName": composite, **members}
        sent = {name: value for name, value in request.items() if value is not None}
        return refusal(getattr(dynamodb, CALLS[operation]), **sent)

    return refused


# Names of tables. The older layer shows an empty name, the current one does not.
@pytest.mark.parametrize(
    ("number", "operation", "name", "text"),
    [
        (1, "Query", None, absent("tableName")),
        (1, "Scan", None, absent("tableName")),
        (2, "Query", "", unechoed("TableName", "have length greater than or equal to 1")),
        (2, "Scan", "", breaks("", "tableName", "have length greater than or equal to 1")),
        (3, "Query", LONG, TOO_LONG),
        (3, "Scan", LONG, TOO_LONG),
        (4, "Query", "bad;name", BAD_NAME),
        (4, "Scan", "bad;name", BAD_NAME),
    ],
    ids=brief,
)
def test_table_names(told, number, operation, name, text):
    assert told(operation, {**RIGHT[operation], "TableName": name}) == violated(text)


# The model's constraints: enveloped on every operation. Enums show the value on both layers.
# Source of that: public tests that were run against the service, 2026.
@pytest.mark.parametrize(
    ("number", "operation", "member", "value", "text"),
    [
        (10, "Query", "Limit", 0, unechoed("Limit", AT_LEAST_1)),
        (11, "Scan", "Limit", 0, breaks(0, "limit", AT_LEAST_1)),
        (11, "Scan", "Limit", -1, breaks(-1, "limit", AT_LEAST_1)),
        ("A.4", "Query", "Select", "count", breaks("count", "select", SELECTS)),
        ("A.4", "Scan", "Select", "count", breaks("count", "select", SELECTS)),
        *(
            (
                "A.4",
                operation,
                "ReturnConsumedCapacity",
                "ALL",
                breaks("ALL", "returnConsumedCapacity", CAPACITIES),
            )
            for operation in ("Query", "Scan")
        ),
        *(
            ("132a", "Scan", name, value, breaks(value, path, f"have value {bound}"))
            for name, path, value, bound in [
                ("Segment", "segment", -1, "greater than or equal to 0"),
                ("Segment", "segment", 1_000_000, "less than or equal to 999999"),
                ("TotalSegments", "totalSegments", 0, "greater than or equal to 1"),
                ("TotalSegments", "totalSegments", 1_000_001, "less than or equal to 1000000"),
            ]
        ),
    ],
    ids=brief,
)
def test_constraints(told, number, operation, member, value, text):
    assert told(operation, {**RIGHT[operation], member: value}) == violated(text)


# Several violations are told together, in one envelope. Source: A.4.
def test_violations_are_told_together(told):
    assert told("Scan", {"Limit": 0, "Select": "x", "TotalSegments": 0}) == violated(
        breaks(0, "limit", AT_LEAST_1),
        breaks("x", "select", SELECTS),
        breaks(0, "totalSegments", AT_LEAST_1),
    )


# Both styles in one request, told in an order of their own. KeyConditions goes with the other
# expressions where there is no KeyConditionExpression. Catalogue 70, E.6.
@pytest.mark.parametrize(
    ("operation", "legacy", "expressions", "told_legacy", "told_expressions"),
    [
        (
            "Query",
            ["KeyConditions", "QueryFilter"],
            ["KeyConditionExpression"],
            "QueryFilter, KeyConditions",
            "KeyConditionExpression",
        ),
        (
            "Query",
            ["KeyConditions", "ConditionalOperator", "AttributesToGet"],
            ["FilterExpression", "ProjectionExpression"],
            "AttributesToGet, ConditionalOperator",
            "ProjectionExpression, FilterExpression",
        ),
        (
            "Scan",
            ["ConditionalOperator", "ScanFilter", "AttributesToGet"],
            ["FilterExpression", "ProjectionExpression"],
            "AttributesToGet, ScanFilter, ConditionalOperator",
            "ProjectionExpression, FilterExpression",
        ),
    ],
)
def test_styles_are_not_mixed(told, operation, legacy, expressions, told_legacy, told_expressions):
    values_of = {"ConditionalOperator": "AND", "AttributesToGet": ["a"]}
    members = {name: values_of.get(name, {}) for name in legacy}
    members.update(dict.fromkeys(expressions, "a"))
    text = MIXED.format(told_legacy, told_expressions)
    assert told(operation, members) == (VALIDATION, text)


# Names and values without an expression to use them, or that cannot be used.
@pytest.mark.parametrize(
    ("number", "operation", "members", "text"),
    [
        (71, "Query", {NAMES: {"#a": "a"}}, NAMES_ALONE),
        (71, "Scan", {NAMES: {}}, NAMES_ALONE),
        (72, "Query", {VALUES: {}}, VALUES_ALONE),
        (72, "Query", {"ProjectionExpression": "a", VALUES: values(a={})}, VALUES_ALONE),
        (72, "Scan", {"ProjectionExpression": "a", VALUES: values(a={})}, NO_FILTER),
        (73, "Query", {**keyed(), NAMES: {}}, f"{NAMES} must not be empty"),
        (74, "Scan", {**A_IS_B, VALUES: {}}, f"{VALUES} must not be empty"),
        (75, "Query", {**keyed(), NAMES: {"a": "a"}}, f"{NAMES} {BAD_KEY}"),
        (76, "Scan", {**A_IS_B, VALUES: {"a": {"S": "a"}}}, f"{VALUES} {BAD_KEY}"),
        (
            77,
            "Scan",
            {**A_IS_B, NAMES: {"#a": ""}},
            f"{NAMES} contains invalid value: Empty attribute name for key #a",
        ),
        (
            79,
            "Query",
            {**keyed(), NAMES: {"#a": "a", "#b": "b"}, "ProjectionExpression": "#a"},
            f"Value provided in {NAMES} unused in expressions: keys: {{#b}}",
        ),
        (
            80,
            "Query",
            keyed(q={"S": "a"}, r={"S": "a"}),
            f"Value provided in {VALUES} unused in expressions: keys: {{:q, :r}}",
        ),
        (
            80,
            "Scan",
            {**A_IS_B, VALUES: values(q={"S": "a"})},
            f"Value provided in {VALUES} unused in expressions: keys: {{:q}}",
        ),
    ],
    ids=brief,
)
def test_placeholders(told, number, operation, members, text):
    assert told(operation, members) == (VALIDATION, text)


# Each expression is named in what it is refused for.
@pytest.mark.parametrize(
    ("number", "operation", "members", "text"),
    [
        (81, "Query", keyed(""), KEY_CONDITION + EMPTY),
        (81, "Query", {**keyed(), "ProjectionExpression": ""}, PROJECTION + EMPTY),
        (81, "Scan", {"FilterExpression": ""}, FILTER + EMPTY),
        (
            82,
            "Query",
            keyed("pk = = :p"),
            f'{KEY_CONDITION}Syntax error; token: "=", near: "= = :p"',
        ),
        (
            83,
            "Scan",
            {"ProjectionExpression": "a, name"},
            f"{PROJECTION}Attribute name is a reserved keyword; reserved keyword: name",
        ),
        (
            84,
            "Query",
            {**keyed(), "FilterExpression": "#a = :p"},
            (
                f"{FILTER}An expression attribute name used in the document path is not defined; "
                "attribute name: #a"
            ),
        ),
        (
            85,
            "Query",
            keyed("pk = :p AND sk = :missing"),
            (
                f"{KEY_CONDITION}An expression attribute value used in expression is not defined; "
                "attribute value: :missing"
            ),
        ),
        (
            86,
            "Query",
            keyed("((pk = :p))"),
            f"{KEY_CONDITION}The expression has redundant parentheses;",
        ),
        (
            89,
            "Query",
            keyed("pk = :p AND begins_with(sk, :v)", v={"N": "1"}),
            f"{KEY_CONDITION}{OPERAND_TYPE}begins_with, operand type: N",
        ),
        (
            89,
            "Query",
            keyed("pk = :p AND :v >= sk", v={"BOOL": True}),
            f"{KEY_CONDITION}{OPERAND_TYPE}>=, operand type: BOOL",
        ),
        (
            89,
            "Scan",
            {"FilterExpression": "begins_with(a, :n)", VALUES: values(n={"N": "1"})},
            f"{FILTER}{OPERAND_TYPE}begins_with, operand type: N",
        ),
        (
            95,
            "Query",
            keyed("pk = :p AND sk BETWEEN :v AND :w", v={"S": "b"}, w={"S": "a"}),
            (
                f"{KEY_CONDITION}The BETWEEN operator requires upper bound to be greater than or "
                "equal to lower bound; lower bound operand: AttributeValue: {S:b}, "
                "upper bound operand: AttributeValue: {S:a}"
            ),
        ),
        (
            99,
            "Scan",
            {"ProjectionExpression": "a, a.b"},
            (
                f"{PROJECTION}Two document paths overlap with each other; must remove or rewrite "
                "one of these paths; path one: [a], path two: [a, b]"
            ),
        ),
    ],
    ids=brief,
)
def test_expressions(told, number, operation, members, text):
    assert told(operation, members) == (VALIDATION, text)


# A query's filter may not look at the key at all. Catalogue 121.
@pytest.mark.parametrize(
    ("condition", "name"),
    [
        ("sk = :p", "sk"),
        ("a = :p AND attribute_exists(pk)", "pk"),
        ("attribute_exists(sk.a)", "sk"),
        ("size(sk[0]) = :p", "sk"),
    ],
)
def test_filter_on_the_key(told, condition, name):
    assert told("Query", {**keyed(), "FilterExpression": condition}) == (VALIDATION, ON_KEY + name)


# A scan's filter may not look below it, and no projection may. Catalogue 122.
@pytest.mark.parametrize(
    ("operation", "members", "name"),
    [
        ("Scan", {"FilterExpression": "attribute_exists(pk.a)"}, "pk"),
        ("Scan", {"FilterExpression": "a = b OR sk[1] = a"}, "sk"),
        ("Scan", {"ProjectionExpression": "a, sk.a"}, "sk"),
        ("Query", {**keyed(), "ProjectionExpression": "pk[0]"}, "pk"),
    ],
)
def test_paths_below_the_key(told, operation, members, name):
    assert told(operation, members) == (VALIDATION, BELOW_KEY + name)


# Catalogue 123.
@pytest.mark.parametrize("operation", ["Query", "Scan"])
def test_index_that_there_is_not(told, operation):
    members = {**RIGHT[operation], "IndexName": "an-index"}
    assert told(operation, members) == (VALIDATION, NO_INDEX + "an-index")


# Select against the projection and the index: enveloped on Query, bare on Scan. Source of the
# envelope of all three: tests of an emulator that were run against the service.
@pytest.mark.parametrize("operation", ["Query", "Scan"])
@pytest.mark.parametrize(
    ("number", "select", "projection", "text"),
    [
        (125, "SPECIFIC_ATTRIBUTES", None, NO_PROJECTION),
        *(
            (
                126,
                select,
                "a",
                f"Cannot specify the ProjectionExpression when choosing to get {wanted}",
            )
            for select, wanted in [
                ("ALL_ATTRIBUTES", "ALL_ATTRIBUTES"),
                ("ALL_PROJECTED_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES"),
                ("COUNT", "only the Count"),
            ]
        ),
        (
            127,
            "ALL_PROJECTED_ATTRIBUTES",
            None,
            "ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName",
        ),
    ],
    ids=brief,
)
def test_select(told, operation, number, select, projection, text):
    members = {"Select": select, "ProjectionExpression": projection}
    if operation == "Query":
        assert told("Query", {**keyed(), **members}) == violated(text)
    else:
        assert told("Scan", members) == (VALIDATION, text)


# Catalogue 132a.
@pytest.mark.parametrize(
    ("members", "text"),
    [
        ({"Segment": 0}, NO_TOTAL),
        ({"TotalSegments": 1}, NO_SEGMENT),
        (
            {"Segment": 5, "TotalSegments": 5},
            (
                "The Segment parameter is zero-based and must be less than parameter "
                "TotalSegments: Segment: 5 is not less than TotalSegments: 5"
            ),
        ),
    ],
)
def test_segments(told, members, text):
    assert told("Scan", members) == (VALIDATION, text)


# Catalogue 154.
@pytest.mark.parametrize("operation", ["Query", "Scan"])
def test_table_that_there_is_not(told, operation):
    members = {**RIGHT[operation], "TableName": "never-made"}
    assert told(operation, members) == (NOT_FOUND, "Requested resource not found")
