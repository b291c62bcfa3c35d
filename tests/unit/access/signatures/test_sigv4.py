"""The form of signatures: exact texts, in the service's order of checks."""

import botocore.auth
import botocore.awsrequest
import botocore.credentials
import pytest

from hashrange.access.signatures.canonical import Identity, Scope
from hashrange.access.signatures.sigv4 import caller
from hashrange.errors import DynamoError, Fault
from tests.rows import rows

TIME = b"20261121T100000Z"
SCOPE = "20261121/us-east-1/dynamodb/aws4_request"
SIGNED = "host;x-amz-date"
SIGNATURE = "ab" * 32


def header(credential=f"AKID/{SCOPE}", signed=SIGNED, signature=SIGNATURE, time=TIME, **others):
    algorithm = others.get("algorithm", "AWS4-HMAC-SHA256")
    separator = others.get("separator", ", ")
    pairs = [f"Credential={credential}", f"SignedHeaders={signed}", f"Signature={signature}"]
    return raw(f"{algorithm} {separator.join(pairs)}", time)


def raw(authorization, time=TIME):
    headers = {b"host": b"localhost", b"authorization": authorization.encode("latin-1")}
    return headers if time is None else headers | {b"x-amz-date": time}


def query(**parameters):
    defaults = {
        "Algorithm": "AWS4-HMAC-SHA256",
        "Credential": f"AKID/{SCOPE}".replace("/", "%2F"),
        "Signature": SIGNATURE,
        "SignedHeaders": "host",
        "Date": TIME.decode(),
    }
    chosen = {name: value for name, value in (defaults | parameters).items() if value is not None}
    return "&".join(f"X-Amz-{name}={value}" for name, value in chosen.items()).encode()


def refusal(headers, query_string=b""):
    with pytest.raises(DynamoError) as refused:
        caller(headers, query_string)
    return refused.value.fault, refused.value.message


IDENTITY = Identity(
    Scope(
        access_key="AKID",
        account="000000000000",
        region="us-east-1",
        service="dynamodb",
        date="20261121",
        terminator="aws4_request",
        signed_headers=("host", "x-amz-date"),
    ),
    time=TIME.decode(),
    signature=SIGNATURE,
)


# The same identity by the short path, and by the exact one: other separators, order, letters.
@rows(
    "headers",
    [
        header(),
        header(separator=","),
        header(separator=" "),
        header(separator=",  "),
        header(signed="Host;X-Amz-Date"),
        header(credential=f"AKID/{SCOPE}/"),
        raw(
            f"AWS4-HMAC-SHA256 Signature={SIGNATURE}, SignedHeaders={SIGNED}, "
            f"Credential=AKID/{SCOPE}"
        ),
        raw(f" {header()[b'authorization'].decode()}, Further=1 "),
        {**header(time=None), b"date": TIME},
    ],
)
def test_the_parts_of_a_header(headers):
    assert caller(headers, b"") == IDENTITY
    assert caller(headers, b"other=1") == IDENTITY


def test_a_signature_of_any_text_will_do():
    assert caller(header(signature="y"), b"").signature == "y"


def test_what_an_sdk_signs():
    request = botocore.awsrequest.AWSRequest(
        "POST", "http://localhost:8000/", data=b"{}", headers={"X-Amz-Target": "x"}
    )
    credentials = botocore.credentials.Credentials("local", "local")
    botocore.auth.SigV4Auth(credentials, "dynamodb", "eu-west-1").add_auth(request)
    headers = {
        name.lower().encode(): value.encode() for name, value in request.prepare().headers.items()
    }
    identity = caller(headers, b"")
    assert (identity.scope.access_key, identity.scope.region) == ("local", "eu-west-1")
    assert "host" in identity.scope.signed_headers


def test_what_an_sdk_presigns():
    request = botocore.awsrequest.AWSRequest("POST", "http://localhost:8000/")
    credentials = botocore.credentials.Credentials("local", "local")
    botocore.auth.SigV4QueryAuth(credentials, "dynamodb", "eu-west-1").add_auth(request)
    identity = caller({}, request.prepare().url.partition("?")[2].encode())
    assert (identity.scope.region, identity.in_query) == ("eu-west-1", True)


def test_the_parts_of_a_query_string():
    identity = caller({b"host": b"localhost"}, query())
    assert identity.in_query
    assert identity.scope.signed_headers == ("host",)
    assert (identity.scope.access_key, identity.time) == ("AKID", TIME.decode())


@pytest.mark.parametrize(
    ("key", "account"),
    [
        ("123456789012", "123456789012"),
        ("12345678901", "000000000000"),
        ("1234567890123", "000000000000"),
        ("AKIAIOSFODNN7EXAMPLE", "000000000000"),
        ("fake-key_1:2", "000000000000"),
    ],
)
def test_twelve_digits_name_the_account(key, account):
    assert caller(header(f"{key}/{SCOPE}"), b"").scope.account == account


@pytest.mark.parametrize("region", ["us-east-1", "local", "local-env", "ddblocal", "a.b_c", "0"])
def test_any_region_that_can_stand_in_an_arn_will_do(region):
    assert (
        caller(header(f"AKID/20261121/{region}/dynamodb/aws4_request"), b"").scope.region == region
    )


MISSING = (Fault.MISSING_AUTHENTICATION_TOKEN, "Request is missing Authentication Token")


@pytest.mark.parametrize(
    ("headers", "query_string"),
    [
        ({}, b""),
        (raw("AWS4"), b""),
        (raw("X"), b"X-Amz-Algorith"),
        (raw(""), b""),
        (raw("Bearer x=y"), b""),
        ({}, b"X-Amz-Credential=a&X-Amz-Signature=b&X-Amz-SignedHeaders=c&X-Amz-Date=d"),
    ],
)
def test_no_signature_at_all(headers, query_string):
    assert refusal(headers, query_string) == MISSING


# Told before anything is said of either.
@pytest.mark.parametrize("authorization", ["X", "AWS4-", header()[b"authorization"].decode()])
@pytest.mark.parametrize("query_string", [b"X-Amz-Algorithm", query()])
def test_both_a_header_and_a_query_string(authorization, query_string):
    assert refusal(raw(authorization), query_string) == (
        Fault.INVALID_SIGNATURE,
        "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header.",
    )


CREDENTIAL = "Authorization header requires 'Credential' parameter. "
SIGNATURE_ = "Authorization header requires 'Signature' parameter. "
HEADERS = "Authorization header requires 'SignedHeaders' parameter. "
DATE = "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. "


@pytest.mark.parametrize(
    ("authorization", "time", "text"),
    [
        ("AWS4-", None, CREDENTIAL + SIGNATURE_ + HEADERS + DATE),
        ("AWS4- Signature=b Credential=a", b"a", HEADERS),
        ("AWS4- Signature=b,Credential=a", b"a", HEADERS),
        ("AWS4- Signature=b, Credential=a", b"a", HEADERS),
        ("AWS4- Signature=b, Credential=", b"a", CREDENTIAL + HEADERS),
        ("AWS4-X Signature=, Credential=a, SignedHeaders=", b"", SIGNATURE_ + DATE),
    ],
)
def test_an_incomplete_header(authorization, time, text):
    assert refusal(raw(authorization, time)) == (
        Fault.INCOMPLETE_SIGNATURE,
        f"{text}Authorization={authorization}",
    )


def test_parts_without_equal_sign():
    authorization = "AWS4-HMAC-SHA256 Signature=b,    Credential,    SignedHeaders"
    assert refusal(raw(authorization)) == (
        Fault.INCOMPLETE_SIGNATURE,
        (
            "'Credential' not a valid key=value pair (missing equal-sign) "
            f"in Authorization header: '{authorization}'."
        ),
    )


@pytest.mark.parametrize(
    ("query_string", "names"),
    [
        (b"X-Amz-Algorithm", ["Algorithm", "Credential", "Signature", "SignedHeaders", "Date"]),
        (query(SignedHeaders=None), ["SignedHeaders"]),
        (query(SignedHeaders="", Date=""), ["SignedHeaders", "Date"]),
        (query(Credential=None, Signature=None), ["Credential", "Signature"]),
    ],
)
def test_an_incomplete_query_string(query_string, names):
    text = "".join(f"AWS query-string parameters must include 'X-Amz-{name}'. " for name in names)
    assert refusal({}, query_string) == (
        Fault.INCOMPLETE_SIGNATURE,
        text + "Re-examine the query-string parameters.",
    )


@pytest.mark.parametrize(
    "time",
    [
        b"201",
        b"2026-11-21T10:00:00Z",
        b"Sat, 21 Nov 2026 10:00:00 GMT",
        b"20261121T100000",
        b"20261121T100000Z\n",
        b"20261121t100000z",
        b"\xb2\xb9261121T100000Z",
    ],
)
def test_the_form_of_the_time(time):
    expected = (
        Fault.INCOMPLETE_SIGNATURE,
        (
            f"Date must be in ISO-8601 'basic format'. Got '{time.decode('latin-1')}'. "
            "See http://en.wikipedia.org/wiki/ISO_8601"
        ),
    )
    assert refusal(header(time=time)) == expected


def test_the_algorithm():
    text = "Unsupported AWS 'algorithm': '{}' (only AWS4-HMAC-SHA256 for now). "
    assert refusal(header(algorithm="AWS5-X")) == MISSING
    assert refusal(header(algorithm="AWS4-HMAC-SHA25")) == (
        Fault.INCOMPLETE_SIGNATURE,
        text.format("AWS4-HMAC-SHA25"),
    )
    assert refusal({}, query(Algorithm="a")) == (Fault.INCOMPLETE_SIGNATURE, text.format("a"))


@pytest.mark.parametrize("signed", ["", "x-amz-date", "hosts;x-host", "ho;st"])
def test_the_host_must_be_signed(signed):
    text = "'Host' must be a 'SignedHeader' in the AWS Authorization."
    assert refusal(header(signed=signed)) == (Fault.INVALID_SIGNATURE, text)


@pytest.mark.parametrize("credential", ["a", "a/b/c/d", "a/b/c/d/e/f", "a//", f"/x/{SCOPE}"])
def test_the_elements_of_the_credential(credential):
    assert refusal(header(credential)) == (
        Fault.INCOMPLETE_SIGNATURE,
        (
            "Credential must have exactly 5 slash-delimited elements, "
            f"e.g. keyid/date/region/service/term, got '{credential}'"
        ),
    )


# A region stands in every ARN, so nothing may pass that an ARN could not hold.
@pytest.mark.parametrize("region", ["", "us:east", "*", "us east", "é", "a" * 64, "a\x00b"])
def test_the_form_of_the_region(region):
    separator = ","
    headers = header(f"AKID/20261121/{region}/dynamodb/aws4_request", separator=separator)
    if " " in region:
        assert refusal(headers)[0] is Fault.INCOMPLETE_SIGNATURE
        return
    assert refusal(headers) == (
        Fault.INVALID_SIGNATURE,
        f"Credential should be scoped to a valid region, not '{region}'. ",
    )


@pytest.mark.parametrize("key", ["", "é", "a" * 129, "\x01"])
def test_the_form_of_the_access_key(key):
    assert refusal(header(f"{key}/{SCOPE}")) == (
        Fault.UNRECOGNIZED_CLIENT,
        "The security token included in the request is invalid.",
    )


# The order of the checks: each fault is told although all later ones are there too.
def test_the_order_of_the_checks():
    worst = {"credential": "a", "signed": "", "algorithm": "AWS4-X"}
    assert "ISO-8601" in refusal(header(**worst, time=b"1"))[1]
    assert "algorithm" in refusal(header(**worst))[1]
    assert "Host" in refusal(header(credential="a", signed=""))[1]
    assert "elements" in refusal(header(credential="a"))[1]
    assert "region" in refusal(header(credential="é/d/:/s/t"))[1]


# Beyond what is remembered of headers, the exact path reads the same.
def test_long_headers_are_read_too():
    signed = "host;" + ";".join(f"x-{number}" for number in range(300))
    assert len(caller(header(signed=signed), b"").scope.signed_headers) == 301
