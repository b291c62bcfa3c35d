from hashrange.tools.design.apis import url_of_service
from tests.rows import rows

EAST, CHINA = "us-east-1", "cn-north-1"
ROWS = [
    (f"https://dynamodb.{EAST}.amazonaws.com", f"https://monitoring.{EAST}.amazonaws.com"),
    (f"https://dynamodb.{CHINA}.amazonaws.com.cn", f"https://monitoring.{CHINA}.amazonaws.com.cn"),
    (
        f"https://dynamodb-fips.{EAST}.amazonaws.com",
        f"https://monitoring-fips.{EAST}.amazonaws.com",
    ),
    (f"https://123456789012.ddb.{EAST}.amazonaws.com", f"https://monitoring.{EAST}.amazonaws.com"),
    (f"https://dynamodb.{EAST}.api.aws", f"https://monitoring.{EAST}.api.aws"),
    ("http://127.0.0.1:8000", "http://127.0.0.1:8000"),
    ("https://db.example:8443", "https://db.example:8443"),
]


@rows("url, expected", ROWS)
def test_other_apis_of_aws_have_hosts_of_their_own(url, expected):
    assert url_of_service(url, "monitoring") == expected
