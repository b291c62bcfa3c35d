"""`hashrange dax` when its upstream fails, refuses, or is gone, and after restarts of its own."""

import uuid

import pytest

import hashrange
from hashrange.clock import SystemClock
from hashrange.dax.protocol.methods import METHODS
from hashrange.server.certificates import ensure
from hashrange.settings.kinds import Auth
from hashrange.wire.cbor import encoding as cbor
from hashrange.wire.cbor.encoding import encode_integer
from tests.api.conftest import client_of
from tests.api.dax_session import NO_ATTRIBUTES, DaxSession
from tests.api.tables import keyed
from tests.api.upstream import Endpoint, Proxy, refusal
from tests.pace import until
from tests.ports import free_port
from tests.unit.processes import run

NUMBERS = {method.name: number for number, method in METHODS.items()}
ITEM = 0
TABLE = "failing"
INTERNAL, VALIDATION, THROTTLED, DENIED = 47, 46, 50, 42


@pytest.fixture(scope="module")
def server():
    with hashrange.start() as server:
        client = client_of(server.endpoint)
        client.create_table(TableName=TABLE, **keyed(pk="S"))
        client.close()
        yield server


@pytest.fixture
def proxy(server):
    with Proxy(server.endpoint) as proxy:
        yield proxy


@pytest.fixture
def endpoint(proxy):
    with Endpoint(proxy.url) as endpoint:
        yield endpoint


@pytest.fixture
def dax(endpoint):
    with DaxSession("127.0.0.1", endpoint.port) as session:
        yield session


@pytest.fixture
def key():
    """A key that no other test has."""
    return str(uuid.uuid4())


def data(text):
    return cbor.byte_string(text.encode())


def delete(session, key):
    return session.call(NUMBERS["deleteItem"], data(TABLE), data(key), cbor.NULL)


def lose(forward):
    """Make the request, and lose its answer."""
    forward()


def close(_forward):
    """Lose the request."""


def once(proxy, operation, disturbed):
    """Disturbs the next request only."""

    def disturb(forward):
        del proxy.disturb[operation]
        return disturbed(forward)

    proxy.disturb[operation] = disturb


def test_a_read_whose_answer_is_lost_is_sent_again(endpoint, proxy, dax, key):
    dax.put(TABLE, key)
    delete(dax, key)
    once(proxy, "GetItem", lose)
    assert dax.get(TABLE, str(uuid.uuid4())) == {}
    assert proxy.count("GetItem") == 2
    once(proxy, "Scan", lambda _: (500, b"{}"))
    assert dax.call(NUMBERS["scan"], data(TABLE), cbor.NULL)[8] >= 0
    assert endpoint.figure("dax_upstream_retries_total") == 2


# Nobody knows whether it was made, so it is not made again, and its item is read anew.
@pytest.mark.parametrize("disturbed", [lose, close])
def test_a_write_whose_answer_is_lost_is_not_sent_again(proxy, dax, key, disturbed):
    assert dax.get(TABLE, key) == {}
    once(proxy, "PutItem", disturbed)
    codes, text = dax.put(TABLE, key)
    assert codes[-1] == INTERNAL
    assert text.startswith(f"The upstream {proxy.url} has not answered: it has closed the conn")
    assert proxy.count("PutItem") == 1
    assert dax.get(TABLE, key) == ({ITEM: b"\x01"} if disturbed is lose else {})
    assert proxy.last("GetItem")["ConsistentRead"] is True


def test_a_transaction_with_a_token_is_sent_again(proxy, dax, key):
    once(proxy, "TransactWriteItems", lose)
    columns = [[encode_integer(2)], [data(TABLE)], [data(key)], [cbor.byte_string(NO_ATTRIBUTES)]]
    arguments = [*map(cbor.array, columns), *[cbor.NULL] * 4]
    token = cbor.mapping([(encode_integer(19), cbor.text(key))])
    dax.call(NUMBERS["transactWriteItems"], *arguments, token)
    assert proxy.count("TransactWriteItems") == 2
    assert dax.get(TABLE, key) == {ITEM: b"\x01"}
    once(proxy, "TransactWriteItems", lose)
    codes, _ = dax.call(NUMBERS["transactWriteItems"], *arguments, cbor.NULL)
    assert codes[-1] == INTERNAL
    assert proxy.count("TransactWriteItems") == 3


REFUSALS = [
    (refusal("ProvisionedThroughputExceededException"), 40, "as it is"),
    (refusal("ResourceNotFoundException"), 41, "as it is"),
    (refusal("ConditionalCheckFailedException"), 43, "as it is"),
    (refusal("ValidationException"), VALIDATION, "as it is"),
    (refusal("InternalServerError", status=500), INTERNAL, "as it is"),
    (refusal("ItemCollectionSizeLimitExceededException"), 48, "as it is"),
    (refusal("LimitExceededException"), 49, "as it is"),
    (refusal("ThrottlingException"), THROTTLED, "as it is"),
    (refusal("ServiceUnavailable", status=503), THROTTLED, "as it is"),
    (refusal("TransactionConflictException"), 57, "as it is"),
    (refusal("RequestLimitExceeded"), 61, "as it is"),
    (refusal("AccessDeniedException"), DENIED, "as it is"),
    # Not the client's credentials: it must not sign again and again.
    (
        refusal("ExpiredTokenException"),
        DENIED,
        "The upstream does not accept the credentials of this endpoint: as it is",
    ),
    (refusal("SomeNewException"), VALIDATION, "SomeNewException: as it is"),
    ((404, b"<html>"), INTERNAL, "The upstream {} does not speak DynamoDB: it answers 404"),
    ((200, b"<html>"), INTERNAL, "The upstream {} does not speak DynamoDB: it answers 200"),
    (
        (200, b'{"Attributes": 7}'),
        INTERNAL,
        "The upstream {} does not speak DynamoDB: it answers 200",
    ),
]


def test_refusals_of_the_upstream_have_the_codes_of_dax(proxy, dax, key):
    found = []
    for answer, _, _ in REFUSALS:
        proxy.disturb["PutItem"] = lambda _, answer=answer: answer
        codes, text = dax.put(TABLE, key)
        found.append((codes[-1], text))
    assert found == [(code, text.format(proxy.url)) for _, code, text in REFUSALS]


def test_reasons_of_a_cancelled_transaction_reach_the_client(proxy, dax, key):
    columns = [[encode_integer(2)], [data(TABLE)], [data(key)], [cbor.byte_string(NO_ATTRIBUTES)]]
    reasons = [{"Code": "ConditionalCheckFailed", "Message": "no", "Item": {"pk": {"S": key}}}]
    error = refusal("TransactionCanceledException", CancellationReasons=reasons)
    proxy.disturb["TransactWriteItems"] = lambda _: error
    arguments = [*map(cbor.array, columns), *[cbor.NULL] * 5]
    assert dax.call(NUMBERS["transactWriteItems"], *arguments) == ([4, 37, 38, 39, 58], "as it is")
    # An upstream with another number of reasons is at fault; the client still gets an answer.
    strange = refusal("TransactionCanceledException", CancellationReasons=[*reasons, *reasons])
    proxy.disturb["TransactWriteItems"] = lambda _: strange
    codes, _ = dax.call(NUMBERS["transactWriteItems"], *arguments)
    assert codes[-1] == INTERNAL


def test_an_upstream_that_is_gone_is_said_and_what_is_cached_is_answered(server, key):
    with (
        Proxy(server.endpoint, free_port()) as proxy,
        Endpoint(proxy.url) as endpoint,
        DaxSession("127.0.0.1", endpoint.port) as dax,
    ):
        dax.put(TABLE, key)
        assert endpoint.ready() == "ok\n"
        proxy.close()
        until(lambda: dax.get(TABLE, "missing")[0][-1] == INTERNAL)
        codes, text = dax.put(TABLE, "missing")
        told = f"The upstream {proxy.url} cannot be reached: connection refused"
        assert (codes[-1], text) == (INTERNAL, told)
        assert dax.get(TABLE, key) == {ITEM: b"\x01"}
        assert endpoint.ready() == f"not ready: {told}\n"
        with Proxy(proxy.upstream, proxy.port):
            assert dax.get(TABLE, "missing") == {}
        assert endpoint.ready() == "ok\n"


def test_an_upstream_that_verifies_signatures_refuses_unknown_keys():
    with (
        hashrange.start(auth=Auth.REQUIRED) as server,
        Endpoint(server.endpoint) as endpoint,
        DaxSession("127.0.0.1", endpoint.port) as dax,
    ):
        codes, text = dax.get(TABLE, "a")
    assert codes[-1] == DENIED
    assert text.startswith("The upstream does not accept the credentials of this endpoint: ")


# A certificate of nobody is refused before anything is sent.
def test_the_certificate_of_an_upstream_is_verified(tmp_path):
    files = tmp_path / "certificate.pem", tmp_path / "key.pem"
    ensure(*files, [], SystemClock().now_ms())
    with hashrange.start(tls_cert=files[0], tls_key=files[1]) as server:
        url = server.endpoint
        assert url.startswith("https://")
        with (
            Endpoint(url, ca_file=str(files[0])) as endpoint,
            DaxSession("127.0.0.1", endpoint.port) as dax,
        ):
            codes, text = dax.get(TABLE, "a")
            assert (codes[-1], text) == (41, "Requested resource not found")
        with Endpoint(url) as endpoint, DaxSession("127.0.0.1", endpoint.port) as dax:
            codes, text = dax.get(TABLE, "a")
    assert codes[-1] == INTERNAL
    assert text.startswith(f"The upstream {url} cannot be reached: ")
    assert "self-signed" in text or "self signed" in text


def number_of(endpoint, *names):
    """The number of a list of attribute names."""
    with DaxSession("127.0.0.1", endpoint.port) as dax:
        return dax.call(NUMBERS["defineAttributeListId"], cbor.array(map(cbor.text, names)))


def names_of(endpoint, number):
    with DaxSession("127.0.0.1", endpoint.port) as dax:
        return dax.call(NUMBERS["defineAttributeList"], encode_integer(number))


# A client goes on after a restart, and knows the number still.
def test_attribute_lists_are_kept_in_the_state(server, tmp_path):
    state = {"memory": False, "data": tmp_path / "state"}
    with Endpoint(server.endpoint, **state) as endpoint:
        number = number_of(endpoint, "a", "b")
    with Endpoint(server.endpoint, **state) as endpoint:
        assert number_of(endpoint, "c") != number
        assert names_of(endpoint, number) == ["a", "b"]


def test_without_state_an_old_number_never_means_another_list(server):
    with Endpoint(server.endpoint) as endpoint:
        old = number_of(endpoint, "a", "b")
        time_ms = endpoint.clock.now_ms()
    with Endpoint(server.endpoint, began_later_ms=1000) as endpoint:
        assert endpoint.clock.now_ms() > time_ms
        assert number_of(endpoint, "c") > old
        codes, text = names_of(endpoint, old)
    assert codes[-1] == VALIDATION
    assert "Create the client again" in text


def test_an_address_that_others_reach_must_be_allowed(server):
    refused = run("dax", "--upstream", server.endpoint, "--host", "0.0.0.0")
    assert refused.returncode == 2
    assert "signatures of clients cannot be verified" in refused.stderr
    assert "--open-to-network" in refused.stderr


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--upstream", "ftp://a"], "--upstream ftp://a: it must begin with http:// or https://"),
        (["--upstream", "http://a/b"], "an endpoint has no path"),
        ([], "Missing option '--upstream'"),
        (["--upstream", "http://a", "--tls-cert", "x"], "--tls-key"),
    ],
)
def test_options_that_cannot_be_used_are_refused(arguments, text):
    refused = run("dax", *arguments)
    assert refused.returncode == 2
    assert text in refused.stderr
