"""Attempts over the DAX endpoint: policies of the connection's caller decide on each call."""

import socket

import pytest

from hashrange.settings.settings import Settings
from hashrange.wire.cbor import encoding as cbor
from tests.access.callers import EVERYTHING, Callers
from tests.api.conftest import client_of
from tests.api.dax_session import AUTHORIZE, ENDPOINTS, DaxSession, signature
from tests.api.tables import keyed
from tests.pace import seconds
from tests.ports import free_port
from tests.served import ServerThread

TABLE = "guarded"
REFUSED = [4, 23, 31, 32]
REQUIRED = [4, 23, 31, 33]
DENIED = [4, 37, 38, 42]
INVALID = [4, 37, 38, 39, 46]
NOTHING = {}


def may(action, **more):
    statement = {"Effect": "Allow", "Action": action, "Resource": "*", **more}
    return {"Version": "2012-10-17", "Statement": [statement]}


class Guarded:
    """A server that verifies signatures, and its callers."""

    def __init__(self):
        self.port = free_port()
        self.callers = Callers()
        self.admin = self.callers.user("admin", EVERYTHING)
        settings = Settings(
            port=0, dax_port=self.port, memory=True, auth="required", drain_seconds=1
        )
        self.thread = ServerThread(settings, self.callers)
        client_of(self.thread.endpoint, **self.admin).create_table(TableName=TABLE, **keyed(pk="S"))

    def session(self, keys):
        return DaxSession("127.0.0.1", self.port, **keys)

    def user(self, name, *policies):
        return self.session(self.callers.user(name, *policies))


@pytest.fixture(scope="module")
def guarded():
    server = Guarded()
    yield server
    server.thread.close()


def authorize(session, access_key, signed, hexadecimal, token=cbor.NULL):
    """Sign the connection again; this call has no answer."""
    arguments = [cbor.text(access_key), cbor.text(hexadecimal), cbor.byte_string(signed.encode())]
    session._send(AUTHORIZE, *arguments, token, cbor.NULL)  # noqa: SLF001 - without an answer


def test_policies(guarded):
    with guarded.user("reader", may("dynamodb:GetItem")) as session:
        assert session.get(TABLE, "a") == NOTHING
        codes, text = session.put(TABLE, "a")
        assert codes == DENIED
        assert "user/reader is not authorized to perform: dynamodb:PutItem" in text
        assert session.get("nothing", "a")[0] != DENIED
    with guarded.user("nobody") as session:
        assert session.get(TABLE, "a")[0] == DENIED
        # Who may not read a table is not told that it does not exist.
        assert session.get("nothing", "a")[0] == DENIED


# Condition keys have the key that stands in the bytes of the call.
def test_leading_keys(guarded):
    condition = {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["mine"]}}
    with guarded.user("owner", may("dynamodb:*Item", Condition=condition)) as session:
        assert session.put(TABLE, "mine") == NOTHING
        assert session.get(TABLE, "theirs")[0] == DENIED


def test_wrong_signatures(guarded):
    keys = guarded.admin
    access_key, secret = keys["aws_access_key_id"], keys["aws_secret_access_key"]
    with guarded.session({**keys, "aws_secret_access_key": "wrong"}) as session:
        assert session.get(TABLE, "a")[0] == REFUSED
        assert session.call(ENDPOINTS)[0] == REFUSED
        signed, right = signature(secret)
        authorize(session, access_key, signed, right)
        assert session.get(TABLE, "a") == NOTHING
        # The last signature counts, also if it is wrong.
        authorize(session, access_key, signed, "0" * 64)
        assert session.get(TABLE, "a")[0] == REFUSED
        authorize(session, "AKIANOBODY", signed, right)
        assert session.get(TABLE, "a")[0] == REFUSED
        for unreadable in ("", "a\nb\nc", "\n\n\n", f"x\n{signed}"):
            authorize(session, access_key, unreadable, right)
            assert session.get(TABLE, "a")[0] in (REFUSED, REQUIRED, INVALID)
    for region, service in (("us-east-1/x", "dax"), ("us-east-1", "dynamodb")):
        with guarded.session(keys) as session:
            signed, _ = signature(secret)
            other = signed.replace("us-east-1/dax", f"{region}/{service}")
            authorize(session, access_key, other, "0" * 64)
            assert session.get(TABLE, "a")[0] == REFUSED


# A signature of the host's name, as Go makes it, is as good; that of an old time is not.
def test_old_signature(guarded):
    access_key = guarded.admin["aws_access_key_id"]
    with guarded.session(guarded.admin) as session:
        signed = (
            "AWS4-HMAC-SHA256\n20200101T000000Z\n20200101/us-east-1/dax/aws4_request\n" + 64 * "0"
        )
        authorize(session, access_key, signed, "0" * 64)
        codes, text = session.get(TABLE, "a")
        assert (codes, "expired" in text) == (REFUSED, True)


# The open connection of a key that was revoked may do nothing more.
def test_revoked(guarded):
    keys = guarded.callers.user("revoked", EVERYTHING)
    with guarded.session(keys) as session:
        assert session.get(TABLE, "a") == NOTHING
        guarded.callers.revoke(keys)
        assert session.get(TABLE, "a")[0] == REFUSED
        assert session.put(TABLE, "a")[0] == REFUSED


# A change of the caller's policies holds for connections that are open.
def test_changed_policies(guarded):
    with guarded.user("changed", EVERYTHING) as session:
        assert session.put(TABLE, "b") == NOTHING
        guarded.callers.user("changed", may("dynamodb:GetItem"))
        assert session.put(TABLE, "b")[0] == DENIED
        assert session.get(TABLE, "none") == NOTHING


# A session of a role needs its token.
def test_session_token(guarded):
    keys = guarded.callers.session("Role", "session", EVERYTHING)
    token = keys.pop("aws_session_token")
    with guarded.session(keys) as session:
        assert session.get(TABLE, "a")[0] == REFUSED
        signed, right = signature(keys["aws_secret_access_key"])
        authorize(session, keys["aws_access_key_id"], signed, right, cbor.text(token))
        assert session.get(TABLE, "none") == NOTHING


# Without a signature nothing is told.
def test_unsigned(guarded):
    hello = bytes.fromhex("674a37796e65354700f6a000")
    with socket.create_connection(("127.0.0.1", guarded.port), timeout=seconds(30)) as connection:
        connection.sendall(hello + bytes.fromhex("013a2c43e27e4767756172646564"))
        assert connection.recv(1000).startswith(b"\x84\x04\x17\x18\x1f\x18\x21")


# What others have read is in the caches, and is shown to nobody who may not read it.
def test_no_hit_without_permission(guarded):
    with guarded.session(guarded.admin) as session:
        assert session.put(TABLE, "theirs") == NOTHING
        assert session.get(TABLE, "theirs") == {0: b"\x01"}
    condition = {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["own"]}}
    with guarded.user("other", may("dynamodb:GetItem", Condition=condition)) as session:
        assert session.get(TABLE, "theirs")[0] == DENIED
        assert session.get(TABLE, "own") == NOTHING
    with guarded.user("writer", may("dynamodb:PutItem")) as session:
        assert session.get(TABLE, "theirs")[0] == DENIED
