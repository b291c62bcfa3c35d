"""What is in FROM is in TO, whatever the two are; and FROM is as it was."""

import shutil

import boto3
import pytest

from tests.api.tables import keyed
from tests.copying.conftest import serving
from tests.copying.tables import ITEMS, KEYS, client_of, scanned, seen
from tests.engines.postgres_server import url_of
from tests.unit.processes import run

TOLD = f"""\
empty: about 0 items
empty: 0 items copied and compared
whole: about {ITEMS} items
whole: {ITEMS} items copied and compared
"""


def test_directory_to_directory(filled, copy, tmp_path):
    directory, expected = filled
    told = copy(directory, "to")
    assert told.stdout == f"{TOLD}to: copied and verified.\n"
    # The time to live is on, and no server had to run for that.
    for place in (directory, tmp_path / "to"):
        assert run("verify", str(place)).stdout == f"{place}: sound\n"
    assert [path.name for path in tmp_path.iterdir()] == ["to"], "no progress is left"
    with serving(tmp_path / "to") as (client, _):
        assert seen(client) == expected
        # What was copied is in no stream; what comes next is.
        streams = client_of(client.meta.endpoint_url).describe_table(TableName="whole")["Table"]
        assert streams["LatestStreamLabel"]


def test_directory_to_endpoint_and_back(filled, copy, tmp_path):
    directory, expected = filled
    with serving(None) as (client, url):
        told = copy(directory, url, "--quiet")
        assert (told.stdout, told.stderr) == ("", "")
        assert seen(client) == expected
        told = copy(url, "back", "--parallel", "3")
        assert told.stdout.startswith(f"Note: {url} accepts writes during the copy")
    with serving(tmp_path / "back") as (client, _):
        assert seen(client) == expected
    assert run("verify", "back").stdout == "back: sound\n"


def test_directory_to_postgresql_and_back(filled, copy, tmp_path):
    directory, expected = filled
    url = url_of(f"copying {tmp_path}")
    copy(directory, url)
    assert run("verify", url).returncode == 0
    copy(url, "back")
    with serving(tmp_path / "back") as (client, _):
        assert seen(client) == expected


# The stream would tell of items that nobody wrote, and an application would act on them.
def test_copy_is_in_no_stream(filled, copy):
    with serving(None) as (client, url):
        copy(filled[0], url)
        arn = client.describe_table(TableName="whole")["Table"]["LatestStreamArn"]
        streams = boto3.client(
            "dynamodbstreams",
            endpoint_url=url,
            region_name="us-east-1",
            aws_access_key_id="local",
            aws_secret_access_key="local",
        )
        (shard,) = streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"]
        iterator = streams.get_shard_iterator(
            StreamArn=arn, ShardId=shard["ShardId"], ShardIteratorType="TRIM_HORIZON"
        )["ShardIterator"]
        assert streams.get_records(ShardIterator=iterator)["Records"] == []


def test_tables_are_chosen(filled, copy):
    copy(filled[0], "to", "--table", "empty")
    assert copy("to", "again", "--table", "empty", "--quiet").stdout == ""
    with serving("to") as (client, _):
        assert client.list_tables()["TableNames"] == ["empty"]


# Two accounts, each with a table of the same name; nobody may see that of the other.
def test_separate_namespaces_stay_separate(copy, tmp_path):
    accounts = ["111111111111", "222222222222"]
    with serving(tmp_path / "from", namespaces="separate") as (_, url):
        for account in accounts:
            client = client_of(url, aws_access_key_id=account)
            table = {
                "TableName": "a-table",
                **keyed(pk="S"),
                "Tags": [{"Key": "of", "Value": account}],
            }
            client.create_table(**table)
            client.put_item(TableName="a-table", Item={"pk": {"S": account}})
    told = copy("from", "to").stdout
    assert "111111111111:us-east-1:a-table: 1 items copied and compared\n" in told
    with serving(tmp_path / "to", namespaces="separate") as (_, url):
        for account in accounts:
            client = client_of(url, aws_access_key_id=account)
            assert account in client.describe_table(TableName="a-table")["Table"]["TableArn"]
            assert len(scanned(client, "a-table")) == 1
            assert account in scanned(client, "a-table")[0]
    with serving(None) as (_, url):
        refused = copy("from", url, code=1)
    assert "can hold one table of each name" in refused.stderr
    assert refused.stderr.count("\n") == 1


# The credentials of an account see its tables, and the copy has the account that they had.
def test_endpoint_is_asked_with_the_credentials_that_are_set(copy, tmp_path):
    with serving(None, namespaces="separate") as (_, url):
        client = client_of(url, aws_access_key_id="111111111111", region_name="eu-west-1")
        client.create_table(TableName="a-table", **keyed(pk="S"))
        refused = copy(url, "to", code=1)
        assert "has no tables for these credentials and this region" in refused.stderr
        assert not (tmp_path / "to").exists()
        secret = {"AWS_SECRET_ACCESS_KEY": "any", "AWS_REGION": "eu-west-1"}
        copy(url, "to", AWS_ACCESS_KEY_ID="111111111111", **secret)
    with serving(tmp_path / "to") as (client, _):
        (name,) = client.list_tables()["TableNames"]
        arn = client.describe_table(TableName=name)["Table"]["TableArn"]
        assert arn == "arn:aws:dynamodb:eu-west-1:111111111111:table/a-table"


@pytest.mark.parametrize("parallel", ["1", "64"])
def test_any_number_of_segments_is_the_same(filled, copy, parallel, tmp_path):
    copy(filled[0], "to", "--parallel", parallel, "--table", "whole")
    with serving(tmp_path / "to") as (client, _):
        assert seen(client)["whole"] == filled[1]["whole"]


# FROM may be a backup on read-only media, without the files that a server keeps beside its data.
def test_a_directory_is_read_and_not_touched(filled, copy, tmp_path):
    backup = tmp_path / "backup"
    backup.mkdir()
    shutil.copy(filled[0] / "hashrange.db", backup)
    (backup / "hashrange.db").chmod(0o400)

    def files():
        return {path.name: path.stat().st_mtime_ns for path in backup.iterdir()}

    before = files()
    assert list(before) == ["hashrange.db"]
    assert copy(backup, "to").stdout == f"{TOLD}to: copied and verified.\n"
    assert run("verify", str(backup)).stdout == f"{backup}: sound\n"
    assert files() == before


# The copy has entries of the items, which a search finds.
def test_vector_indexes_are_copied(copy):
    def searched(client):
        query = [{"N": "1"}, {"N": "0"}]
        request = {"TableName": "notes", "IndexName": "near", "SearchVector": query, "TopK": 5}
        answer = client.search_vectors(
            **request,
            SearchConditionExpression="kind = :k",
            ExpressionAttributeValues={":k": {"S": "a"}},
        )
        return [(each["Item"]["pk"]["S"], each["Score"]) for each in answer["SearchResults"]]

    with serving(None) as (client, url):
        client.create_table(
            TableName="notes",
            BillingMode="PAY_PER_REQUEST",
            AttributeDefinitions=[
                {"AttributeName": name, "AttributeType": "S"} for name in ("pk", "kind")
            ],
            KeySchema=KEYS[:1],
            VectorIndexes=[
                {
                    "IndexName": "near",
                    "VectorAttribute": {"AttributeName": "emb"},
                    "Dimensions": 2,
                    "DistanceFunction": "EUCLIDEAN",
                    "Projection": {"ProjectionType": "ALL"},
                    "SearchSchema": [
                        {"AttributeName": "kind", "SearchSchemaElementType": "INLINE_FILTER"}
                    ],
                }
            ],
        )
        for number in range(4):
            emb = {"L": [{"N": str(number)}, {"N": "0"}]}
            item = {"pk": {"S": f"{number}"}, "kind": {"S": "ab"[number % 2]}, "emb": emb}
            client.put_item(TableName="notes", Item=item)
        expected = searched(client)
        assert [score for _, score in expected] == [1.0, 1.0]
        copy(url, "to")
    assert run("verify", "to").stdout == "to: sound\n"
    with serving("to") as (client, url):
        assert searched(client) == expected
        copy(url, "again")
    with serving("again") as (client, _):
        assert searched(client) == expected
