"""Signatures of botocore are accepted, and nothing that differs from what it signed."""

import json
import re
from datetime import UTC, datetime

import msgspec
import pytest
from botocore.auth import SigV4Auth, SigV4QueryAuth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials as Keys
from hypothesis import given
from hypothesis import strategies as st

from hashrange.errors import DynamoError, Fault
from hashrange.server.callers import SignatureCheck
from hashrange.server.request_rates import RequestRates
from hashrange.wire.exchange import Peer, Request
from tests.rows import rows
from tests.static_credentials import ACCOUNT, SECRET, StaticCredentials, long_term, session

TARGET = "DynamoDB_20120810.GetItem"
MISMATCH = "The request signature we calculated does not match the signature you provided."
ADVICE = (
    "Check your AWS Secret Access Key and signing method. Consult the service documentation for "
    "details."
)


class Signer(SigV4QueryAuth):
    """Presigns with the hash of a body, which botocore itself would move to the query string."""

    body = b""

    def payload(self, request):
        return super().payload(AWSRequest("POST", request.url, data=self.body))


def sign(body, headers, *, region="eu-west-1", token=None, presigned=False, service="dynamodb"):
    """The request that a server receives, and its time in milliseconds."""
    request = AWSRequest("POST", "http://localhost:8000/", headers=headers, data=body)
    keys = Keys("AKIDEXAMPLE", SECRET, token)
    if presigned:
        signer = Signer(keys, service, region, expires=300)
        signer.body, request.data = body, b""
    else:
        signer = SigV4Auth(keys, service, region)
    signer.add_auth(request)
    query = request.url.partition("?")[2]
    found = {name.lower().encode(): text.encode() for name, text in request.headers.items()}
    found.setdefault(b"host", b"localhost:8000")
    time = re.search(r"\d{8}T\d{6}Z", query or request.headers["X-Amz-Date"])[0]
    signed = datetime.strptime(time, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    received = Request(b"POST", b"/", query.encode(), found, body, Peer("192.0.2.7", True))
    return received, round(signed.timestamp() * 1000)


def checked(request, now_ms, *, credentials=None, service="dynamodb"):
    if credentials is None:
        credentials = StaticCredentials(long_term())
        credentials.add(long_term(), "a/token+of=a session")
    check = SignatureCheck(credentials, lambda: now_ms, RequestRates(None, lambda: 0))
    return check(request, service)


def refusal(request, now_ms, **options):
    with pytest.raises(DynamoError) as refused:
        checked(request, now_ms, **options)
    return refused.value.fault, str(refused.value.message)


names = st.from_regex(r"x-[a-z0-9-]{1,12}", fullmatch=True).filter(
    lambda name: not name.startswith(("x-amz-", "x-amzn-"))
)
values = st.text(st.characters(codec="ascii", min_codepoint=32, max_codepoint=126), max_size=30)
requests = st.fixed_dictionaries(
    {
        "body": st.binary(max_size=300),
        "headers": st.dictionaries(names, values, max_size=4).map(
            lambda more: {
                **more,
                "X-Amz-Target": TARGET,
                "Content-Type": "application/x-amz-json-1.0",
            }
        ),
        "region": st.from_regex(r"[a-z]{2}-[a-z]{4,9}-[1-9]", fullmatch=True),
        "token": st.sampled_from([None, "a/token+of=a session"]),
        "presigned": st.booleans(),
    }
)


@given(requests)
def test_what_botocore_signs_is_accepted(parts):
    request, now_ms = sign(**parts)
    found = checked(request, now_ms)
    assert (found.caller.account, found.caller.region) == (ACCOUNT, parts["region"])
    assert found.caller.subject.principal.user_name == "alice"
    assert found.caller.connection.source_ip == "192.0.2.7"
    assert found.verifier.accepts(request.headers, request.body, signature_of(request))


def signature_of(request):
    signed = request.query + request.headers.get(b"authorization", b"")
    return re.search(b"Signature=([0-9a-f]{64})", signed)[1]


def replaced(request, before, after):
    """The request with another text in its Authorization or its query string, wherever it is."""
    headers = dict(request.headers)
    if b"authorization" in headers:
        headers[b"authorization"] = headers[b"authorization"].replace(before, after)
    query = request.query.replace(before.replace(b"/", b"%2F"), after.replace(b"/", b"%2F"))
    return msgspec.structs.replace(request, headers=headers, query=query)


def with_header(request, name, value):
    return msgspec.structs.replace(request, headers={**request.headers, name: value})


def mutations(request, data):
    """Each part of a request, changed; with the fault and the beginning of its text."""
    body, signature = request.body, signature_of(request)
    at = data.draw(st.integers(0, len(body)))
    yield changed(request, body=body[:at] + b"x" + body[at:]), Fault.INVALID_SIGNATURE, MISMATCH
    if body:
        at = data.draw(st.integers(0, len(body) - 1))
        other = body[:at] + bytes([body[at] ^ 1]) + body[at + 1 :]
        yield changed(request, body=other), Fault.INVALID_SIGNATURE, MISMATCH
        yield changed(request, body=body[:-1]), Fault.INVALID_SIGNATURE, MISMATCH
    at = data.draw(st.integers(0, 63))
    other = b"0" if signature[at : at + 1] != b"0" else b"1"
    forged = signature[:at] + other + signature[at + 1 :]
    yield replaced(request, signature, forged), Fault.INVALID_SIGNATURE, MISMATCH
    yield replaced(request, signature, signature.upper()), Fault.INVALID_SIGNATURE, MISMATCH
    yield changed(request, method=b"PUT"), Fault.INVALID_SIGNATURE, MISMATCH
    yield changed(request, path=b"/x"), Fault.INVALID_SIGNATURE, MISMATCH
    more = b"&x=1" if request.query else b"x=1"
    yield changed(request, query=request.query + more), Fault.INVALID_SIGNATURE, MISMATCH
    for name in request.headers.keys() - {b"authorization", b"x-amz-date", b"x-amz-security-token"}:
        if name == b"user-agent":
            continue
        other = with_header(request, name, request.headers[name] + b"x")
        yield other, Fault.INVALID_SIGNATURE, MISMATCH
    unsigned = replaced(request, b"x-amz-target", b"x-other-name")
    yield unsigned, Fault.INVALID_SIGNATURE, "'X-Amz-Target' must be a 'SignedHeader'"
    yield replaced(request, b"AKIDEXAMPLE", b"AKIDOTHER"), Fault.UNRECOGNIZED_CLIENT, "The security"
    other = replaced(request, b"/dynamodb/", b"/s3/")
    text = "Credential should be scoped to correct service: 'dynamodb'. "
    yield other, Fault.INVALID_SIGNATURE, text
    other = replaced(request, b"/aws4_request", b"/aws5_request")
    text = "Credential should be scoped with a valid terminator: 'aws4_request', not 'aws5_request'"
    yield other, Fault.INVALID_SIGNATURE, text
    other = replaced(request, b"AKIDEXAMPLE/20", b"AKIDEXAMPLE/19")
    yield other, Fault.INVALID_SIGNATURE, "Date in Credential scope does not match YYYYMMDD from"
    other = replaced(request, b"AWS4-HMAC-SHA256", b"AWS4-ECDSA-P256-SHA256")
    yield other, Fault.INCOMPLETE_SIGNATURE, "Unsupported AWS 'algorithm': 'AWS4-ECDSA-P256-SHA256'"


def changed(request, **parts):
    return msgspec.structs.replace(request, **parts)


@given(requests, st.data())
def test_what_differs_from_what_was_signed_is_refused(parts, data):
    request, now_ms = sign(**parts)
    for other, fault, text in mutations(request, data):
        found, told = refusal(other, now_ms)
        assert (found, told[: len(text)]) == (fault, text)


# The verifier of a head is asked about other bodies, and other headers that are not constant.
@given(requests, st.binary(max_size=300))
def test_a_known_head_does_not_let_pass_what_was_not_signed(parts, body):
    request, now_ms = sign(**parts)
    verifier, signature = checked(request, now_ms).verifier, signature_of(request)
    same = verifier.accepts(request.headers, body, signature)
    assert same == (body == request.body)
    for name in parts["headers"]:
        headers = {**request.headers, name.lower().encode(): b"other"}
        if name.startswith("x-"):
            assert not verifier.accepts(headers, request.body, signature)
    other, _ = sign(**{**parts, "body": body})
    if other.headers.get(b"x-amz-date") == request.headers.get(b"x-amz-date") and not other.query:
        assert verifier.accepts(other.headers, body, signature_of(other))


@pytest.mark.parametrize("presigned", [False, True])
def test_a_session_needs_its_token(presigned):
    credentials = StaticCredentials()
    credentials.add(long_term(subject=session()), "the token")
    headers = {"X-Amz-Target": TARGET}
    request, now_ms = sign(b"{}", headers, token="the token", presigned=presigned)
    found = checked(request, now_ms, credentials=credentials)
    assert found.caller.subject.principal.arn == session().principal.arn
    for token in (None, "another"):
        request, now_ms = sign(b"{}", headers, token=token, presigned=presigned)
        fault, _ = refusal(request, now_ms, credentials=credentials)
        assert fault is Fault.UNRECOGNIZED_CLIENT


# Some clients add the token to the request when it is signed.
def test_a_token_in_a_header_need_not_be_signed():
    credentials = StaticCredentials()
    credentials.add(long_term(subject=session()), "the token")
    request, now_ms = sign(b"{}", {"X-Amz-Target": TARGET})
    request.headers[b"x-amz-security-token"] = b"the token"
    assert checked(request, now_ms, credentials=credentials).caller.account == ACCOUNT


def test_a_session_ends():
    credentials = StaticCredentials()
    request, now_ms = sign(b"{}", {"X-Amz-Target": TARGET}, token="t")
    ending = msgspec.structs.replace(long_term(subject=session()), expires_ms=now_ms + 1000)
    credentials.add(ending, "t")
    found = checked(request, now_ms + 999, credentials=credentials)
    assert found.verifier.until_ms == now_ms + 999
    fault, text = refusal(request, now_ms + 1000, credentials=credentials)
    assert fault is Fault.EXPIRED_TOKEN
    assert text == "The security token included in the request is expired"


@pytest.mark.parametrize(
    ("presigned", "seconds", "rest"), [(False, 900, "15 min"), (True, 300, "5 min")]
)
def test_a_signature_is_valid_for_some_minutes(presigned, seconds, rest):
    request, now_ms = sign(b"{}", {"X-Amz-Target": TARGET}, presigned=presigned)
    checked(request, now_ms + seconds * 1000)
    fault, text = refusal(request, now_ms + seconds * 1000 + 1000)
    assert fault is Fault.INVALID_SIGNATURE
    signed, earliest, now = (time_text(now_ms, each) for each in (0, 1, seconds + 1))
    assert text == f"Signature expired: {signed} is now earlier than {earliest} ({now} - {rest}.)"
    checked(request, now_ms - 900_000)
    fault, text = refusal(request, now_ms - 901_000)
    latest, now = (time_text(now_ms, each) for each in (-1, -901))
    expected = f"{signed} is still later than {latest} ({now} + 15 min.)"
    assert text == f"Signature not yet current: {expected}"


def time_text(now_ms, seconds):
    return datetime.fromtimestamp(now_ms // 1000 + seconds, UTC).strftime("%Y%m%dT%H%M%SZ")


# botocore signs whatever lifetime it is given.
@rows(
    ("expires", "text"),
    [
        ("604800", None),
        (None, None),
        ("0", None),
        ("604801", "X-Amz-Expires must be less than a week (in seconds); that is, the given"),
        ("9" * 5000, "X-Amz-Expires must be less than a week (in seconds); that is, the given"),
        ("-1", "X-Amz-Expires must be non-negative"),
        ("soon", "X-Amz-Expires should be a number"),
        ("", "X-Amz-Expires should be a number"),
        ("%D9%A8", "X-Amz-Expires should be a number"),
    ],
)
def test_the_lifetime_of_a_presigned_request(expires, text):
    request, now_ms = sign(b"{}", {"X-Amz-Target": TARGET}, presigned=True)
    lifetime = b"" if expires is None else b"X-Amz-Expires=" + expires.encode() + b"&"
    request.query = request.query.replace(b"X-Amz-Expires=300&", lifetime)
    fault, told = refusal(request, now_ms)
    assert told.startswith(text or MISMATCH)
    assert fault is (Fault.INVALID_SIGNATURE if text is None else Fault.INCOMPLETE_SIGNATURE)


def test_a_time_must_be_one():
    request, now_ms = sign(b"{}", {"X-Amz-Target": TARGET})
    for time in (b"20269999T999999Z", b"00000101T000000Z", b"20260101T000060Z"):
        fault, text = refusal(with_header(request, b"x-amz-date", time), now_ms)
        assert fault is Fault.INCOMPLETE_SIGNATURE
        assert text.startswith(f"Date must be in ISO-8601 'basic format'. Got '{time.decode()}'.")


# Each is told, in the order of the service.
def test_texts_about_the_scope_are_told_together():
    request, now_ms = sign(b"{}", {"X-Amz-Target": TARGET})
    day = request.headers[b"x-amz-date"][:8]
    scope = b"%b/eu-west-1/dynamodb/aws4_request" % day
    fault, text = refusal(replaced(request, scope, b"b/eu-west-1/d/e"), now_ms)
    time = request.headers[b"x-amz-date"].decode()
    assert fault is Fault.INVALID_SIGNATURE
    assert text == (
        "Credential should be scoped to correct service: 'dynamodb'. "
        "Credential should be scoped with a valid terminator: 'aws4_request', not 'e'. "
        "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: "
        f"'b' != '{day.decode()}', from '{time}'."
    )


# As the service tells it, so that people find out what their client signed.
def test_a_mismatch_tells_what_should_have_been_signed():
    request, now_ms = sign(b"{}", {"X-Amz-Target": TARGET})
    credentials = StaticCredentials(long_term(secret_key="another"))
    _, text = refusal(request, now_ms, credentials=credentials)
    time = request.headers[b"x-amz-date"].decode()
    assert text.split("\n") == [
        f"{MISMATCH} {ADVICE}",
        "",
        "The Canonical String for this request should have been",
        "'POST",
        "/",
        "",
        "host:localhost:8000",
        f"x-amz-date:{time}",
        f"x-amz-target:{TARGET}",
        "",
        "host;x-amz-date;x-amz-target",
        "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a'",
        "",
        "The String-to-Sign should have been",
        "'AWS4-HMAC-SHA256",
        time,
        f"{time[:8]}/eu-west-1/dynamodb/aws4_request",
        text.split("\n")[-2],
        "",
    ]


def test_other_apis_are_signed_for_their_own_service():
    request, now_ms = sign(b"Action=x", {}, service="sts")
    checked(request, now_ms, service="sts")
    checked(request, now_ms, service=None)
    assert refusal(request, now_ms)[1].startswith("Credential should be scoped to correct service")


# The hash in the header is not believed, and a body without a hash is not accepted.
@pytest.mark.parametrize("value", ["UNSIGNED-PAYLOAD", "0" * 64])
def test_the_hash_of_the_body_is_always_that_of_the_bytes(value):
    headers = {"X-Amz-Target": TARGET, "X-Amz-Content-SHA256": value}
    request, now_ms = sign(b"{}", headers)
    fault, text = refusal(request, now_ms)
    assert (fault, text.startswith(MISMATCH)) == (Fault.INVALID_SIGNATURE, True)


parts = st.binary(max_size=40) | st.sampled_from(
    b"AWS4-HMAC-SHA256|Credential=|AKIDEXAMPLE/|20150830/|/|aws4_request|SignedHeaders=|host|;|, |"
    b"Signature=|0000|%E1%88%B4|\xff|X-Amz-Algorithm=AWS4-HMAC-SHA256|&|us-east-1%2Fdynamodb%2F|"
    b"X-Amz-Credential=AKIDEXAMPLE%2F20150830%2F|aws4_request|X-Amz-Date=20150830T123600Z|"
    b"X-Amz-Expires=9|X-Amz-SignedHeaders=host|X-Amz-Signature=%E1%88%B4|"
    b"X-Amz-Security-Token=%00".split(b"|")
)
texts = st.lists(parts, max_size=12).map(b"".join)


@given(texts, texts, st.sampled_from([b"20150830T123600Z", b"x", b""]))
def test_no_bytes_are_more_than_refused(authorization, query, time):
    headers = {b"authorization": authorization, b"x-amz-date": time, b"host": b"h"}
    for each in (headers, {b"host": b"h"}):
        request = Request(b"POST", b"/", query, each, b"{}")
        with pytest.raises(DynamoError):
            checked(request, 1440938160_000)


def presigned_query(**parameters):
    defaults = {
        "Algorithm": "AWS4-HMAC-SHA256",
        "Credential": "AKIDEXAMPLE%2F20150830%2Fus-east-1%2Fdynamodb%2Faws4_request",
        "Date": "20150830T123600Z",
        "SignedHeaders": "host",
        "Signature": "0" * 64,
    }
    return "&".join(f"X-Amz-{name}={text}" for name, text in (defaults | parameters).items())


# Percent-encoded, a query can hold characters that no header has.
@pytest.mark.parametrize(
    "parameters",
    [
        {"Signature": "%E1%88%B4"},
        {"SignedHeaders": "host%3B%E1%88%B4"},
        {"Security-Token": "%E1%88%B4"},
        {"Credential": "AKIDEXAMPLE%2F%E1%88%B4%2Fus-east-1%2Fdynamodb%2Faws4_request"},
        {"SignedHeaders": "host%3B%FF%0A"},
    ],
)
def test_any_character_of_a_query_is_refused_in_order(parameters):
    query = presigned_query(**parameters).encode()
    request = Request(b"POST", b"/", query, {b"host": b"h"}, b"{}")
    fault, text = refusal(request, 1440938160_000)
    assert fault in {Fault.INVALID_SIGNATURE, Fault.UNRECOGNIZED_CLIENT}
    assert json.dumps(text)
