"""The protocols of CloudWatch as bytes: what SDKs do not send, and do not show."""

import gzip
import http.client
import json
import time
from urllib.parse import quote, urlsplit

import pytest

from hashrange.wire.cbor import encoding
from hashrange.wire.cbor.reader import Tagged, read_item
from hashrange.wire.cbor_protocol import encoded
from tests.api.conftest import client_of
from tests.api.metrics import CBOR, JSON, QUERY, client_speaking
from tests.pace import seconds

SERVICE = "GraniteServiceVersion20100801"
PATH = f"/service/{SERVICE}/operation/"
SIGNATURE = (
    "AWS4-HMAC-SHA256 Credential=local/20261101/us-east-1/monitoring/aws4_request,"
    " SignedHeaders=host, Signature=00"
)
SIGNED = {"Authorization": SIGNATURE, "X-Amz-Date": "20261101T000000Z"}
RPC = {"Content-Type": "application/cbor", "Smithy-Protocol": "rpc-v2-cbor"}
FORM = {"Content-Type": "application/x-www-form-urlencoded; charset=utf-8"}
VERSION = "Version=2010-08-01"


@pytest.fixture(scope="module")
def ask(endpoint):
    """Sends a body: status, headers and body of the answer."""

    def send(path, body, headers):
        connection = http.client.HTTPConnection(urlsplit(endpoint).netloc, timeout=seconds(30))
        connection.request("POST", path, body, SIGNED | headers)
        answer = connection.getresponse()
        found = answer.status, dict(answer.getheaders()), answer.read()
        connection.close()
        return found

    return send


def in_rpc(ask, operation, body, **headers):
    status, answered, content = ask(PATH + operation, body, RPC | headers)
    assert answered["smithy-protocol"] == "rpc-v2-cbor"
    assert answered["Content-Type"] == "application/cbor"
    return status, read_item(content, 0)[0] if content else None, answered


def test_times_are_seconds_behind_a_tag(ask):
    at = int(time.time()) // 60 * 60
    instant = encoding.head(6, 1) + encoding.encode_integer(at)
    datum = encoding.mapping(
        [
            (encoding.text("MetricName"), encoding.text("m")),
            (encoding.text("Timestamp"), instant),
            (encoding.text("Value"), encoding.encode_integer(3)),
        ]
    )
    put = encoding.mapping(
        [
            (encoding.text("Namespace"), encoding.text("Tagged")),
            (encoding.text("MetricData"), encoding.array([datum])),
        ]
    )
    assert in_rpc(ask, "PutMetricData", put)[:2] == (200, None)
    asked = {"Namespace": "Tagged", "MetricName": "m", "Period": 60, "Statistics": ["Sum"]}
    times = {"StartTime": at, "EndTime": at + 60}
    status, answer, _ = in_rpc(ask, "GetMetricStatistics", encoded(asked | times))
    assert (status, answer) == (
        200,
        {
            "Label": "m",
            "Datapoints": [{"Timestamp": Tagged(1, float(at)), "Sum": 3.0, "Unit": "None"}],
        },
    )


# A form without any is answered in ISO 8601, as a form has times.
def test_times_of_forms(ask):
    at = int(time.time()) // 60 * 60
    text = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(at))
    put = f"Action=PutMetricData&{VERSION}&Namespace=Forms&MetricData.member.1.MetricName=m"
    for instant in (f"{text}Z", f"{text}.123456789Z", f"{text}+00:00", text):
        more = f"&MetricData.member.1.Value=1.5&MetricData.member.1.Timestamp={quote(instant)}"
        status, _, body = ask("/", put + more, FORM)
        assert (status, b"<PutMetricDataResponse xmlns=" in body) == (200, True)
    end = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at + 60))
    _, _, body = ask(
        "/",
        f"Action=GetMetricStatistics&{VERSION}&Namespace=Forms&MetricName=m&Period=60"
        f"&Statistics.member.1=Sum&StartTime={text}Z&EndTime={end}",
        FORM,
    )
    datapoint = f"<Timestamp>{text}Z</Timestamp><Sum>6.0</Sum><Unit>None</Unit>"
    assert f"<Datapoints><member>{datapoint}</member></Datapoints>".encode() in body
    assert b"<ResponseMetadata><RequestId>" in body


REFUSED_FORMS = [
    ("Period=60s", "MalformedInput", "period"),
    ("StartTime=2026-13-01T00:00:00Z", "MalformedInput", "startTime"),
    ("StartTime=2026-W01-1", "MalformedInput", "startTime"),
    ("Statistics=Sum", "ValidationError", "statistics"),
    ("Dimensions.member.1.Name.more=Sum", "ValidationError", "dimensions.1.member.name"),
    ("Statistics.member.2=Sum", "MalformedQueryString", "not numbered from 1"),
    ("&".join(["x=1"] * 30_001), "MalformedQueryString", "30000 fields"),
    (f"{'a.' * 12}b=1", "MalformedQueryString", "12 parts"),
    ("x=" + "y" * 1024 * 1024, "MalformedQueryString", "1048576 bytes"),
]


@pytest.mark.parametrize("row", REFUSED_FORMS, ids=lambda row: row[0][:30])
def test_forms_that_are_refused(ask, row):
    more, code, text = row
    status, _, body = ask("/", f"Action=GetMetricStatistics&{VERSION}&{more}", FORM)
    assert status == 400
    assert f"<Type>Sender</Type><Code>{code}</Code>".encode() in body
    assert text.encode() in body


def test_an_action_of_another_version(ask):
    status, _, body = ask("/", "Action=ListMetrics&Version=2009-05-15", FORM)
    assert (status, b"<Code>InvalidAction</Code>" in body) == (400, True)


DEEP = b"\x81" * 2_000 + b"\x80"
MANY = encoded({"MetricData": [0] * 150_001})


@pytest.mark.parametrize(
    ("operation", "body", "name"),
    [
        ("ListMetrics", b"{}", "SerializationException"),
        ("ListMetrics", b"\xa1\x69Namespace", "SerializationException"),
        ("ListMetrics", encoded({"Namespace": 3}), "SerializationException"),
        ("ListMetrics", b"\xa0\x00", "SerializationException"),
        ("PutMetricData", DEEP, "SerializationException"),
        ("PutMetricData", MANY, "SerializationException"),
        ("PutMetricData", b"", "ValidationException"),
        ("Explode", b"\xa0", "UnknownOperationException"),
        ("", b"\xa0", "UnknownOperationException"),
    ],
)
def test_bodies_of_cbor_that_are_refused(ask, operation, body, name):
    status, answer, _ = in_rpc(ask, operation, body)
    assert (status, answer["__type"]) == (400, f"com.amazonaws.cloudwatch#{name}")


# Clients whose programs know the codes of the query protocol say so, and are shown them.
def test_the_codes_of_the_query_protocol_are_a_header(ask):
    body = encoded({"NextToken": "x", "Namespace": "App", "MetricName": ":"})
    wanted = "com.amazonaws.cloudwatch#InvalidNextToken"
    _, answer, headers = in_rpc(ask, "ListMetrics", body)
    assert (answer["__type"], headers.get("x-amzn-query-error")) == (wanted, None)
    body = encoded({"MetricData": []})
    _, answer, headers = in_rpc(ask, "PutMetricData", body, **{"x-amzn-query-mode": "true"})
    assert answer["__type"] == "com.amazonaws.cloudwatch#ValidationException"
    assert headers["x-amzn-query-error"] == "ValidationError;Sender"


@pytest.mark.parametrize(
    "path",
    [f"/service/{SERVICE}", "/service/Other/operation/ListMetrics", "/service/", f"/x{PATH}L"],
)
def test_paths_that_no_service_has(ask, path):
    assert ask(path, b"\xa0", RPC)[0] == 404


def test_a_path_is_read_in_its_own_protocol(ask):
    target = {
        "X-Amz-Target": f"{SERVICE}.ListMetrics",
        "Content-Type": "application/x-amz-json-1.0",
    }
    status, answered, _ = ask(PATH + "ListMetrics", b"{}", target)
    assert (status, answered["Content-Type"]) == (400, "application/cbor")
    status, _, body = ask("/", b"{}", target)
    assert (status, json.loads(body)["Metrics"] is not None) == (200, True)


@pytest.mark.parametrize("protocol", [JSON, CBOR, QUERY])
def test_bodies_that_sdks_compress(endpoint, protocol):
    client = client_speaking(protocol, endpoint)
    sent = []
    client.meta.events.register("before-send.*", lambda request, **_: sent.append(request.headers))
    data = [{"MetricName": f"m{number:03}", "Value": 1.0} for number in range(400)]
    client.put_metric_data(Namespace=f"Gzip/{protocol}", MetricData=data)
    assert sent[0]["Content-Encoding"] == b"gzip"
    names = client_of(endpoint, "cloudwatch").list_metrics(Namespace=f"Gzip/{protocol}")
    assert len(names["Metrics"]) == 400


@pytest.mark.parametrize(("path", "headers"), [("/", FORM), (PATH + "PutMetricData", RPC)])
def test_a_compressed_body_is_bounded(ask, path, headers):
    bomb = gzip.compress(bytes(64 * 1024 * 1024))
    status, _, _ = ask(path, bomb, {**headers, "Content-Encoding": "gzip"})
    assert status == 413
    status, _, _ = ask(path, b"no gzip", {**headers, "Content-Encoding": "gzip"})
    assert status == 400
