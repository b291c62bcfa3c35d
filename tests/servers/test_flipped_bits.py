"""Bits flipped all over real data files: what is read is right or an error, never anything else."""

import asyncio
import shutil
from contextlib import asynccontextmanager, closing
from functools import partial
from pathlib import Path

import boto3
import pytest

from hashrange.assembly.engines.kinds import kind_of
from hashrange.assembly.verifying import verify
from hashrange.storage.encryption.sources import KeySource
from hashrange.storage.engine import StorageError, StorageOpenError, ignore_damage
from hashrange.storage.first_reads import FirstReads
from hashrange.storage.sqlite.engine import SqliteEngine, comparing
from hashrange.tables.writing.checked_values import CheckedEngine, ensure_sound
from tests.api.tables import keyed
from tests.served import served

PAGE_BYTES = 4096
IN_PAGE = (0, 3, 5, 9, 100, 1500, 3000, 4000)
"""Bytes in a page: of its header, of the pointers to its cells, and of cells."""
ITEMS = 60
LARGE = 5
ALL_ITEMS = (b"\x00\x00\x00\x01\x01", b"\x00\x00\x00\x01\x02")


def filled(data, **settings):
    with served(memory=False, data=data, **settings) as server:
        client = boto3.client(
            "dynamodb",
            endpoint_url=server.endpoint,
            region_name="us-east-1",
            aws_access_key_id="local",
            aws_secret_access_key="local",
        )
        client.create_table(TableName="orders", **keyed(p="S"))
        for number in range(ITEMS):
            size = 9000 if number % LARGE == 0 else 300
            item = {"p": {"S": f"order-{number}"}, "text": {"S": "x" * size}}
            client.put_item(TableName="orders", Item=item)
    return data


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    return filled(tmp_path_factory.mktemp("plain") / "data")


@pytest.fixture(scope="module")
def key(tmp_path_factory):
    file = tmp_path_factory.mktemp("key") / "key"
    file.write_text(bytes(range(32)).hex())
    file.chmod(0o600)
    return KeySource(file=file)


@pytest.fixture(scope="module")
def encrypted(tmp_path_factory, key):
    data = tmp_path_factory.mktemp("encrypted") / "data"
    return filled(data, encrypt=True, encryption_key_file=key.file)


@asynccontextmanager
async def checked(directory, secret):
    """The rows of a directory, each compared whenever it is read."""
    async with kind_of(str(directory)).opened_to_verify(str(directory), secret) as (engine, _):
        yield CheckedEngine(engine)


@asynccontextmanager
async def first_read(directory, _):
    """The rows of a plain directory as a server reads them."""
    with closing(SqliteEngine.open(directory)) as engine:
        yield comparing(engine, FirstReads(partial(ensure_sound, ignore_damage)))


def read_each(directory: Path, keys, secret, opened=checked):
    """The value of each key, or the error of its read; None if the file cannot be opened.

    Of a scan, which reads by no key, the rows are added that are others.
    """

    async def read():
        found = {}
        async with opened(directory, secret) as engine:
            for each in keys:
                try:
                    (found[each],) = await engine.read([each])
                except StorageError as error:
                    found[each] = error
            try:
                scanned = await engine.scan(*ALL_ITEMS, limit=1000, bytes_max=10**8)
            except StorageError as error:
                return {**found, b"": error}
            return found | {key: value for key, value in scanned if found.get(key) != value}

    try:
        return asyncio.run(read())
    except StorageOpenError:
        return None


def items_of(directory, secret):
    async def read():
        kind = kind_of(str(directory))
        async with kind.opened_to_verify(str(directory), secret) as (engine, _):
            return dict(await engine.scan(*ALL_ITEMS, limit=1000, bytes_max=10**8))

    return asyncio.run(read())


def flips(directory):
    """Positions in each page of the file."""
    size = (directory / "hashrange.db").stat().st_size
    for page in range(size // PAGE_BYTES):
        for each in IN_PAGE:
            yield page * PAGE_BYTES + each


def flipped(directory, copy, at):
    shutil.copytree(directory, copy, dirs_exist_ok=True)
    with (copy / "hashrange.db").open("r+b") as file:
        file.seek(at)
        (byte,) = file.read(1)
        file.seek(at)
        file.write(bytes([byte ^ 0x10]))


def verified(directory, secret):
    try:
        return verify(directory, secret)
    except (StorageOpenError, StorageError) as error:
        return [str(error)]


def test_an_encrypted_file_gives_no_wrong_answer(encrypted, key, tmp_path):
    right, errors = items_of(encrypted, key), 0
    assert len(right) == ITEMS
    for at in flips(encrypted):
        flipped(encrypted, tmp_path / "copy", at)
        found = read_each(tmp_path / "copy", right, key)
        wrong = {
            each
            for each, value in (found or {}).items()
            if value != right.get(each) and not isinstance(value, StorageError)
        }
        assert wrong == set(), at
        errors += found is None or found != right
    assert errors > 0


# The checksum of a value has its key: a key that was altered hides its item, and shows no other.
@pytest.mark.parametrize("opened", [checked, first_read])
def test_a_plain_file_gives_no_wrong_value_and_hides_nothing_from_verify(plain, tmp_path, opened):
    right, errors = items_of(plain, None), 0
    assert len(right) == ITEMS
    for at in flips(plain):
        flipped(plain, tmp_path / "copy", at)
        found = read_each(tmp_path / "copy", right, None, opened)
        if found == right:
            continue
        errors += 1
        for each, value in (found or {}).items():
            assert value in (None, right.get(each)) or isinstance(value, StorageError), at
        assert verified(tmp_path / "copy", None) != [], at
    assert errors > 0
