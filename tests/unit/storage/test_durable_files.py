"""Files that are replaced as a whole."""

import pytest

from hashrange.storage.durable_files import replace_file

resource = pytest.importorskip("resource")
BYTES_MAX = 5000


# The kernel writes less than it is asked to at 2 GB, and at other limits: here, that of a file.
def test_a_file_that_is_not_written_whole_is_not_replaced(tmp_path):
    path = tmp_path / "file"
    replace_file(path, b"old")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (BYTES_MAX, limits[1]))
    try:
        with pytest.raises(OSError, match="too large"):
            replace_file(path, b"x" * (BYTES_MAX + 1))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert path.read_bytes() == b"old"
    replace_file(path, b"new")
    assert path.read_bytes() == b"new"
