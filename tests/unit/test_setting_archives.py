import pytest

from hashrange.settings.archives import ArchiveRule, archive_rules
from hashrange.settings.settings import Settings
from hashrange.settings.sources import load
from hashrange.settings.texts import SettingError
from tests.rows import rows


def test_rules_are_read():
    assert archive_rules("orders=old; logs=old/a/b-c?class=GLACIER_IR&days=365;gone=off") == (
        ArchiveRule(table="orders", bucket="old"),
        ArchiveRule(
            table="logs", bucket="old", prefix="a/b-c", storage_class="GLACIER_IR", days=365
        ),
        ArchiveRule(table="gone", bucket=None),
    )


@rows(
    "text, expected",
    [
        ("", "one to 1000 archives"),
        ("orders", "TABLE=BUCKET"),
        ("or=old", "the name of a table"),
        ("orders=old;orders=new", "each table once"),
        ("orders=old/../secret", "PREFIX"),
        ("orders=old//a", "PREFIX"),
        ("orders=old?days=0", "days=1"),
        ("orders=old?days=99999999", "days=1"),
        ("orders=old?class=DEEP_ARCHIVE", "class=STANDARD"),
        ("orders=old?owner=1", "PREFIX"),
        ("orders=old?days", "TABLE=BUCKET"),
    ],
)
def test_other_rules_are_refused(text, expected):
    with pytest.raises(ValueError, match=expected):
        archive_rules(text)


def test_the_bucket_has_a_place(tmp_path):
    with pytest.raises(SettingError, match="the bucket old needs --s3 old="):
        load({"archive": "orders=old", "memory": "true"}, {})
    s3 = f"old={tmp_path}"
    found = load({"archive": "orders=old/a", "memory": "true", "s3": s3}, {})
    assert isinstance(found, Settings)
