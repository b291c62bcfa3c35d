"""Objects become records, in whatever pieces they come, and no bytes raise another error."""

import csv
import gzip
import io
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashrange.backups.imports import compression
from hashrange.backups.imports.compression import Gzip, Zstd, decompressor
from hashrange.backups.imports.ion_text import ion_line_of
from hashrange.backups.imports.item_formats import CsvReader, line_of
from hashrange.backups.imports.lines import LineSplitter, Refused, RowSplitter
from tests.rows import rows

zstd = compression.zstd()


def pieces(data, cuts):
    places = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
    return [data[start:end] for start, end in pairwise(places)]


def split(splitter, data, cuts=()):
    found = [record for piece in pieces(data, cuts) for record in splitter.feed(piece)]
    return found + splitter.end()


def refusal(call, *args):
    """Why a call refuses; None if it does not."""
    try:
        call(*args)
    except Refused as refused:
        return refused
    return None


CUTS = st.lists(st.integers(0, 1000), max_size=5)


@given(st.binary(max_size=60).map(lambda data: data.replace(b"x", b"\n")), CUTS)
def test_lines_do_not_depend_on_pieces(data, cuts):
    expected = [line for line in data.split(b"\n") if line.strip()]
    assert split(LineSplitter(), data, cuts) == expected


CELLS = st.text('ab,"\n é', max_size=4)


# Python's writer and reader of CSV are those of the reference.
@given(st.lists(st.lists(CELLS, min_size=2, max_size=2), max_size=6), CUTS)
def test_rows_of_csv(rows, cuts):
    file = io.StringIO(newline="")
    csv.writer(file, lineterminator="\n").writerows([["p", "q"], *rows])
    reader = CsvReader({}, ",", None)
    found = [
        line.item
        for row in split(RowSplitter(), file.getvalue().encode(), cuts)
        if (line := reader.line_of(row)) is not None
    ]
    expected = [
        {name: {"S": cell} for name, cell in zip("pq", row, strict=True) if cell} for row in rows
    ]
    assert found == expected


@pytest.mark.parametrize("splitter", [LineSplitter, RowSplitter])
def test_records_are_bounded(splitter):
    made = splitter(10)
    assert made.feed(b"0123456789\n") == [b"0123456789"]
    refused = [refusal(made.feed, b"1") for _ in range(11)]
    assert refused[:-1] == [None] * 10
    assert refused[-1].ends_object


def test_a_quote_that_is_not_closed_is_bounded_and_refused():
    made = RowSplitter(10)
    assert made.feed(b'"\n') == []
    assert any(refusal(made.feed, b"1\n") for _ in range(11))
    assert refusal(split, RowSplitter(), b'a,"b\nc').ends_object


@given(st.binary(max_size=2000), CUTS, st.sampled_from(["GZIP", "ZSTD"]), st.integers(1, 3))
def test_compressed_bytes(data, cuts, kind, members):
    compress = gzip.compress if kind == "GZIP" else zstd.compress
    packed = b"".join(compress(data) for _ in range(members))
    made = decompressor(kind)
    found = b"".join(piece for part in pieces(packed, cuts) for piece in made.feed(part))
    made.end()
    assert found == data * members


@pytest.mark.parametrize("made", [Gzip, Zstd])
@given(data=st.binary(min_size=1, max_size=100))
def test_other_bytes_are_refused_as_such(made, data):
    expanding = made()
    assert refusal(list, expanding.feed(data)) or refusal(expanding.end)


# A bomb expands piece by piece: no piece is larger than the bound.
@pytest.mark.parametrize("kind", ["GZIP", "ZSTD"])
def test_a_bomb_expands_in_small_pieces(kind):
    bomb = (gzip.compress if kind == "GZIP" else zstd.compress)(bytes(20_000_000))
    sizes = [len(piece) for piece in decompressor(kind).feed(bomb)]
    assert max(sizes) <= compression.IMPORT_PIECE_BYTES
    assert sum(sizes) == 20_000_000


def test_an_object_that_is_cut_off():
    for compress, made in ((gzip.compress, Gzip()), (zstd.compress, Zstd())):
        list(made.feed(compress(b"x" * 1000)[:-3]))
        with pytest.raises(Refused) as told:
            made.end()
        assert "cut off" in told.value.text


@given(st.binary(max_size=60))
def test_any_line_of_json_is_an_item_or_refused(data):
    refused = refusal(line_of, data)
    assert refused is None or refused.text


@given(st.binary(max_size=60), st.sampled_from([None, ("a", "b")]))
def test_any_row_is_an_item_or_refused(data, headers):
    reader = CsvReader({"a": "N"}, ",", headers)
    for _ in range(2):
        refused = refusal(reader.line_of, data)
        assert refused is None or refused.text


ION = st.one_of(
    st.binary(max_size=40),
    st.text('{}[]()"Item:null12.3e$dynamodb_SS::\\', max_size=40).map(str.encode),
    st.text("{[(", min_size=200, max_size=2000).map(str.encode),
)


@given(ION)
def test_any_line_of_ion_is_an_item_or_refused(data):
    refused = refusal(ion_line_of, data)
    assert refused is None or refused.text


@rows(
    ("text", "value"),
    [
        ("1.50", {"N": "1.50"}),
        ("-0", {"N": "0"}),
        ("6d2", {"N": "6E+2"}),
        ("1e3", None),
        ("2020-01-01T", None),
        ("sym", None),
        ("{{aGk=}}", {"B": "aGk="}),
        ('{{"hi"}}', None),
        ("null", {"NULL": True}),
        ("null.string", {"NULL": True}),
        ('$dynamodb_SS::["a"]', {"SS": ["a"]}),
        ('$dynamodb_NS::["a"]', None),
        ("$dynamodb_BS::[{{aGk=}}]", {"BS": ["aGk="]}),
        ("(a b)", None),
        ("{a:{b:true}}", {"M": {"a": {"M": {"b": {"BOOL": True}}}}}),
    ],
)
def test_values_of_ion(text, value):
    line = b"$ion_1_0 {Item:{a:" + text.encode() + b"}}"
    if value is None:
        with pytest.raises(Refused) as told:
            ion_line_of(line)
        assert not told.value.ends_object
    else:
        assert ion_line_of(line).item == {"a": value}
