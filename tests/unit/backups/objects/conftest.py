import itertools

import pytest

from hashrange.backups.objects.buckets import Buckets
from hashrange.settings.buckets import bucket_locations
from tests import s3_server


@pytest.fixture(params=["directory", "s3"])
def bucket(request, tmp_path, monkeypatch):
    """An empty bucket, in a directory and behind an API of S3."""
    ids = map(str, itertools.count())
    if request.param == "directory":
        text = f"things={tmp_path}"
    else:
        endpoint = request.getfixturevalue("s3_endpoint")
        name = f"things-{abs(hash(tmp_path)):x}"
        s3_server.client(endpoint).create_bucket(Bucket=name)
        for variable, key in s3_server.KEYS.items():
            monkeypatch.setenv(variable, key)
        text = f"things={endpoint}/{name}?region=us-east-1"
    return Buckets(bucket_locations(text), new_id=lambda: next(ids)).opened("things")
