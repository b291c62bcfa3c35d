"""Large values by reference: whatever is killed or races, no pointer dangles, no object stays."""

import hashlib
import random
from itertools import count

import pytest

import large_values
from large_values import S3, ChangedError, DamagedError, Folder, collect, delete, read, write
from tests import s3_server
from tests.effort import effort

KEY = {"pk": "DOC#1", "sk": "BODY"}


def noise(size, seed=0):
    """Bytes that do not compress."""
    return random.Random(seed).randbytes(size)


@pytest.fixture
def table(table_for):
    return table_for(large_values)


@pytest.fixture
def bucket(tmp_path):
    return Folder(tmp_path)


class KilledError(Exception):
    pass


class Dying:
    """A table or a bucket whose program is killed before or after its n-th request."""

    def __init__(self, real, requests):
        self.real, self.requests = real, requests

    def __getattr__(self, name):
        found = getattr(self.real, name)
        if not callable(found):
            return found

        def call(*arguments, **options):
            if self.requests.pop(0):
                raise KilledError
            answer = found(*arguments, **options)
            if self.requests.pop(0):
                raise KilledError
            return answer

        return call


def consistent(table, bucket):
    """Each item has its object, and each other object a marker."""
    items = table.scan(ConsistentRead=True)["Items"]
    used = {item["object"] for item in items if item["pk"] != "UNUSED" and "object" in item}
    unused = {item["object"] for item in items if item["pk"] == "UNUSED"}
    there = {path.name for path in bucket.path.iterdir()}
    assert used <= there
    assert there - used <= unused
    assert not used & unused


@pytest.mark.parametrize(
    ("value", "form", "is_inline"),
    [
        (b"", "plain", True),
        (b"short", "plain", True),
        (b"text " * 200_000, "zlib", True),
        (noise(100 * 1024), "plain", True),
        (noise(100 * 1024 + 1), "plain", False),
        (noise(200_000) + b"text " * 9000, "zlib", False),
        (noise(3_000_000), "plain", False),
    ],
    ids=str,
)
def test_values_of_any_size(table, bucket, value, form, is_inline):
    write(table, bucket, KEY, value, title="one")
    item = table.get_item(Key=KEY)["Item"]
    assert (item["form"], "content" in item, item["title"]) == (form, is_inline, "one")
    assert read(table, bucket, KEY) == value
    consistent(table, bucket)
    delete(table, KEY, now=0)
    assert read(table, bucket, KEY) is None
    assert collect(table, bucket, 60, now=59) == 0
    assert collect(table, bucket, 60, now=60) == (0 if is_inline else 1)
    assert [*bucket.path.iterdir()] == []
    assert table.scan()["Items"] == []


def test_a_program_that_is_killed_leaves_nothing_wrong(table, bucket):
    values = [noise(150_000, 1), b"short", noise(150_000, 2)]
    rng, now = random.Random(3), count(0, 1000)
    known = None
    for step in range(effort(60, 300)):
        requests = [rng.random() < 0.06 for _ in range(400)]
        dying = Dying(table, requests), Dying(bucket, requests)
        wanted = rng.choice([*values, None])
        try:
            if rng.random() < 0.3:
                collect(*dying, 500, now=next(now))
                wanted = known
            elif wanted is None:
                delete(dying[0], KEY, now=next(now))
            else:
                write(*dying, KEY, wanted, now=next(now))
            known = wanted
        except KilledError:
            found = read(table, bucket, KEY)
            assert found in (known, wanted), step
            known = found
        assert read(table, bucket, KEY) == known
        consistent(table, bucket)
    collect(table, bucket, 0, now=next(now) + 10**6)
    assert len([*bucket.path.iterdir()]) == (1 if known in (values[0], values[2]) else 0)


def test_a_slow_write_is_refused_once_its_object_is_collected(table, bucket):
    write(table, bucket, KEY, b"before")

    class Slow(Folder):
        def put(self, name, content):
            super().put(name, content)
            assert collect(table, bucket, 60, now=10**6) == 1

    with pytest.raises(ChangedError, match="ConditionalCheckFailed"):
        write(table, Slow(bucket.path), KEY, noise(200_000), now=0)
    assert read(table, bucket, KEY) == b"before"
    consistent(table, bucket)


def test_of_two_writes_at_once_one_is_refused(table, bucket):
    class Raced(Folder):
        def put(self, name, content):
            super().put(name, content)
            write(table, bucket, KEY, noise(200_000, 5))

    with pytest.raises(ChangedError):
        write(table, Raced(bucket.path), KEY, noise(200_000, 6))
    assert read(table, bucket, KEY) == noise(200_000, 5)
    consistent(table, bucket)
    assert collect(table, bucket, -60) == 1


def test_a_reader_of_a_replaced_object_reads_again(table, bucket):
    write(table, bucket, KEY, noise(200_000, 1))

    class Late(Folder):
        def get(self, name):
            if next(gets) == 0:
                write(table, bucket, KEY, noise(200_000, 2))
                collect(table, bucket, -60)
            return super().get(name)

    gets = count()
    assert read(table, Late(bucket.path), KEY) == noise(200_000, 2)


@pytest.mark.parametrize("change", [lambda old: old[:-1] + b"?", lambda old: b"", lambda old: None])
def test_damage_is_found(table, bucket, change):
    write(table, bucket, KEY, noise(200_000) + b"text " * 9000)
    (path,) = bucket.path.iterdir()
    content = change(path.read_bytes())
    path.unlink()
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(DamagedError):
        read(table, bucket, KEY)


def test_a_bucket_of_s3(table):
    with s3_server.running() as endpoint:
        client = s3_server.client(endpoint)
        client.create_bucket(Bucket="values")
        bucket = S3(client, "values")
        write(table, bucket, KEY, noise(200_000))
        assert (
            hashlib.sha256(read(table, bucket, KEY)).digest()
            == hashlib.sha256(noise(200_000)).digest()
        )
        delete(table, KEY)
        assert collect(table, bucket, -60) == 1
        assert "Contents" not in client.list_objects_v2(Bucket="values")
        assert bucket.get("none") is None
