"""The operators and functions of conditions: what holds of which item."""

import pytest

from tests.api.items import values

# One attribute of each type, and some to compare them with.
ITEM = {
    "s": {"S": "hello"},
    "s2": {"S": "hello"},
    "blank": {"S": ""},
    "wide": {"S": "né😀"},
    "n": {"N": "10"},
    "n2": {"N": "9"},
    "neg": {"N": "-0.5"},
    "b": {"B": b"\x01\x02\xff"},
    "yes": {"BOOL": True},
    "nil": {"NULL": True},
    "ss": {"SS": ["a", "b"]},
    "ns": {"NS": ["1", "2.5"]},
    "bs": {"BS": [b"\x01", b"\x02\x03"]},
    "l": {"L": [{"S": "x"}, {"N": "1"}, {"M": {"k": {"N": "7"}}}]},
    "m": {"M": {"k": {"S": "v"}, "deep": {"M": {"l": {"L": [{"N": "5"}]}}}}},
}


@pytest.fixture(scope="module")
def table(dynamodb, new_table):
    """A table with the item, which no test changes."""
    name = new_table()
    dynamodb.put_item(TableName=name, Item={"pk": {"S": "item"}, **ITEM})
    return name


@pytest.fixture
def holds(dynamodb, table):
    """Whether a condition holds of the item, or of none."""

    def tested(condition, *, key="item", **used):
        request = {"ConditionExpression": condition}
        if used:
            request["ExpressionAttributeValues"] = values(**used)
        # An update of nothing changes nothing of an item that is there.
        call = dynamodb.update_item if key == "item" else dynamodb.delete_item
        try:
            call(TableName=table, Key={"pk": {"S": key}}, **request)
        except dynamodb.exceptions.ConditionalCheckFailedException:
            return False
        return True

    return tested


# Of one type there is an order: strings by UTF-8 bytes, binary by unsigned bytes, numbers by value.
# Across types nothing is equal or ordered. Source: D.5, E.2.
@pytest.mark.parametrize(
    ("condition", "value", "expected"),
    [
        ("s = :v", {"S": "hello"}, True),
        ("s = :v", {"S": "Hello"}, False),
        ("s <> :v", {"S": "Hello"}, True),
        ("s < :v", {"S": "hello!"}, True),
        ("s < :v", {"S": "hello"}, False),
        ("s <= :v", {"S": "hello"}, True),
        ("s > :v", {"S": "Zebra"}, True),
        ("s >= :v", {"S": "hellp"}, False),
        ("wide > :v", {"S": "nz"}, True),
        ("blank < s", None, True),
        ("n = :v", {"N": "10.0"}, True),
        ("n = :v", {"N": "1e1"}, True),
        ("n > n2", None, True),
        ("n > :v", {"N": "9.999999999999999999999999999999"}, True),
        ("neg < :v", {"N": "0"}, True),
        ("neg > :v", {"N": "-5e-1"}, False),
        ("b = :v", {"B": b"\x01\x02\xff"}, True),
        ("b > :v", {"B": b"\x01\x02\x7f"}, True),
        ("b < :v", {"B": b"\x01\x02\xff\x00"}, True),
        ("yes = :v", {"BOOL": True}, True),
        ("yes = :v", {"BOOL": False}, False),
        ("nil = :v", {"NULL": True}, True),
        ("ss = :v", {"SS": ["b", "a"]}, True),
        ("ss = :v", {"SS": ["a"]}, False),
        ("ns = :v", {"NS": ["2.50", "1"]}, True),
        ("bs = :v", {"BS": [b"\x02\x03", b"\x01"]}, True),
        ("l = :v", {"L": [{"S": "x"}, {"N": "1.0"}, {"M": {"k": {"N": "7"}}}]}, True),
        ("l = :v", {"L": [{"N": "1"}, {"S": "x"}, {"M": {"k": {"N": "7"}}}]}, False),
        ("m = :v", {"M": {"deep": {"M": {"l": {"L": [{"N": "5"}]}}}, "k": {"S": "v"}}}, True),
        ("m = :v", {"M": {"k": {"S": "v"}}}, False),
        ("n = :v", {"S": "10"}, False),
        ("n <> :v", {"S": "10"}, True),
        ("n < :v", {"S": "9"}, False),
        ("n > :v", {"S": "0"}, False),
        ("s < :v", {"B": b"zz"}, False),
        ("m.k = :v", {"S": "v"}, True),
        ("l[2].k = :v", {"N": "7"}, True),
        ("m.deep.l[0] < n", None, True),
        ("s = s2", None, True),
        (":v = s", {"S": "hello"}, True),
        (":v < n", {"N": "9"}, True),
    ],
)
def test_comparison(holds, condition, value, expected):
    assert holds(condition, **({} if value is None else {"v": value})) is expected


# What is missing is unequal to everything, and so are two missing paths. Source: E.2, verified.
@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("nope = :v", False),
        ("nope <> :v", True),
        ("nope < :v", False),
        ("nope >= :v", False),
        ("nope BETWEEN :v AND :v", False),
        ("nope IN (:v)", False),
        ("contains(nope, :v)", False),
        ("begins_with(nope, :v)", False),
        ("NOT nope = :v", True),
        ("NOT contains(nope, :v)", True),
        ("s.nope = :v", False),
        ("l[9] <> :v", True),
        ("n[0] = :v", False),
    ],
)
def test_missing_path(holds, condition, expected):
    assert holds(condition, v={"S": "x"}) is expected


# Likewise without values.
@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("nope = nada", False),
        ("nope <> nada", True),
        ("nope < nada", False),
        ("nope = s", False),
        ("size(nope) = n", False),
        ("size(nope) <> n", True),
        ("attribute_exists(nope)", False),
        ("attribute_exists(s)", True),
        ("attribute_exists(nil)", True),
        ("attribute_exists(blank)", True),
        ("attribute_exists(m.deep.l[0])", True),
        ("attribute_exists(m.deep.l[1])", False),
        ("attribute_exists(l[2].k)", True),
        ("attribute_exists(s.k)", False),
        ("attribute_not_exists(nope)", True),
        ("attribute_not_exists(s)", False),
        ("attribute_not_exists(m.nope)", True),
        ("NOT attribute_not_exists(m.k)", True),
    ],
)
def test_presence(holds, condition, expected):
    assert holds(condition) is expected


# Bounds are inclusive; operands may be paths; IN is any equality, of any type. Source: E.2.
@pytest.mark.parametrize(
    ("condition", "used", "expected"),
    [
        ("n BETWEEN :a AND :b", {"a": {"N": "10"}, "b": {"N": "11"}}, True),
        ("n BETWEEN :a AND :b", {"a": {"N": "9"}, "b": {"N": "10"}}, True),
        ("n BETWEEN :a AND :b", {"a": {"N": "10.1"}, "b": {"N": "11"}}, False),
        ("s BETWEEN :a AND :b", {"a": {"S": "h"}, "b": {"S": "i"}}, True),
        ("b BETWEEN :a AND :b", {"a": {"B": b"\x01"}, "b": {"B": b"\x02"}}, True),
        ("s BETWEEN :a AND :b", {"a": {"N": "1"}, "b": {"N": "2"}}, False),
        (":a BETWEEN n2 AND n", {"a": {"N": "9.5"}}, True),
        ("n IN (:a, :b)", {"a": {"N": "1"}, "b": {"N": "10.0"}}, True),
        ("n IN (:a, :b)", {"a": {"S": "10"}, "b": {"N": "1"}}, False),
        ("ss IN (:a)", {"a": {"SS": ["b", "a"]}}, True),
        ("m.k IN (s, :a)", {"a": {"S": "v"}}, True),
    ],
)
def test_between_and_in(holds, condition, used, expected):
    assert holds(condition, **used) is expected


# Source: E.2: attribute_type knows all ten names, of what is stored.
@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("s", "S"),
        ("n", "N"),
        ("b", "B"),
        ("yes", "BOOL"),
        ("nil", "NULL"),
        ("ss", "SS"),
        ("ns", "NS"),
        ("bs", "BS"),
        ("l", "L"),
        ("m", "M"),
    ],
)
def test_attribute_type(holds, name, kind):
    assert holds(f"attribute_type({name}, :t)", t={"S": kind})
    other = "S" if kind != "S" else "SS"
    assert not holds(f"attribute_type({name}, :t)", t={"S": other})
    assert not holds("attribute_type(nope, :t)", t={"S": kind})


# Strings and binary only, and of one type. Source: E.2.
@pytest.mark.parametrize(
    ("condition", "value", "expected"),
    [
        ("begins_with(s, :v)", {"S": "he"}, True),
        ("begins_with(s, :v)", {"S": ""}, True),
        ("begins_with(s, :v)", {"S": "He"}, False),
        ("begins_with(b, :v)", {"B": b"\x01\x02"}, True),
        ("begins_with(b, :v)", {"B": b"\x02"}, False),
        ("begins_with(s, :v)", {"B": b"he"}, False),
        ("begins_with(n, :v)", {"S": "1"}, False),
        ("begins_with(:v, s)", {"S": "hello world"}, True),
        ("begins_with(m.k, :v)", {"S": "v"}, True),
        ("contains(s, :v)", {"S": "ell"}, True),
        ("contains(s, :v)", {"S": "elo"}, False),
        ("contains(b, :v)", {"B": b"\x02\xff"}, True),
        ("contains(b, :v)", {"B": b"\x01\xff"}, False),
        ("contains(s, :v)", {"B": b"ell"}, False),
        ("contains(ss, :v)", {"S": "a"}, True),
        ("contains(ss, :v)", {"S": "c"}, False),
        ("contains(ns, :v)", {"N": "2.50"}, True),
        ("contains(ns, :v)", {"S": "1"}, False),
        ("contains(bs, :v)", {"B": b"\x02\x03"}, True),
        ("contains(bs, :v)", {"B": b"\x02"}, False),
        ("contains(l, :v)", {"N": "1.0"}, True),
        ("contains(l, :v)", {"M": {"k": {"N": "7"}}}, True),
        ("contains(l, :v)", {"N": "7"}, False),
        ("contains(m, :v)", {"S": "k"}, False),
        ("contains(n, :v)", {"N": "1"}, False),
        ("contains(:v, s)", {"S": "say hello"}, True),
        ("contains(:v, s)", {"L": [{"S": "hello"}]}, True),
    ],
)
def test_begins_with_and_contains(holds, condition, value, expected):
    assert holds(condition, v=value) is expected


# Strings in units of UTF-16, binary in bytes, sets, lists and maps in members. Source: E.2,
# verified.
@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("s", 5),
        ("blank", 0),
        ("wide", 4),
        ("b", 3),
        ("ss", 2),
        ("ns", 2),
        ("bs", 2),
        ("l", 3),
        ("m", 2),
        ("m.deep.l", 1),
    ],
)
def test_size(holds, name, size):
    assert holds(f"size({name}) = :n", n={"N": str(size)})
    assert holds(f":n <= size({name})", n={"N": str(size)})


# Numbers, truths and null have none. Source: E.2.
@pytest.mark.parametrize("name", ["n", "yes", "nil"])
def test_no_size(holds, name):
    assert not holds(f"size({name}) >= :n", n={"N": "0"})


# NOT binds tighter than AND, AND tighter than OR; keywords in any case. Source: E.1.
@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("s = :t OR s = :f AND s = :f", True),
        ("(s = :t OR s = :f) AND s = :f", False),
        ("NOT s = :f AND s = :t", True),
        ("NOT (s = :f AND s = :t)", True),
        ("NOT s = :f OR s = :t AND s = :f", True),
        ("NOT NOT s = :t AND NOT s = :f", True),
        ("not s = :f and s = :t or s = :f", True),
        ("NOT s = :t AND s = :f OR s = :f", False),
    ],
)
def test_precedence(holds, condition, expected):
    assert holds(condition, t={"S": "hello"}, f={"S": "other"}) is expected


# Of a missing item nothing exists; so a condition can hold of none. Source: A.3.
@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("attribute_exists(pk)", False),
        ("attribute_not_exists(pk)", True),
        ("pk = :v", False),
        ("pk <> :v", True),
        ("NOT pk = :v", True),
    ],
)
def test_condition_on_a_missing_item(holds, condition, expected):
    used = {"v": {"S": "no item"}} if ":v" in condition else {}
    assert holds(condition, key="no item", **used) is expected
