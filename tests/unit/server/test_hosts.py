"""Which names in the header Host are the server's."""

import asyncio
import json

from hashrange.server.hosts import ANY_HOST, Hosts
from hashrange.wire.exchange import Request, Response
from tests.rows import rows

OWN = [
    "",
    "localhost",
    "LOCALHOST:8000",
    "localhost.:8000",
    "127.0.0.1:8000",
    "10.1.2.3",
    "192.168.1.5:443",
    "[::1]:8000",
    "[::1]",
    "[fe80::1%25eth0]:8000",
    "[::ffff:127.0.0.1]",
    "0.0.0.0:8000",
    # AWS's own endpoints, also those of accounts.
    "dynamodb.eu-west-1.amazonaws.com",
    "streams.dynamodb.us-east-1.amazonaws.com:8000",
    "dynamodb-fips.us-gov-west-1.amazonaws.com",
    "dynamodb.cn-north-1.amazonaws.com.cn",
    "dynamodb.us-east-1.api.aws",
    "123456789012.ddb.us-east-1.amazonaws.com",
    # Those of the other APIs on the port.
    "kinesis.us-east-1.amazonaws.com",
    "123456789012.data-kinesis.us-east-1.amazonaws.com",
    "monitoring.eu-west-1.amazonaws.com:4566",
    "application-autoscaling.us-east-1.amazonaws.com",
    "dax.us-east-1.amazonaws.com",
    "iam.amazonaws.com",
    "sts.amazonaws.com",
    "sts.us-east-1.amazonaws.com",
    # LocalStack's.
    "localhost.localstack.cloud:4566",
    "dynamodb.localhost.localstack.cloud:4566",
    "streams.dynamodb.localhost.localstack.cloud:4566",
    "dynamodb.us-east-1.localhost.localstack.cloud:4566",
    "us-east-1.localhost.localstack.cloud",
    "kinesis.localhost.localstack.cloud:4566",
]
FOREIGN = [
    "evil.example",
    "evil.example:8000",
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "127.0.0.1.nip.io",
    "127.1",
    "2130706433",
    "0x7f000001",
    "evil.localhost",
    "hashrange",
    "host.docker.internal",
    "localhost,evil.example",
    "evil.example,localhost",
    "evil.example@localhost",
    "localhost@evil.example",
    "localhost:8000:evil.example",
    "localhost:x",
    "[evil.example]",
    "[::1]evil.example",
    "::1.evil.example",
    "[localhost",
    "evil.example#localhost",
    "localhost\n",
    " localhost",
    "\xff",
    ":8000",
    ".",
    "dynamodb.us-east-1.amazonaws.com.evil.example",
    "evil-dynamodb.us-east-1.amazonaws.com",
    "evil.dynamodb.us-east-1.amazonaws.com",
    "ec2-203-0-113-1.compute-1.amazonaws.com",
    "dynamodb.s3.amazonaws.com",
    "kinesis.amazonaws.com",
    "evil.iam.amazonaws.com",
    "bucket.s3.us-east-1.amazonaws.com",
    "app.localstack.cloud",
    "localstack.cloud",
    "evil.localhost.localstack.cloud",
    "localhost.localstack.cloud.evil.example",
    "localhost-localstack.cloud",
]


def is_refused(hosts, name):
    return hosts.refusal(name.encode("latin-1")) is not None


@rows("name", OWN)
def test_own_names(name):
    assert not is_refused(Hosts(None, "127.0.0.1"), name)


@rows("name", FOREIGN)
def test_foreign_names(name):
    assert is_refused(Hosts(None, "127.0.0.1"), name)
    assert is_refused(Hosts("db.example", "192.0.2.1"), name)
    assert not is_refused(ANY_HOST, name)


@rows(
    ("listed", "listens_on", "name", "refused"),
    [
        ("db,db.internal", "0.0.0.0", "db:8000", False),
        ("db,db.internal", "0.0.0.0", "DB.internal", False),
        # The names of containers are there without a setting, which only adds to them.
        ("db", "0.0.0.0", "hashrange:8000", False),
        (None, "0.0.0.0", "dynamodb-local:8000", False),
        (None, "0.0.0.0", "localstack:4566", False),
        (None, "::", "host.docker.internal", False),
        (None, "127.0.0.1", "hashrange:8000", True),
        ("db", "0.0.0.0", "other", True),
        ("hashrange", "0.0.0.0", "hashrange.example", True),
        (None, "db.example", "DB.example:8000", False),
        (None, "db.example", "other.example", True),
        ("*.example", "::", "a.example:1", False),
        ("*.example", "::", "a.b.example", False),
        ("*.example", "::", "example", True),
        ("*.example", "::", "evil-example", True),
        ("*,a", "::", "evil.example", False),
    ],
)
def test_configured_names(listed, listens_on, name, refused):
    assert is_refused(Hosts(listed, listens_on), name) == refused


# The text is shown by SDKs: it names the setting, and is bounded.
def test_error_names_the_setting():
    error = Hosts(None, "127.0.0.1").refusal(b"db.example:8000")
    assert error.fault.status == 403
    assert error.fault.wire_name.endswith("#AccessDeniedException")
    assert "name db.example:8000:" in error.message
    assert "--hosts" in error.message
    assert len(Hosts(None, "::1").refusal(b"h" * 10_000).message) < 500


def test_pages_are_guarded():
    async def page(_request):
        return Response(200, b"data")

    guarded = Hosts(None, "127.0.0.1").guard(page)

    def answer(headers):
        return asyncio.run(guarded(Request(b"GET", b"/metrics", b"", headers, b"")))

    assert answer({b"host": b"localhost"}).body == answer({}).body == b"data"
    refused = answer({b"host": b"evil.example"})
    assert refused.status == 403
    assert "--hosts" in json.loads(refused.body)["Message"]
