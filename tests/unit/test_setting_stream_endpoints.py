"""The setting that says at which servers Kinesis data streams are."""

from pathlib import Path

import pytest

from hashrange.settings.stream_endpoints import StreamEndpoint, endpoint_of, stream_endpoints

ARN = "arn:aws:kinesis:eu-west-1:123456789012:stream/orders"
URL = "https://kinesis.eu-west-1.amazonaws.com"


def test_endpoints():
    text = f"{ARN}={URL}?credentials=/keys&profile=x; arn:aws:kinesis:*:*:stream/*=http://[::1]:80"
    exact, other = stream_endpoints(text)
    assert exact == StreamEndpoint(pattern=ARN, url=URL, credentials=Path("/keys"), profile="x")
    assert other == StreamEndpoint(pattern="arn:aws:kinesis:*:*:stream/*", url="http://[::1]:80")
    assert stream_endpoints(None) == ()


# The first that fits, of any part of the ARN.
def test_the_endpoint_of_a_stream():
    texts = (
        f"{ARN}=http://one",
        "arn:aws:kinesis:eu-west-1:*:stream/*=http://two",
        "arn:aws:kinesis:*:111111111111:stream/b-*=http://three",
    )
    endpoints = stream_endpoints(";".join(texts))
    for arn, url in (
        (ARN, "http://one"),
        (ARN + "s", "http://two"),
        ("arn:aws:kinesis:us-east-1:111111111111:stream/b-1", "http://three"),
        ("arn:aws:kinesis:us-east-1:111111111111:stream/a", None),
        ("arn:aws:kinesis:us-east-1:222222222222:stream/b-1", None),
    ):
        found = endpoint_of(endpoints, arn)
        assert (None if found is None else found.url) == url


@pytest.mark.parametrize(
    "text",
    [
        "orders=http://one",
        ARN,
        f"{ARN}=ftp://one",
        f"{ARN}=http://one/path",
        f"{ARN}=http://key:secret@one",
        f"{ARN}=http://one?secret=x",
        f"{ARN}=http://one?profile=x",
        f"{ARN}=http://one:99999",
        f"{ARN}=http://one#x",
        f"{ARN}=http://one;{ARN}=http://two",
        "arn:aws:kinesis:eu-west-1:12:stream/orders=http://one",
        "arn:aws:dynamodb:eu-west-1:123456789012:table/orders=http://one",
    ],
)
def test_refused_texts(text):
    with pytest.raises(ValueError, match=r"ARN=URL|behind arn:"):
        stream_endpoints(text)
