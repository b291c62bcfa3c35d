"""Which origins may send requests, and the headers of their answers."""

import pytest

from hashrange.server.hosts import ANY_ORIGIN, Origins
from tests.rows import rows

LOCAL = [
    "http://localhost",
    "http://localhost:3000",
    "https://localhost:3000",
    "http://127.0.0.1:8001",
    "http://127.255.255.254",
    "http://[::1]:5173",
    "https://[::1]",
]
FOREIGN = [
    "null",
    "",
    "http://evil.example",
    "http://localhost.evil.example",
    "http://evil-localhost",
    "http://evil.localhost",
    "http://127.0.0.1.evil.example",
    "http://127.evil.example",
    "http://localhost@evil.example",
    "http://localhost:3000.evil.example",
    "http://localhost/",
    "http://localhost\n",
    "http://192.168.1.5",
    "http://[::2]",
    "file://",
    "chrome-extension://localhost",
    "http://localhost,http://evil.example",
    "http://xn--80ak6aa92e.com",
    "\xff",
]


def allowed(origins, origin):
    return dict(origins.headers(origin.encode("latin-1")) or ()).get(b"Access-Control-Allow-Origin")


@pytest.mark.parametrize("origin", LOCAL)
def test_origins_of_this_machine(origin):
    assert allowed(Origins("local"), origin) == origin.encode()
    assert allowed(Origins("http://a.example,local"), origin) == origin.encode()
    assert allowed(Origins("http://a.example"), origin) is None


@rows("origin", FOREIGN)
def test_all_others_are_foreign(origin):
    assert Origins("local").headers(origin.encode("latin-1")) is None
    assert Origins("local,https://a.example").headers(origin.encode("latin-1")) is None


@rows("origin", [*LOCAL, *FOREIGN])
def test_any_origin_is_answered_as_by_the_service(origin):
    assert allowed(ANY_ORIGIN, origin) == b"*"
    assert allowed(Origins("local,*"), origin) == b"*"


@rows(
    ("listed", "origin", "is_allowed"),
    [
        ("https://a.example", "https://a.example", True),
        ("https://a.example:443", "https://a.example", True),
        ("https://a.example", "https://a.example:443", True),
        ("http://a.example:80", "http://a.example", True),
        ("https://a.example:80", "https://a.example", False),
        ("https://a.example", "http://a.example", False),
        ("https://a.example", "https://a.example:8443", False),
        ("https://a.example", "https://b.a.example", False),
        ("https://a.example,http://b.example:3000", "http://b.example:3000", True),
    ],
)
def test_listed_origins(listed, origin, is_allowed):
    assert (allowed(Origins(listed), origin) is not None) == is_allowed


# A cache between the server and two pages would otherwise give one of them the other's answer.
def test_answers_vary_with_the_origin():
    headers = dict(Origins("local").headers(b"http://localhost"))
    assert headers[b"Vary"] == b"Origin"
    assert b"x-amzn-RequestId" in headers[b"Access-Control-Expose-Headers"]
