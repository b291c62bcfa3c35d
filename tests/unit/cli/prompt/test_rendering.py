"""Items as tables and as lines."""

import io

from rich.console import Console

from hashrange.cli.prompt.rendering import lines_of, literal_of, table_of
from tests.rows import rows

ITEM = {"pk": {"S": "it's"}, "n": {"N": "1"}, "tags": {"SS": ["a", "b"]}}


def drawn(items):
    file = io.StringIO()
    Console(file=file, width=200).print(table_of(items))
    return [line.rstrip() for line in file.getvalue().splitlines()]


@rows(
    ("value", "literal"),
    [
        ({"S": "it's"}, "'it''s'"),
        ({"N": "1.50"}, "1.50"),
        ({"BOOL": True}, "true"),
        ({"BOOL": False}, "false"),
        ({"NULL": True}, "null"),
        ({"B": "AAE="}, "base64 AAE="),
        ({"NS": ["1", "2"]}, "<<1, 2>>"),
        ({"SS": ["a"]}, "<<'a'>>"),
        ({"L": [{"N": "1"}, {"S": "x"}]}, "[1, 'x']"),
        ({"M": {"a'b": {"L": []}}}, "{'a''b': []}"),
    ],
)
def test_literals(value, literal):
    assert literal_of(value) == literal


def test_tables_have_a_column_for_each_attribute():
    items = [ITEM, {"pk": {"S": "b"}, "n": {"N": "10"}, "other": {"BOOL": True}}]
    assert drawn(items) == [
        "pk     n  tags          other",
        "it's   1  <<'a', 'b'>>",
        "b     10                true",
    ]


def test_control_characters_do_not_reach_the_terminal():
    printed = "\n".join(drawn([{"a\x1b[2J": {"S": "x\x1b]0;title\x07\r\n"}}]))
    assert "\x1b" not in printed
    assert "\r" not in printed
    assert "x\N{REPLACEMENT CHARACTER}]0;title" in printed


def test_json_keeps_types():
    assert list(lines_of([ITEM], "json")) == [
        '{"pk":{"S":"it\'s"},"n":{"N":"1"},"tags":{"SS":["a","b"]}}'
    ]


def test_plain_json_where_it_keeps_all():
    items = [{"pk": {"S": "a"}, "n": {"N": "1.50"}}, ITEM]
    assert list(lines_of(items, "plain")) == ['{"pk":"a","n":1.50}', *lines_of([ITEM], "json")]
