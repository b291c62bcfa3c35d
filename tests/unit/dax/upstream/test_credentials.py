"""Credentials of a file: when it is read again, and what a refusal of them brings."""

import contextlib
import os

import pytest

from hashrange.access.credentials_file import CredentialsFile, CredentialsFileError
from hashrange.dax.upstream.credentials import FileCredentials
from hashrange.dax.upstream.refusals import UpstreamError
from hashrange.errors import Fault
from hashrange.limits.access import CREDENTIALS_FILE_BYTES_MAX
from hashrange.limits.dax import UPSTREAM_CREDENTIALS_AGAIN_SECONDS, UPSTREAM_TRIES_MAX
from tests.unit.clocks import Clock
from tests.unit.dax.upstream.endpoints import KEYS, answer, client_of, in_loop, sent, serving

PROFILE = (
    "[work]\naws_access_key_id = {0}\naws_secret_access_key = S{0}\naws_session_token = T{0}\n"
)


def refused(code):
    return answer(b'{"__type":"x#%s","message":"no"}' % code.encode(), 400)


EXPIRED = refused("ExpiredTokenException")


class File:
    """A credentials file, its clock, and what is read of it."""

    def __init__(self, directory, key="OLD"):
        self.path, self.clock, self._writes = directory / "credentials", Clock(), 0
        self.write(PROFILE.format(key))
        file = CredentialsFile(self.path, "work")
        self.credentials = FileCredentials(file, "eu-west-1", self.clock)

    def write(self, text, *, looks_same=False):
        """Replace the content; the time of the change is not left to the file system."""
        self._writes += not looks_same
        self.path.write_bytes(text if isinstance(text, bytes) else text.encode())
        os.utime(self.path, ns=(self._writes * 10**9,) * 2)

    @property
    def key(self):
        return self.credentials.current.access_key


@pytest.fixture
def file(tmp_path):
    return File(tmp_path)


def test_a_profile_has_keys_and_a_token(tmp_path):
    file = File(tmp_path)
    found = file.credentials.current
    shown = (found.access_key, found.secret_key, found.session_token, found.region)
    assert shown == ("OLD", "SOLD", "TOLD", "eu-west-1")
    file.write("[work]\naws_access_key_id=A%\naws_secret_access_key=B=\n")
    found = CredentialsFile(file.path, "work").read("r")
    assert (found.access_key, found.secret_key, found.session_token) == ("A%", "B=", None)


UNUSABLE = {
    "no such profile": "[other]\naws_access_key_id = a\naws_secret_access_key = b\n",
    "has no keys": "[work]\naws_access_key_id = a\n",
    "it is damaged": "aws_access_key_id = secret\n",
    "it is not UTF-8": b"[work]\n\xff",
    "characters that no key has": PROFILE.format("A") + "  X-Amz-Target: other\n",
    "has more than": "#" * (CREDENTIALS_FILE_BYTES_MAX + 1),
}


@pytest.mark.parametrize("reason", UNUSABLE)
@in_loop
async def test_a_file_that_cannot_be_used_is_told_and_changes_nothing(file, reason, caplog):
    file.write(UNUSABLE[reason])
    with pytest.raises(CredentialsFileError, match=reason) as raised:
        CredentialsFile(file.path, "work").read("r")
    assert str(file.path) in str(raised.value)
    assert "secret" not in str(raised.value)
    for _ in range(3):
        await file.credentials.look()
        file.write(UNUSABLE[reason])
    assert (file.key, caplog.text.count(reason)) == ("OLD", 1)
    file.write(PROFILE.format("NEW"))
    await file.credentials.look()
    assert file.key == "NEW"


@in_loop
async def test_a_file_that_is_gone_changes_nothing(file):
    file.path.unlink()
    await file.credentials.look()
    assert file.key == "OLD"
    with pytest.raises(CredentialsFileError, match="No such file"):
        CredentialsFile(file.path, "work").state()


# Each look costs a question to the file system, and no more.
@in_loop
async def test_a_file_is_read_when_it_has_changed(file):
    file.write(PROFILE.format("NEW"), looks_same=True)
    await file.credentials.look()
    assert file.key == "OLD"
    file.write(PROFILE.format("NEW"))
    await file.credentials.look()
    assert file.key == "NEW"


@pytest.mark.parametrize("is_repeatable", [True, False])
@pytest.mark.parametrize(
    "code", ["ExpiredTokenException", "UnrecognizedClientException", "InvalidSignatureException"]
)
@in_loop
async def test_a_refused_request_is_sent_again_with_the_keys_that_the_file_has_now(
    file, code, is_repeatable
):
    async with (
        serving(refused(code), answer(b'{"a":1}')) as upstream,
        client_of(upstream.url, file.credentials) as client,
    ):
        # Though the file looks as it did: times of files are coarse.
        file.write(PROFILE.format("NEW"), looks_same=True)
        assert await client.call(sent(is_repeatable=is_repeatable)) == b'{"a":1}'
        assert upstream.keys == [("OLD", "TOLD"), ("NEW", "TNEW")]
        assert (client.sent, client.retried) == (2, 1)


async def error_of(client, **members):
    with pytest.raises(UpstreamError) as raised:
        await client.call(sent(**members))
    return raised.value


@in_loop
async def test_without_other_keys_nothing_is_sent_again(file):
    async with (
        serving(EXPIRED) as upstream,
        client_of(upstream.url, file.credentials) as client,
        client_of(upstream.url) as fixed,
    ):
        for each in (client, fixed):
            error = await error_of(each)
            assert (error.fault, error.is_unchanged) == (Fault.ACCESS_DENIED, True)
        assert len(upstream.bodies) == 2


# An upstream that refuses all keys must not make each request read the file.
@in_loop
async def test_refusals_let_the_file_be_read_once_in_some_seconds(file):
    async with serving(EXPIRED) as upstream, client_of(upstream.url, file.credentials) as client:
        await error_of(client)
        file.write(PROFILE.format("NEW"), looks_same=True)
        file.clock.later(UPSTREAM_CREDENTIALS_AGAIN_SECONDS - 1)
        await error_of(client)
        assert (file.key, len(upstream.bodies)) == ("OLD", 2)
        file.clock.later(1)
        await error_of(client)
        assert [key for key, _ in upstream.keys] == ["OLD", "OLD", "OLD", "NEW"]


# Many requests are under way when a token expires; one reading is for all of them.
@in_loop
async def test_keys_that_others_have_renewed_are_used_at_once(file):
    before = file.credentials.current
    file.write(PROFILE.format("NEW"))
    assert await file.credentials.renewed(before)
    assert await file.credentials.renewed(before)
    assert not await file.credentials.renewed(file.credentials.current)


@in_loop
async def test_other_refusals_do_not_read_the_file(file):
    async with (
        serving(refused("AccessDeniedException")) as upstream,
        client_of(upstream.url, file.credentials) as client,
    ):
        file.write(PROFILE.format("NEW"))
        await error_of(client)
        assert (file.key, len(upstream.bodies)) == ("OLD", 1)


class Closing:
    """A source that has other keys, when the upstream is gone."""

    def __init__(self, close):
        self.current, self._close = KEYS, close

    async def renewed(self, _refused):
        await self._close()
        return True


# The write was refused and so not made, and then it was not sent.
@in_loop
async def test_a_write_is_unchanged_if_the_second_attempt_is_not_sent():
    async with contextlib.AsyncExitStack() as stack:
        closing = answer(b'{"__type":"x#ExpiredTokenException"}', 400, "Connection: close")
        upstream = await stack.enter_async_context(serving(closing))
        async with client_of(upstream.url, Closing(stack.aclose)) as client:
            error = await error_of(client, is_repeatable=False)
        assert (error.is_unchanged, len(upstream.bodies)) == (True, 1)
        assert "cannot be reached" in error.message
        # One more for the other keys, and then as often as any request that was not sent.
        assert client.retried == UPSTREAM_TRIES_MAX


# The first attempt may have been made: what the second one is told says nothing of it.
@in_loop
async def test_a_refusal_does_not_settle_what_a_lost_attempt_has_done(file):
    async with (
        serving(None, EXPIRED) as upstream,
        client_of(upstream.url, file.credentials) as client,
    ):
        error = await error_of(client, operation="TransactWriteItems")
        assert (error.fault, error.is_unchanged) == (Fault.ACCESS_DENIED, False)
        assert len(upstream.bodies) == 2
