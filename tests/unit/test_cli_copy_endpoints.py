"""Which keys and regions `hashrange copy` uses for FROM and TO."""

import pytest

from hashrange.cli.copy import addresses
from tests.rows import rows

LOCAL = "http://127.0.0.1:8000"
AWS = "https://dynamodb.eu-west-1.amazonaws.com"


@pytest.fixture
def profiles(tmp_path, process_environment, in_tmp_path):
    path = tmp_path / "credentials"
    texts = [
        f"[{name}]\naws_access_key_id = key-of-{name}\naws_secret_access_key = x\n"
        for name in ("prod", "test")
    ]
    path.write_text("".join(texts))
    process_environment(
        AWS_ACCESS_KEY_ID=None,
        AWS_SECRET_ACCESS_KEY=None,
        AWS_REGION=None,
        AWS_PROFILE=None,
        AWS_DEFAULT_REGION=None,
        AWS_SHARED_CREDENTIALS_FILE=str(path),
        AWS_CONFIG_FILE=str(tmp_path / "none"),
    )


def shown(address):
    if address is None:
        return None
    keys = address.credentials
    return address.url.removeprefix("https://dynamodb."), keys.access_key, keys.region


@rows(
    "places, options, wanted",
    [
        (("directory", LOCAL), {}, (None, (LOCAL, "local", "us-east-1"))),
        (
            ("aws", LOCAL),
            {"profile": "prod", "region": "eu-north-1"},
            (
                ("eu-north-1.amazonaws.com", "key-of-prod", "eu-north-1"),
                (LOCAL, "local", "eu-north-1"),
            ),
        ),
        (
            (LOCAL, "http://127.0.0.1:8001"),
            {"profile": "test"},
            (
                (LOCAL, "key-of-test", "us-east-1"),
                ("http://127.0.0.1:8001", "key-of-test", "us-east-1"),
            ),
        ),
        (
            (AWS, "aws"),
            {"profile": "prod", "to_profile": "test", "to_region": "us-west-2"},
            (
                ("eu-west-1.amazonaws.com", "key-of-prod", "eu-west-1"),
                ("us-west-2.amazonaws.com", "key-of-test", "us-west-2"),
            ),
        ),
    ],
)
def test_keys_go_where_they_belong(profiles, places, options, wanted):
    given = dict.fromkeys(("profile", "region", "to_profile", "to_region")) | options
    assert (*map(shown, addresses(*places, given)),) == wanted
    assert given == {}


# A folder of that name is meant by those who have one.
def test_a_folder_named_aws_is_a_folder(profiles, tmp_path):
    (tmp_path / "aws").mkdir()
    given = dict.fromkeys(("profile", "region", "to_profile", "to_region"))
    assert addresses("aws", LOCAL, given)[0] is None
