"""What people get wrong ends in one line, and changes nothing."""

import asyncio
import json

import pytest

from hashrange.assembly.engines.trials.subject import change
from hashrange.storage.sqlite.engine import SqliteEngine
from hashrange.tables.items.images import image_of, stored
from hashrange.tables.keys import keyspace
from tests.api.tables import keyed
from tests.copying.conftest import serving
from tests.copying.gate import Gate


def line(ended):
    assert ended.stderr.count("\n") == 1
    return ended.stderr.removeprefix("hashrange: ").removesuffix("\n")


@pytest.mark.parametrize(
    ("places", "text"),
    [
        (["none", "to"], "none holds no data of hashrange"),
        (["same", "same"], "FROM and TO are the same place: same"),
        (["same", "./x/../same"], "FROM and TO are the same place: same"),
        (["http://h:1", "http://h:1/"], "FROM and TO are the same place: http://h:1"),
        (["localhost:8000", "to"], "FROM: localhost:8000 is not a directory; did you mean http://"),
        (["none", "localhost:8000"], "TO: localhost:8000 is not a directory; did you mean http://"),
        (["http://h:1/path", "to"], "FROM: 'http://h:1/path' has more than a host and a port"),
        (["mysql://h/db", "to"], "FROM: mysql:// is not supported"),
        (["none", "s3://bucket"], "TO: s3:// is not supported"),
        (["only"], "Missing argument 'TO'. See hashrange copy --help"),
        (["a", "b", "--parallel", "0"], "Invalid value for '--parallel'"),
    ],
)
def test_what_cannot_be_tried_ends_in_one_line(copy, tmp_path, places, text):
    assert line(copy(*places, code=2)).startswith(text)
    assert list(tmp_path.iterdir()) == []


def test_endpoint_where_nobody_listens_ends_in_one_line(copy, tmp_path):
    ended = copy("http://127.0.0.1:1", "to", code=1)
    assert line(ended) == "http://127.0.0.1:1 does not answer: connection refused"
    assert list(tmp_path.iterdir()) == []


# DynamoDB Local's data are no tables for us, and its users do not know that.
@pytest.mark.parametrize("source", ["theirs", "theirs/shared-local-instance.db"])
def test_files_of_dynamodb_local_are_known(copy, tmp_path, source):
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "shared-local-instance.db").write_bytes(b"SQLite format 3")
    text = line(copy(source, "to", code=2))
    assert text.startswith("FROM: theirs/shared-local-instance.db is a database of DynamoDB Local")
    command = "-dbPath theirs -port 8001, and run: hashrange copy http://127.0.0.1:8001 to"
    assert text.endswith(command)
    assert not (tmp_path / "to").exists()


def test_file_in_a_directory_is_not_the_directory(copy, filled):
    text = line(copy(filled[0] / "hashrange.db", "to", code=2))
    assert text.endswith("hashrange.db is a file; give the directory that contains it")


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
    text = "to already has empty: --overwrite replaces them, --table selects other tables"
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
    assert line(ended).startswith("file is not a progress file")


@pytest.fixture
def one(tmp_path):
    """A directory with one item."""
    with serving(tmp_path / "from") as (client, _):
        client.create_table(TableName="a-table", **keyed(pk="S"))
        client.put_item(TableName="a-table", Item={"pk": {"S": "one"}, "t": {"S": "right"}})
    return "from"


# Bytes that fell over on the way: the one thing that all the reading at the end is for.
def test_difference_is_named_and_the_exit_code_is_1(copy, one, tmp_path):
    with serving(None) as (_, url):
        gate = Gate(url, alters=(b"right", b"wrong"))
        told = copy(one, gate.url, "--quiet", code=1)
        gate.close()
    assert told.stdout.splitlines() == [
        f"a-table: 1 items were read, 1 are in {gate.url}",
        'a-table: {"pk":{"S":"one"}} is another item',
    ]
    assert told.stderr == ""
    assert [path.name for path in tmp_path.iterdir()] == ["from"]


def test_copy_that_fails_says_how_to_go_on(copy, one):
    with serving(None) as (client, url):
        gate = Gate(url, alters=(b'{"S":"right"}', b'{"N":"right"}'))
        text = line(copy(one, gate.url, code=1))
        assert text.startswith('a-table {"pk":{"S":"one"}}: ')
        assert text.endswith("; run the same command again to continue")
        gate.alters = (b"right", b"right")
        told = copy(one, gate.url).stdout
        assert told.startswith("continues the copy recorded in hashrange-copy-")
        gate.close()
        assert client.scan(TableName="a-table")["Items"] == [
            {"pk": {"S": "one"}, "t": {"S": "right"}}
        ]


def test_server_that_speaks_no_tls_ends_in_one_line(copy):
    with serving(None) as (_, url):
        ended = copy(url.replace("http:", "https:"), "to", code=1)
    assert "does not answer" in line(ended)


# An earlier build let UpdateItem store such a name, and no place takes it.
def test_an_item_that_no_place_takes_is_named(copy, one, tmp_path):
    item = {"pk": {"S": "two"}, "n" * 65_536: {"S": ""}}
    engine = SqliteEngine.open(tmp_path / one)
    key = keyspace.item_key(1, item["pk"], None)
    asyncio.run(change(engine, puts={key: stored(image_of(item, 65_542), key)}))
    engine.close()
    text = line(copy(one, "to", code=1))
    assert text.startswith('a-table {"pk":{"S":"two"}}: to refuses BatchWriteItem: ')
    assert "must be less than 65536 bytes" in text
