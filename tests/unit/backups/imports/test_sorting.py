"""Records come out in the order of their keys, however few of them memory holds."""

import asyncio
import tempfile
from contextlib import asynccontextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashrange.backups.imports.sorting import Sorter, packed, unpacked
from hashrange.backups.imports.spools import FileSpool


@asynccontextmanager
async def turn():
    yield


class MemorySpool:
    def __init__(self):
        self.data = bytearray()
        self.is_closed = False

    def write(self, data):
        assert not self.is_closed
        self.data += data

    def read(self, start, size):
        assert not self.is_closed
        return bytes(self.data[start : start + size])

    def close(self):
        self.is_closed = True


def sorted_by(records, batch, **bounds):
    spools = []

    def new_spool():
        spools.append(MemorySpool())
        return spools[-1]

    async def run():
        sorter = Sorter(new_spool, turn, **bounds)
        for start in range(0, len(records), batch):
            await sorter.add(records[start : start + batch])
            await sorter.merge_runs()
        found = [record async for page in sorter.pages() for record in page]
        sorter.close()
        return found

    found = asyncio.run(run())
    assert all(spool.is_closed for spool in spools)
    return found


KEYS = st.binary(min_size=3, max_size=3)


@given(
    st.lists(st.tuples(KEYS, st.binary(max_size=5)), max_size=60),
    st.integers(1, 9),
    st.integers(1, 9),
    st.integers(2, 4),
)
def test_records_are_sorted(pairs, batch, piece, runs):
    records = [packed(key, number, value) for number, (key, value) in enumerate(pairs)]
    found = sorted_by(list(records), batch, piece_records=piece, runs_max=runs)
    assert found == sorted(records)
    # Of one key the last one counts.
    assert dict(map(unpacked, found)) == dict(pairs)


@pytest.mark.parametrize("key", [None, bytes(32)], ids=["plain", "encrypted"])
def test_files_keep_what_is_written(tmp_path, key):
    spool = FileSpool(tmp_path, key, free_bytes_min=0)
    spool.write(b"one")
    spool.write(b"two" * 10)
    assert (spool.read(0, 6), spool.read(2, 2)) == (b"onetwo", b"et")
    assert spool.read(15, 18) == b"two" * 6
    assert list(tmp_path.iterdir()) == []  # a crash leaves nothing
    with pytest.raises(OSError, match="cut off"):
        spool.read(0, 34)
    spool.close()


def test_encrypted_files_have_no_plaintext(tmp_path, monkeypatch):
    file = (tmp_path / "file").open("w+b")
    monkeypatch.setattr(tempfile, "TemporaryFile", lambda **_: file)
    spool = FileSpool(tmp_path, bytes(range(32)), free_bytes_min=0)
    for number in range(50):
        spool.write(b"secret %d" % number)
    file.flush()
    stored = (tmp_path / "file").read_bytes()
    assert b"secret" not in stored
    assert len({stored[start : start + 9] for start in range(0, 90, 9)}) == 10
    spool.close()


def test_a_disk_is_not_filled(tmp_path):
    spool = FileSpool(tmp_path, free_bytes_min=1 << 60)
    with pytest.raises(OSError, match="No space"):
        spool.write(b"x")
    spool.close()
