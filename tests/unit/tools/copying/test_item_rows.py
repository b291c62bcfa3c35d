"""Rows of CSV by value, and the types of their columns."""

import pytest

from hashrange.tools.copying.item_lines import ItemError, KnownTypes
from hashrange.tools.copying.seed_files import Columns, guessed_type
from tests.rows import rows


@rows(
    ("cells", "kind"),
    [
        (["1", "-2.50", "0", "0.5", ""], "N"),
        (["9" * 38, "0." + "1" * 37], "N"),
        (["9" * 39], "S"),
        # Codes, and what else is not meant as a quantity.
        (["1", "007"], "S"),
        (["00"], "S"),
        (["1e5"], "S"),
        (["+1"], "S"),
        (["1,5"], "S"),
        ([" 1"], "S"),
        (["٣"], "S"),
        (["NaN"], "S"),
        (["true", "FALSE", ""], "BOOL"),
        (["true", "1"], "S"),
        (["", ""], "S"),
        ([], "S"),
    ],
)
def test_type_of_a_column(cells, kind):
    assert guessed_type(cells) == kind


def columns(names, sample=(), given=None, fixed=None):
    return Columns(names, KnownTypes(["id"], fixed or {"id": "S"}, given), sample)


def test_row_is_an_item():
    names = ["id", "price", "ok", "tags", "map"]
    rows = [["007", "1.50", "True", '["a", "b"]', '{"x": 1}'], ["2", "", "false", "", ""]]
    made = columns(names, rows, {"tags": "SS", "map": "M"})
    assert made.guesses == {"price": "N", "ok": "BOOL"}
    assert [made.item_of(row) for row in rows] == [
        {
            "id": {"S": "007"},
            "price": {"N": "1.50"},
            "ok": {"BOOL": True},
            "tags": {"SS": ["a", "b"]},
            "map": {"M": {"x": {"N": "1"}}},
        },
        {"id": {"S": "2"}, "ok": {"BOOL": False}},
    ]


def test_type_that_is_given_is_not_guessed():
    made = columns(["id", "n"], [["1", "5"]], {"n": "S"})
    assert made.guesses == {}
    assert made.item_of(["1", "5"])["n"] == {"S": "5"}


@rows(
    ("row", "text"),
    [
        (["1"], "it has 1 cells, and the header has 4"),
        (["1", "2", "true", "", "5"], "it has 5 cells, and the header has 4"),
        (["", "2", "true", ""], "the key attribute id is missing"),
        # In the first rows all were numbers: the one or the other is not as it was meant.
        (["1", "n/a", "true", ""], "n is 'n/a', and the rows before have type N there"),
        (["1", "08", "true", ""], "--types n=S"),
        (["1", "2", "yes", ""], "t is 'yes', and not true or false"),
        (["1", "2", "true", "a,b"], "tags of type SS wants JSON like"),
        (["1", "2", "true", "{}"], "tags of type SS wants JSON like"),
        (["1", "2", "true", "[1]"], "tags of type SS wants JSON like"),
        (["1", "x" * 1000, "true", ""], "n is 'x{60}…'"),
    ],
)
def test_row_that_is_no_item(row, text):
    made = columns(["id", "n", "t", "tags"], [["1", "5", "", ""]], {"t": "BOOL", "tags": "SS"})
    with pytest.raises(ItemError, match=text):
        made.item_of(row)
