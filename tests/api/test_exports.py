"""Full exports to S3.

Texts and behaviour, where no other source is given: measurements by users, October 2026.
"""

import json
import re
import uuid
from datetime import timedelta

import pytest

from tests import s3_server
from tests.api.backups import fill
from tests.api.conftest import client_of
from tests.api.exports import (
    begun,
    data_of,
    ended,
    exported,
    in_directory,
    in_s3,
    items_of,
    recoverable,
    refused,
)
from tests.api.refusals import VALIDATION
from tests.api.tables import keyed
from tests.optional_packages import needs_ion

ITEM = {
    "pk": {"S": "all"},
    "n": {"N": "-1.5"},
    "big": {"N": "600"},
    "b": {"B": b"\x00\xff"},
    "t": {"BOOL": True},
    "nul": {"NULL": True},
    "l": {"L": [{"S": "ä\n\"'"}, {"M": {"a b": {"N": "1"}}}]},
    "ss": {"SS": ["x", "y"]},
    "ns": {"NS": ["1", "2.5"]},
    "bs": {"BS": [b"a"]},
}
AS_JSON = {**ITEM, "b": {"B": "AP8="}, "bs": {"BS": ["YQ=="]}}


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    made = tmp_path_factory.mktemp("exports") / "bucket"
    made.mkdir()
    return made


@pytest.fixture(scope="module")
def client(start_server, root, s3_endpoint):
    """A client of a server with a bucket in a directory, and one behind an API of S3."""
    s3_server.client(s3_endpoint).create_bucket(Bucket="behind-url")
    keys = root.parent / "keys"
    keys.write_text(
        "[default]\naws_access_key_id = a\naws_secret_access_key = b\n", encoding="utf-8"
    )
    url = f"{s3_endpoint}?region=us-east-1&credentials={keys}"
    places = f"exports={root};behind-url={url};absent={s3_endpoint}/absent?credentials={keys}"
    return client_of(start_server(s3=f"{places}&region=us-east-1;gone={root}/gone"))


@pytest.fixture
def arn(client, make_table):
    return recoverable(client, make_table(client))


@pytest.fixture(scope="module")
def make_table():
    def make(client):
        table = f"t-{uuid.uuid4()}"
        client.create_table(TableName=table, **keyed(pk="S"))
        return table

    return make


def name_of(arn):
    return arn.rpartition("/")[2]


def test_an_export_has_the_objects_of_the_service(client, arn, root):
    client.put_item(TableName=name_of(arn), Item=ITEM)
    fill(client, name_of(arn), range(300), 7)
    told = begun(client, arn, S3Prefix="a/b", ClientToken="one")
    assert told["ExportStatus"] == "IN_PROGRESS"
    assert told["ExportTime"] == told["StartTime"]
    assert told["S3SseAlgorithm"] == "AES256"
    assert not {"ExportType", "ItemCount", "ExportManifest", "EndTime"} & told.keys()
    found = ended(client, told["ExportArn"])
    assert found["ExportStatus"] == "COMPLETED"
    assert found["ItemCount"] == 301
    assert found["BilledSizeBytes"] > 301
    export = re.fullmatch(rf"{arn}/export/(0\d{{13}}-[0-9a-f]{{8}})", told["ExportArn"])[1]
    assert found["ExportManifest"] == f"a/b/AWSDynamoDB/{export}/manifest-summary.json"
    objects = in_directory(root)
    folder = f"a/b/AWSDynamoDB/{export}"
    assert objects[f"{folder}/_started"] == b""
    data = [key for key in objects if key.startswith(f"{folder}/data/")]
    assert [key for key in data if re.fullmatch(r".*/data/[a-z2-7]{26}\.json\.gz", key)] == data
    names = {key.removeprefix(f"{folder}/") for key in objects if key.startswith(folder)}
    assert names - {key.removeprefix(f"{folder}/") for key in data} == {
        "_started",
        "manifest-files.json",
        "manifest-files.md5",
        "manifest-summary.json",
        "manifest-summary.md5",
    }
    summary = json.loads(objects[found["ExportManifest"]])
    assert summary["version"] == "2020-06-30"
    assert summary["exportType"] == "FULL_EXPORT"
    assert summary["outputFormat"] == "DYNAMODB_JSON"
    assert summary["s3Prefix"] == "a/b"
    assert summary["startTime"] == summary["exportTime"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", summary["endTime"])
    items = items_of(objects, found)
    assert items[0] == AS_JSON
    assert items[1:] == [
        {"pk": {"S": key}, "n": {"N": "7"}} for key in sorted(f"k{n}" for n in range(300))
    ]


# A type that was not sent is not told. Source: ScyllaDB's tests, which run on AWS.
def test_the_type_of_a_full_export_is_told_as_it_was_sent(client, arn):
    found = exported(client, arn, ExportType="FULL_EXPORT")
    assert found["ExportType"] == "FULL_EXPORT"
    assert "ExportType" not in exported(client, arn)


# Ion read by the reader of its authors: the types of the values are told apart.
@needs_ion
def test_ion_is_read_by_its_own_reader(client, arn, root):
    from amazon.ion import simpleion  # noqa: PLC0415 - slow to import

    client.put_item(TableName=name_of(arn), Item=ITEM)
    found = exported(client, arn, ExportFormat="ION")
    text = data_of(in_directory(root), found)
    assert text.startswith(b"$ion_1_0 {Item:{")
    (value,) = simpleion.loads(text, single_value=False)
    item = value["Item"]
    assert item["pk"] == "all"
    assert str(item["n"]) == "-1.5"
    assert item["big"] == 600
    assert bytes(item["b"]) == b"\x00\xff"
    assert item["t"] == 1
    assert item["l"][0] == "ä\n\"'"
    assert item["l"][1]["a b"] == 1
    assert [each.text for each in item["ss"].ion_annotations] == ["$dynamodb_SS"]
    assert list(item["ss"]) == ["x", "y"]
    assert [bytes(each) for each in item["bs"]] == [b"a"]


def test_a_data_file_is_read_by_another_database(client, arn, root):
    import duckdb  # noqa: PLC0415 - slow to import

    fill(client, name_of(arn), range(100), 3)
    found = exported(client, arn)
    files = root / found["ExportManifest"].rpartition("/")[0] / "data" / "*.json.gz"
    rows = duckdb.sql(
        f"SELECT Item.pk.S, Item.n.N::INT FROM read_json('{files}', format='newline_delimited')"
    ).fetchall()
    assert sorted(rows) == sorted((f"k{n}", 3) for n in range(100))


def test_an_api_of_s3_gets_the_same_objects(client, arn, s3_endpoint):
    fill(client, name_of(arn), range(50), 1)
    found = exported(client, arn, bucket="behind-url", S3SseAlgorithm="KMS", S3SseKmsKeyId="k")
    s3 = s3_server.client(s3_endpoint)
    assert len(items_of(in_s3(s3, "behind-url"), found)) == 50
    head = s3.head_object(Bucket="behind-url", Key=found["ExportManifest"])
    assert head["ServerSideEncryption"] == "aws:kms"
    assert head["SSEKMSKeyId"] == "k"
    assert found["S3SseKmsKeyId"] == "k"
    # Servers without keys would refuse what nobody has asked for.
    plain = exported(client, arn, bucket="behind-url")
    assert plain["S3SseAlgorithm"] == "AES256"
    assert "SSEKMSKeyId" not in s3.head_object(Bucket="behind-url", Key=plain["ExportManifest"])


# Without `ExportTime` the export is of the moment of the request, with it of that time.
def test_an_export_is_of_one_moment(client, arn, root):
    table = name_of(arn)
    fill(client, table, range(30), 1)
    time = later(client, table)
    fill(client, table, range(20, 60), 2)
    told = begun(client, arn)
    fill(client, table, range(80), 3)
    objects = None
    for description, expected in (
        (ended(client, told["ExportArn"]), [1] * 20 + [2] * 40),
        (exported(client, arn, ExportTime=time), [1] * 30),
    ):
        objects = in_directory(root)
        numbers = sorted(int(item["n"]["N"]) for item in items_of(objects, description))
        assert numbers == expected


def later(client, table):
    """A time at which all that was written is there, and nothing that is written from now on."""

    def latest():
        found = client.describe_continuous_backups(TableName=table)["ContinuousBackupsDescription"]
        return found["PointInTimeRecoveryDescription"]["LatestRestorableDateTime"]

    time = latest()
    while latest() <= time + timedelta(milliseconds=1):
        pass
    return time + timedelta(milliseconds=1)


def test_an_empty_table_is_exported(client, arn, root):
    found = exported(client, arn)
    assert (found["ItemCount"], found["BilledSizeBytes"]) == (0, 0)
    assert data_of(in_directory(root), found) == b""


def test_a_prefix_ends_with_one_slash(client, arn):
    assert exported(client, arn, S3Prefix="p/")["ExportManifest"].startswith("p/AWSDynamoDB/0")


# Source: Developer Guide, "Filtering a table export".
@pytest.mark.parametrize(
    ("specification", "expected"),
    [
        ({"FilterExpression": "n > :n", "ExpressionAttributeValues": {":n": {"N": "7"}}}, 2),
        ({"FilterExpression": "pk = :p", "ExpressionAttributeValues": {":p": {"S": "k1"}}}, 1),
        (
            {
                "KeyConditionExpression": "#p = :p",
                "ExpressionAttributeNames": {"#p": "pk"},
                "ExpressionAttributeValues": {":p": {"S": "k3"}},
            },
            1,
        ),
        ({"ProjectionExpression": "n"}, 10),
    ],
)
def test_a_filter_selects_items_and_attributes(client, arn, root, specification, expected):
    puts = [{"PutRequest": {"Item": {"pk": {"S": f"k{n}"}, "n": {"N": str(n)}}}} for n in range(10)]
    client.batch_write_item(RequestItems={name_of(arn): puts})
    found = exported(client, arn, FilterSpecification=specification)
    assert found["FilterSpecification"] == specification
    assert found["ItemCount"] == expected
    lines = [json.loads(line)["Item"] for line in data_of(in_directory(root), found).splitlines()]
    names = {"n"} if "ProjectionExpression" in specification else {"n", "pk"}
    assert all(set(item) == names for item in lines)


@pytest.mark.parametrize(
    ("specification", "text"),
    [
        ({}, "Invalid FilterSpecification: The specification can not be empty"),
        ({"FilterExpression": "n >"}, "Invalid FilterExpression: Syntax error"),
        (
            {"KeyConditionExpression": "n = :n", "ExpressionAttributeValues": {":n": {"N": "1"}}},
            "Query condition missed key schema element: pk",
        ),
        (
            {
                "KeyConditionExpression": "pk = :p",
                "FilterExpression": "pk = :p",
                "ExpressionAttributeValues": {":p": {"S": "1"}},
            },
            "Primary key attribute: pk",
        ),
    ],
)
def test_filters_that_do_not_fit_are_refused(client, arn, specification, text):
    with refused(VALIDATION, text):
        begun(client, arn, FilterSpecification=specification)


def test_a_token_stands_for_one_export(client, arn):
    token = str(uuid.uuid4())
    first = begun(client, arn, ClientToken=token)
    assert begun(client, arn, ClientToken=token)["ExportArn"] == first["ExportArn"]
    ended(client, first["ExportArn"])
    again = begun(client, arn, ClientToken=token)
    assert (again["ExportArn"], again["ExportStatus"]) == (first["ExportArn"], "COMPLETED")
    for other in ({"S3Prefix": "x"}, {"ExportFormat": "ION"}):
        with refused("ExportConflictException", "Export conflict: Duplicate request detected"):
            begun(client, arn, ClientToken=token, **other)
    assert exported(client, arn)["ExportArn"] != first["ExportArn"]


@pytest.mark.parametrize(
    ("more", "code", "text"),
    [
        ({"bucket": "nowhere"}, "S3NoSuchBucket", "--s3 nowhere=DIRECTORY"),
        ({"bucket": "gone"}, "S3NoSuchBucket", "The specified bucket does not exist"),
        ({"bucket": "absent"}, "S3NoSuchBucket", "The specified bucket does not exist"),
        ({"S3BucketOwner": "999999999999"}, "S3AccessDenied", "Access Denied"),
        ({"S3SseAlgorithm": "KMS"}, "KmsNotFoundException", "no key of KMS"),
        ({"S3Prefix": "a/../../b"}, "S3InvalidKey", "cannot be in a directory"),
        ({"S3Prefix": "/a"}, "S3InvalidKey", "cannot be in a directory"),
    ],
)
def test_a_bucket_that_does_not_take_it_fails_the_export(client, arn, root, more, code, text):
    before = in_directory(root.parent)
    found = ended(client, begun(client, arn, **more)["ExportArn"])
    assert (found["ExportStatus"], found["FailureCode"]) == ("FAILED", code)
    assert text in found["FailureMessage"]
    assert not {"ExportManifest", "ItemCount", "BilledSizeBytes"} & found.keys()
    assert in_directory(root.parent) == before
    # Nothing holds the table any more.
    client.delete_table(TableName=name_of(arn))


def test_exports_are_listed_newest_first_while_their_table_is_there(client, arn, make_table):
    made = [exported(client, arn)["ExportArn"] for _ in range(3)]
    page = client.list_exports(TableArn=arn, MaxResults=2)
    assert [each["ExportArn"] for each in page["ExportSummaries"]] == [made[2], made[1]]
    assert page["ExportSummaries"][0]["ExportType"] == "FULL_EXPORT"
    rest = client.list_exports(TableArn=arn, NextToken=page["NextToken"])
    assert [each["ExportArn"] for each in rest["ExportSummaries"]] == [made[0]]
    assert "NextToken" not in rest
    assert made[2] in {each["ExportArn"] for each in client.list_exports()["ExportSummaries"]}
    with refused(VALIDATION, "Provided nextToken is invalid"):
        client.list_exports(NextToken="00ff")
    client.delete_table(TableName=name_of(arn))
    assert client.list_exports(TableArn=arn)["ExportSummaries"] == []
    assert client.describe_export(ExportArn=made[0])["ExportDescription"]["TableArn"] == arn
