"""Which server and which keys --endpoint, --profile and --region name."""

import pytest

from hashrange.cli.endpoints import address_of
from hashrange.cli.refusals import Misuse

LOCAL = "http://127.0.0.1:8000"
OF_AWS = "https://dynamodb.eu-west-1.amazonaws.com"
KEYS = {"AWS_ACCESS_KEY_ID": "of-env", "AWS_SECRET_ACCESS_KEY": "secret"}

CREDENTIALS = """\
[default]
aws_access_key_id = of-default
aws_secret_access_key = %secret
[orders]
aws_access_key_id = of-orders
aws_secret_access_key = secret
aws_session_token = token
"""
CONFIG = """\
[default]
region = eu-north-1
[profile orders]
region = eu-west-1
[profile here]
aws_access_key_id = of-here
aws_secret_access_key = secret
endpoint_url = http://127.0.0.1:9000
[profile sso]
sso_session = company
"""


@pytest.fixture
def files(tmp_path):
    """The variables that name shared AWS files with some profiles."""
    (tmp_path / "credentials").write_text(CREDENTIALS)
    (tmp_path / "config").write_text(CONFIG)
    return {
        "AWS_SHARED_CREDENTIALS_FILE": str(tmp_path / "credentials"),
        "AWS_CONFIG_FILE": str(tmp_path / "config"),
    }


# (endpoint, profile, region, further variables), (URL, access key, region)
@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ((LOCAL, None, None, {}), (LOCAL, "local", "us-east-1")),
        ((LOCAL, None, "eu-west-2", KEYS), (LOCAL, "of-env", "eu-west-2")),
        ((LOCAL, None, None, {"AWS_REGION": "eu-west-3"}), (LOCAL, "local", "eu-west-3")),
        # A server that is not AWS gets a person's keys only if the profile is named.
        ((LOCAL, None, None, {"AWS_PROFILE": "orders"}), (LOCAL, "local", "us-east-1")),
        ((LOCAL, "orders", None, {}), (LOCAL, "of-orders", "eu-west-1")),
        (("aws", None, None, {"AWS_PROFILE": "orders"}), (OF_AWS, "of-orders", "eu-west-1")),
        (
            ("aws", None, None, {"AWS_PROFILE": "orders", **KEYS, "AWS_REGION": "eu-west-1"}),
            (OF_AWS, "of-env", "eu-west-1"),
        ),
        (("aws", "default", "eu-west-1", {}), (OF_AWS, "of-default", "eu-west-1")),
        ((OF_AWS, "default", None, {}), (OF_AWS, "of-default", "eu-west-1")),
        ((None, "here", None, {}), ("http://127.0.0.1:9000", "of-here", "us-east-1")),
    ],
)
def test_the_options_name_a_server_and_keys(files, options, expected):
    endpoint, profile, region, variables = options
    address = address_of(endpoint, profile, region, files | variables)
    found = address.credentials
    assert (address.url, found.access_key, found.region) == expected


def test_the_session_token_of_a_profile_is_sent(files):
    assert address_of(LOCAL, "orders", None, files).credentials.session_token == "token"


@pytest.mark.parametrize(
    ("endpoint", "profile", "text"),
    [
        (LOCAL, "nobody", "have no profile nobody"),
        (LOCAL, "sso", "aws configure export-credentials --profile sso"),
        ("ftp://a", None, "is not a URL like"),
        ("http://a/b", None, "an endpoint has no path"),
    ],
)
def test_options_that_name_nothing_are_refused(files, endpoint, profile, text):
    with pytest.raises(Misuse, match=text):
        address_of(endpoint, profile, None, files)


def test_a_damaged_file_is_named(files, tmp_path):
    (tmp_path / "config").write_text("region = eu-west-1\n")
    with pytest.raises(Misuse, match="config: File contains no section headers"):
        address_of(LOCAL, "orders", None, files)
