"""Streams that an earlier build has written, read by this one."""

import json
import shutil
from pathlib import Path

import pytest

from hashrange.assembly.verifying import verify
from hashrange.tables.verifying.verify import findings
from tests.golden.make_streams import Streamed, content
from tests.unit.tables.definitions import HOUR_MS

GOLDEN = Path(__file__).parents[3] / "golden"


@pytest.mark.parametrize("name", ["streams-1", "streams-2", "streams-3", "streams-4"])
def test_every_record_is_told_as_it_was(name, tmp_path):
    directory = tmp_path / name
    shutil.copytree(GOLDEN / name, directory)
    expected = json.loads((GOLDEN / f"{name}.json").read_text("utf-8"))
    server = Streamed(directory)
    server.time_ms += 3 * HOUR_MS
    assert content(server) == expected
    assert server.run(findings(server.engine)) == []
    # And it goes on as any other.
    server.ask("PutItem", TableName="Golden", Item={"pk": {"S": "S"}})
    last = list(expected)[-1]
    assert len(content(server)[last]["records"]) == len(expected[last]["records"]) + 1
    server.close()
    assert verify(directory) == []
