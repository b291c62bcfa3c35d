"""SELECT: what it reads, in which order, and what it costs."""

import pytest

from tests.api.items import answer
from tests.api.statements import items, ran, statement_table

HALF = 0.5
OTHER = {"pk": {"S": "b"}, "sk": {"S": "1"}, "g": {"S": "x"}, "l": {"S": "1"}, "n": {"N": "9"}}


def item(number):
    """An item of the partition `a`; `p` is projected by the global index, `n` is not."""
    return {
        "pk": {"S": "a"},
        "sk": {"S": str(number)},
        "g": {"S": "x"},
        "l": {"S": str(9 - number)},
        "n": {"N": str(number)},
        "p": {"S": f"p{number}"},
        "m": {"M": {"k": {"L": [{"S": "c"}, {"N": "1"}]}, "sub": {"S": "deep"}}},
        "ss": {"SS": ["a", "b"]},
        "flag": {"BOOL": True},
        "nil": {"NULL": True},
    }


@pytest.fixture(scope="module")
def table(dynamodb, new_table):
    name = statement_table(new_table)
    for each in [*map(item, range(1, 5)), OTHER]:
        dynamodb.put_item(TableName=name, Item=each)
    return name


@pytest.fixture(scope="module")
def sorts(dynamodb, table):
    """The sort keys that a condition selects."""

    def selected(condition, *values, **more):
        statement = f'SELECT sk FROM "{table}" WHERE {condition}'
        return [each["sk"]["S"] for each in items(dynamodb, statement, *values, **more)]

    return selected


# Each is one Query or Scan of the API, and its items and its cost are the same.
@pytest.mark.parametrize(
    ("condition", "request_"),
    [
        ("", {}),
        ("WHERE pk = 'a'", {"key": "pk = :a"}),
        ("WHERE pk = 'a' AND sk = '2'", {"key": "pk = :a AND sk = :b"}),
        ("WHERE sk > '2' AND 'a' = pk", {"key": "pk = :a AND sk > :b"}),
        ("WHERE pk = 'a' AND sk BETWEEN '2' AND '3'", {"key": "pk = :a AND sk BETWEEN :b AND :c"}),
        ("WHERE pk = 'a' AND begins_with(sk, '2')", {"key": "pk = :a AND begins_with(sk, :b)"}),
        ("WHERE pk = 'a' AND n > 2", {"key": "pk = :a", "filter": "n > :n"}),
        ("WHERE n > 2", {"filter": "n > :n"}),
        ("WHERE pk > 'a'", {"filter": "pk > :a"}),
        (".\"global\" WHERE g = 'x'", {"index": "global", "key": "g = :x"}),
        (".\"global\" WHERE g = 'x' AND p = 'p2'", {"index": "global", "key": "g = :x AND_p"}),
        ('."global"', {"index": "global"}),
        (
            ".\"local\" WHERE pk = 'a' AND l >= '7'",
            {"index": "local", "key": "pk = :a AND l >= :l"},
        ),
    ],
)
@pytest.mark.parametrize("consistent", [False, True])
def test_as_query_and_scan(dynamodb, table, condition, request_, consistent):
    if consistent and request_.get("index") == "global":
        consistent = False
    more = {"ReturnConsumedCapacity": "INDEXES", "ConsistentRead": consistent}
    found = ran(
        dynamodb,
        f'SELECT * FROM "{table}"{condition if condition[:1] == "." else " " + condition}',
        **more,
    )
    values = {":a": "a", ":b": "2", ":c": "3", ":x": "x", ":l": "7", ":p": "p2"}
    key, filtered = request_.get("key"), request_.get("filter")
    if key is not None and key.endswith(" AND_p"):
        key, filtered = key.removesuffix(" AND_p"), "p = :p"
    told = {
        "TableName": table,
        **more,
        **({"IndexName": request_["index"]} if "index" in request_ else {}),
        **({"FilterExpression": filtered} if filtered else {}),
        **({"KeyConditionExpression": key} if key else {}),
    }
    used = {
        name: {"N": "2"} if name == ":n" else {"S": values[name]}
        for name in (*values, ":n")
        if name in f"{key} {filtered} ".replace(")", " ").split()
    }
    if used:
        told["ExpressionAttributeValues"] = used
    expected = answer(dynamodb.query if key else dynamodb.scan, **told)
    assert found == {"Items": expected["Items"], "ConsumedCapacity": expected["ConsumedCapacity"]}


@pytest.mark.parametrize(
    "condition",
    [
        "attribute_exists(ss)",
        "ATTRIBUTE_NOT_EXISTS (nope) AND attribute_exists(m.k[0])",
        "NOT attribute_exists(nope)",
        "(attribute_exists(nope) OR attribute_exists(ss))",
        "attribute_exists(ss) = true",
        "attribute_exists(nope) = false",
        "true = attribute_exists(n)",
        "attribute_exists(n) <> 1",
        "contains(nope, 'z') = false",
        "(n BETWEEN 0 AND 5) = true",
        "(n = 5 OR flag = 'x') = false",
        "attribute_exists(nope) IN [true, false]",
        "attribute_exists(n) = attribute_exists(flag)",
        "attribute_exists(n) = flag",
        "size(ss) = 2",
        "attribute_type(ss, 'SS')",
        "begins_with(p, 'p')",
        "contains(ss, 'a')",
        "nil IS NULL",
        "p IS NOT NULL",
        "flag IS BOOL",
        "p IS STRING",
        "n IS INT",
        "ss IS BAG",
        "nope IS MISSING",
        "n IS NOT MISSING",
        "nope = MISSING",
        "n <> MISSING",
        "ss = <<'b', 'a'>>",
        "m.k = ['c', 1]",
        "m = {'sub': 'deep', 'k': ['c', 1]}",
        "m.k[0] = 'c' AND m['sub'] = 'deep' AND \"m\".\"k\"[1] = 1",
        "n IN (1, 2)",
        "n IN [1, 2]",
        "n NOT IN [2, 3]",
        "n NOT BETWEEN 2 AND 3",
        "n = - - 1",
        "n > -/* c */-0.5",
        "n BETWEEN - 2 AND +5",
        "n = 10e-1",
        "n = .1E+1",
        "flag = TRUE AND nil = NULL AND nope <> 'x'",
        "n < m.k[1] = false",
    ],
)
def test_conditions_that_hold(sorts, condition):
    assert sorts(f"pk = 'a' AND sk = '1' AND {condition}") == ["1"]


@pytest.mark.parametrize(
    "condition",
    [
        "attribute_exists(nope)",
        "attribute_exists(n) = 1",
        "NOT attribute_exists(n) = true",
        "(attribute_exists(n) = true) = false",
        "attribute_exists(n) = p",
        "n < 'a'",
        "m.k = [1, 'c']",
        "p IS NULL",
        "m.nope = 1",
    ],
)
def test_conditions_that_do_not_hold(sorts, condition):
    assert sorts(f"pk = 'a' AND sk = '1' AND {condition}") == []


# Alternatives of the sort key are read one by one; what is no range is a filter.
@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("(sk = '1' OR sk = '3')", "13"),
        ("sk IN ['4', '2']", "24"),
        ("(sk < '2' OR sk > '3' OR sk = '2')", "124"),
        ("NOT sk = '1'", "234"),
        ("sk <> '1'", "234"),
        ("sk > '1' AND sk <> '3'", "24"),
        ("sk = '1' AND sk > '0'", "1"),
        ("sk = '1' AND sk > '2'", ""),
        ("attribute_exists(pk)", "1234"),
        ("NOT sk = '1' OR pk = 'a' AND sk = '2'", "234"),
        ("NOT sk IN ['1', '3'] OR pk = 'a'", "1234"),
        ("pk = 'a'", "1234"),
        ("pk = 'b'", ""),
    ],
)
def test_sort_keys(sorts, condition, expected):
    assert sorted(sorts(f"pk = 'a' AND {condition}")) == [*expected]


def test_partitions(sorts):
    assert sorts("pk IN ['b', 'a'] AND sk IN ['1', '2']") == ["1", "2", "1"]
    assert sorts("pk = 'a' AND sk = '4' OR pk = 'b'") == ["4", "1"]
    assert sorted(sorts("pk = 'b' OR sk = '3'")) == ["1", "3"]


# Each alternative is a read of its own, and costs what one costs.
def test_cost_of_alternatives(dynamodb, table):
    statement = f"SELECT * FROM \"{table}\" WHERE pk IN ['a', 'b', 'c']"
    told = ran(dynamodb, statement, ReturnConsumedCapacity="TOTAL")["ConsumedCapacity"]
    assert told == {"TableName": table, "CapacityUnits": 3 * HALF}


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("ORDER BY sk", "1234"),
        ("ORDER BY sk ASC", "1234"),
        ("ORDER BY sk DESC", "4321"),
        # Source: measured by users, September 2026.
        ("ORDER BY pk", "4321"),
        ("ORDER BY pk ASC, sk ASC", "1234"),
    ],
)
def test_order(sorts, order, expected):
    assert sorts(f"pk = 'a' {order}") == [*expected]
    assert sorts(f"pk = 'a' AND sk IN ['1', '4', '2', '3'] {order}") == [*expected]


# A column has the last name of its path. Source: measured by users, September 2026.
@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ("pk, n", {"pk": {"S": "a"}, "n": {"N": "1"}}),
        ("m.sub", {"sub": {"S": "deep"}}),
        ("m.k[0], n", {"k[0]": {"S": "c"}, "n": {"N": "1"}}),
        ("m.k[-0]", {"k[0]": {"S": "c"}}),
        ("nope", {}),
        ("m.nope, n", {"n": {"N": "1"}}),
    ],
)
def test_columns(dynamodb, table, columns, expected):
    statement = f"SELECT {columns} FROM \"{table}\" WHERE pk = 'a' AND sk = '1'"
    assert items(dynamodb, statement) == [expected]
    assert items(dynamodb, f'SELECT {columns} FROM "{table}" WHERE n = 1') == [expected]


# A local index fetches what it lacks, unless a filter asks for it; a scan finds it missing.
def test_projections_of_indexes(dynamodb, table):
    fetched = ran(
        dynamodb,
        f'SELECT n FROM "{table}"."local" WHERE pk = \'a\'',
        ReturnConsumedCapacity="INDEXES",
    )
    assert [each["n"]["N"] for each in fetched["Items"]] == ["4", "3", "2", "1"]
    assert fetched["ConsumedCapacity"]["Table"] == {"CapacityUnits": 4 * HALF}
    for index in ("global", "local"):
        select = f'SELECT sk FROM "{table}"."{index}" WHERE '
        assert items(dynamodb, select + "n = 1") == []
        assert len(items(dynamodb, select + "NOT n = 1")) == 5
    either = f"SELECT sk FROM \"{table}\".\"global\" WHERE (g = 'x' AND n = 1) OR g = 'y'"
    assert items(dynamodb, either) == []


def test_comments_and_case(dynamodb, table):
    statement = (
        f'-- first\nselect/**/sk from "{table}" -- the table\n'
        "where pk/* key */='a' and sk = '1' and p <> '--/*' ; -- done"
    )
    assert items(dynamodb, statement) == [{"sk": {"S": "1"}}]


# Parameters are values, whatever they look like.
@pytest.mark.parametrize(
    "text", ["' OR '1' = '1", "a' --", '"; DELETE FROM x', "?", "/*", "x' OR pk = 'a"]
)
def test_parameters_are_never_parsed(dynamodb, table, text):
    value = {"S": text}
    assert items(dynamodb, f'SELECT * FROM "{table}" WHERE pk = ?', value) == []
    assert items(dynamodb, f'SELECT * FROM "{table}" WHERE p = ?', value) == []
    statement = f"UPDATE \"{table}\" SET p = ? WHERE pk = 'b' AND sk = ? RETURNING ALL NEW *"
    assert items(dynamodb, statement, value, {"S": "1"}) == [{**OTHER, "p": value}]
    statement = f"UPDATE \"{table}\" REMOVE p WHERE pk = 'b' AND sk = '1'"
    assert items(dynamodb, statement) == []
    escaped = text.replace("'", "''")
    assert items(dynamodb, f"SELECT * FROM \"{table}\" WHERE pk = '{escaped}'") == []
