"""Expressions that nobody should send, in each place that takes one, and the exact answer to each.

What an expression may say is tested elsewhere; here it is long, deep, or made of one thing only.
"""

import pytest

from tests.fuzz.memory import ITEM, KEY, Refusing
from tests.fuzz.mutations import TABLES

PLACES = {
    "ConditionExpression": ("PutItem", {"Item": ITEM}),
    "FilterExpression": ("Scan", {}),
    "KeyConditionExpression": ("Query", {}),
    "UpdateExpression": ("UpdateItem", {"Key": KEY}),
    "ProjectionExpression": ("GetItem", {"Key": KEY}),
}
CONDITIONS = ["ConditionExpression", "FilterExpression", "KeyConditionExpression"]
# What begins every text of an operation; reads say it without.
ENVELOPE = "1 validation error detected: "
END = "<EOF>"
TOO_LARGE = "Expression size has exceeded the maximum allowed size;"


@pytest.fixture(scope="module")
def server():
    own = Refusing(TABLES)
    yield own
    own.close()


def refused(server, parameter, text, **members):
    """The reason, without what names the expression."""
    operation, request = PLACES[parameter]
    answer = server.invalid(
        operation, {"TableName": "simple", **request, parameter: text, **members}
    )
    answer = answer.removeprefix(ENVELOPE if operation in {"PutItem", "UpdateItem"} else "")
    assert answer.startswith(f"Invalid {parameter}: ")
    return answer.removeprefix(f"Invalid {parameter}: ")


def syntax(token, near):
    return f'Syntax error; token: "{token}", near: "{near}"'


# 4 KB of one thing: what may begin an expression is read up to where it cannot go on.
@pytest.mark.parametrize(
    "token",
    [
        *("=", "<>", "<", "<=", ">", ">=", "+", "-", ",", "]", ")", "#", "0", "/", "%", "$", ";"),
        *("\0", "\\", "\N{GRINNING FACE}", "_", "*", "&", "|", "!", "?", "~", "^", "@", "{", "}"),
    ],
    ids=repr,
)
@pytest.mark.parametrize("parameter", PLACES)
def test_4_kb_of_what_no_expression_begins_with(server, parameter, token):
    text = " ".join([token] * (4096 // (len(token.encode()) + 1)))
    assert refused(server, parameter, text) == syntax(token, f"{token} {token}")


@pytest.mark.parametrize("parameter", PLACES)
@pytest.mark.parametrize(
    "keyword", ["AND", "OR", "BETWEEN", "IN", "SET", "REMOVE", "ADD", "DELETE"]
)
def test_4_kb_of_keywords(server, parameter, keyword):
    reason = refused(server, parameter, f"{keyword} " * (4096 // (len(keyword) + 1)))
    words = [" ".join([keyword] * count) for count in (2, 3)]
    assert reason in {syntax(keyword, near) for near in words}


@pytest.mark.parametrize(
    ("text", "token", "near"),
    [
        ("(" * 4096, END, "("),
        ("NOT " * 1024, END, "NOT "),
        ("not(" * 1024, END, "("),
        ("size(" * 819, END, "("),
        ("(a" + ")" * 4000, ")", ")))"),
        ("((a = b" + " " * 4000, END, "b" + " " * 4000),
        ("a = b" + " AND a = b" * 400 + " AND", END, "AND"),
        ("a IN (" + "b," * 2000, END, ","),
        ("a BETWEEN " * 400, "BETWEEN", "a BETWEEN a"),
        ("a" + "[0]" * 1000, END, "]"),
        ("a" + ".a" * 2000, END, "a"),
        ("a[", END, "["),
        ("a[-1] = b", "-", "[-1"),
        ("a[0x1] = b", "x1", "0x1]"),
        ("a[01] = b", "1", "01]"),
        ("a..b = c", ".", "..b"),
        ("a = 'b'", "'", "= 'b"),
        ('a = "' + "b" * 1000, '"', '= "' + "b" * 1000),
        ("a === b", "=", "==="),
        (" \t\r\n", END, " \t\r\n"),
    ],
    ids=lambda part: repr(part)[:40],
)
@pytest.mark.parametrize("parameter", CONDITIONS)
def test_conditions_without_end(server, parameter, text, token, near):
    assert refused(server, parameter, text) == syntax(token, near)


CONDITION_CHAINS = {
    "not": "NOT " * 300 + "attribute_exists(a)",
    "and": " AND ".join(["a=b"] * 151),
    "or": " OR ".join(["a=b"] * 151),
    "functions": "size(" * 301 + "a" + ")" * 301 + " = b",
    "parentheses": "NOT (" * 300 + "a = b" + ")" * 300,
}


@pytest.mark.parametrize("text", CONDITION_CHAINS.values(), ids=CONDITION_CHAINS)
@pytest.mark.parametrize("parameter", CONDITIONS)
def test_more_than_300_operators(server, parameter, text):
    reason = "The expression contains too many operators; operator count: 301"
    assert refused(server, parameter, text) == reason


@pytest.mark.parametrize(
    "text",
    [
        "NOT " * 299 + "attribute_exists(a)",
        " AND ".join(["a<>b"] * 150),
        " OR ".join(["a=b"] * 148 + ["pk=pk2 OR pk<>pk2"]),
        "NOT (" * 297 + "attribute_exists(pk) AND pk<>pk2" + ")" * 297,
        "a=b AND (a=b OR (" * 74 + "a=b AND NOT c=d" + "))" * 74,
        "NOT (a=b OR " * 99 + "NOT a<>b" + ")" * 99,
    ],
    ids=lambda text: text[:20],
)
def test_300_operators(server, text):
    status, answer = server.answer("Scan", {"TableName": "simple", "FilterExpression": text})
    assert (status, answer["ScannedCount"]) == (200, 1)


@pytest.mark.parametrize("parameter", PLACES)
def test_expressions_that_are_too_large_or_empty(server, parameter):
    assert refused(server, parameter, "") == "The expression can not be empty;"
    for text, size in (("a" * 4097, 4097), ("é" * 2049, 4098), ("a" * 1_000_000, 1_000_000)):
        told = f" expression size: {size}" if parameter != "UpdateExpression" else ""
        assert refused(server, parameter, text) == TOO_LARGE + told


@pytest.mark.parametrize(("part", "levels"), [(".a", 2045), ("[0]", 1363), (".a", 33), ("[0]", 33)])
def test_endless_paths(server, part, levels):
    path = "a" + part * (levels - 1)
    reason = f"The document path has too many nesting levels; nesting levels: {levels}"
    assert refused(server, "ProjectionExpression", path) == reason
    assert refused(server, "UpdateExpression", f"REMOVE {path}"[:4096]) == reason
    assert refused(server, "FilterExpression", f"{path}=b") == reason


@pytest.mark.parametrize("index", ["4294967295", "9" * 19, "9" * 4000])
def test_endless_indexes(server, index):
    reason = f"List index is not within the allowable range; index: [{index}]"
    assert refused(server, "ProjectionExpression", f"a[{index}]") == reason
    assert refused(server, "UpdateExpression", f"REMOVE a[{index}]") == reason
    assert refused(server, "FilterExpression", f"a[{index}] = b") == reason


# Maps of placeholders: what is not used is told, as far as it goes.


def test_100_kb_of_names_that_are_not_used(server):
    names = {f"#{number}": "a" for number in range(10_000)}
    body = {"TableName": "simple", "Key": KEY, "ProjectionExpression": "a"}
    text = server.invalid("GetItem", {**body, "ExpressionAttributeNames": names})
    assert text == (
        "Value provided in ExpressionAttributeNames unused in expressions: "
        f"keys: {{{', '.join(names)}}}"
    )


def test_100_kb_of_values_that_are_not_used(server):
    values = {f":{number}": {"S": ""} for number in range(10_000)}
    body = {"TableName": "simple", "FilterExpression": "a = b"}
    text = server.invalid("Scan", {**body, "ExpressionAttributeValues": values})
    assert text == (
        "Value provided in ExpressionAttributeValues unused in expressions: "
        f"keys: {{{', '.join(values)}}}"
    )


def test_2_mb_of_placeholders_and_a_byte_more(server):
    body = {"TableName": "simple", "FilterExpression": "a = :a"}
    for size, told in ((2 * 1024 * 1024 - 2, None), (2 * 1024 * 1024 - 1, "")):
        values = {":a": {"S": "x" * size}}
        request = {**body, "ExpressionAttributeValues": values}
        if told is None:
            assert server.answer("Scan", request)[0] == 200
        else:
            assert server.invalid("Scan", request) == ("ExpressionAttributeValues exceeds max size")


@pytest.mark.parametrize("key", ["", "#", "a", ":a", "##", "#a ", "#é", "#\0", "#a\n", "#a.b"])
def test_odd_placeholders_of_names(server, key):
    body = {"TableName": "simple", "Key": KEY, "ProjectionExpression": "#a"}
    text = server.invalid("GetItem", {**body, "ExpressionAttributeNames": {"#a": "x", key: "y"}})
    assert text == (f'ExpressionAttributeNames contains invalid key: Syntax error; key: "{key}"')
