"""Which servers keep files of vectors beside their data."""

from pathlib import Path

import pytest

from hashrange.assembly.parts import group_files
from hashrange.settings.settings import Settings


@pytest.mark.parametrize(
    ("changes", "has_files"),
    [
        ({}, True),
        ({"encrypt": True}, False),
        ({"memory": True}, False),
        ({"engine": "postgresql://localhost/data"}, False),
    ],
    ids=str,
)
def test_plain_data_in_directories_have_files_of_vectors(tmp_path: Path, changes, has_files):
    files = group_files(Settings(data=tmp_path, **changes))
    assert (files is not None) is has_files
    if files is not None:
        files.save(b"\x01", 1, b"", [b"column"])
        assert [each.name for each in tmp_path.iterdir()] == ["hashrange.vectors"]
