"""Spans of requests, as a collector of OpenTelemetry gets them."""

import time
from urllib.request import urlopen

import pytest
from botocore.exceptions import ClientError

from tests.api.collectors import collecting
from tests.api.conftest import client_of
from tests.api.tables import keyed
from tests.ports import free_port
from tests.served import served

TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
ITEM = {"p": {"S": "a private key"}}


def with_parent(client, *, sampled):
    """A client whose requests belong to a trace."""
    header = f"00-{TRACE}-{PARENT}-0{int(sampled)}"

    def add(request, **_):
        request.headers["traceparent"] = header

    client.meta.events.register("before-send.dynamodb", add)
    return client


@pytest.fixture(scope="module")
def collected():
    """What a collector has got of a server that has ended, and the answer of a PutItem."""
    with collecting() as collector:
        with served(
            traces_to=collector.url, fault="GetItem:Orders:1:InternalServerError"
        ) as server:
            client = client_of(server.endpoint)
            for name in ("Orders", "Users"):
                client.create_table(TableName=name, **keyed(p="S"))
            traced = with_parent(client_of(server.endpoint), sampled=True)
            put = traced.put_item(TableName="Orders", Item=ITEM)
            with pytest.raises(ClientError):
                client.put_item(
                    TableName="Users", Item=ITEM, ConditionExpression="attribute_exists(p)"
                )
            with pytest.raises(ClientError):
                client.get_item(TableName="Orders", Key=ITEM)
            client.batch_get_item(
                RequestItems={name: {"Keys": [ITEM]} for name in ("Orders", "Users")}
            )
            with_parent(client_of(server.endpoint), sampled=False).scan(TableName="Orders")
            client_of(server.endpoint, "cloudwatch").list_metrics()
            urlopen(f"{server.endpoint}/readyz").close()
        yield collector, put


def test_a_request_is_a_span_with_the_attributes_of_the_conventions(collected):
    collector, put = collected
    span, attributes = collector.named("PutItem Orders")
    assert attributes.pop("user_agent.original").startswith("Boto3/")
    assert attributes.pop("http.request.body.size") > 40
    assert attributes == {
        "aws.dynamodb.table_names": ["Orders"],
        "aws.request_id": put["ResponseMetadata"]["RequestId"],
        "client.address": "127.0.0.1",
        "db.collection.name": "Orders",
        "db.operation.name": "PutItem",
        "db.system.name": "aws.dynamodb",
        "http.request.method": "POST",
        "http.response.body.size": 2,
        "http.response.status_code": 200,
        "url.path": "/",
        "url.scheme": "http",
    }
    assert span.kind == span.SPAN_KIND_SERVER
    assert span.status.code == span.status.STATUS_CODE_UNSET
    assert 0 < span.end_time_unix_nano - span.start_time_unix_nano < 60 * 10**9
    assert abs(span.end_time_unix_nano / 10**9 - time.time()) < 3600
    assert set(collector.paths) == {"/v1/traces"}
    assert collector.resources[0]["service.name"] == "hashrange"


def test_the_parent_is_that_of_the_client(collected):
    collector, _ = collected
    span, _ = collector.named("PutItem Orders")
    assert (span.trace_id.hex(), span.parent_span_id.hex()) == (TRACE, PARENT)
    alone, _ = collector.named("PutItem Users")
    assert alone.parent_span_id == b""
    assert alone.trace_id.hex() != TRACE


# The client does not record its trace, so the server does not either.
def test_a_trace_that_is_not_sampled_has_no_spans(collected):
    collector, _ = collected
    assert not [each for each in collector.spans if each.name.startswith("Scan")]


def test_a_refusal_is_no_error_of_the_server(collected):
    span, attributes = collected[0].named("PutItem Users")
    assert attributes["db.response.status_code"] == "ConditionalCheckFailedException"
    assert attributes["http.response.status_code"] == 400
    assert "error.type" not in attributes
    assert span.status.code == span.status.STATUS_CODE_UNSET


def test_a_failure_is_an_error(collected):
    collector, _ = collected
    failed = [each for each in collector.spans if each.name == "GetItem Orders"]
    assert failed
    for span in failed:
        assert span.status.code == span.status.STATUS_CODE_ERROR
        types = [each.value.string_value for each in span.attributes if each.key == "error.type"]
        assert types == ["InternalServerError"]


def test_a_request_on_two_tables_names_both(collected):
    _, attributes = collected[0].named("BatchGetItem")
    assert attributes["aws.dynamodb.table_names"] == ["Orders", "Users"]
    assert "db.collection.name" not in attributes


def test_other_requests_are_no_ones_of_a_database(collected):
    _, listed = collected[0].named("ListMetrics")
    _, page = collected[0].named("GET")
    assert page["url.path"] == "/readyz"
    assert not [name for name in (*listed, *page) if name.startswith(("db.", "aws.dynamodb"))]


def test_spans_have_no_items(collected):
    assert "a private key" not in str(collected[0].spans)


# Its spans are lost, and the server ends in time.
def test_a_collector_that_is_away_holds_nothing_up():
    with served(traces_to=f"http://127.0.0.1:{free_port()}") as server:
        assert client_of(server.endpoint).list_tables()["TableNames"] == []
