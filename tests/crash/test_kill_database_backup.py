"""kill -9 of a backup and of a restore of a database."""

import asyncio
import os
import uuid

import pytest

from tests.api.conftest import client_of
from tests.api.tables import keyed
from tests.crash.test_kill_directory_backup import assert_whole, chunks, killed_at
from tests.engines.postgres_engines import admin
from tests.engines.postgres_server import url_of
from tests.served import served
from tests.unit.processes import run

ITEMS = 60
TEXT_BYTES = 300_000


@pytest.fixture
def url():
    """A database with some megabytes, of which no two chunks are the same."""
    place = url_of(str(uuid.uuid4()))
    with served(memory=False, engine=place) as server:
        client = client_of(server.endpoint)
        client.create_table(TableName="Large", **keyed(pk="N"))
        for number in range(ITEMS):
            item = {"pk": {"N": str(number)}, "text": {"S": os.urandom(TEXT_BYTES // 2).hex()}}
            client.put_item(TableName="Large", Item=item)
    return place


def schemas(place):
    name = place.rpartition("=")[2]
    return {
        row["nspname"].removeprefix(name)
        for row in asyncio.run(
            admin(f"SELECT nspname FROM pg_namespace WHERE nspname LIKE '{name}%'")
        )
    }


def loaded(place):
    """The chunks that are noted as loaded."""
    name = f"{place.rpartition('=')[2]}_restoring"
    there = f"SELECT 1 FROM pg_tables WHERE schemaname = '{name}' AND tablename = 'loaded'"
    if not asyncio.run(admin(there)):
        return 0
    (row,) = asyncio.run(admin(f"SELECT count(*) AS n FROM {name}.loaded WHERE at >= 0"))
    return row["n"]


def test_backup_and_restore_are_killed_and_go_on(url, tmp_path):
    target, copy = tmp_path / "target", url_of(url)
    for files in (1, 8, 20):
        killed_at(files, lambda: chunks(target), "backup", url, target)
        assert_whole(target, lambda each: url_of(f"{url} {files} {each}"))  # noqa: B023 - at once
    stored = chunks(target)
    made = run("backup", url, str(target))
    assert f" {chunks(target) - stored} of them new" in made.stdout
    for count in (1, 8):
        killed_at(count, lambda: loaded(copy), "restore", target, copy)
        if "" in schemas(copy):
            break  # it was killed when all was there, if it was
        assert schemas(copy) <= {"_restoring"}
    else:
        restored = run("restore", str(target), copy)
        assert restored.returncode == 0, restored.stderr
    assert schemas(copy) == {""}
    assert run("verify", copy).returncode == 0
    with served(memory=False, engine=copy) as server:
        pages = client_of(server.endpoint).get_paginator("scan").paginate(TableName="Large")
        assert sum(page["Count"] for page in pages) == ITEMS
