"""A server that verifies signatures, as clients and attackers see it."""

import json
import re
from http.client import HTTPConnection
from urllib.parse import urlsplit

import boto3
import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.config import Config
from botocore.credentials import Credentials as Keys
from botocore.exceptions import ClientError
from prometheus_client.parser import text_string_to_metric_families

from hashrange.settings.settings import Settings
from tests.api.conftest import REGION
from tests.api.tables import keyed
from tests.copied_pages import fresh
from tests.pace import seconds
from tests.served import ServerThread
from tests.static_credentials import SECRET, StaticCredentials, long_term, session

KEYS = ("AKIDEXAMPLE", SECRET, None)
SESSION = ("ASIDEXAMPLE", SECRET, "the token")


@pytest.fixture(scope="module")
def credentials():
    found = StaticCredentials(long_term())
    found.add(long_term("ASIDEXAMPLE", subject=session()), "the token")
    return found


@pytest.fixture(scope="module")
def signed_server(credentials):
    """A server with a table, whose clock can be moved."""
    settings = Settings(port=0, memory=True, drain_seconds=1, auth="required", testing=True)
    server = ServerThread(settings, credentials)
    client_of(server.endpoint).create_table(TableName="Orders", **keyed(pk="S"))
    yield server.endpoint
    server.close()


def client_of(endpoint, keys=KEYS, region=REGION):
    return boto3.client(
        "dynamodb",
        endpoint_url=endpoint,
        region_name=region,
        aws_access_key_id=keys[0],
        aws_secret_access_key=keys[1],
        aws_session_token=keys[2],
        config=Config(retries={"max_attempts": 1}),
    )


def refusal(endpoint, keys):
    with pytest.raises(ClientError) as refused:
        client_of(endpoint, keys).get_item(TableName="Orders", Key={"pk": {"S": "a"}})
    error = refused.value.response["Error"]
    return error["Code"], error["Message"]


# What the SDKs do every day: each body has a signature of its own.
@pytest.mark.parametrize("keys", [KEYS, SESSION])
def test_an_sdk_reads_and_writes(signed_server, keys):
    client = client_of(signed_server, keys)
    for number in range(5):
        item = {"pk": {"S": "é" * number + "x"}, "n": {"N": str(number)}}
        client.put_item(TableName="Orders", Item=item)
        found = client.get_item(TableName="Orders", Key={"pk": item["pk"]})
        assert found["Item"] == item
    described = client.describe_table(TableName="Orders")["Table"]
    assert described["TableArn"] == "arn:aws:dynamodb:us-east-1:210987654321:table/Orders"


def counted(endpoint, name):
    """A figure of /metrics by the values of its labels."""
    text = fresh(f"{endpoint}/metrics")
    found = (sample for each in text_string_to_metric_families(text) for sample in each.samples)
    return {
        tuple(sorted(sample.labels.values())): sample.value
        for sample in found
        if sample.name == name
    }


# Those who try keys, and those whose policies are wrong, are seen before they call.
def test_refused_signatures_are_counted(signed_server):
    name = "hashrange_refused_signatures_total"
    before = counted(signed_server, name)
    refusal(signed_server, ("AKIDEXAMPLE", "wrong", None))
    with pytest.raises(ClientError):
        boto3.client(
            "application-autoscaling",
            endpoint_url=signed_server,
            region_name=REGION,
            aws_access_key_id="AKIDEXAMPLE",
            aws_secret_access_key="wrong",
        ).describe_scalable_targets(ServiceNamespace="dynamodb")
    after = counted(signed_server, name)
    assert after[("InvalidSignatureException",)] - before[("InvalidSignatureException",)] == 2
    assert after[("ExpiredTokenException",)] == 0, "there before the first one"
    served = counted(signed_server, "hashrange_service_requests_total")
    assert served["InvalidSignatureException", "application-autoscaling"] == 1


def signed(endpoint, body, operation="GetItem", keys=KEYS, **headers):
    """The headers of a request, as an SDK sends them."""
    sent = {
        "Content-Type": "application/x-amz-json-1.0",
        "X-Amz-Target": f"DynamoDB_20120810.{operation}",
        **headers,
    }
    request = AWSRequest("POST", f"{endpoint}/", headers=sent, data=body)
    SigV4Auth(Keys(*keys), "dynamodb", REGION).add_auth(request)
    return dict(request.headers.items())


def send(endpoint, headers, body):
    connection = HTTPConnection(urlsplit(endpoint).netloc, timeout=seconds(20))
    connection.request("POST", "/", body, headers)
    response = connection.getresponse()
    answer = json.loads(response.read())
    connection.close()
    return response.status, answer.get("__type", "").rpartition("#")[2], answer


GET = b'{"TableName":"Orders","Key":{"pk":{"S":"a"}}}'


# The same connection has just seen the right request: nothing of it may be believed.
def test_a_captured_request_is_of_use_for_nothing_else(signed_server):
    headers = signed(signed_server, GET)
    assert send(signed_server, headers, GET)[0] == 200
    invalid = (400, "InvalidSignatureException")
    tampered = GET.replace(b'"a"', b'"b"')
    assert send(signed_server, headers, tampered)[:2] == invalid
    for name, value in {
        "X-Amz-Target": "DynamoDB_20120810.DeleteItem",
        "Host": "dynamodb.eu-west-1.amazonaws.com",
        "Content-Type": "application/json",
        "Authorization": headers["Authorization"].replace("us-east-1", "eu-west-1"),
    }.items():
        assert send(signed_server, {**headers, name: value}, GET)[:2] == invalid
    assert send(signed_server, headers, GET)[0] == 200


def test_nothing_is_answered_without_a_signature(signed_server):
    headers = signed(signed_server, GET)
    del headers["Authorization"]
    assert send(signed_server, headers, GET)[:2] == (400, "MissingAuthenticationTokenException")


# The clock of the server is moved, not that of the client.
def test_a_captured_request_cannot_be_replayed_after_fifteen_minutes(signed_server):
    headers = signed(signed_server, GET)
    assert send(signed_server, headers, GET)[0] == 200
    move(signed_server, b'{"minutes": 14}')
    assert send(signed_server, headers, GET)[0] == 200
    move(signed_server, b'{"minutes": 2}')
    try:
        _, code, answer = send(signed_server, headers, GET)
    finally:
        move(signed_server, b'{"reset": true}')
    assert code == "InvalidSignatureException"
    text = r"Signature expired: (\d{8}T\d{6}Z) is now earlier than \d{8}T\d{6}Z \(\S+ - 15 min\.\)"
    assert re.fullmatch(text, answer["message"])[1] == headers["X-Amz-Date"]


def move(endpoint, body):
    connection = HTTPConnection(urlsplit(endpoint).netloc, timeout=seconds(20))
    connection.request("POST", "/testing/clock", body)
    assert connection.getresponse().status == 200
    connection.close()


# As on AWS: signatures protect the server from web pages and other names.
def test_pages_of_all_origins_are_answered(signed_server):
    headers = signed(signed_server, GET, Host="tables.example")
    status, _, _ = send(signed_server, {**headers, "Origin": "https://app.example"}, GET)
    assert status == 200
