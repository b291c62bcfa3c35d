"""Pages of SELECT: where they end, by which key and token, and what each costs."""

import pytest

from tests.api.statements import items, ran, statement_table

HALF = 0.5


def item(number, pk="a"):
    texts = {"pk": pk, "sk": str(number), "g": "x", "l": str(9 - number)}
    return {name: {"S": text} for name, text in texts.items()} | {"n": {"N": str(number)}}


@pytest.fixture(scope="module")
def table(dynamodb, new_table):
    name = statement_table(new_table)
    for put in (*map(item, range(1, 5)), item(1, "b")):
        dynamodb.put_item(TableName=name, Item=put)
    return name


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("ORDER BY pk, sk", "12341"),
        ("ORDER BY pk DESC, sk ASC", "11234"),
        ("ORDER BY pk DESC", "14321"),
    ],
)
@pytest.mark.parametrize("limit", [1, 2, 3, 10])
def test_pages_of_partitions(dynamodb, table, order, expected, limit):
    statement = f"SELECT * FROM \"{table}\" WHERE pk IN ['a', 'b'] {order}"
    backwards = order == "ORDER BY pk DESC"
    ends = [{"pk": {"S": "a"}, "sk": {"S": "1" if backwards else "4"}}]
    ends.append({"pk": {"S": "b"}, "sk": {"S": "1"}})
    found, more = [], {}
    while True:
        page = ran(dynamodb, statement, Limit=limit, **more)
        assert len(page["Items"]) <= limit
        found += [each["sk"]["S"] for each in page["Items"]]
        last = {name: page["Items"][-1][name] for name in ("pk", "sk")}
        # The partition that was read to its end leaves no key.
        assert page.get("LastEvaluatedKey") == (None if last in ends else last)
        if "NextToken" not in page:
            break
        more = {"NextToken": page["NextToken"]}
    assert found == [*expected]


# A page ends with the last item of its partition, of its range or of a list of keys.
# Source of this and the next two: measured by users, September 2026.
@pytest.mark.parametrize(
    "condition", ["pk = 'a'", "pk = 'a' AND sk BETWEEN '1' AND '4'", "pk IN ['a'] AND sk > '0'"]
)
def test_a_limit_that_is_the_number_of_items(dynamodb, table, condition):
    statement = f'SELECT sk FROM "{table}" WHERE {condition}'
    page = ran(dynamodb, statement, Limit=4)
    assert page.keys() == {"Items"}
    assert len(page["Items"]) == 4
    assert "NextToken" in ran(dynamodb, statement, Limit=3)


# Keys of single items leave the last one where they reach the limit; those that are missing are
# charged, and do not count.
@pytest.mark.parametrize(
    ("condition", "pages", "units"),
    [
        ("pk = 'a' AND sk IN ['1', '3']", [["1"], ["3"]], [HALF, HALF]),
        ("pk = 'a' AND sk IN ['0', '1', '3']", [["1"], ["3"]], [2 * HALF, HALF]),
        ("pk = 'a' AND sk IN ['4', '5']", [["4"], []], [HALF, HALF]),
        ("pk IN ['a', 'b'] AND sk = '1'", [["1"], ["1"]], [HALF, HALF]),
        ("pk = 'missing' AND sk IN ['1', '2', '3']", [[]], [3 * HALF]),
    ],
)
def test_pages_of_keys(dynamodb, table, condition, pages, units):
    statement = f'SELECT * FROM "{table}" WHERE {condition}'
    found, charged, more = [], [], {}
    while True:
        page = ran(dynamodb, statement, Limit=1, ReturnConsumedCapacity="TOTAL", **more)
        found.append([each["sk"]["S"] for each in page["Items"]])
        charged.append(page["ConsumedCapacity"]["CapacityUnits"])
        last = [{name: each[name] for name in ("pk", "sk")} for each in page["Items"]]
        assert [page[name] for name in ("LastEvaluatedKey",) if name in page] == last
        if "NextToken" not in page:
            break
        more = {"NextToken": page["NextToken"]}
    assert (found, charged) == (pages, units)


def test_pages_of_keys_with_a_filter(dynamodb, table):
    statement = f"SELECT sk FROM \"{table}\" WHERE pk = 'a' AND sk IN ['1', '3'] AND n > 0"
    first = ran(dynamodb, statement, Limit=1)
    assert "LastEvaluatedKey" not in first
    second = ran(dynamodb, statement, Limit=1, NextToken=first["NextToken"])
    assert second == {"Items": [{"sk": {"S": "3"}}]}


# A page reads ten alternatives at most, whether they have items or not. Source: Developer Guide,
# "PartiQL operators", IN.
@pytest.mark.parametrize("stored", [True, False])
def test_pages_of_alternatives(dynamodb, table, pk, stored):
    keys = [f"{pk}{number:02}" for number in range(23)]
    for key in keys if stored else ():
        for sk in ("1", "2"):
            dynamodb.put_item(TableName=table, Item={"pk": {"S": key}, "sk": {"S": sk}})
    listed = ", ".join(f"'{key}'" for key in keys)
    statement = f'SELECT pk FROM "{table}" WHERE pk IN [{listed}]'
    found, units, more = [], [], {}
    while True:
        page = ran(dynamodb, statement, ReturnConsumedCapacity="TOTAL", **more)
        found.append([each["pk"]["S"] for each in page["Items"]])
        units.append(page["ConsumedCapacity"]["CapacityUnits"])
        assert "LastEvaluatedKey" not in page
        if "NextToken" not in page:
            break
        more = {"NextToken": page["NextToken"]}
    pages = [keys[:10], keys[10:20], keys[20:]]
    assert found == [[key for key in page for _ in "12" if stored] for page in pages]
    assert units == [10 * HALF, 10 * HALF, 3 * HALF]


@pytest.mark.parametrize(
    "source", ['"{}"', '"{}" WHERE n > 0', '"{}"."global"', '"{}"."local"', "\"{}\" WHERE pk = 'a'"]
)
def test_pages(dynamodb, table, source):
    statement = "SELECT * FROM " + source.format(table)
    whole, found, more = items(dynamodb, statement), [], {}
    while True:
        page = ran(dynamodb, statement, Limit=1, **more)
        found += page["Items"]
        if "NextToken" not in page:
            break
        more = {"NextToken": page["NextToken"]}
    assert found == whole


# Source: measured by users, September 2026.
def test_a_read_of_one_item_has_one_page(dynamodb, table):
    key = {"pk": {"S": "a"}, "sk": {"S": "1"}}
    statement = f"SELECT * FROM \"{table}\" WHERE pk = 'a' AND sk = '1'"
    assert ran(dynamodb, statement, Limit=1) == {"Items": [item(1)], "LastEvaluatedKey": key}
    assert ran(dynamodb, statement, Limit=2) == {"Items": [item(1)]}
    for other in ("sk = '1' AND n > 0", "sk = '10'"):
        page = ran(dynamodb, f"SELECT * FROM \"{table}\" WHERE pk = 'a' AND {other}", Limit=1)
        assert page.keys() == {"Items"}
