"""Rows are compared when they are read first, and again once they were forgotten."""

import tracemalloc

import pytest

from hashrange.limits.server import COMPARED_BYTES_MAX
from hashrange.storage.engine import DamagedError
from hashrange.storage.first_reads import FirstReads


class Compared:
    """Notes the rows that are compared; those whose value is `bad` are damaged."""

    def __init__(self, bytes_max=100_000):
        self.keys = []
        self.first_reads = FirstReads(self, bytes_max=bytes_max)

    def __call__(self, key, value):
        self.keys.append(key)
        if value == b"bad":
            raise DamagedError("altered")

    def read(self, *keys, value=b"good"):
        self.first_reads.compare(keys, [value] * len(keys))

    def scan(self, bound, *keys, value=b"good"):
        self.first_reads.compare_page(bound, [(key, value) for key in keys])


@pytest.fixture
def compared():
    return Compared()


def test_a_row_is_compared_once(compared):
    compared.read(b"a", b"b")
    compared.read(b"b", b"c")
    compared.read(b"a", b"b", b"c", value=b"bad")
    assert compared.keys == [b"a", b"b", b"c"]


def test_a_damaged_row_is_compared_at_each_read(compared):
    for _ in range(2):
        with pytest.raises(DamagedError):
            compared.read(b"a", value=b"bad")
        with pytest.raises(DamagedError):
            compared.scan(b"a", b"a", value=b"bad")
    assert compared.keys == [b"a"] * 4


def test_a_row_that_was_absent_is_compared_once_it_is_there(compared):
    compared.read(b"a", value=None)
    assert compared.keys == []
    with pytest.raises(DamagedError):
        compared.read(b"a", value=b"bad")


def test_rows_of_a_page_are_compared_once(compared):
    compared.read(b"b")
    compared.scan(b"a", b"a", b"b", b"c")
    compared.scan(b"a", b"a", b"b", b"c", value=b"bad")
    compared.read(b"c", value=b"bad")
    assert compared.keys == [b"b", b"a", b"c"]


# A page that ends elsewhere may have rows that were in no other page.
@pytest.mark.parametrize("page", [(b"c", b"bb", b"b"), (b"d", b"cc", b"c"), (b"a", b"a", b"c")])
def test_other_pages_are_compared(compared, page):
    compared.scan(b"b", b"b", b"c")
    with pytest.raises(DamagedError):
        compared.scan(*page, value=b"bad")


def test_rows_are_forgotten_when_they_are_too_many():
    compared = Compared(bytes_max=250)
    for key in (b"a", b"b", b"c", b"c", b"a"):
        compared.read(key)
    assert compared.keys == [b"a", b"b", b"c", b"a"]


@pytest.mark.parametrize("key_bytes", [20, 60, 4000])
def test_what_is_remembered_takes_no_more_memory_than_its_bound(key_bytes):
    compared, count = FirstReads(lambda *_: None), COMPARED_BYTES_MAX // (key_bytes + 96)
    tracemalloc.start()
    try:
        for each in range(count):
            compared.compare([each.to_bytes(key_bytes)], [b"value"])
        size_bytes, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(compared.known) == count
    assert 0.6 < size_bytes / COMPARED_BYTES_MAX < 1.01
    compared.compare([b"one more"], [b"v"])
    assert compared.known == {b"one more"}


def test_rows_of_other_data_are_compared_again(compared):
    compared.read(b"a")
    compared.first_reads.forget()
    with pytest.raises(DamagedError):
        compared.read(b"a", value=b"bad")
