import pytest

from hashrange.tools.copying.digests import Tally, digest_of_text
from hashrange.tools.copying.place import CopyError
from hashrange.tools.copying.progress import Progress, Segment, TableProgress, file_name


@pytest.fixture
def path(tmp_path):
    return tmp_path / "progress.json"


def begun(path):
    progress = Progress.of(path, "from", "to")
    segments = [
        Segment(Tally().plus([b'{"a":{"S":"x"}}'], digest_of_text), {"a": {"S": "x"}}),
        Segment(),
    ]
    progress.tables["one"] = TableProgress("COPYING", 1.5, 2.5, segments)
    progress.tables["two"] = TableProgress("CREATING", 3.5)
    progress.save()
    return progress


def test_there_is_no_file_before_something_is_begun(path):
    assert not Progress.of(path, "from", "to").is_kept
    assert not path.exists()


def test_what_was_saved_is_there_again(path):
    saved = begun(path)
    again = Progress.of(path, "from", "to")
    assert again.is_kept
    assert again.tables == saved.tables
    assert again.tables["one"].tally.items == 1


# To go on with another copy's keys would leave items out.
@pytest.mark.parametrize("ends", [("from", "other"), ("other", "to")])
def test_progress_of_another_copy_is_refused(path, ends):
    begun(path)
    with pytest.raises(CopyError, match="belongs to another copy"):
        Progress.of(path, *ends)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"version":1}', b"\xff"])
def test_file_that_is_none_of_ours_is_refused(path, content):
    path.write_bytes(content)
    with pytest.raises(CopyError, match=r"is not a progress file"):
        Progress.of(path, "from", "to")
    assert path.read_bytes() == content


def test_file_goes_with_the_last_table(path):
    progress = begun(path)
    progress.forget(["one"])
    assert set(Progress.of(path, "from", "to").tables) == {"two"}
    progress.forget(["two", "three"])
    assert not path.exists()
    progress.forget(["two"])


def test_place_that_cannot_be_written_is_told(tmp_path):
    progress = Progress.of(tmp_path / "none" / "progress.json", "from", "to")
    with pytest.raises(CopyError, match=r"cannot keep the progress in .*--progress"):
        progress.save()


def test_each_copy_has_a_file_of_its_own():
    names = {file_name("a", "b"), file_name("b", "a"), file_name("ab", "")}
    assert len(names) == 3
    assert file_name("a", "b") in names
