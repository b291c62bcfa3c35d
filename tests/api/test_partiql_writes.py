"""INSERT, UPDATE and DELETE: each is a write of the API, with PartiQL's own rules."""

import pytest

from tests.api.items import FAILED, error_of, padding, stored, values
from tests.api.refusals import VALIDATION, refusal
from tests.api.statements import items, ran, statement_table

DUPLICATE = ("DuplicateItemException", "Duplicate primary key exists in table")
TOTAL = {"ReturnConsumedCapacity": "INDEXES"}
REST = {
    "g": {"S": "x"},
    "l": {"S": "1"},
    "n": {"N": "5"},
    "list": {"L": [{"S": "a"}, {"S": "b"}, {"S": "c"}]},
    "m": {"M": {"leaf": {"S": "old"}, "sib": {"S": "keep"}}},
    "ss": {"SS": ["a", "b", "c"]},
    "ns": {"NS": ["1", "2"]},
}


@pytest.fixture(scope="module")
def table(new_table):
    return statement_table(new_table)


@pytest.fixture
def key(pk):
    return {"pk": {"S": pk}, "sk": {"S": "s"}}


@pytest.fixture
def where(key):
    return f"WHERE pk = '{key['pk']['S']}' AND sk = 's'"


@pytest.fixture
def item(dynamodb, table, key):
    """An item that is there."""
    dynamodb.put_item(TableName=table, Item={**key, **REST})
    return {**key, **REST}


def test_insert_as_put(dynamodb, table, key, pk):
    statement = (
        f"INSERT INTO \"{table}\" VALUE {{'pk': '{pk}', 'sk': 's', 'g': 'x', 'n': -1.50, "
        "'yes': true, 'nil': NULL, 'l': 'it''s', 'list': [1, 'a', []], 'm': {'a': {'b': 1e2}}, "
        "'ss': <<'b', 'a'>>, 'ns': <<10, 9>>}"
    )
    told = ran(dynamodb, statement, **TOTAL)
    found = stored(dynamodb, table, key)
    assert found == {
        **key,
        "g": {"S": "x"},
        "n": {"N": "-1.5"},
        "yes": {"BOOL": True},
        "nil": {"NULL": True},
        "l": {"S": "it's"},
        "list": {"L": [{"N": "1"}, {"S": "a"}, {"L": []}]},
        "m": {"M": {"a": {"M": {"b": {"N": "100"}}}}},
        "ss": {"SS": ["a", "b"]},
        "ns": {"NS": ["9", "10"]},
    }
    other = {**found, "sk": {"S": "t"}}
    put = dynamodb.put_item(TableName=table, Item=other, **TOTAL)
    assert told == {"Items": [], "ConsumedCapacity": put["ConsumedCapacity"]}


def test_insert_with_parameters(dynamodb, table, key, pk):
    statement = f"INSERT INTO \"{table}\" VALUE {{'pk': ?, 'sk': 's', 'b': ?}}"
    assert items(dynamodb, statement, {"S": pk}, {"B": b"\x00"}) == []
    assert stored(dynamodb, table, key) == {**key, "b": {"B": b"\x00"}}
    whole = {"M": {**key, "sk": {"S": "t"}, "n": {"N": "1.0"}}}
    assert items(dynamodb, f'INSERT INTO "{table}" VALUE ?', whole) == []
    found = stored(dynamodb, table, {**key, "sk": {"S": "t"}})
    assert found == {**key, "sk": {"S": "t"}, "n": {"N": "1"}}


# An INSERT never replaces, and costs what it looked at.
def test_insert_of_an_item_that_is_there(dynamodb, table, item, pk):
    statement = f"INSERT INTO \"{table}\" VALUE {{'pk': '{pk}', 'sk': 's'}}"
    assert refusal(dynamodb.execute_statement, Statement=statement) == DUPLICATE
    assert stored(dynamodb, table, {name: item[name] for name in ("pk", "sk")}) == item


@pytest.mark.parametrize(
    ("members", "text"),
    [
        ("'pk': 'a'", "One or more parameter values were invalid: Missing the key sk in the item"),
        (
            "'pk': 1, 'sk': 's'",
            (
                "One or more parameter values were invalid: Type mismatch for key pk expected: S "
                "actual: N"
            ),
        ),
        ("'pk': 'a', 'sk': 's', 'x': b", None),
        ("'pk': 'a', 'sk': 's', 'x': 1, 'x': 2", "Duplicate keys in tuple. Key: x under root"),
        ("'pk': 'a', 'sk': 's', 'x': <<1, 'a'>>", None),
        ("'pk': 'a', 'sk': 's', '': 1", "Empty attribute name"),
    ],
)
def test_inserts_that_are_refused(dynamodb, table, members, text):
    code, told = refusal(
        dynamodb.execute_statement, Statement=f'INSERT INTO "{table}" VALUE {{{members}}}'
    )
    assert code == VALIDATION
    assert text is None or told == text


def test_an_insert_that_is_too_large(dynamodb, table):
    statement = f"INSERT INTO \"{table}\" VALUE {{'pk': 'a', 'sk': 's', 'v': ?}}"
    told = refusal(
        dynamodb.execute_statement, Statement=statement, Parameters=[padding(400 * 1024)]
    )
    assert told == (VALIDATION, "Item size has exceeded the maximum allowed size")


# Each assignment is one of an UpdateExpression: the same item, the same attributes, the same cost.
@pytest.mark.parametrize(
    ("assignments", "expression", "used"),
    [
        ("SET n = 7", "SET n = :v", {"v": {"N": "7"}}),
        ("SET n = n + 1", "SET n = n + :v", {"v": {"N": "1"}}),
        ("SET n=n-1", "SET n = n - :v", {"v": {"N": "1"}}),
        ("SET a = n", "SET a = n", {}),
        (
            "SET a = 1, m.leaf = 'new'",
            "SET a = :v, m.leaf = :w",
            {"v": {"N": "1"}, "w": {"S": "new"}},
        ),
        (
            "SET a = 1 SET b = 2 REMOVE n",
            "SET a = :v, b = :w REMOVE n",
            {"v": {"N": "1"}, "w": {"N": "2"}},
        ),
        ("REMOVE n REMOVE m.leaf", "REMOVE n, m.leaf", {}),
        ('REMOVE "list"[1]', "REMOVE #list[1]", {}),
        (
            "SET \"list\"[0] = 'x', \"list\"[2] = 'y'",
            "SET #list[0] = :v, #list[2] = :w",
            {"v": {"S": "x"}, "w": {"S": "y"}},
        ),
        ("SET \"list\"[9] = 'z'", "SET #list[9] = :v", {"v": {"S": "z"}}),
        (
            'SET "list" = list_append("list", [1])',
            "SET #list = list_append(#list, :v)",
            {"v": {"L": [{"N": "1"}]}},
        ),
        (
            'SET "list" = LIST_APPEND([1], "list")',
            "SET #list = list_append(:v, #list)",
            {"v": {"L": [{"N": "1"}]}},
        ),
        ("SET ss = set_add(ss, <<'a', 'z'>>)", "ADD ss :v", {"v": {"SS": ["a", "z"]}}),
        ("SET fresh = SET_ADD(fresh, <<1>>)", "ADD fresh :v", {"v": {"NS": ["1"]}}),
        ("SET ss = set_delete(ss, <<'a', 'q'>>)", "DELETE ss :v", {"v": {"SS": ["a", "q"]}}),
        # A word of SQL that is no keyword here.
        ("SET Only = set_add(Only, <<'a'>>)", "ADD #Only :v", {"v": {"SS": ["a"]}}),
        ("SET ns = set_delete(ns, <<1, 2>>)", "DELETE ns :v", {"v": {"NS": ["1", "2"]}}),
        ("SET g = 'y'", "SET g = :v", {"v": {"S": "y"}}),
        ("SET m = {'a': [<<'b'>>]}", "SET m = :v", {"v": {"M": {"a": {"L": [{"SS": ["b"]}]}}}}),
    ],
)
@pytest.mark.parametrize(
    ("returning", "values_"),
    [
        ("ALL OLD", "ALL_OLD"),
        ("ALL NEW", "ALL_NEW"),
        ("MODIFIED OLD", "UPDATED_OLD"),
        ("MODIFIED NEW", "UPDATED_NEW"),
    ],
)
def test_update_as_update_item(
    dynamodb, table, item, where, assignments, expression, used, returning, values_
):
    told = ran(dynamodb, f'UPDATE "{table}" {assignments} {where} RETURNING {returning} *', **TOTAL)
    twin = {**item, "sk": {"S": "twin"}}
    dynamodb.put_item(TableName=table, Item=twin)
    request = {"UpdateExpression": expression}
    if used:
        request["ExpressionAttributeValues"] = values(**used)
    names = [name for name in ("list", "Only") if f"#{name}" in expression]
    if names:
        request["ExpressionAttributeNames"] = {f"#{name}": name for name in names}
    twin_key = {name: twin[name] for name in ("pk", "sk")}
    expected = dynamodb.update_item(
        TableName=table, Key=twin_key, ReturnValues=values_, **request, **TOTAL
    )
    assert told["ConsumedCapacity"]["CapacityUnits"] >= 1
    found = [{**each, "sk": {"S": "s"}} if "sk" in each else each for each in _listed(expected)]
    assert told["Items"] == found
    key = {name: item[name] for name in ("pk", "sk")}
    after, other = stored(dynamodb, table, key), stored(dynamodb, table, twin_key)
    assert after == {**other, "sk": {"S": "s"}}


def _listed(answer):
    return [answer["Attributes"]] if "Attributes" in answer else []


# Sums may stand within sums, unlike in an UpdateExpression. Source: measured by users, April 2026.
@pytest.mark.parametrize(
    ("value", "after"),
    [
        ("n + n", "10"),
        ("1 + n", "6"),
        ("n + -2", "3"),
        ("n + 1 + 2", "8"),
        ("n - 1 - 2", "2"),
        ("(n + 1) - 2", "4"),
        ("n - (n - ?)", "7"),
    ],
)
def test_sums(dynamodb, table, item, where, value, after):
    told = items(
        dynamodb,
        f'UPDATE "{table}" SET n = {value} {where} RETURNING MODIFIED NEW *',
        *[{"N": "7"}] * value.count("?"),
    )
    assert told == [{"n": {"N": after}}]


def test_a_sum_of_what_is_no_number(dynamodb, table, item, where):
    told = refusal(
        dynamodb.execute_statement, Statement=f'UPDATE "{table}" SET n = n + (n + g) {where}'
    )
    assert told == (VALIDATION, "An operand in the update expression has an incorrect data type")


def test_an_update_answers_nothing_unasked(dynamodb, table, item, where):
    assert ran(dynamodb, f'UPDATE "{table}" SET n = 1 {where}') == {"Items": []}


@pytest.mark.parametrize("tail", ["SET n = ?", "SET n = ? REMOVE ss RETURNING ALL NEW *"])
def test_from_first(dynamodb, table, item, where, tail):
    told = items(dynamodb, f'from "{table}" {where} {tail}', {"N": "8"})
    assert stored(dynamodb, table, {name: item[name] for name in ("pk", "sk")})["n"] == {"N": "8"}
    assert [each["n"] for each in told] == [{"N": "8"}] * ("RETURNING" in tail)


# An UPDATE is no upsert: without an item the condition fails, whatever it is.
@pytest.mark.parametrize("more", ["", " AND attribute_not_exists(pk)", " AND n IS MISSING"])
@pytest.mark.parametrize("change", ["SET n = 1", "SET ss = set_add(ss, <<'x'>>)", "REMOVE n"])
def test_update_of_no_item(dynamodb, table, key, where, more, change):
    statement = f'UPDATE "{table}" {change} {where}{more}'
    assert refusal(dynamodb.execute_statement, Statement=statement) == FAILED
    assert stored(dynamodb, table, key) is None


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("n = 5", True),
        ("(n = 5 OR n = 6) AND ss = <<'c', 'b', 'a'>>", True),
        ("attribute_exists(n)", True),
        ("n = 6", False),
        ("attribute_not_exists(n)", False),
        ("NOT begins_with(g, 'x')", False),
    ],
)
def test_conditions_of_writes(dynamodb, table, item, where, condition, holds):
    key = {name: item[name] for name in ("pk", "sk")}
    update = f'UPDATE "{table}" SET touched = true {where} AND {condition}'
    delete = f'DELETE FROM "{table}" {where} AND {condition}'
    for statement in (update, delete):
        if holds:
            assert items(dynamodb, statement) == []
        else:
            assert refusal(dynamodb.execute_statement, Statement=statement) == FAILED
    assert stored(dynamodb, table, key) == (None if holds else item)


# The key may stand anywhere among what must hold together, and more than once.
def test_where_the_key_may_stand(dynamodb, table, item, where, pk):
    key = {name: item[name] for name in ("pk", "sk")}
    statement = f"UPDATE \"{table}\" SET n = 6 WHERE (n = 5 AND 's' = sk) AND ('{pk}' = pk)"
    assert items(dynamodb, f"{statement} AND pk = '{pk}'") == []
    assert stored(dynamodb, table, key)["n"] == {"N": "6"}
    for condition in (f"pk = '{pk}' OR sk = 's'", f"pk IN ['{pk}'] AND sk = 's'", f"pk = '{pk}'"):
        code, _ = refusal(
            dynamodb.execute_statement, Statement=f'DELETE FROM "{table}" WHERE {condition}'
        )
        assert code == VALIDATION


def test_the_item_that_did_not_meet_a_condition(dynamodb, table, item, where):
    for statement in (f'UPDATE "{table}" SET n = 1', f'DELETE FROM "{table}"'):
        told = error_of(
            dynamodb.execute_statement,
            Statement=f"{statement} {where} AND n = 0",
            ReturnValuesOnConditionCheckFailure="ALL_OLD",
        )
        assert told["Item"] == item


def test_delete(dynamodb, table, item, where):
    told = ran(dynamodb, f'DELETE FROM "{table}" {where} RETURNING ALL OLD *', **TOTAL)
    assert told["Items"] == [item]
    assert told["ConsumedCapacity"]["CapacityUnits"] == 3
    # Without an item no condition is looked at. Source: public tests that pass on the service.
    for more in ("", " AND n = 0", " RETURNING ALL OLD *"):
        assert ran(dynamodb, f'DELETE FROM "{table}" {where}{more}') == {"Items": []}


@pytest.mark.parametrize(
    ("assignments", "text"),
    [
        (
            "newlist[0] = 'x'",
            "The document path provided in the update expression is invalid for update",
        ),
        (
            "a = nope",
            "The provided expression refers to an attribute that does not exist in the item",
        ),
        ("n = ss + 1", "An operand in the update expression has an incorrect data type"),
        (
            "ss = set_add(ss, <<1>>)",
            "An operand in the update expression has an incorrect data type",
        ),
        ("n = set_add(n, <<1>>)", "An operand in the update expression has an incorrect data type"),
        (
            "sk = 'x'",
            (
                "One or more parameter values were invalid: Cannot update attribute sk. This "
                "attribute is part of the key"
            ),
        ),
        (
            "m = 1, m.leaf = 2",
            (
                "Two document paths overlap with each other; must remove or rewrite one of these "
                "paths; path one: [m], path two: [m, leaf]"
            ),
        ),
        ("n = if_not_exists(n, 1)", None),
        ("n = (a = b)", None),
        ("n = MISSING", None),
    ],
)
def test_updates_that_are_refused(dynamodb, table, item, where, assignments, text):
    statement = f'UPDATE "{table}" SET {assignments} {where}'
    code, told = refusal(dynamodb.execute_statement, Statement=statement)
    assert code == VALIDATION
    assert text is None or told == text
    assert stored(dynamodb, table, {name: item[name] for name in ("pk", "sk")}) == item


# The words are shorter than those of UpdateItem. Source: measured by users, September 2026.
def test_a_value_that_ends_too_deep(dynamodb, table, item, where):
    deep = {"S": "x"}
    for _ in range(31):
        deep = {"M": {"a": deep}}
    told = refusal(
        dynamodb.execute_statement,
        Statement=f'UPDATE "{table}" SET m.deep = ? {where}',
        Parameters=[deep],
    )
    assert told == (VALIDATION, "Nesting Levels have exceeded supported limits")
