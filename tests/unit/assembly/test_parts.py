"""Which servers keep files of vectors beside their data."""

from pathlib import Path

import pytest

from hashrange.assembly.parts import vectors_folder
from hashrange.settings.settings import Settings


@pytest.mark.parametrize(
    ("changes", "folder"),
    [
        ({}, Path("data", "hashrange.vectors")),
        ({"encrypt": True}, None),
        ({"memory": True}, None),
        ({"engine": "postgresql://localhost/data"}, None),
    ],
    ids=str,
)
def test_plain_data_in_directories_have_files_of_vectors(changes, folder):
    assert vectors_folder(Settings(data=Path("data"), **changes)) == folder
