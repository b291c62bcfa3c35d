"""Which of several faults is told: the order in which the service looks at a request."""

import pytest

from tests.rows import rows
from tests.unit.expressions.catalogue import CONFLICT, OVERLAP
from tests.unit.expressions.requests import CURRENT, OLDER, TYPED, refused, used

NAMES = {"#a": "a", "#b": "b", "#c": "c", "#d": "[3]"}
S = {"S": "x"}
MANY = " AND ".join(["a = b"] * 151)


def _names(text):
    found = {key: name for key, name in NAMES.items() if key in text}
    return found or None


# Over the whole expression: parentheses, names of functions, their places, reserved words.
# Then one condition after the other: placeholders, numbers, distinctness, types.
@rows(
    ("expression", "part"),
    [
        ("a = ((b)) AND f(c)", "redundant parentheses"),
        ("a = b AND f((:x)) > a", "Invalid function name; function: f"),
        ("attRIbute_exIsts((views), #x)", "Invalid function name; function: attRIbute_exIsts"),
        ("a = a AND attribute_exists((views), (#x)) > b", "used this way in an expression"),
        ("contains(:x, views) > b", "used this way in an expression; function: contains"),
        ("size(f(contains(a, b))) = g(a)", "Invalid function name; function: f"),
        ("size(a) AND views = f(a)", "Invalid function name; function: f"),
        (f"{MANY} AND f(a)", "Invalid function name; function: f"),
        (f"{MANY} AND size(a)", "operator count: 301"),
        (f"{MANY} AND views = a", "operator count: 301"),
        (f"{MANY} AND ((f(a)))", "redundant parentheses"),
        ("size(begins_with(a, b)) = contains(a, b)", "function: begins_with"),
        ("attribute_exists(views, #x)", "reserved keyword: views"),
        (":x < abOrT", "reserved keyword: abOrT"),
        ("views = abOrT", "reserved keyword: views"),
        ("a.#x.#y = b", "attribute name: #x"),
        ("begins_with(:x, #x, #y)", "attribute value: :x"),
        ("attribute_exists(#x.RearView, :x) AND a = a", "attribute name: #x"),
        ("begins_with(b.#x)", "attribute name: #x"),
        (":x < :y", "attribute value: :x"),
        ("a BETWEEN b.c[45].#x AND :y", "attribute name: #x"),
        ("attribute_exists(c, a) AND a = a", "attribute_exists, number of operands: 2"),
        ("begins_with(a, size(a), b)", "begins_with, number of operands: 3"),
        ("size(a, b) = attribute_exists(a)", "used this way"),
        ("a = a AND b = #x", "operator: =, first operand: [a]"),
        ("a = :s AND b BETWEEN :s AND :n AND a = a", "same data type for lower and upper"),
        ("attribute_type(a.b, a.b)", "operator: attribute_type, first operand: [a, b]"),
        ("attribute_type(a, size(a)) AND a = a", "attribute_type, operand type: N"),
        ("attribute_not_exists(size(:n))", "operator or function: size, operand type: N"),
        ("attribute_not_exists(size(:s))", "requires a document path"),
        ("a BETWEEN :bool AND :s", "BETWEEN, operand type: BOOL"),
        ("a < :bool AND b = :x", "operator or function: <, operand type: BOOL"),
        ("a = b AND a.b.c.d.e = :x AND SIZE = c", "reserved keyword: SIZE"),
        ("a[5000000000] = :x", "allowable range"),
        ("a[5000000000] = views", "reserved keyword: views"),
    ],
)
def test_faults_of_conditions(expression, part):
    values = used(expression, TYPED)
    assert part in refused(_names(expression), values, condition=expression)


@rows(
    ("expression", "part"),
    [
        ("set #x = :x set abOrt = a", "reserved keyword: abOrt"),
        ("set #x = f(:x) set c = d", "Invalid function name; function: f"),
        ("set a = size(b) set c = #x", "not allowed in an update expression; function: size"),
        ("set a = list_append(list_append(#x, b), c) set d = e", "used this way"),
        ("set a = #x set c = :x", 'The "SET" section'),
        ("remove #x set a = b remove e", 'The "REMOVE" section'),
        ("add #x :x set a = b add e :y", 'The "ADD" section'),
        ("SET #x = if_not_exists(:x)", "attribute name: #x"),
        ("SET #a = if_not_exists(:x)", "attribute value: :x"),
        ("SET a = :x, b = #x", "attribute value: :x"),
        (
            "set d[1] = a, d.b = a, c[1].a = a, #c = if_not_exists(a)",
            OVERLAP.format("[c, [1], a]", "[c]"),
        ),
        ("set #c[3].#d = a, #c[3] = a", "path one: [c, [3], [3]], path two: [c, [3]]"),
        ("remove c, #c.a, #d", OVERLAP.format("[c]", "[c, a]")),
        (
            "set #c[3].#d = a, #c.#d[3] = if_not_exists(a)",
            CONFLICT.format("[c, [3], [3]]", "[c, [3], [3]]"),
        ),
        ("remove a.b set a[1] = b", "conflict"),
        ("remove a.b, a[1], c.d, c[1]", CONFLICT.format("[a, b]", "[a, [1]]")),
        ("remove a[1], a[2], a.b, a.c", CONFLICT.format("[a, [1]]", "[a, b]")),
        ("remove a.b, a.c, a.b.d", "path one: [a, b], path two: [a, b, d]"),
        ("remove a.b.c, a.b.d, a.b", "path one: [a, b, c], path two: [a, b]"),
        ("set b = list_append(:s, a), c = if_not_exists(a) add a.b :s", "operator: ADD"),
        ("set a = if_not_exists(b) + :s", "if_not_exists, number of operands: 1"),
    ],
)
def test_faults_of_updates(expression, part):
    values = used(expression, TYPED)
    assert part in refused(_names(expression), values, OLDER, update=expression)


@pytest.mark.parametrize(
    ("expression", "part"),
    [
        ("#x, list", "reserved keyword: list"),
        ("a, a, #x", "attribute name: #x"),
        ("d[1], d.b, a, a.b", "overlap"),
        ("#a, #b[1], a.b", "overlap"),
    ],
)
def test_faults_of_projections(expression, part):
    assert part in refused(_names(expression), projection=expression)


# Names before values, presence before form, form before contents, all of it before expressions.
@rows(
    ("request_", "part"),
    [
        ({"names": {}, "values": {}}, "ExpressionAttributeNames can only be"),
        ({"values": {}}, "ExpressionAttributeValues can only be"),
        ({"names": {}, "values": {}, "condition": ""}, "ExpressionAttributeNames must not be"),
        ({"names": {}, "values": {}, "projection": ""}, "ExpressionAttributeValues can only be"),
        ({"names": {"a": "a"}, "values": {}, "condition": ""}, "invalid key"),
        ({"names": {"#a": "", "a": "a"}, "condition": ""}, "invalid key"),
        ({"names": {"#a": ""}, "values": {}, "condition": ""}, "invalid value"),
        ({"values": {":v": {"N": "x"}, "v": S}, "condition": ""}, "invalid key"),
        ({"values": {"v": {"N": "x"}}}, "ExpressionAttributeValues can only be"),
        ({"values": {":v": {"N": "x"}}, "condition": ""}, "numeric value: x"),
        ({"values": {":v": S}, "condition": ""}, "can not be empty"),
        ({"values": {":v": S}, "condition": "a =", "update": "SET b = :v"}, "<EOF>"),
        (
            {"names": {"#x": "x"}, "values": {":x": S}, "condition": "a = b"},
            "AttributeNames unused",
        ),
        ({"values": {":x": S}, "condition": "a = b", "filter": "c = d"}, "AttributeValues unused"),
    ],
)
def test_faults_of_placeholders(request_, part):
    assert part in refused(**request_)


def test_expressions_one_after_the_other():
    texts = {
        "update": "SET",
        "condition": "AND",
        "key_condition": "OR",
        "filter": "NOT",
        "projection": ",",
    }
    for wording in CURRENT, OLDER:
        rest = dict(texts)
        for label in ("Update", "Condition", "KeyCondition", "Filter", "Projection"):
            assert refused(None, None, wording, **rest).startswith(f"Invalid {label}Expression: ")
            del rest["key_condition" if label == "KeyCondition" else label.lower()]


# What only key conditions may not say comes after all other expressions, and before what is unused.
def test_rules_of_key_conditions_come_last():
    assert "Invalid FilterExpression" in refused(key_condition="a <> b", filter="")
    assert "Invalid ProjectionExpression" in refused(key_condition="a <> b", projection="a,")
    assert "Invalid operator used" in refused({"#x": "x"}, key_condition="a <> b")


# Base64 is looked at while a request is decoded: before all else.
def test_bad_base64_comes_first():
    values = {":a": {"N": "x"}, ":b": {"B": "!"}}
    for wording in CURRENT, OLDER:
        assert "ase64" in refused(None, values, wording)
        assert "ase64" in refused(None, values, wording, condition="a = :a")
