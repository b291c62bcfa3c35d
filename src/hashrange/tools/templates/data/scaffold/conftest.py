"""The table with the samples, on the server of hashrange's fixtures."""

import pytest

import dynamo


@pytest.fixture
def db(dynamodb_resource):
    """A client that takes and gives plain values; no other test sees its tables."""
    client = dynamodb_resource.meta.client
    dynamo.create_tables(client)
    dynamo.put_samples(client)
    return client
