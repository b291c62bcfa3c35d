"""ImportTable: its tokens, and requests that are refused.

Source of codes and texts, where no other is given: measurements of the service by users, October
2026.
"""

import json
import uuid

import pytest
from botocore.exceptions import ClientError

from tests.api.conftest import client_of
from tests.api.imports import begun, creation, ended, imported, lines, numbered, put
from tests.api.refusals import VALIDATION, absent, breaks, refusal, violated


@pytest.fixture(scope="module")
def client(start_server, bucket):
    return client_of(start_server(s3=f"bucket={bucket}"))


@pytest.fixture
def name():
    return f"t-{uuid.uuid4()}"


# Measured: a table that is there is told of before the token is looked at, which stands for its
# import once the table is gone.
def test_tokens(client, bucket, name):
    put(bucket, name, lines(*numbered(2)))
    job = begun(client, name, name, ClientToken=name)
    ended(client, job["ImportArn"])
    told = refusal(begun, client=client, name=name, prefix=name, ClientToken=name)
    assert told == ("ResourceInUseException", f"Table already exists: {name}")
    other = {"ClientToken": name, "TableCreationParameters": creation(f"{name}-x")}
    with pytest.raises(ClientError) as told:
        begun(client, name, name, **other)
    assert told.value.response["Error"]["Code"] == "ImportConflictException"
    client.delete_table(TableName=name)
    # It is the import before; nothing is created.
    assert begun(client, name, name, ClientToken=name)["ImportArn"] == job["ImportArn"]
    code, _ = refusal(client.describe_table, TableName=name)
    assert code == "ResourceNotFoundException"


# boto3 makes a token for each request without one. Source: ScyllaDB's tests, which run on AWS.
def test_a_token_is_required(client, name):
    def without_token(params, **_):
        sent = json.loads(params["body"])
        del sent["ClientToken"]
        params["body"] = json.dumps(sent).encode()

    own = client_of(client.meta.endpoint_url)
    own.meta.events.register("before-call.dynamodb.ImportTable", without_token)
    told = refusal(begun, client=own, name=name)
    assert told == violated(absent("clientToken"))
    for token in ("", "$", "a$", "$a"):
        told = refusal(begun, client=client, name=name, ClientToken=token)
        pattern = r"satisfy regular expression pattern: ^[^\$]+$"
        assert told == violated(breaks(token, "clientToken", pattern))


def test_a_table_that_exists(client, bucket, name):
    put(bucket, name, lines(*numbered(2)))
    imported(client, name, name)
    for token in ({}, {"ClientToken": f"{name}-2"}):
        with pytest.raises(ClientError) as told:
            begun(client, name, name, **token)
        assert told.value.response["Error"]["Code"] == "ResourceInUseException"
        assert told.value.response["Error"]["Message"] == f"Table already exists: {name}"


PARAMETERS = creation("refused")
HEADER = r"satisfy regular expression pattern: [\x20-\x21\x23-\x2B\x2D-\x7E]*"


@pytest.mark.parametrize(
    ("request_", "told"),
    [
        (
            {"InputFormat": "CSV", "InputFormatOptions": {"Csv": {"Delimiter": ";;"}}},
            violated(
                breaks(
                    ";;",
                    "inputFormatOptions.csv.delimiter",
                    "satisfy regular expression pattern: [,;:|\\t ]",
                ),
                breaks(
                    ";;", "inputFormatOptions.csv.delimiter", "have length less than or equal to 1"
                ),
            ),
        ),
        # Source: the API's model.
        (
            {
                "InputFormat": "CSV",
                "InputFormatOptions": {"Csv": {"HeaderList": ["pk", "a,b", "", "\u00e9"]}},
            },
            violated(
                breaks("a,b", "inputFormatOptions.csv.headerList.2.member", HEADER),
                breaks(
                    "",
                    "inputFormatOptions.csv.headerList.3.member",
                    "have length greater than or equal to 1",
                ),
                breaks("\u00e9", "inputFormatOptions.csv.headerList.4.member", HEADER),
            ),
        ),
        (
            {"InputFormatOptions": {"Csv": {"Delimiter": ";"}}},
            (
                VALIDATION,
                (
                    "Invalid Request: Unsupported InputFormatOptions for the given input format: "
                    "DYNAMODB_JSON."
                ),
            ),
        ),
        (
            {"InputCompressionType": "BZIP2"},
            violated(
                breaks(
                    "BZIP2", "inputCompressionType", "satisfy enum value set: [ZSTD, NONE, GZIP]"
                )
            ),
        ),
        (
            {
                "TableCreationParameters": {
                    key: value for key, value in PARAMETERS.items() if key != "BillingMode"
                }
            },
            (
                VALIDATION,
                (
                    "One or more parameter values were invalid: ReadCapacityUnits and "
                    "WriteCapacityUnits must both be specified when BillingMode is PROVISIONED"
                ),
            ),
        ),
    ],
)
def test_refused_requests(client, request_, told):
    request = {
        "S3BucketSource": {"S3Bucket": "bucket"},
        "InputFormat": "DYNAMODB_JSON",
        "TableCreationParameters": PARAMETERS,
        **request_,
    }
    assert refusal(client.import_table, **request) == told
