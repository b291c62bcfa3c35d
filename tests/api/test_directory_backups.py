"""Backups of a data directory while its server is written, and what is restored of them."""

import contextlib
import os
import threading
from re import fullmatch

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from hashrange.backups.directories.manifests import decoded, encoded
from hashrange.storage.encryption.master_key import KEY_BYTES
from tests import s3_server
from tests.api.conftest import client_of
from tests.api.tables import keyed
from tests.pace import until
from tests.served import served
from tests.unit.processes import run

KEYED = keyed(pk="S")


@contextlib.contextmanager
def serving(place, kind):
    """A client of a server on a directory, the directory, and the options of commands on it."""
    data, more, options = place / "data", {}, ()
    if kind == "encrypted":
        key = place / "key"
        key.write_text(os.urandom(KEY_BYTES).hex())
        more = {"encrypt": True, "encryption_key_file": key}
        options = ("--encryption-key-file", str(key))
    if kind == "workers":
        more = {"workers": 1}
    with served(memory=False, data=data, **more) as server:
        client = client_of(server.endpoint)
        client.create_table(TableName="pairs", **KEYED)
        yield client, data, options
        client.close()


@pytest.fixture(
    scope="module", params=["encrypted", pytest.param("workers", marks=pytest.mark.long)]
)
def server(request, tmp_path_factory):
    with serving(tmp_path_factory.mktemp("backups"), request.param) as found:
        yield found


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("backups"), "plain") as found:
        yield found


def pair(client, number):
    """Two items of one transaction: a state with one of them never was."""
    puts = [
        {"Put": {"TableName": "pairs", "Item": {"pk": {"S": f"{side}{number}"}}}} for side in "ab"
    ]
    client.transact_write_items(TransactItems=puts)


def restored(target, place, options):
    """The keys of a restored directory."""
    made = run("restore", str(target), str(place), *options)
    assert made.returncode == 0, made.stderr
    key = {"encrypt": True, "encryption_key_file": options[1]} if options else {}
    with served(memory=False, data=place, **key) as server:
        client = client_of(server.endpoint)
        return {item["pk"]["S"] for item in client.scan(TableName="pairs")["Items"]}


def test_backup_of_one_moment_of_a_server_that_is_written(server, tmp_path):
    client, data, options = server
    over, done = threading.Event(), []

    def write():
        while not over.is_set():
            pair(client, len(done))
            done.append(1)

    writing = threading.Thread(target=write)
    writing.start()
    try:
        until(lambda: len(done) > 20)
        before = len(done)
        made = run("backup", str(data), str(tmp_path / "target"))
        after = len(done)
    finally:
        over.set()
        writing.join()
    assert made.returncode == 0, made.stderr
    assert made.stdout.endswith("verified\n")
    assert ("encrypted with" in made.stdout) is bool(options)
    found = restored(tmp_path / "target", tmp_path / "restored", options)
    assert {key[1:] for key in found if key[0] == "a"} == {
        key[1:] for key in found if key[0] == "b"
    }
    assert before <= len(found) // 2 <= after + 1
    assert len(found) % 2 == 0
    again = run("restore", str(tmp_path / "target"), str(tmp_path / "restored"), *options)
    assert (again.returncode, "exists" in again.stderr) == (1, True)
    if options:
        stored = b"".join(
            path.read_bytes() for path in (tmp_path / "target").rglob("*") if path.is_file()
        )
        assert b"pairs" not in stored
        blind = run("restore", str(tmp_path / "target"), str(tmp_path / "blind"))
        assert "was not given" in blind.stdout


# What has not changed is not stored again; what no backup has goes with the rule.
def test_further_backups_store_what_has_changed(plain, tmp_path):
    client, data, _ = plain
    target = tmp_path / "target"
    first = run("backup", str(data), str(target)).stdout
    second = run("backup", str(data), str(target)).stdout
    assert " 0 of them new (0 bytes stored)" in second
    client.create_table(TableName="more", **KEYED)
    third = run("backup", str(data), str(target), "--keep", "last=1").stdout
    assert " 0 of them new" not in third
    listed = run("backup", str(data), str(target), "--list").stdout
    assert [line.split()[0] for line in listed.splitlines()] == [third.split()[1].rstrip(":")]
    assert first != second
    client.delete_table(TableName="more")
    # Another directory's data would be mixed with these.
    with served(memory=False, data=tmp_path / "other") as other:
        client_of(other.endpoint).create_table(TableName="pairs", **KEYED)
        mixed = run("backup", str(tmp_path / "other"), str(target))
    assert (mixed.returncode, "of other data" in mixed.stderr) == (1, True)
    # A server reaches a bucket with the variables that it was started with.
    bucket = run("backup", str(data), "s3://127.0.0.1")
    assert (bucket.returncode, "it uses its own AWS variables" in bucket.stderr) == (1, True)
    within = run("backup", str(data), str(data / "target"))
    assert (within.returncode, "lost with it" in within.stderr) == (1, True)


# By the manifest alone; a backup of an earlier build is listed without what its manifest lacks.
def test_the_list_says_how_old_and_how_large_backups_are(plain, tmp_path):
    client, data, _ = plain
    target = tmp_path / "target"
    client.create_table(TableName="more", **KEYED)
    tables = client.list_tables()["TableNames"]
    items = sum(client.scan(TableName=name, Select="COUNT")["Count"] for name in tables)
    client.put_item(TableName="more", Item={"pk": {"S": "another"}})
    assert run("backup", str(data), str(target)).returncode == 0
    client.delete_table(TableName="more")
    listed = run("backup", str(data), str(target), "--list").stdout
    shown = rf"\S+Z  \d+ s ago  {len(tables)} tables  {items + 1} items?  [\d.,]+ [KM]B\n"
    assert fullmatch(shown, listed)
    (path,) = (target / "manifests").iterdir()
    manifest = decoded(path.read_bytes())
    earlier = {"format": 1, "made_ms": manifest.made_ms - 3 * 86_400_000, "totals": UNSET}
    path.write_bytes(encoded(replace(manifest, **earlier)))
    listed = run("backup", str(data), str(target), "--list").stdout
    assert fullmatch(r"\S+Z  3 days ago  [\d.,]+ [KM]B\n", listed)


def test_damaged_backup_is_not_restored(plain, tmp_path):
    _, data, options = plain
    target, place = tmp_path / "target", tmp_path / "restored"
    assert run("backup", str(data), str(target)).returncode == 0
    stored = [path for path in (target / "chunks").rglob("*") if path.is_file()]
    chunk = max(stored, key=lambda path: path.stat().st_size)
    chunk.write_bytes(chunk.read_bytes()[:-30])
    made = run("restore", str(target), str(place), *options)
    assert (made.returncode, "is damaged" in made.stderr, place.exists()) == (1, True, False)
    none = run("restore", str(tmp_path / "nothing"), str(place))
    assert (none.returncode, "there is no directory" in none.stderr) == (1, True)


# The server is asked for the new one; it tells of the damage in its log, and to the command.
def test_damaged_manifest_is_told_and_holds_up_no_backup(plain, tmp_path, caplog):
    _, data, _ = plain
    target, place = tmp_path / "target", tmp_path / "restored"
    rule = ("--keep", "last=1")
    for _ in range(2):
        assert run("backup", str(data), str(target), *rule).returncode == 0
    (manifest,) = (target / "manifests").iterdir()
    manifest.write_text("{}")
    damaged = f"manifests/{manifest.name}"
    restore = run("restore", str(target), str(place))
    assert (restore.returncode, damaged in restore.stderr, place.exists()) == (1, True, False)
    made = run("backup", str(data), str(target), *rule)
    assert (made.returncode, made.stdout.endswith("verified\n")) == (0, True)
    assert made.stderr.startswith(f"hashrange: warning: {damaged}: ")
    assert damaged in caplog.text
    assert manifest.exists()
    listed = run("backup", "x", str(target), "--list")
    newest, older = listed.stdout.splitlines()
    assert (newest.split()[0] + ":", older.split()[1]) == (made.stdout.split()[1], "damaged")
    assert (listed.returncode, damaged in listed.stderr) == (1, True)
    assert "1 of 2 backups" in listed.stderr
    assert run("restore", str(target), str(place)).returncode == 0


@pytest.mark.long
def test_backup_in_a_bucket(plain, tmp_path, s3_endpoint, process_environment):
    client, data, _ = plain
    process_environment(**s3_server.KEYS)
    s3_server.client(s3_endpoint).create_bucket(Bucket="nightly")
    place, stopped = f"{s3_endpoint}/nightly", tmp_path / "stopped"
    pair(client, 1)
    assert run("backup", str(data), str(tmp_path / "target")).returncode == 0
    assert run("restore", str(tmp_path / "target"), str(stopped)).returncode == 0
    # By the command itself, whose environment has the keys.
    assert run("backup", str(stopped), place, **s3_server.KEYS).returncode == 0
    made = run("restore", place, str(tmp_path / "restored"), **s3_server.KEYS)
    assert (made.returncode, made.stdout.endswith("verified\n")) == (0, True)


# The rule is applied after each backup: the newest two are there, and others come.
def test_backups_at_intervals(tmp_path):
    target = tmp_path / "target"
    target.mkdir()
    every = {"backup_to": target, "backup_every": "1s", "backup_keep": "last=2"}

    def manifests():
        return {path.name for path in target.glob("manifests/*.json")}

    with served(memory=False, data=tmp_path / "data", **every):
        first = until(manifests)
        until(lambda: len(manifests()) == 2 and not manifests() & first)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--backup-to", "x"), "need each other"),
        (("--backup-every", "1d"), "need each other"),
        (("--backup-to", "x", "--backup-every", "1d", "--memory"), "keeps nothing on disk"),
        (("--backup-to", "hashrange-data/x", "--backup-every", "1d"), "lost with it"),
        (("--backup-to", "x", "--backup-every", "1x"), "an interval such as"),
        (("--backup-to", "ftp://x", "--backup-every", "1d"), "expected s3://BUCKET"),
        (("--backup-to", "https://", "--backup-every", "1d"), "expected s3://BUCKET"),
    ],
)
def test_settings_that_make_no_sense(options, reason):
    refused = run("serve", *options)
    assert (refused.returncode, reason in refused.stderr) == (2, True)


# With a wrong path there would never be a backup, and only the log would say so.
def test_server_does_not_start_without_the_directory_of_its_backups(tmp_path):
    target = tmp_path / "none"
    options = ("--data", str(tmp_path / "data"), "--backup-to", str(target), "--backup-every", "1d")
    refused = run("serve", *options)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert f"--backup-to: there is no directory {target}" in refused.stderr
    assert not (tmp_path / "data").exists()
