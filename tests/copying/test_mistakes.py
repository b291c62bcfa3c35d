"""What people get wrong ends in one line, and changes nothing."""

import json

import pytest

from tests.copying.conftest import serving


def line(ended):
    assert ended.stderr.count("\n") == 1
    return ended.stderr.removeprefix("hashrange: ").removesuffix("\n")


@pytest.mark.parametrize(
    ("places", "text"),
    [
        (["none", "to"], "none holds no data of hashrange"),
        (["same", "same"], "FROM and TO are one place: same"),
        (["same", "./x/../same"], "FROM and TO are one place: same"),
        (["http://h:1", "http://h:1/"], "FROM and TO are one place: http://h:1"),
        (["localhost:8000", "to"], "FROM: localhost:8000 is no directory; is http://localhost:80"),
        (["none", "localhost:8000"], "TO: localhost:8000 is no directory; is http://localhost:8"),
        (["http://h:1/path", "to"], "FROM: 'http://h:1/path' has more than a host and a port"),
        (["mysql://h/db", "to"], "FROM: nothing is known of mysql://"),
        (["none", "s3://bucket"], "TO: nothing is known of s3://"),
        (["only"], "Missing argument 'TO'. See hashrange copy --help"),
        (["a", "b", "--parallel", "0"], "Invalid value for '--parallel'"),
    ],
)
def test_what_cannot_be_tried_ends_in_one_line(copy, tmp_path, places, text):
    assert line(copy(*places, code=2)).startswith(text)
    assert list(tmp_path.iterdir()) == []


def test_endpoint_where_nobody_listens_ends_in_one_line(copy, tmp_path):
    ended = copy("http://127.0.0.1:1", "to", code=1)
    assert line(ended) == "http://127.0.0.1:1 does not answer: nobody listens there"
    assert list(tmp_path.iterdir()) == []


# What is read from a directory that a server changes would be of no moment at all.
def test_directory_in_use_is_refused(filled, copy, tmp_path):
    with serving(filled[0]) as (_, _):
        assert "is in use by process" in line(copy(filled[0], "to", code=2))
    assert list(tmp_path.iterdir()) == []
    with serving(tmp_path / "to") as (_, _):
        assert "is in use by process" in line(copy(filled[0], "to", code=2))


def test_empty_source_and_unknown_table_are_told(filled, copy, tmp_path):
    with serving(tmp_path / "empty") as (_, url):
        ended = copy(url, "to", code=1)
        assert line(ended) == f"{url} has no tables for these credentials and this region"
    assert line(copy("empty", "to", code=1)) == "empty has no tables"
    ended = copy(filled[0], "to", "--table", "Whole", code=1)
    assert line(ended) == f"{filled[0]} has no table Whole; it has empty, whole"
    assert not (tmp_path / "to").exists()


def test_tables_that_are_there_are_refused(filled, copy, tmp_path):
    copy(filled[0], "to", "--table", "empty")
    text = "to has empty already: --overwrite replaces what is there, --table chooses others"
    assert line(copy(filled[0], "to", code=1)) == text
    copy(filled[0], "to", "--overwrite")
    # It is protected now, as the one in FROM is.
    ended = copy(filled[0], "to", "--overwrite", code=1)
    assert line(ended) == "to: table whole is protected from deletion and not replaced"


def test_progress_has_a_place_that_can_be_chosen(filled, copy, tmp_path):
    ended = copy(filled[0], "to", "--progress", tmp_path / "none" / "file", code=1)
    assert line(ended).startswith(f"cannot keep the progress in {tmp_path}/none/file: No such file")
    (tmp_path / "file").write_text(json.dumps({"version": 1}))
    ended = copy(filled[0], "to", "--progress", "file", code=1)
    assert line(ended).startswith("file is not the progress of a copy")


def test_server_that_speaks_no_tls_ends_in_one_line(copy):
    with serving(None) as (_, url):
        ended = copy(url.replace("http:", "https:"), "to", code=1)
    assert "does not answer" in line(ended)
