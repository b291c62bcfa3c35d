"""Files of sinks in a bucket."""

import json

import duckdb
import pytest

from tests import s3_server

BUCKET = "lake"


@pytest.fixture
def bucket(s3_endpoint):
    """Boto3's client, and a bucket that is empty."""
    s3 = s3_server.client(s3_endpoint)
    s3.create_bucket(Bucket=BUCKET)
    yield s3
    for key in keys_in(s3):
        s3.delete_object(Bucket=BUCKET, Key=key)
    s3.close()


def target(s3_endpoint):
    """The target of the command."""
    return f"files:{s3_endpoint}/{BUCKET}/some/prefix?region=us-east-1"


def keys_in(s3):
    return [each["Key"] for each in s3.list_objects_v2(Bucket=BUCKET).get("Contents", ())]


def content(s3, key):
    return s3.get_object(Bucket=BUCKET, Key=key)["Body"].read()


def current(s3, folder):
    """The items of the view, whose files are read from copies."""
    for key in keys_in(s3):
        path = folder / key
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content(s3, key))
    views = (folder / "some/prefix/views.sql").read_text()
    with duckdb.connect() as connection:
        connection.execute(views.replace(f"s3://{BUCKET}", str(folder)))
        found = connection.execute('SELECT item FROM "orders"').fetchall()
    items = [json.loads(item) for (item,) in found]
    return sorted(items, key=lambda item: repr(sorted(item.items())))
