"""Data directories of earlier builds, opened by this one."""

import asyncio
import json
import shutil
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from hashrange.storage.engine import STAMP_BYTES, Changes
from hashrange.storage.sqlite.directory import DATA_FILE
from hashrange.storage.sqlite.engine import SqliteEngine
from hashrange.storage.sqlite.read_only import opened_read_only
from hashrange.storage.sqlite.schema import FORMAT_VERSION
from hashrange.tables.log.conversion import Converter

GOLDEN = Path(__file__).parent.parent / "golden"
FORMATS = [1, 2, 3, 4]


def opened(directory: Path) -> SqliteEngine:
    return SqliteEngine.open(directory, converter=Converter())


@pytest.fixture(params=FORMATS, ids=lambda number: f"format-{number}")
def name(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    name = f"format-{request.param}"
    shutil.copytree(GOLDEN / name, tmp_path / name)
    return name


def test_every_key_and_value_is_found(name: str, tmp_path: Path):
    engine = opened(tmp_path / name)
    pairs = asyncio.run(engine.scan(b"\0", b"\xff" * 4097, limit=10_000, bytes_max=1 << 30))
    pairs = [pair for pair in pairs if pair != Converter().marker]
    read = asyncio.run(engine.read([key for key, _ in pairs]))
    assert engine.database.write("PRAGMA integrity_check").get == "ok"
    engine.close()
    content = json.loads((GOLDEN / f"{name}.json").read_text())
    assert {key.hex(): value.hex() for key, value in pairs} == content
    assert read == [value for _, value in pairs]
    assert len(pairs) > 25


# Twelve records were written and the last one deleted: its number stays used.
def test_logs_and_counters_go_on(name: str, tmp_path: Path):
    engine = opened(tmp_path / name)
    number = b"log\x00" + (13).to_bytes(8)
    before = asyncio.run(engine.read([number, b"count"]))
    more = Changes(answer=None, appends=[(b"log\x00", b"new")], adds={b"count": 1})
    asyncio.run(engine.write([b"x"], lambda _: more))
    assert before == [None, (56).to_bytes(8)]
    record, count = asyncio.run(engine.read([number, b"count"]))
    assert record is not None
    assert (record[STAMP_BYTES:], count) == (b"new", (57).to_bytes(8))
    engine.close()


# Older builds would not know the items that are written from now on.
@pytest.mark.parametrize("old", ["format-2", "format-3"])
def test_a_file_of_an_older_format_has_the_present_version_once_it_is_opened(
    old: str, tmp_path: Path
):
    shutil.copytree(GOLDEN / old, tmp_path / "data")
    content = stored_items(tmp_path / "data")
    SqliteEngine.open(tmp_path / "data").close()
    assert version_of(tmp_path / "data") == FORMAT_VERSION
    assert stored_items(tmp_path / "data") == content


# A snapshot of the server may have been saved by an older build.
@pytest.mark.parametrize("old", ["format-2", "format-3"])
def test_a_file_has_the_present_version_when_older_data_are_put_back(old: str, tmp_path: Path):
    shutil.copytree(GOLDEN / old, tmp_path / "old")

    async def put_back():
        engine = SqliteEngine.open(tmp_path / "data")
        with closing(apsw.Connection(str(tmp_path / "old" / DATA_FILE))) as source:
            engine.standstill.replace(source)
        engine.close()

    asyncio.run(put_back())
    assert version_of(tmp_path / "data") == FORMAT_VERSION
    assert stored_items(tmp_path / "data") == stored_items(tmp_path / "old")


def stored_items(directory: Path) -> list[object]:
    """The keys and values, without an engine that would change the file."""
    with opened_read_only(directory) as engine:
        return asyncio.run(engine.scan(b"", b"\xff" * 5, limit=10_000, bytes_max=1 << 30))


def version_of(directory: Path) -> int:
    return int.from_bytes((directory / DATA_FILE).read_bytes()[60:64])
