"""Placeholders that are made, by value."""

import pytest

from hashrange.tools.scanning.expressions import InputError, expressions
from hashrange.tools.scanning.repeats import is_repeatable
from tests.rows import rows


@rows(
    "kind, text, replaced, names",
    [
        ("filter", "status = :s", "#status = :s", {"#status": "status"}),
        (
            "filter",
            "a.status = :s OR Size > :n",
            "a.#status = :s OR #Size > :n",
            {"#status": "status", "#Size": "Size"},
        ),
        (
            "filter",
            "size(data) > :n AND NOT (name IN (:a))",
            "size(#data) > :n AND NOT (#name IN (:a))",
            {"#data": "data", "#name": "name"},
        ),
        ("filter", "add = :s", "#add = :s", {"#add": "add"}),
        (
            "projection",
            "id, status, list[0].and",
            "id, #status, #list[0].#and",
            {"#status": "status", "#list": "list", "#and": "and"},
        ),
        (
            "update",
            "SET status = :s REMOVE #x, or",
            "SET #status = :s REMOVE #x, #or",
            {"#status": "status", "#or": "or"},
        ),
        ("filter", "status = status", "#status = #status", {"#status": "status"}),
        ("filter", "bad ! text", "bad ! #text", {"#text": "text"}),
    ],
)
def test_reserved_words_are_replaced(kind, text, replaced, names):
    made = expressions({kind: text})
    assert (made.texts[kind], made.names) == (replaced, names)


# A name of the caller may be the one that would be made.
def test_names_of_the_caller_are_kept():
    made = expressions(
        {"filter": "status = #status AND #d = :x AND data = :y"},
        '{"status": "other", "#d": "data"}',
    )
    assert made.texts["filter"] == "#status_2 = #status AND #d = :x AND #d = :y"
    assert made.names == {"#status": "other", "#d": "data", "#status_2": "status"}


@rows(
    "text, value",
    [
        ('"a"', {"S": "a"}),
        ("1.50", {"N": "1.50"}),
        ("123456789012345678901234567890", {"N": "123456789012345678901234567890"}),
        ("null", {"NULL": True}),
        ('["a", 1]', {"L": [{"S": "a"}, {"N": "1"}]}),
        ('{"S": "a"}', {"S": "a"}),
        ('{"N": 5}', {"N": "5"}),
        ('{"SS": ["a"]}', {"SS": ["a"]}),
        ('{"a": true}', {"M": {"a": {"BOOL": True}}}),
    ],
)
def test_values_are_plain_or_typed(text, value):
    for key in ("v", ":v"):
        made = expressions({}, None, f'{{"{key}": {text}}}')
        assert made.values == {":v": value}


def test_names_are_texts():
    with pytest.raises(InputError, match="the name of a is not a text"):
        expressions({}, '{"a": 1}')


@rows(
    "update, wanted",
    [
        ("SET a = :s", True),
        ("SET a = b", True),
        ("SET a = if_not_exists(a, :s)", True),
        ("REMOVE a, b.c", True),
        ("ADD a :set", True),
        ("DELETE a :set", True),
        ("ADD a :n", False),
        ("SET a = a + :n", False),
        ("SET a.b = a.c + :n", False),
        ("SET a = list_append(a, :s)", False),
        ("SET a = b, b = :s", False),
        ("SET a = if_not_exists(b, :n) REMOVE b", False),
        ("SET a[3] = :s", False),
        ("REMOVE a[0]", False),
    ],
)
def test_updates_that_may_be_repeated(update, wanted):
    values = {":n": {"N": "1"}, ":set": {"SS": ["a"]}, ":s": {"S": "a"}}
    assert is_repeatable(update, {}, values) is wanted
