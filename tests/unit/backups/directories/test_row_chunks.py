"""Chunks of rows, and manifests of them."""

import random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashrange.backups.directories.manifests import (
    BackupError,
    Manifest,
    RowsManifest,
    decoded,
    encoded,
)
from hashrange.backups.directories.row_chunks import RowCutter, rows_of
from hashrange.limits.backups import ROW_CHUNK_BYTES_MAX, ROW_CHUNK_BYTES_MIN
from hashrange.storage.stored_rows import RowKind, StoredRow

ROWS = 4000
VALUE_BYTES = 500


def chunks_of(rows, part=97):
    cutter = RowCutter()
    chunks = []
    for start in range(0, len(rows), part):
        chunks += cutter.feed(rows[start : start + part])
    return chunks + cutter.end()


def pairs(*, seed=1):
    rng = random.Random(seed)
    return [
        StoredRow(RowKind.PAIR, number.to_bytes(8), rng.randbytes(VALUE_BYTES))
        for number in range(ROWS)
    ]


def test_chunks_have_the_rows_and_bounds():
    rows = pairs()
    chunks = chunks_of(rows)
    assert [row for chunk in chunks for row in rows_of(chunk)] == rows
    assert all(ROW_CHUNK_BYTES_MIN <= len(chunk) <= ROW_CHUNK_BYTES_MAX for chunk in chunks[:-1])
    assert 5 < len(chunks) < 30
    assert chunks_of(rows, part=1) == chunks


# A row that is added, changed or removed changes the chunk that it is in, and rarely a neighbour.
@pytest.mark.parametrize("at", [0, 1, ROWS // 3, ROWS // 2, ROWS - 1])
def test_few_chunks_change_with_a_row(at):
    rows = pairs()
    before = set(chunks_of(rows))
    added = StoredRow(RowKind.PAIR, rows[at].key + b"+", b"new")
    changed = rows[at]._replace(value=b"other")
    for after in (
        [*rows[: at + 1], added, *rows[at + 1 :]],
        [*rows[:at], changed, *rows[at + 1 :]],
        [*rows[:at], *rows[at + 1 :]],
    ):
        new = set(chunks_of(after)) - before
        assert 1 <= len(new) <= 3


def test_large_row_has_a_chunk_of_its_own():
    large = StoredRow(RowKind.PAIR, b"k", bytes(ROW_CHUNK_BYTES_MAX + 1))
    small = StoredRow(RowKind.PAIR, b"a", b"v")
    chunks = chunks_of([small, large, small])
    assert list(map(rows_of, chunks)) == [[small], [large], [small]]


def test_no_rows_make_no_chunk():
    assert chunks_of([]) == []


def test_rows_are_counted_by_kind():
    cutter = RowCutter()
    cutter.feed([StoredRow(RowKind.COUNTER, b"c", bytes(8)), StoredRow(RowKind.LOG, b"l", b"")])
    assert cutter.counts == {RowKind.PAIR: 0, RowKind.COUNTER: 1, RowKind.LOG: 1}


@given(st.binary(max_size=60))
def test_content_that_is_no_chunk_is_refused_or_read(content):
    try:
        rows = rows_of(content)
    except BackupError:
        return
    assert b"".join(chunks_of(rows)) == content


@pytest.mark.parametrize(
    "row", [StoredRow(RowKind.COUNTER, b"k", bytes(7)), StoredRow(RowKind.LOG, b"k", bytes(8))]
)
def test_numbers_of_a_wrong_length_are_refused(row):
    with pytest.raises(BackupError, match="does not know"):
        rows_of(chunks_of([row])[0])


def test_row_of_another_kind_or_cut_is_refused():
    (content,) = chunks_of([StoredRow(RowKind.PAIR, b"key", b"value")])
    with pytest.raises(BackupError, match="does not know"):
        rows_of(b"\x07" + content[1:])
    for size in range(1, len(content)):
        with pytest.raises(BackupError):
            rows_of(content[:size])


COMMON = {
    "id": "20261122T120000.000Z",
    "made_ms": 1_795_348_800_000,
    "data_id": "d",
    "data_bytes": 3,
    "chunk_bytes": 2,
    "chunks": ["a", "b"],
}


def test_manifests_of_both_kinds_are_told_apart():
    of_rows = RowsManifest(**COMMON, tables_format=2, counts={1: 3, 2: 0, 3: 0})
    for manifest in (of_rows, Manifest(**COMMON)):
        found = decoded(encoded(manifest))
        assert type(found) is type(manifest)
        assert msgspec.structs.replace(found, checksum="") == manifest
    with pytest.raises(BackupError, match="checksum"):
        decoded(encoded(of_rows).replace(b'"1":3', b'"1":4'))
    with pytest.raises(BackupError, match="newer build"):
        decoded(encoded(msgspec.structs.replace(Manifest(**COMMON), format=5)))
