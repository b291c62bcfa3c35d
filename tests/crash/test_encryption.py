"""What a thief of the data directory reads: every byte of it, before and after kill -9.

The words to look for are keys, values, and names of attributes, tables, indexes and tags.
"""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from hashrange.assembly.verifying import verify
from hashrange.storage.encryption.sources import KeySource
from hashrange.storage.engine import StorageOpenError
from hashrange.storage.sqlite.directory import VECTORS
from tests.crash.server import Client, Server
from tests.forks import STDOUT, ForkedProcess, process_of
from tests.unit.processes import run

TABLE, INDEX, TAG = "table-of-secrets", "index-of-secrets", "tag-of-secrets"
KEY, NAME, VALUE, LARGE = "key-of-secrets", "name-of-secrets", "value-of-secrets", "large-secret"
WORDS = [TABLE, INDEX, TAG, KEY, NAME, VALUE, LARGE]
ITEMS = 60
FIRST, SECOND = bytes(range(0, 256, 8)).hex(), bytes(range(1, 256, 8)).hex()
TEMPORARY = ("TMPDIR", "SQLITE_TMPDIR")
WORKERS = [
    pytest.mark.skipif(sys.platform == "win32", reason="no workers there"),
]


@pytest.fixture
def keys(tmp_path: Path) -> tuple[Path, Path]:
    """Files of two keys."""
    files = (tmp_path / "first.key", tmp_path / "second.key")
    for file, text in zip(files, (FIRST, SECOND), strict=True):
        file.write_text(text + "\n")
    return files


@pytest.fixture
def temporary(tmp_path: Path, process_environment: Callable[..., None]) -> Path:
    """Where the server, and SQLite in it, put temporary files."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    process_environment(**dict.fromkeys(TEMPORARY, str(folder)))
    return folder


def hashrange(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    places = {name: os.environ[name] for name in TEMPORARY if name in os.environ}
    return run(*map(str, arguments), **places)


def found(*folders: Path) -> dict[str, list[str]]:
    """The words in each file that has any."""
    shown: dict[str, list[str]] = {}
    for folder in folders:
        for path in folder.rglob("*"):
            if not path.is_file():
                continue
            try:
                content = path.read_bytes()
            except FileNotFoundError:
                continue  # a server that runs has removed it
            if words := [word for word in WORDS if word.encode() in content]:
                shown[path.name] = words
    return shown


def fill(client: Client, begin: int = 0) -> None:
    for number in range(begin, begin + ITEMS):
        item = {
            "pk": {"S": f"{KEY}-{number}"},
            "sk": {"S": VALUE},
            NAME: {"S": VALUE * (number % 7 + 1)},
            "large": {"S": LARGE * (3000 if number % 10 == 0 else 70)},
        }
        client.call("PutItem", TableName=TABLE, Item=item)
    for number in range(begin, begin + ITEMS, 3):
        key = {"pk": {"S": f"{KEY}-{number}"}, "sk": {"S": VALUE}}
        client.call("DeleteItem", TableName=TABLE, Key=key)


def make(client: Client) -> None:
    client.call(
        "CreateTable",
        TableName=TABLE,
        AttributeDefinitions=[
            {"AttributeName": name, "AttributeType": "S"} for name in ("pk", "sk", NAME)
        ],
        KeySchema=[
            {"AttributeName": "pk", "KeyType": "HASH"},
            {"AttributeName": "sk", "KeyType": "RANGE"},
        ],
        GlobalSecondaryIndexes=[
            {
                "IndexName": INDEX,
                "KeySchema": [{"AttributeName": NAME, "KeyType": "HASH"}],
                "Projection": {"ProjectionType": "ALL"},
            }
        ],
        StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
        Tags=[{"Key": TAG, "Value": VALUE}],
        BillingMode="PAY_PER_REQUEST",
    )


def items(client: Client) -> int:
    return int(client.call("Scan", TableName=TABLE, Select="COUNT", Limit=ITEMS * 4)["Count"])


def used(directory: Path, *options: str) -> None:
    """Use a server, and kill it."""
    server = Server(directory, *options)
    client = Client(server.url)
    make(client)
    fill(client)
    client.close()
    server.kill()


# If it found nothing in a directory that is not encrypted, it would prove nothing.
def test_the_check_finds_all_words_in_plain_data(tmp_path: Path):
    used(tmp_path / "data")
    assert sorted({word for words in found(tmp_path).values() for word in words}) == sorted(WORDS)


@pytest.mark.parametrize("options", [[], pytest.param(["--workers", "2"], marks=WORKERS)], ids=str)
def test_no_file_of_an_encrypted_directory_shows_anything(tmp_path, temporary, keys, options):
    directory = tmp_path / "data"
    chosen = ("--encrypt", "--encryption-key-file", str(keys[0]), *options)
    server = Server(directory, *chosen)
    client = Client(server.url)
    make(client)
    fill(client)
    assert found(directory, temporary) == {}
    assert (directory / "hashrange.db-wal").stat().st_size > 0
    server.kill()
    client.close()
    assert found(directory, temporary) == {}
    assert hashrange("verify", directory, "--encryption-key-file", keys[0]).returncode == 0
    server = Server(directory, *chosen)
    client = Client(server.url)
    assert items(client) == ITEMS * 2 // 3
    fill(client, ITEMS)
    client.close()
    assert server.terminate() == 0
    assert found(directory, temporary) == {}


# The server knows the data key; its processes are replaced after the master key is, and still do.
@pytest.mark.parametrize("options", [[], pytest.param(["--workers", "2"], marks=WORKERS)], ids=str)
def test_the_key_is_replaced_while_the_server_runs(tmp_path, keys, options):
    directory = tmp_path / "data"
    first, second = keys
    server = Server(directory, "--encrypt", "--encryption-key-file", str(first), *options)
    client = Client(server.url)
    make(client)
    change = ("--encryption-key-file", first, "--new-encryption-key-file", second)
    assert hashrange("rekey", directory, *change).returncode == 0
    fill(client)
    assert items(client) == ITEMS * 2 // 3
    client.close()
    server.kill()
    told = hashrange("verify", directory, "--encryption-key-file", first)
    assert (told.returncode, "and the key" in told.stderr) == (2, True)
    server = Server(directory, "--encrypt", "--encryption-key-file", str(second), *options)
    client = Client(server.url)
    assert items(client) == ITEMS * 2 // 3
    client.close()
    server.kill()


# Of a server that was killed: what is in the write-ahead log is encrypted and decrypted, too.
def test_a_directory_is_encrypted_and_decrypted(tmp_path, temporary, keys):
    directory = tmp_path / "data"
    used(directory)
    (directory / VECTORS).mkdir()
    (directory / VECTORS / "01.vectors").write_text(VALUE)
    key = ("--encryption-key-file", keys[0])
    told = hashrange("encrypt", directory, *key)
    assert (told.returncode, told.stderr) == (0, "")
    assert found(directory, temporary) == {}
    assert hashrange("verify", directory, *key).stdout.endswith(": sound\n")
    before = (directory / "hashrange.db").read_bytes()
    assert hashrange("rekey", directory, "--data-key", *key).returncode == 0
    assert found(directory, temporary) == {}
    assert (directory / "hashrange.db").read_bytes()[:16] != before[:16]
    assert hashrange("verify", directory, *key).stdout.endswith(": sound\n")
    assert hashrange("decrypt", directory, *key).returncode == 0
    assert hashrange("verify", directory).stdout.endswith(": sound\n")
    assert not (directory / "hashrange.keys").exists()
    server = Server(directory)
    client = Client(server.url)
    assert items(client) == ITEMS * 2 // 3
    client.close()
    server.kill()


# The progress of a copy is no file of the directory, and of no interest to a thief of it.
def test_a_copy_is_encrypted(tmp_path, temporary, keys):
    used(tmp_path / "data", "--encrypt", "--encryption-key-file", str(keys[0]))
    key = ("--encryption-key-file", keys[0], "--progress", tmp_path / "progress")
    told = hashrange("copy", tmp_path / "data", tmp_path / "copy", "--encrypt", *key)
    assert (told.returncode, told.stderr) == (0, "")
    assert found(tmp_path / "copy", temporary) == {}
    told = hashrange("verify", tmp_path / "copy", "--encryption-key-file", keys[0])
    assert told.stdout.endswith(": sound\n")


@pytest.mark.parametrize("what", ["wrong key", "no key", "plain data"])
def test_what_does_not_fit_is_refused_and_nothing_is_changed(tmp_path, keys, what):
    directory = tmp_path / "data"
    key = ("--encrypt", "--encryption-key-file", str(keys[0]))
    used(directory, *(() if what == "plain data" else key))
    options, text = {
        "wrong key": (("--encrypt", "--encryption-key-file", str(keys[1])), "and the key"),
        "no key": ((), "is encrypted with the key"),
        "plain data": (key, f"hashrange encrypt {directory}"),
    }[what]
    before = {path.name: path.read_bytes() for path in directory.iterdir()}
    told = hashrange("serve", "--port", "0", "--data", directory, *options)
    assert (told.returncode, text in told.stderr) == (1, True), told.stderr
    after = {path.name: path.read_bytes() for path in directory.iterdir()}
    assert {**after, "hashrange.lock": b""} == {**before, "hashrange.lock": b""}


# At each of some moments, the longest of which lets it end.
@pytest.mark.parametrize(
    "command",
    ["rekey", "encrypt", "decrypt"],
)
def test_a_change_of_keys_may_be_killed(tmp_path, keys, command):
    directory = tmp_path / "data"
    key = ("--encrypt", "--encryption-key-file", str(keys[0]))
    used(directory, *(() if command == "encrypt" else key))
    source = KeySource(file=keys[0])
    options = ["--data-key"] if command == "rekey" else []
    arguments = [command, str(directory), *options, *key[1:]]
    for changes in range(4):
        with process_of(arguments, stderr=STDOUT) as process:
            _look_at_files(directory, changes, process)
            process.kill()
        told = [_findings(directory, None), _findings(directory, source)]
        assert [] in told, told
    told = hashrange(*arguments)
    assert told.returncode in {0, 2}, told.stderr
    ending = [] if command == "decrypt" else key[1:]
    assert hashrange("verify", directory, *ending).returncode == 0


def _findings(directory: Path, key: KeySource | None) -> list[str]:
    """What `hashrange verify` prints, without the start of another process."""
    try:
        return verify(directory, key)
    except StorageOpenError as error:
        return [str(error)]


def _look_at_files(directory: Path, changes: int, process: ForkedProcess) -> None:
    """Wait until the names in a directory have changed so often, or the process has ended."""
    seen, names = 0, set(directory.iterdir())
    while seen < changes and process.poll() is None:  # bound: the process ends
        now = set(directory.iterdir())
        if now != names:
            seen, names = seen + 1, now
