"""Data directories of earlier builds, opened by this one."""

import asyncio
import json
import shutil
from pathlib import Path

import pytest

from hashrange.storage.engine import STAMP_BYTES, Changes
from hashrange.storage.sqlite.engine import SqliteEngine
from hashrange.tables.conversion import Converter

GOLDEN = Path(__file__).parent.parent / "golden"
FORMATS = [1, 2]


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
