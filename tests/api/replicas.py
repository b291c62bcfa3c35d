"""Global tables for tests: clients of several regions, and tables with replicas in them."""

import itertools

from prometheus_client.parser import text_string_to_metric_families

from tests.api.conftest import client_of
from tests.api.tables import keyed
from tests.copied_pages import fresh
from tests.pace import until

REGIONS = ("us-east-1", "eu-west-1", "ap-south-1")
NAME = "a-table"
ON_DEMAND = {"BillingMode": "PAY_PER_REQUEST", **keyed(pk="S")}
ACCOUNTS = itertools.count(100_000_000_000)
"""One of its own for each test, whose tables no other test sees."""


def in_regions(endpoint, account, service="dynamodb"):
    keys = {"aws_access_key_id": account}
    return [client_of(endpoint, service, region_name=each, **keys) for each in REGIONS]


def described(client):
    return client.describe_table(TableName=NAME)["Table"]


def active(client):
    table = described(client)
    states = {each["ReplicaStatus"] for each in table.get("Replicas", [])}
    return table["TableStatus"] == "ACTIVE" and states <= {"ACTIVE"}


def update(client, action, region, **more):
    updates = [{action: {"RegionName": region, **more}}]
    return client.update_table(TableName=NAME, ReplicaUpdates=updates)["TableDescription"]


def replicated(clients, regions=REGIONS[1:], **definition):
    """A table in the first region, with replicas in others."""
    first = clients[0]
    first.create_table(TableName=NAME, **(definition or ON_DEMAND))
    add_replicas(clients, regions)


def add_replicas(clients, regions=REGIONS[1:]):
    first = clients[0]
    for region in regions:
        update(first, "Create", region)
        until(lambda: active(first))


def put(client, key, number=0):
    item = {"pk": {"S": key}, "n": {"N": str(number)}}
    client.put_item(TableName=NAME, Item=item)


def items(client):
    pages = client.get_paginator("scan").paginate(TableName=NAME, ConsistentRead=True)
    return {each["pk"]["S"]: each["n"]["N"] for page in pages for each in page["Items"]}


def equal(clients, expected):
    until(lambda: all(items(client) == expected for client in clients))


def replication_latencies(endpoint):
    """Seconds by table and receiving region."""
    families = text_string_to_metric_families(fresh(f"{endpoint}/metrics"))
    return {
        (sample.labels["table"], sample.labels["receiving_region"]): sample.value
        for family in families
        for sample in family.samples
        if sample.name == "hashrange_replication_latency_seconds"
    }


def figure(endpoint, name):
    """A figure without labels."""
    families = text_string_to_metric_families(fresh(f"{endpoint}/metrics"))
    samples = (each for family in families for each in family.samples if each.name == name)
    return next(samples).value
