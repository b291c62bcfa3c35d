import itertools

import pytest

from hashrange.backups.objects.buckets import Buckets
from hashrange.settings.buckets import bucket_locations
from tests import s3_server


@pytest.fixture(params=["directory", "s3"])
def bucket(request, tmp_path, process_environment):
    """An empty bucket, in a directory and behind an API of S3."""
    ids = map(str, itertools.count())
    if request.param == "directory":
        text = f"things={tmp_path}"
    else:
        endpoint = request.getfixturevalue("s3_endpoint")
        name = f"things-{abs(hash(tmp_path)):x}"
        s3_server.client(endpoint).create_bucket(Bucket=name)
        process_environment(**s3_server.KEYS)
        text = f"things={endpoint}/{name}?region=us-east-1"
    return Buckets(bucket_locations(text), new_id=lambda: next(ids)).opened("things")
