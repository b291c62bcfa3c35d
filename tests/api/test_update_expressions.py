"""UpdateExpression: what becomes of an item, and what cannot be done to one."""

import pytest

from tests.api.items import stored, values
from tests.api.refusals import VALIDATION, refusal

INVALID_PATH = "The document path provided in the update expression is invalid for update"
MISSING = "The provided expression refers to an attribute that does not exist in the item"
WRONG_TYPE = "An operand in the update expression has an incorrect data type"
OVERFLOW = (
    "Number overflow. Attempting to store a number with magnitude larger than supported range"
)
TOO_DEEP = (
    "Nesting Levels have exceeded supported limits: "
    "Attributes in the item have nested levels beyond supported limit"
)


def S(text):  # noqa: N802 - as the API calls the type
    return {"S": text}


def N(text):  # noqa: N802
    return {"N": str(text)}


def L(*elements):  # noqa: N802
    return {"L": list(elements)}


def M(**members):  # noqa: N802
    return {"M": members}


@pytest.fixture
def changed(dynamodb, simple, pk):
    """What an update makes of attributes; None as attributes for no item."""

    def made(before, expression, /, **used):
        key = {"pk": S(pk)}
        if before is not None:
            dynamodb.put_item(TableName=simple, Item={**key, **before})
        request = {"TableName": simple, "Key": key, "UpdateExpression": expression}
        if used:
            request["ExpressionAttributeValues"] = values(**used)
        dynamodb.update_item(**request)
        item = stored(dynamodb, simple, key)
        assert item is not None
        assert item.pop("pk") == key["pk"]
        return item

    return made


# SET writes, whatever was there, of whatever type. Source: E.3.
@pytest.mark.parametrize(
    ("before", "expression", "used", "after"),
    [
        ({}, "SET a = :v", {"v": S("x")}, {"a": S("x")}),
        ({"a": L()}, "SET a = :v", {"v": N(1)}, {"a": N(1)}),
        ({"a": N(1)}, "SET b = a", {}, {"a": N(1), "b": N(1)}),
        ({"a": N(1), "b": N(2)}, "SET a = b, b = a", {}, {"a": N(2), "b": N(1)}),
        ({"m": M(x=N(1))}, "SET m.x = :v", {"v": M()}, {"m": M(x=M())}),
        ({"m": M(x=N(1))}, "SET m.y = m.x", {}, {"m": M(x=N(1), y=N(1))}),
        ({"m": M()}, "SET m = :v", {"v": S("")}, {"m": S("")}),
        ({"a": S("x")}, "set  a=:v", {"v": S("y")}, {"a": S("y")}),
        ({"a": N(5)}, "SET a = (a)", {}, {"a": N(5)}),
        ({"a": N(5)}, "SET a = ((a) + (:v))", {"v": N(2)}, {"a": N(7)}),
    ],
)
def test_set(changed, before, expression, used, after):
    assert changed(before, expression, **used) == after


# An index past the end appends, several in the order of the indexes. Source: E.3, B.12.
@pytest.mark.parametrize(
    ("before", "expression", "after"),
    [
        ([0, 1, 2], "SET l[1] = :v", [0, 9, 2]),
        ([0, 1, 2], "SET l[3] = :v", [0, 1, 2, 9]),
        ([0, 1, 2], "SET l[4294967294] = :v", [0, 1, 2, 9]),
        ([], "SET l[0] = :v", [9]),
        ([0], "SET l[9] = :w, l[5] = :v", [0, 9, 8]),
        ([0, 1], "SET l[0] = l[1], l[1] = l[0], l[5] = :v", [1, 0, 9]),
        ([0, 1, 2], "SET l[1] = :v REMOVE l[0]", [9, 2]),
        ([0, 1, 2], "SET l[7] = :v REMOVE l[0], l[2]", [1, 9]),
    ],
)
def test_set_of_list_elements(changed, before, expression, after):
    used = {"v": N(9)} | ({"w": N(8)} if ":w" in expression else {})
    item = changed({"l": L(*map(N, before))}, expression, **used)
    assert item == {"l": L(*map(N, after))}


# Exact in 38 digits, never rounded, answered in plain notation. Source: D.2, E.3.
@pytest.mark.parametrize(
    ("a", "expression", "b", "result"),
    [
        ("1", "SET a = a + :b", "2", "3"),
        ("1", "SET a = a - :b", "2", "-1"),
        ("1", "SET a = :b - a", "2", "1"),
        ("0.1", "SET a = a + :b", "0.2", "0.3"),
        ("1.5", "SET a = a - :b", "1.50", "0"),
        ("-5", "SET a = a + :b", "5", "0"),
        ("1e37", "SET a = a + :b", "1", "10000000000000000000000000000000000001"),
        ("9" * 38, "SET a = a - :b", "9" * 38, "0"),
        ("9" * 37 + "8", "SET a = a + :b", "1", "9" * 38),
        ("1e125", "SET a = a - :b", "1e125", "0"),
        ("1e-130", "SET a = a + :b", "1e-130", "0." + "0" * 129 + "2"),
        ("9.9e125", "SET a = a + :b", "9e123", "999" + "0" * 123),
        ("12345678901234567890", "ADD a :b", "98765432109876543210", "111111111011111111100"),
        ("0.3", "ADD a :b", "-0.1", "0.2"),
        ("9" * 38, "ADD a :b", "1", "1" + "0" * 38),
    ],
)
def test_arithmetic(changed, a, expression, b, result):
    assert changed({"a": N(a)}, expression, b=N(b)) == {"a": N(result)}


# Catalogue 41: also for a result of more than 38 digits. Source: D.2, verified.
@pytest.mark.parametrize(
    ("a", "expression", "b"),
    [
        ("1e50", "SET a = a + :b", "1"),
        ("1e50", "SET a = a - :b", "1"),
        ("9e125", "SET a = a + :b", "1e125"),
        ("-9e125", "SET a = a - :b", "1e125"),
        ("1e-130", "SET a = a + :b", "1"),
        ("9" * 38, "ADD a :b", "0.1"),
    ],
)
def test_result_is_out_of_range(dynamodb, simple, pk, a, expression, b):
    key = {"pk": S(pk)}
    dynamodb.put_item(TableName=simple, Item={**key, "a": N(a)})
    before = stored(dynamodb, simple, key)
    request = {
        "Key": key,
        "UpdateExpression": expression,
        "ExpressionAttributeValues": {":b": N(b)},
    }
    assert refusal(dynamodb.update_item, TableName=simple, **request) == (VALIDATION, OVERFLOW)
    assert stored(dynamodb, simple, key) == before


# Source: E.3; functions may stand within each other and within arithmetic.
@pytest.mark.parametrize(
    ("before", "expression", "used", "after"),
    [
        ({"a": N(1)}, "SET a = if_not_exists(a, :v)", {"v": N(9)}, {"a": N(1)}),
        ({}, "SET a = if_not_exists(a, :v)", {"v": N(9)}, {"a": N(9)}),
        ({"a": {"NULL": True}}, "SET a = if_not_exists(a, :v)", {"v": N(9)}, {"a": {"NULL": True}}),
        ({"b": N(2)}, "SET a = if_not_exists(a, b)", {}, {"a": N(2), "b": N(2)}),
        ({"m": M()}, "SET m.x = if_not_exists(m.x, :v)", {"v": N(9)}, {"m": M(x=N(9))}),
        ({}, "SET a = if_not_exists(a, :v) + :w", {"v": N(9), "w": N(1)}, {"a": N(10)}),
        ({"a": N(3)}, "SET a = :w - if_not_exists(a, :v)", {"v": N(9), "w": N(1)}, {"a": N(-2)}),
        ({}, "SET a = if_not_exists(b, if_not_exists(c, :v))", {"v": N(9)}, {"a": N(9)}),
        ({"l": L(N(1))}, "SET l = list_append(l, :v)", {"v": L(N(2))}, {"l": L(N(1), N(2))}),
        ({"l": L(N(1))}, "SET l = list_append(:v, l)", {"v": L(N(2))}, {"l": L(N(2), N(1))}),
        ({"l": L(N(1))}, "SET l = list_append(l, l)", {}, {"l": L(N(1), N(1))}),
        (
            {},
            "SET l = list_append(if_not_exists(l, :e), :v)",
            {"e": L(), "v": L(N(1))},
            {"l": L(N(1))},
        ),
        (
            {"m": M(l=L())},
            "SET m.l = list_append(m.l, :v)",
            {"v": L(S("x"))},
            {"m": M(l=L(S("x")))},
        ),
    ],
)
def test_functions(changed, before, expression, used, after):
    assert changed(before, expression, **used) == after


# Indexes are those of the list as it was; what is not there is no error. Source: E.3.
@pytest.mark.parametrize(
    ("before", "expression", "after"),
    [
        ({"a": N(1), "b": N(2)}, "REMOVE a", {"b": N(2)}),
        ({"b": N(2)}, "REMOVE a", {"b": N(2)}),
        ({"m": M(x=N(1), y=N(2))}, "REMOVE m.x", {"m": M(y=N(2))}),
        ({"m": M(x=N(1))}, "REMOVE m.x", {"m": M()}),
        ({"m": M()}, "REMOVE m.x", {"m": M()}),
        ({"l": L(N(0), N(1), N(2))}, "REMOVE l[1]", {"l": L(N(0), N(2))}),
        ({"l": L(N(0), N(1), N(2))}, "REMOVE l[0], l[2]", {"l": L(N(1))}),
        ({"l": L(N(0), N(1), N(2))}, "REMOVE l[2], l[0], l[1]", {"l": L()}),
        ({"l": L(N(0))}, "REMOVE l[1]", {"l": L(N(0))}),
        ({"l": L(L(N(0), N(1)), N(2))}, "REMOVE l[0][0], l[1]", {"l": L(L(N(1)))}),
        ({"l": L(M(x=N(0), y=N(1)))}, "REMOVE l[0].x", {"l": L(M(y=N(1)))}),
        ({"a": N(1)}, "remove a set b = a", {"b": N(1)}),
    ],
)
def test_remove(changed, before, expression, after):
    assert changed(before, expression) == after


# Numbers add up from 0, sets unite; what is missing comes into being, below paths too. Source: E.3.
@pytest.mark.parametrize(
    ("before", "expression", "value", "after"),
    [
        ({"a": N(1)}, "ADD a :v", N("2.5"), {"a": N("3.5")}),
        ({"a": N(1)}, "ADD a :v", N(-1), {"a": N(0)}),
        ({}, "ADD a :v", N("-7.0"), {"a": N(-7)}),
        ({}, "ADD a :v", {"NS": ["2", "1.0"]}, {"a": {"NS": ["1", "2"]}}),
        ({"a": {"SS": ["b"]}}, "ADD a :v", {"SS": ["c", "a", "b"]}, {"a": {"SS": ["a", "b", "c"]}}),
        ({"a": {"NS": ["10"]}}, "ADD a :v", {"NS": ["9", "1e1"]}, {"a": {"NS": ["9", "10"]}}),
        ({"a": {"BS": [b"b"]}}, "ADD a :v", {"BS": [b"a", b"b"]}, {"a": {"BS": [b"a", b"b"]}}),
        ({"m": M(x=N(1))}, "ADD m.x :v", N(1), {"m": M(x=N(2))}),
        ({"m": M()}, "ADD m.x :v", {"SS": ["x"]}, {"m": M(x={"SS": ["x"]})}),
        ({"l": L(N(1))}, "ADD l[0] :v", N(1), {"l": L(N(2))}),
        ({"l": L(N(1))}, "ADD l[4] :v", N(5), {"l": L(N(1), N(5))}),
    ],
)
def test_add(changed, before, expression, value, after):
    assert changed(before, expression, v=value) == after


# Sets lose members, and are gone with the last: there are no empty sets. Source: E.3.
@pytest.mark.parametrize(
    ("before", "expression", "value", "after"),
    [
        ({"a": {"SS": ["x", "y"]}}, "DELETE a :v", {"SS": ["x", "z"]}, {"a": {"SS": ["y"]}}),
        ({"a": {"SS": ["x", "y"]}}, "DELETE a :v", {"SS": ["z"]}, {"a": {"SS": ["x", "y"]}}),
        ({"a": {"SS": ["x"]}}, "DELETE a :v", {"SS": ["y", "x"]}, {}),
        ({"a": {"NS": ["1", "2"]}}, "DELETE a :v", {"NS": ["2.00"]}, {"a": {"NS": ["1"]}}),
        ({"a": {"BS": [b"x", b"y"]}}, "DELETE a :v", {"BS": [b"y"]}, {"a": {"BS": [b"x"]}}),
        ({}, "DELETE a :v", {"SS": ["x"]}, {}),
        ({"m": M(x={"SS": ["x"]})}, "DELETE m.x :v", {"SS": ["x"]}, {"m": M()}),
        ({"l": L({"SS": ["x"]}, N(1))}, "DELETE l[0] :v", {"SS": ["x"]}, {"l": L(N(1))}),
    ],
)
def test_delete(changed, before, expression, value, after):
    assert changed(before, expression, v=value) == after


# All sections read the item as it was, whatever their order. Source: E.3.
def test_sections_read_the_item_before(changed):
    before = {"a": N(1), "b": N(10), "c": {"SS": ["x", "y"]}, "d": S("gone")}
    after = {"a": N(11), "b": N(15), "c": {"SS": ["y"]}, "e": S("gone")}
    sections = ["SET a = a + b, e = d", "REMOVE d", "ADD b :n", "DELETE c :s"]
    for turned in (sections, sections[::-1]):
        assert changed(before, " ".join(turned), n=N(5), s={"SS": ["x"]}) == after


# A name with a dot is one name, and not a path. Source: Developer Guide, "Expression attribute
# names".
def test_name_with_a_dot_is_no_path(dynamodb, simple, pk):
    key = {"pk": S(pk)}
    dynamodb.put_item(TableName=simple, Item={**key, "a": M(b=N(1))})
    dynamodb.update_item(
        TableName=simple,
        Key=key,
        UpdateExpression="SET #whole = :v, a.#whole = a.b",
        ExpressionAttributeNames={"#whole": "a.b"},
        ExpressionAttributeValues={":v": N(2)},
    )
    after = {**key, "a": M(**{"b": N(1), "a.b": N(1)}), "a.b": N(2)}
    assert stored(dynamodb, simple, key) == after


# Catalogue 105: the parents of what is written must be there, and of the right kind.
@pytest.mark.parametrize(
    "expression",
    [
        "SET gone.x = :v",
        "SET gone[0] = :v",
        "SET n.x = :v",
        "SET n[0] = :v",
        "SET l.x = :v",
        "SET m[0] = :v",
        "SET m.gone.x = :v",
        "SET l[0].x = :v",
        "SET l[5].x = :v",
        "SET m.x.y = :v",
        "ADD gone.x :v",
        "ADD l.x :v",
        "REMOVE gone.x SET a = :v",
        "REMOVE n[0] SET a = :v",
        "DELETE gone.x :s SET a = :v",
    ],
)
def test_path_is_invalid_for_update(dynamodb, simple, pk, expression):
    item = {"pk": S(pk), "n": N(1), "l": L(N(1)), "m": M(x=N(1))}
    dynamodb.put_item(TableName=simple, Item=item)
    used = {"v": N(1)} | ({"s": {"SS": ["x"]}} if ":s" in expression else {})
    request = {
        "Key": {"pk": S(pk)},
        "UpdateExpression": expression,
        "ExpressionAttributeValues": values(**used),
    }
    assert refusal(dynamodb.update_item, TableName=simple, **request) == (VALIDATION, INVALID_PATH)
    assert stored(dynamodb, simple, {"pk": S(pk)}) == item


# Catalogue 105, of an item that is there: the parent is missing. Source: E.3.
def test_remove_below_what_is_missing(dynamodb, simple, pk):
    dynamodb.put_item(TableName=simple, Item={"pk": S(pk)})
    request = {"TableName": simple, "Key": {"pk": S(pk)}, "UpdateExpression": "REMOVE a.b"}
    assert refusal(dynamodb.update_item, **request) == (VALIDATION, INVALID_PATH)


# Catalogue 105, of an item that is not there: nothing is made for the path to lead through.
@pytest.mark.parametrize("expression", ["SET a.b = pk", "SET a[0] = pk", "SET a = pk REMOVE b.c"])
def test_path_into_a_missing_item(dynamodb, simple, pk, expression):
    request = {"TableName": simple, "Key": {"pk": S(pk)}, "UpdateExpression": expression}
    assert refusal(dynamodb.update_item, **request) == (VALIDATION, INVALID_PATH)
    assert stored(dynamodb, simple, {"pk": S(pk)}) is None


# Catalogue 106 and 107.
@pytest.mark.parametrize(
    ("expression", "value", "text"),
    [
        ("SET a = gone", None, MISSING),
        ("SET a = m.gone", None, MISSING),
        ("SET a = l[9]", None, MISSING),
        ("SET a = gone + :v", N(1), MISSING),
        ("SET a = :v - gone", N(1), MISSING),
        ("SET a = list_append(gone, :v)", L(), MISSING),
        ("SET a = if_not_exists(gone, gone)", None, MISSING),
        ("SET a = s + :v", N(1), WRONG_TYPE),
        ("SET a = :v - l", N(1), WRONG_TYPE),
        ("SET a = list_append(n, :v)", L(), WRONG_TYPE),
        ("SET a = list_append(ss, l)", None, WRONG_TYPE),
        ("SET a = n + if_not_exists(s, :v)", N(1), WRONG_TYPE),
        ("ADD s :v", N(1), WRONG_TYPE),
        ("ADD n :v", {"SS": ["x"]}, WRONG_TYPE),
        ("ADD ss :v", {"NS": ["1"]}, WRONG_TYPE),
        ("ADD l :v", N(1), WRONG_TYPE),
        ("DELETE n :v", {"NS": ["1"]}, WRONG_TYPE),
        ("DELETE ss :v", {"NS": ["1"]}, WRONG_TYPE),
        ("DELETE m.x :v", {"SS": ["x"]}, WRONG_TYPE),
    ],
)
def test_operand_is_missing_or_of_another_type(dynamodb, simple, pk, expression, value, text):
    item = {"pk": S(pk), "n": N(1), "s": S("1"), "l": L(N(1)), "m": M(x=N(1)), "ss": {"SS": ["x"]}}
    dynamodb.put_item(TableName=simple, Item=item)
    used = {} if value is None else {"ExpressionAttributeValues": {":v": value}}
    request = {"Key": {"pk": S(pk)}, "UpdateExpression": expression, **used}
    assert refusal(dynamodb.update_item, TableName=simple, **request) == (VALIDATION, text)
    assert stored(dynamodb, simple, {"pk": S(pk)}) == item


# Catalogue 43: levels are those of the item that comes of it, not of the value alone. Source: D.4.
@pytest.mark.parametrize(("levels", "fits"), [(30, True), (31, False)])
def test_nesting_below_a_path(dynamodb, simple, pk, levels, fits):
    value = S("leaf")
    for _ in range(levels):
        value = L(value)
    dynamodb.put_item(TableName=simple, Item={"pk": S(pk), "m": M()})
    request = {
        "TableName": simple,
        "Key": {"pk": S(pk)},
        "UpdateExpression": "SET m.x = :v",
        "ExpressionAttributeValues": {":v": value},
    }
    if fits:
        dynamodb.update_item(**request)
        assert stored(dynamodb, simple, {"pk": S(pk)})["m"] == M(x=value)
    else:
        assert refusal(dynamodb.update_item, **request) == (VALIDATION, TOO_DEEP)
