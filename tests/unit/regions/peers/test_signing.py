"""Signatures of calls between servers."""

import pytest

from hashrange.regions.peers import signing

SECRET = "s" * 32
NOW_MS = 1_800_000_000_000
CALL = signing.Call("b.example:8000", "us-east-1", "eu-west-1", "changes")


def received(headers, **changed):
    found = {name.lower().encode(): value.encode() for name, value in headers.items()}
    return {**found, **{name.replace("_", "-").encode(): text for name, text in changed.items()}}


def sent(body=b"body", secret=SECRET):
    return signing.headers_of(CALL, body, secret, NOW_MS)


def test_a_signed_call_is_accepted():
    headers = received(sent())
    assert signing.refusal(headers, b"body", SECRET, NOW_MS + signing.WINDOW_MS) is None
    assert signing.call_of(headers) == CALL


@pytest.mark.parametrize(
    "changed",
    [
        {"x_hashrange_verb": b"copied"},
        {"x_hashrange_from": b"ap-south-1"},
        {"x_hashrange_to": b"ap-south-1"},
        {"host": b"c.example"},
        {"x_amz_date": b"20270115T080001Z"},
        {"authorization": b"AWS4-HMAC-SHA256 \xff"},
        {"authorization": b""},
    ],
)
def test_a_changed_head_is_refused(changed):
    headers = received(sent(), **changed)
    text = "the signature is not made with the key of this server"
    assert signing.refusal(headers, b"body", SECRET, NOW_MS) == text


def test_a_changed_body_and_another_key_are_refused():
    text = "the signature is not made with the key of this server"
    assert signing.refusal(received(sent()), b"other", SECRET, NOW_MS) == text
    assert signing.refusal(received(sent(secret="t" * 32)), b"body", SECRET, NOW_MS) == text


@pytest.mark.parametrize("date", [b"", b"now", b"20261301T000000Z", b"\xff\xfe"])
def test_a_call_without_a_time_is_refused(date):
    headers = received(sent(), x_amz_date=date)
    assert signing.refusal(headers, b"body", SECRET, NOW_MS) == "the call is not signed"


@pytest.mark.parametrize("off_ms", [-1, 1])
def test_an_old_or_future_call_is_refused(off_ms):
    now_ms = NOW_MS + off_ms * (signing.WINDOW_MS + 1)
    text = "the clocks of the servers differ by more than five minutes"
    assert signing.refusal(received(sent()), b"body", SECRET, now_ms) == text


def test_proofs_are_of_the_call_and_the_answer():
    one = signing.proof("a", b"answer", SECRET)
    others = [
        signing.proof("b", b"answer", SECRET),
        signing.proof("a", b"other", SECRET),
        signing.proof("a", b"answer", "t" * 32),
    ]
    assert one not in others
