"""examples/large_values.ts and large_values.py on one table: each reads what the other wrote."""

import json
import shutil

import pytest

import large_values
from playground import temporary_table
from tests.clients.programs import run_program
from tests.house.sources import ROOT

pytestmark = [pytest.mark.toolchain("node", "npm"), pytest.mark.timeout(240)]

OPTIONS = [
    "--strict",
    "--types",
    "node",
    "--target",
    "es2022",
    "--module",
    "nodenext",
    "--skipLibCheck",
]
LARGE = bytes(range(256)) * 10 + b"".join(n.to_bytes(3) for n in range(0, 1 << 24, 97))


def test_both_languages_share_a_table(endpoint, environment, node_place, tmp_path):
    shutil.copy(ROOT / "examples" / "large_values.ts", node_place)
    compiled = run_program(["npx", "tsc", *OPTIONS, "large_values.ts"], environment, node_place)
    assert compiled.returncode == 0, compiled.stdout
    with temporary_table("large", large_values.KEY, url=endpoint) as table:
        bucket = large_values.Folder(tmp_path)
        large_values.write(table, bucket, {"pk": "python", "sk": "BODY"}, LARGE)
        command = ["node", "large_values.mjs", endpoint, table.name, str(tmp_path)]
        ended = run_program(command, environment, node_place)
        assert ended.returncode == 0, ended.stderr
        # One object is of Python, one of the large value.
        assert json.loads(ended.stdout) == {
            "ofPython": len(LARGE),
            "none": True,
            "same": True,
            "collectedMeanwhile": 1,
            "slow": "changed",
            "raced": "changed",
            "lost": "damaged",
            "damaged": "damaged",
            "collected": 1,
            "objects": 2,
        }
        found = large_values.read(table, bucket, {"pk": "text", "sk": "BODY"})
        assert found == b"text " * 100_000
        item = table.get_item(Key={"pk": "text", "sk": "BODY"})["Item"]
        assert (item["form"], item["title"], "content" in item) == ("zlib", "one", True)
        assert len(large_values.read(table, bucket, {"pk": "large", "sk": "BODY"})) == 200_000
