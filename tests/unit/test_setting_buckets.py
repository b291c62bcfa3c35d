from pathlib import Path

import pytest

from hashrange.settings.buckets import BucketPlace, S3Place, bucket_places
from hashrange.settings.sources import load
from hashrange.settings.texts import SettingError
from tests.rows import rows


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("a-b=/srv/exports", BucketPlace(name="a-b", place=Path("/srv/exports"))),
        ("aa=s3://real", BucketPlace(name="aa", place=S3Place(bucket="real"))),
        (
            "aa=http://localhost:9000",
            BucketPlace(name="aa", place=S3Place(bucket="aa", endpoint="http://localhost:9000")),
        ),
        (
            "aa=https://minio.ex/real?region=eu-west-1&owner=123456789012&profile=p&credentials=/keys",
            BucketPlace(
                name="aa",
                place=S3Place(
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
def test_places_are_read(text, place):
    assert bucket_places(text) == (place,)


def test_several_places_are_read_from_options():
    assert [each.name for each in bucket_places("aa=/x;bb=s3://bb")] == ["aa", "bb"]


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
def test_what_is_no_place_is_refused(text):
    with pytest.raises(ValueError, match=r"."):
        bucket_places(text)


@pytest.mark.parametrize(
    ("text", "reason"),
    [("b=/srv", "BUCKET has 2 to 255"), ("-b=/srv", "begins and ends"), ("bb=", "URL is s3://")],
)
def test_what_is_wrong_with_a_place_is_told(text, reason):
    with pytest.raises(ValueError, match=reason):
        bucket_places(text)


# Who may import from a bucket could read the files of the database, and replace them.
@pytest.mark.parametrize("place", ["data", "data/below", "."])
def test_a_bucket_is_not_in_the_data_directory(tmp_path, place):
    (tmp_path / "data" / "below").mkdir(parents=True)
    options = {"data": str(tmp_path / "data"), "s3": f"aa={tmp_path / place}"}
    with pytest.raises(SettingError, match="in the data directory"):
        load(options, {})
    load({**options, "s3": f"aa={tmp_path / 'elsewhere'}"}, {})
