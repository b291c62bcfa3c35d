"""What conditions mean, case by case; `test_condition_properties` holds them against a model."""

from tests.rows import rows
from tests.unit.expressions.requests import condition

ITEM = {
    "s": {"S": "hello"},
    "n": {"N": "5"},
    "b": {"B": "aGVsbG8="},
    "t": {"BOOL": True},
    "nil": {"NULL": True},
    "ss": {"SS": ["a", "b"]},
    "ns": {"NS": ["1", "2.5"]},
    "bs": {"BS": ["AA==", "YQ=="]},
    "l": {"L": [{"S": "x"}, {"N": "1"}, {"L": [{"S": "deep"}]}, {"SS": ["a"]}]},
    "m": {"M": {"k": {"S": "v"}, "letter": {"S": "a"}, "mm": {"M": {"n": {"N": "7"}}}}},
    "wide": {"S": "a\U0001f600é"},
    "blank": {"S": ""},
    "dotted.name": {"S": "yes"},
}
VALUES = {
    ":hello": {"S": "hello"},
    ":hell": {"S": "hell"},
    ":ell": {"S": "ell"},
    ":x": {"S": "x"},
    ":e": {"S": ""},
    ":5": {"N": "5.0"},
    ":4": {"N": "4"},
    ":6": {"N": "6"},
    ":1": {"N": "1"},
    ":five": {"S": "5"},
    ":b": {"B": "aGVsbG8="},
    ":bhel": {"B": "aGVs"},
    ":byte": {"B": "AA=="},
    ":t": {"BOOL": True},
    ":f": {"BOOL": False},
    ":nil": {"NULL": True},
    ":ss": {"SS": ["b", "a"]},
    ":ns": {"NS": ["2.50", "1"]},
    ":l": {"L": [{"S": "deep"}]},
    ":m": {"M": {"mm": {"M": {"n": {"N": "7.0"}}}, "letter": {"S": "a"}, "k": {"S": "v"}}},
    ":sa": {"SS": ["a"]},
    ":S": {"S": "S"},
    ":NULL": {"S": "NULL"},
    ":N": {"S": "N"},
}

TRUE = [
    "s = :hello",
    ":hello = s",
    "n = :5",
    "b = :b",
    "t = :t",
    "nil = :nil",
    "ss = :ss",
    "ns = :ns",
    "m = :m",
    "l[2] = :l",
    "m.k <> s",
    "m.mm.n > n",
    "l[0] = :x",
    "s <> :five",
    "n <> :five",
    "nowhere <> :hello",
    "nowhere <> absent",
    ":hello <> nowhere",
    "l[9] <> :x",
    "n < :6",
    ":4 < n",
    "n >= :5",
    ":5 <= n",
    ":5 >= n",
    ":6 > n",
    "s > :hell",
    "b > :bhel",
    "n BETWEEN :4 AND :5",
    "n BETWEEN :5 AND :6",
    ":5 BETWEEN :4 AND n",
    "s BETWEEN :hell AND :x",
    "b BETWEEN :bhel AND :b",
    "n IN (:4, :hello, :5)",
    "n IN (n2, nowhere, :5)",
    "ss IN (:sa, :ss)",
    "attribute_exists(s)",
    "attribute_exists(nil)",
    "attribute_exists(m.mm.n)",
    "attribute_exists(l[2][0])",
    "attribute_exists((s))",
    "attribute_not_exists(nowhere)",
    "attribute_not_exists(m.nowhere)",
    "attribute_not_exists(s.k)",
    "attribute_not_exists(m[0])",
    "attribute_not_exists(l[4])",
    "attribute_type(s, :S)",
    "attribute_type(nil, :NULL)",
    "attribute_type(:5, :N)",
    "attribute_type(size(s), :N)",
    "begins_with(s, :hell)",
    "begins_with(s, :e)",
    "begins_with(b, :bhel)",
    "begins_with(:hello, s)",
    "contains(s, :ell)",
    "contains(b, :bhel)",
    "contains(ss, :a)",
    "contains(ns, :1)",
    "contains(bs, :byte)",
    "contains(l, :x)",
    "contains(l, :l)",
    "contains(l, :sa)",
    "contains(ss, m.letter)",
    "size(s) = n",
    "size(ss) = size(ns)",
    "size(b) = :5",
    "size(l) = :4",
    "size(m) < size(l)",
    "size(blank) = :0",
    # In UTF-16: one, two and one.
    "size(wide) = :4",
    "size(:hello) = :5",
    "#dotted = :yes",
    # AND before OR, NOT before both.
    "s = :hello OR s = :x AND s = :x",
    "NOT s = :x AND s = :hello",
    "NOT (s = :x AND s = :hello)",
    "NOT NOT s = :hello",
    "NOT nowhere = :hello",
    "NOT nowhere < :hello",
    "s = :hello AND n = :5 AND b = :b AND t = :t",
    "s = :x OR n = :4 OR b = :byte OR t = :t",
    "(s = :x OR n = :5) AND (t = :t OR t = :f)",
]
FALSE = [
    "s = :hell",
    "n = :five",
    "nowhere = :hello",
    "nowhere = absent",
    ":hello = nowhere",
    "t = :f",
    "ss = :sa",
    "s <> :hello",
    "n <> :5",
    "ss <> :ss",
    "n < :5",
    "n < :five",
    ":5 < n",
    ":6 <= n",
    ":4 >= n",
    ":5 > n",
    "s < :6",
    "n < nowhere",
    "nowhere >= absent",
    "t < t2",
    "ss <= ss2",
    "nil >= :5",
    "l > :5",
    "n BETWEEN :6 AND :7",
    "n BETWEEN nowhere AND :6",
    "n BETWEEN :4 AND nowhere",
    "nowhere BETWEEN :4 AND :6",
    "s BETWEEN :4 AND :6",
    "n BETWEEN :hell AND :x",
    # Bounds out of an item may be of any type and in any order.
    "n BETWEEN m.mm.n AND :4",
    "n IN (:4, :five)",
    "nowhere IN (:4, absent)",
    "attribute_exists(nowhere)",
    "attribute_exists(s.k)",
    "attribute_exists(l[4])",
    "attribute_not_exists(nil)",
    "attribute_type(s, :N)",
    "attribute_type(nowhere, :N)",
    "begins_with(s, :ell)",
    "begins_with(s, :bhel)",
    "begins_with(b, :hell)",
    "begins_with(n, :hell)",
    "begins_with(nowhere, :hell)",
    "begins_with(s, nowhere)",
    "contains(s, :x)",
    "contains(s, :bhel)",
    "contains(b, :hell)",
    "contains(ss, :1)",
    "contains(ns, :x)",
    "contains(l, :ell)",
    "contains(m, :x)",
    "contains(n, :5)",
    "contains(t, :t)",
    "contains(nowhere, :x)",
    "contains(s, nowhere)",
    "size(n) = :1",
    "size(t) = :1",
    "size(nil) = :1",
    "size(nowhere) = :1",
    "size(s) = :five",
    "(s = :hello OR s = :x) AND s = :x",
    "NOT s = :hello OR s = :x",
    "NOT (s = :x OR s = :hello)",
    "s = :hello AND n = :5 AND b = :b AND t = :f",
    "s = :x OR n = :4 OR b = :byte OR t = :f",
]
MORE = {":a": {"S": "a"}, ":0": {"N": "0"}, ":7": {"N": "7"}, ":yes": {"S": "yes"}}
ALSO = {"t2": {"BOOL": True}, "ss2": {"SS": ["a", "b", "c"]}, "n2": {"N": "9"}}


def _holds(text):
    names = {"#dotted": "dotted.name"} if "#dotted" in text else None
    return condition(text, VALUES | MORE, names).holds(ITEM | ALSO)


@rows("text", TRUE)
def test_what_holds(text):
    assert _holds(text) is True


@rows("text", FALSE)
def test_what_does_not_hold(text):
    assert _holds(text) is False


# UTF-8 orders U+FFFF before U+10000, UTF-16 does not.
def test_text_is_ordered_by_its_bytes():
    item = {"s": {"S": "\uffff"}}
    values = {":v": {"S": "\U00010000"}}
    assert condition("s < :v", values).holds(item)


def test_numbers_are_compared_by_value():
    for smaller, larger in [("9", "10"), ("-10", "-9"), ("0.5", "1"), ("-0.5", "0.25")]:
        assert condition("a < :v", {":v": {"N": larger}}).holds({"a": {"N": smaller}})
        assert not condition("a < :v", {":v": {"N": smaller}}).holds({"a": {"N": larger}})
    # More digits than a float has.
    item = {"a": {"N": "12345678901234567890123456789012345678"}}
    assert condition("a < :v", {":v": {"N": "12345678901234567890123456789012345679"}}).holds(item)


def test_a_nowhere_item_is_an_empty_one():
    assert condition("attribute_not_exists(a)").holds({})
    assert not condition("a = :v", {":v": {"S": ""}}).holds({})


# Deep enough for every level to matter, and within the limits.
def test_deep_conditions():
    item = {"a": {"S": "x"}, "c": {"S": "1"}, "d": {"S": "1"}}
    values = {":v": {"S": "x"}}
    for text in (
        "(NOT " * 296 + "a = :v" + ")" * 296,
        "NOT " * 296 + "a = :v",
        "c = d AND (" * 148 + "a = :v" + ")" * 148,
        "c <> d OR (" * 148 + "a = :v" + ")" * 148,
        "(NOT (c <> d OR " * 98 + "a = :v" + "))" * 98,
    ):
        assert condition(text, values).holds(item)
        assert not condition(f"NOT ({text} AND c = d)", values).holds(item)
