from pathlib import Path

import pytest

from hashrange.settings.buckets import BucketLocation, S3Location, bucket_locations
from hashrange.settings.sources import load
from hashrange.settings.texts import SettingError
from tests.rows import rows


@pytest.mark.parametrize(
    ("text", "location"),
    [
        ("a-b=/srv/exports", BucketLocation(name="a-b", location=Path("/srv/exports"))),
        ("aa=s3://real", BucketLocation(name="aa", location=S3Location(bucket="real"))),
        (
            "aa=http://localhost:9000",
            BucketLocation(
                name="aa", location=S3Location(bucket="aa", endpoint="http://localhost:9000")
            ),
        ),
        (
            "aa=https://minio.ex/real?region=eu-west-1&owner=123456789012&profile=p&credentials=/keys",
            BucketLocation(
                name="aa",
                location=S3Location(
                    bucket="real",
                    endpoint="https://minio.ex",
                    region="eu-west-1",
                    credentials=Path("/keys"),
                    profile="p",
                ),
                owner="123456789012",
            ),
        ),
    ],
)
def test_locations_are_read(text, location):
    assert bucket_locations(text) == (location,)


def test_several_locations_are_read_from_options():
    assert [each.name for each in bucket_locations("aa=/x;bb=s3://bb")] == ["aa", "bb"]


@rows(
    "text",
    [
        "",
        "aa",
        "aa=",
        "=/srv",
        "a/b=/srv",
        "..=/srv",
        "aa=/x;aa=/y",
        "aa=ftp://host/x",
        "aa=https://key:secret@host/x",
        "aa=https://host/x?access_key_id=AKIA",
        "aa=https://host/x/y",
        "aa=https://host:port/x",
        "aa=s3://host/x",
        "aa=https://host/x?owner=me",
        "aa=https://host/x?anonymous=maybe",
        "aa=https:///x",
        "aa=https://host/x#y",
        "aa=a\0b",
        ";".join(f"b{each}=/x" for each in range(101)),
    ],
)
def test_what_is_no_location_is_refused(text):
    with pytest.raises(ValueError, match=r"."):
        bucket_locations(text)


@pytest.mark.parametrize(
    ("text", "reason"),
    [("b=/srv", "BUCKET has 2 to 255"), ("-b=/srv", "begins and ends"), ("bb=", "URL is s3://")],
)
def test_what_is_wrong_with_a_location_is_told(text, reason):
    with pytest.raises(ValueError, match=reason):
        bucket_locations(text)


# Who may import from a bucket could read the files of the database, and replace them.
@pytest.mark.parametrize("location", ["data", "data/below", "."])
def test_a_bucket_is_not_in_the_data_directory(tmp_path, location):
    (tmp_path / "data" / "below").mkdir(parents=True)
    options = {"data": str(tmp_path / "data"), "s3": f"aa={tmp_path / location}"}
    with pytest.raises(SettingError, match="in the data directory"):
        load(options, {})
    load({**options, "s3": f"aa={tmp_path / 'elsewhere'}"}, {})
