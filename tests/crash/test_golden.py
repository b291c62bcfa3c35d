"""Tables that an earlier build has written, served by this one."""

import json
import shutil
from pathlib import Path

import pytest

from tests.crash.server import Client, Server, verify
from tests.golden.make_tables import pages

GOLDEN = Path(__file__).parent.parent / "golden"


@pytest.mark.parametrize("name", ["tables-1", "tables-2", "tables-3", "tables-4"])
def test_every_item_and_entry_is_answered_as_it_was(name: str, tmp_path: Path) -> None:
    directory = tmp_path / name
    shutil.copytree(GOLDEN / name, directory)
    server = Server(directory)
    client = Client(server.url)
    expected = json.loads((GOLDEN / f"{name}.json").read_text())
    found = {sort_type: pages(client, sort_type) for sort_type in expected}
    # And it is written to as any other.
    client.call("PutItem", TableName="Golden-N", Item={"pk": {"S": "new"}, "sk": {"N": "1"}})
    client.close()
    assert server.terminate() == 0
    assert found == expected
    assert verify(directory) == ""
