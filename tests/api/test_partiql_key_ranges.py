"""Which conditions on the key make a SELECT a Query, and which a Scan. Source: measured by users,
September 2026, but for those that say something else.
"""

import pytest

from tests.api.indexes import attributes, schema
from tests.api.refusals import refusal
from tests.api.statements import ran

ORDER = "ORDER BY pk ASC, sk ASC"
QUERY, SCAN = 7, 13
"""Strongly consistent reads of one of two partitions, and of both."""


@pytest.fixture(scope="module")
def table(dynamodb, new_table):
    name = new_table(
        AttributeDefinitions=attributes(pk="S", sk="N"), KeySchema=schema("pk", sort=("sk",))
    )
    for partition in ("a", "b"):
        for sort, size in (("-2", 1000), ("2", 4200), ("10", 8100), ("20", 12500)):
            key = {"pk": {"S": partition}, "sk": {"N": sort}}
            dynamodb.put_item(TableName=name, Item={**key, "payload": {"S": "x" * size}})
    return name


@pytest.fixture(scope="module")
def read(dynamodb, table):
    """The sort keys of partition `a` that a condition selects, and the units that it costs."""

    def selected(condition, *values):
        statement = f'SELECT pk, sk FROM "{table}" WHERE {condition}'
        options = {"ConsistentRead": True, "ReturnConsumedCapacity": "TOTAL"}
        page = ran(dynamodb, statement, *values, **options)
        sorts = [int(each["sk"]["N"]) for each in page["Items"] if each["pk"]["S"] == "a"]
        return sorts, page["ConsumedCapacity"]["CapacityUnits"]

    return selected


# A condition that is there twice is one; so is a list of one value beside its equality.
@pytest.mark.parametrize(
    ("condition", "sorts", "units"),
    [
        ("pk = 'a' AND pk = 'a'", [-2, 2, 10, 20], QUERY),
        ("pk IN ['a'] AND pk = 'a'", [-2, 2, 10, 20], QUERY),
        ("pk = 'a' AND sk = 2 AND sk = 2", [2], 2),
        ("pk = 'a' AND sk = 2 AND sk = 2.0", [2], 2),
        ("pk = 'a' AND sk IN [2] AND sk = 2", [2], 2),
        ("pk = 'a' AND sk > 2 AND sk > 2.0", [10, 20], 6),
        ("pk = 'a' AND (sk < 3 OR sk >= 10)", [-2, 2, 10, 20], 8),
    ],
)
def test_conditions_that_are_a_query(read, condition, sorts, units):
    assert read(condition) == (sorts, units)
    assert read(f"{condition} {ORDER}") == (sorts, units)


# Different conditions on one attribute of the key, and a negated one, are tested on all items.
@pytest.mark.parametrize(
    ("condition", "sorts"),
    [
        ("pk = 'a' AND sk > -2 AND sk < 20", [2, 10]),
        ("pk = 'a' AND sk >= 2 AND sk <= 10", [2, 10]),
        ("pk = 'a' AND sk > 2 AND sk > 10", [20]),
        ("pk = 'a' AND sk BETWEEN -2 AND 20 AND sk < 10", [-2, 2]),
        ("pk = 'a' AND sk > 20 AND sk < 2", []),
        ("pk = 'a' AND sk = 2 AND sk = 10", []),
        ("pk = 'a' AND sk = 2 AND sk >= 2", [2]),
        ("pk = 'a' AND sk IN [-2, 2, 10, 20] AND sk > 2", [10, 20]),
        ("pk = 'a' AND sk IN [2, 10] AND sk IN [10, 2]", [2, 10]),
        ("pk = 'a' AND pk = 'b'", []),
        ("pk IN ['a', 'b'] AND pk = 'a'", [-2, 2, 10, 20]),
        ("pk IN ['a', 'b'] AND pk IN ['a', 'b']", [-2, 2, 10, 20]),
        ("pk = 'a' AND NOT sk = 2", [-2, 10, 20]),
        ("pk = 'a' AND sk <> 2", [-2, 10, 20]),
        # As these are: no record has them.
        ("pk = 'a' AND 2 <> sk", [-2, 10, 20]),
        ("pk = 'a' AND sk NOT BETWEEN 1 AND 11", [-2, 20]),
        ("pk = 'a' AND pk <> 'b'", [-2, 2, 10, 20]),
    ],
)
def test_conditions_that_are_a_scan(dynamodb, table, read, condition, sorts):
    assert read(condition) == (sorts, SCAN)
    statement = f'SELECT pk, sk FROM "{table}" WHERE {condition} {ORDER}'
    assert refusal(dynamodb.execute_statement, Statement=statement) == (
        "ValidationException",
        (
            "Must have at least one non-optional hash key condition in WHERE clause when using "
            "ORDER BY clause."
        ),
    )


# Values of parameters decide, too.
def test_parameters(read):
    condition = "pk = ? AND sk > ? AND sk > ?"
    assert read(condition, {"S": "a"}, {"N": "2"}, {"N": "2.0"}) == ([10, 20], 6)
    assert read(condition, {"S": "a"}, {"N": "2"}, {"N": "10"}) == ([20], SCAN)
