"""A table of songs through boto3's resource API, for the tests of what reads and what writes it."""

from decimal import Decimal

import boto3
import pytest

TITLES = [f"song-{number:03}" for number in range(60)]


@pytest.fixture(scope="session")
def service(endpoint):
    return boto3.resource(
        "dynamodb",
        endpoint_url=endpoint,
        region_name="us-east-1",
        aws_access_key_id="local",
        aws_secret_access_key="local",
    )


@pytest.fixture(scope="session")
def music(service):
    """A table with a global index by genre and year and a local one by year; 60 songs of `ada`."""
    table = service.create_table(
        TableName="boto3-music",
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[
            {"AttributeName": "artist", "AttributeType": "S"},
            {"AttributeName": "title", "AttributeType": "S"},
            {"AttributeName": "genre", "AttributeType": "S"},
            {"AttributeName": "year", "AttributeType": "N"},
        ],
        KeySchema=keys("artist", "title"),
        GlobalSecondaryIndexes=[
            {
                "IndexName": "by-genre",
                "KeySchema": keys("genre", "year"),
                "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["plays"]},
            }
        ],
        LocalSecondaryIndexes=[
            {
                "IndexName": "by-year",
                "KeySchema": keys("artist", "year"),
                "Projection": {"ProjectionType": "KEYS_ONLY"},
            }
        ],
    )
    assert table.table_status == "CREATING"
    table.wait_until_exists()
    with table.batch_writer() as batch:
        for number, title in enumerate(TITLES):
            batch.put_item(Item=song(number, title))
    return table


def keys(partition, sort):
    return [
        {"AttributeName": partition, "KeyType": "HASH"},
        {"AttributeName": sort, "KeyType": "RANGE"},
    ]


def song(number, title):
    return {
        "artist": "ada",
        "title": title,
        "genre": "even" if number % 2 == 0 else "odd",
        "year": 2000 + number,
        "plays": number * 100,
        "length": Decimal("3.5"),
    }


@pytest.fixture
def put(music, request):
    """Puts an item under a partition key of this test's own; gives its key."""

    def put(title="t", **attributes):
        key = {"artist": request.node.name, "title": title}
        music.put_item(Item=key | attributes)
        return key

    return put
