"""Signatures that AWS has published, as facts: the test suite of Signature Version 4 of 2015.

The key is AKIDEXAMPLE of the user guide, the region us-east-1, the service `service`.
"""

import pytest

from hashrange.access.signatures.canonical import Received, canonical_path, canonical_query
from hashrange.access.signatures.sigv4 import caller
from hashrange.access.signatures.verification import (
    HeadVerifier,
    SigningKeys,
    check_signature,
    checked_window,
)
from hashrange.errors import DynamoError
from tests.rows import rows
from tests.static_credentials import SECRET

TIME = b"20150830T123600Z"
NOW_MS = 1440938160_000
TOKEN = b"6e86291e8372ff2a2260956d9b8aae1d763fbf315fa00fa31553b73ebf194267"
PLAIN = "host;x-amz-date"

# Target, headers, body, signed headers, signature.
VECTORS = {
    "get-vanilla": (
        b"/", {}, b"", PLAIN,
        "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
    ),
    "get-unreserved": (
        b"/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", {}, b"", PLAIN,
        "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f",
    ),
    "get-slashes": (
        b"//example//", {}, b"", PLAIN,
        "9a624bd73a37c9a373b5312afbebe7a714a789de108f0bdfe846570885f57e84",
    ),
    "get-vanilla-query-order-key-case": (
        b"/?Param2=value2&Param1=value1", {}, b"", PLAIN,
        "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
    ),
    "get-vanilla-query-order-value": (
        b"/?Param1=value2&Param1=value1", {}, b"", PLAIN,
        "5772eed61e12b33fae39ee5e7012498b51d56abc0abb7c60486157bd471c4694",
    ),
    "get-vanilla-utf8-query": (
        "/?\u1234=bar".encode(), {}, b"", PLAIN,
        "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04",
    ),
    "get-header-value-order": (
        b"/", {b"my-header1": b"value4,value1,value3,value2"}, b"", "host;my-header1;x-amz-date",
        "08c7e5a9acfcfeb3ab6b2185e75ce8b1deb5e634ec47601a50643f830c755c01",
    ),
    "get-header-key-duplicate": (
        b"/", {b"my-header1": b"value2,value2,value1"}, b"", "host;my-header1;x-amz-date",
        "c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea",
    ),
    "get-header-value-trim": (
        b"/", {b"my-header1": b" value1", b"my-header2": b'"a   b   c"'}, b"",
        "host;my-header1;my-header2;x-amz-date",
        "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736",
    ),
    "post-x-www-form-urlencoded": (
        b"/", {b"content-type": b"application/x-www-form-urlencoded"}, b"Param1=value1",
        "content-type;host;x-amz-date",
        "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a",
    ),
    "get-vanilla-with-session-token": (
        b"/", {b"x-amz-security-token": TOKEN}, b"", "host;x-amz-date;x-amz-security-token",
        "07ec1639c89043aa0e3e2de82b96708f198cceab042d4a97044c66dd9f74e7f8",
    ),
}  # fmt: skip


def received(vector, signature=None):
    target, more, body, signed, published = VECTORS[vector]
    path, _, query = target.partition(b"?")
    credential = "AKIDEXAMPLE/20150830/us-east-1/service/aws4_request"
    authorization = (
        f"AWS4-HMAC-SHA256 Credential={credential}, SignedHeaders={signed}, "
        f"Signature={published if signature is None else signature}"
    )
    headers = {
        b"host": b"example.amazonaws.com",
        b"x-amz-date": TIME,
        b"authorization": authorization.encode(),
        **more,
    }
    return Received(b"POST" if body else b"GET", path, query, headers, body)


def verify(request, constant=frozenset(), secret=SECRET):
    identity = caller(request.headers, request.query)
    window = checked_window(request, identity, "service", NOW_MS)
    key = SigningKeys().key(secret, identity.scope)
    verifier = HeadVerifier(request, identity, key=key, window=window, constant=constant)
    check_signature(request, identity, verifier)


@rows("vector", VECTORS)
def test_published_signatures_are_right(vector):
    request = received(vector)
    verify(request)
    verify(request, constant=frozenset(request.headers))


@rows("vector", VECTORS)
def test_others_are_not(vector):
    with pytest.raises(DynamoError, match="does not match the signature you provided"):
        verify(received(vector, signature="0" * 64))
    with pytest.raises(DynamoError, match="does not match the signature you provided"):
        verify(received(vector), secret="another")


# What of the suite has no request line that a client sends, and what its rules say of the rest.
@rows(
    ("path", "canonical"),
    [
        (b"", "/"),
        (b"/example space/", "/example%20space/"),
        ("/\u1234".encode(), "/%E1%88%B4"),
        (b"/example/..", "/"),
        (b"/./", "/"),
        (b"/./example", "/example"),
        (b"/example1/example2/../..", "/"),
        (b"/a/b/..", "/a/"),
        (b"/../a", "/a"),
        (b"/a%2Fb", "/a%252Fb"),
    ],
)
def test_paths_are_normal(path, canonical):
    assert canonical_path(path) == canonical


@rows(
    ("query", "canonical"),
    [
        (b"", ""),
        (b"a=10&a=9", "a=10&a=9"),
        (b"x=a.b&x=a%2fb", "x=a%2Fb&x=a.b"),
        (b"b&a=1", "a=1&b="),
        (b"a=1=2", "a=1%3D2"),
        (b"a=%7E%41", "a=~A"),
        (b"&&a=b%20c", "a=b%20c"),
        (b"a=1&X-Amz-Signature=1&X%2DAmz-Signature=2", "a=1"),
    ],
)
def test_queries_are_normal(query, canonical):
    assert canonical_query(query, without="X-Amz-Signature") == canonical
