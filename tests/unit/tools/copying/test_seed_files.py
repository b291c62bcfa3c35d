"""Files of items as bytes: where what stands, and that none of it can fill the memory."""

import io

import pytest

from hashrange.tools.copying.item_lines import KnownTypes
from hashrange.tools.copying.seed_files import (
    LINE_BYTES_MAX,
    SAMPLE_ROWS,
    CsvFile,
    LineError,
    items_of_json,
)
from tests.rows import rows

BY_ID = KnownTypes(["id"], {"id": "S"})


class Endless(io.RawIOBase):
    """Gives the same bytes again and again; counts how many."""

    def __init__(self, data):
        self._data = data
        self.given = 0

    def readable(self):
        return True

    def readinto(self, buffer):
        data = (self._data * (len(buffer) // len(self._data) + 1))[: len(buffer)]
        buffer[:] = data
        self.given += len(data)
        return len(data)


def json_items(data):
    return [(each.line, each.item) for each in items_of_json(io.BytesIO(data), "f", BY_ID)]


def csv_items(data):
    return [(each.line, each.item) for each in CsvFile(io.BytesIO(data), "f", BY_ID).items()]


def test_lines_are_counted_as_editors_count_them():
    data = b'\xef\xbb\xbf{"id":"1"}\r\n\n  \t\n{"id":"4"}'
    assert json_items(data) == [(1, {"id": {"S": "1"}}), (4, {"id": {"S": "4"}})]


def test_rows_begin_where_their_line_begins():
    data = b'\xef\xbb\xbfid,n\r\n1,"a\nb"\r\n\r\n5,c'
    assert csv_items(data) == [
        (2, {"id": {"S": "1"}, "n": {"S": "a\nb"}}),
        (5, {"id": {"S": "5"}, "n": {"S": "c"}}),
    ]


def test_files_without_items():
    assert json_items(b"") == json_items(b"\n\n") == csv_items(b"id\n") == []


@rows(
    ("data", "text"),
    [
        (b"", "f: it has no header"),
        (b"\n\n", "f: it has no header"),
        (b"id,,n\n", "f: a column has no name"),
        (b"id,n,id\n", "f: the column id stands twice"),
        (b"name;id\n1;2\n", "has no column for the key attribute id; it has name;id"),
        (b"id,n\n1,2,3\n", "f line 2: it has 3 cells"),
        (b"id\n1\n\xff\n", "f line 3: it is not UTF-8 at byte 1"),
        (b'id\n1\n"2', "f line 3: it is not CSV"),
        (b'id\n1\n"2"x\n', "f line 3: it is not CSV"),
        (b'id\n"' + b"x\n" * 1_000_000, "f line 2: it is not CSV: field larger"),
    ],
)
def test_csv_that_cannot_be_read(data, text):
    with pytest.raises(LineError) as refused:
        csv_items(data)
    assert text in str(refused.value)


def test_column_of_a_type_that_is_given_is_there():
    known_types = KnownTypes(["id"], {"id": "S", "indexed": "N"}, {"prise": "N"})
    with pytest.raises(LineError, match="no column prise, for which a type is given"):
        CsvFile(io.BytesIO(b"id,price\n"), "f", known_types)


def test_array_is_refused_with_what_to_do():
    with pytest.raises(LineError, match=r"one item a line is wanted: jq -c '\.\[\]' f"):
        json_items(b'[\n  {"id": "1"}\n]')


# A file that is no text at all: it must not be read to its end first.
@pytest.mark.parametrize("read", ["json", "csv"])
def test_line_without_an_end_is_refused_early(read):
    file = Endless(b"x")
    begin = items_of_json if read == "json" else CsvFile
    with pytest.raises(LineError, match="f line 1: it is longer than"):
        list(begin(io.BufferedReader(file), "f", BY_ID))
    assert file.given < 2 * LINE_BYTES_MAX


def test_no_more_is_read_than_the_first_rows_before_an_item_is_given():
    file = Endless(b"id\n")
    rows = CsvFile(io.BufferedReader(file), "f", BY_ID)
    next(rows.items())
    assert file.given < 10 * SAMPLE_ROWS + 2 * io.DEFAULT_BUFFER_SIZE


# What comes behind the rows that were looked at does not change what they are.
def test_types_hold_for_the_whole_file():
    data = b"id,n\n" + b"1,5\n" * SAMPLE_ROWS + b"2,x\n"
    items = CsvFile(io.BytesIO(data), "f", BY_ID).items()
    assert [next(items).item["n"] for _ in range(SAMPLE_ROWS)] == [{"N": "5"}] * SAMPLE_ROWS
    with pytest.raises(LineError, match=f"f line {SAMPLE_ROWS + 2}: n is 'x'"):
        next(items)
