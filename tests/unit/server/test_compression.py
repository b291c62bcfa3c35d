"""Encodings both ways: what is spoken, bounds, corrupt bodies, and what a client accepts."""

import contextlib
import gzip
import tracemalloc
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashrange.limits.server import GZIP_MEMBERS_MAX
from hashrange.server.compression import (
    BodyTooLargeError,
    CorruptBodyError,
    UnknownEncodingError,
    accepted,
    compressed,
    decoded,
)
from hashrange.wire.exchange import Response
from tests.pace import costs_at_most, turns
from tests.rows import rows
from tests.unit.server.harness import connected, decompressing, post, serving

MEGABYTE = 1_000_000

bodies = st.one_of(
    st.binary(max_size=300),
    st.builds(
        lambda byte, size: bytes([byte]) * size, st.integers(0, 255), st.integers(0, 300_000)
    ),
)


@given(bodies, st.sampled_from([b"gzip", b"deflate"]))
def test_what_is_compressed_is_decoded(body, encoding):
    assert decoded(compressed(body, encoding), encoding, bytes_max=len(body)) == body


@given(bodies, bodies, st.sampled_from([b"gzip", b"deflate"]))
def test_bound_is_inclusive(body, more, encoding):
    whole = compressed(body + more + b"x", encoding)
    with pytest.raises(BodyTooLargeError):
        decoded(whole, encoding, bytes_max=len(body + more))


@given(st.lists(bodies, min_size=1, max_size=5))
def test_members_of_gzip_follow_each_other(parts):
    members = b"".join(map(gzip.compress, parts))
    assert decoded(members, b"GZIP", bytes_max=10 * MEGABYTE) == b"".join(parts)


@given(bodies, st.sampled_from([b"gzip", b"deflate"]), st.data())
def test_cut_or_continued_bodies_are_corrupt(body, encoding, data):
    whole = compressed(body, encoding)
    cut = data.draw(st.integers(0, len(whole) - 1))
    for corrupt in (whole[:cut], whole + b"junk"):
        with pytest.raises(CorruptBodyError):
            decoded(corrupt, encoding, bytes_max=MEGABYTE)


@given(st.binary(max_size=200), st.sampled_from([b"gzip", b"deflate"]))
def test_any_bytes_are_decoded_or_corrupt(body, encoding):
    with contextlib.suppress(CorruptBodyError):
        assert len(decoded(body, encoding, bytes_max=MEGABYTE)) <= MEGABYTE


@pytest.mark.parametrize("encoding", [b"br", b"zstd", b"gzip, gzip", b"gzip,", b"compress"])
def test_other_encodings_are_not_known(encoding):
    with pytest.raises(UnknownEncodingError):
        decoded(b"", encoding, bytes_max=1)


@pytest.mark.parametrize("encoding", [b"identity", b" Identity ", b""])
def test_identity_changes_nothing(encoding):
    body = b"{}"
    assert decoded(body, encoding, bytes_max=1) is body


# Only gzip is made of members.
def test_second_stream_of_deflate_is_corrupt():
    with pytest.raises(CorruptBodyError):
        decoded(zlib.compress(b"{") + zlib.compress(b"}"), b"deflate", bytes_max=MEGABYTE)


# 100 MB of zeros in 100 kB: the bound is noticed on the way, not at the end.
@pytest.mark.parametrize("encoding", [b"gzip", b"deflate"])
def test_bomb_costs_no_more_than_the_bound(encoding):
    window = 31 if encoding == b"gzip" else 15
    compressor = zlib.compressobj(9, zlib.DEFLATED, window)
    zeros = bytes(10 * MEGABYTE)
    bomb = b"".join(compressor.compress(zeros) for _ in range(10)) + compressor.flush()
    tracemalloc.start()
    try:
        with pytest.raises(BodyTooLargeError):
            decoded(bomb, encoding, bytes_max=4 * MEGABYTE)
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak_bytes < 5 * MEGABYTE


# Each member costs more than its bytes; and the bytes after it must not be copied for each.
def test_bomb_of_members_is_corrupt_soon():
    empty = gzip.compress(b"")
    assert decoded(empty * GZIP_MEMBERS_MAX, b"gzip", bytes_max=1) == b""
    body = empty * (16 * MEGABYTE // len(empty))
    with costs_at_most(10), pytest.raises(CorruptBodyError):
        decoded(body, b"gzip", bytes_max=MEGABYTE)


ACCEPTED = {
    b"": None,
    b"identity": None,
    b"br, zstd, x-gzip": None,
    b"gzip": b"gzip",
    b"Deflate": b"deflate",
    b"gzip, deflate": b"gzip",
    b"br, identity, deflate, gzip": b"deflate",
    b"cat,, gzip ,dog": b"gzip",
    b"gzip;q=0": None,
    b"gzip ;q=0": None,
    b"gzip; q=0": None,
    b"gzip;q=0.1,deflate;q=0.2": b"deflate",
    b"gzip;q=7,deflate;q=9": b"gzip",
    b"gzip;q=0.0001": b"gzip",
    b"gzip;q=0, gzip, gzip;q=0": b"gzip",
    b"*": b"gzip",
    b"*;q=0": None,
    b"*, deflate": b"deflate",
    b"*, deflate;q=0.5": b"gzip",
    b"*, gzip;q=0.5": b"deflate",
    b"*;q=0.5, identity": b"gzip",
    b"*, gzip;q=0, deflate;q=0": None,
    # Faults of form, as the service reads them.
    b'"gzip"': None,
    b"gzip deflate": None,
    b"gzip:q=1": None,
    b"deflate;q=0.5,gzip;q=none": b"gzip",
    b"deflate;q=0.5,gzip;q=0.": b"deflate",
    b"deflate;q=-1,gzip;q=0.2": b"gzip",
    b"deflate;q=0.5,gzip;q=1;q=0.2": b"gzip",
    b"gzip;nq=0;q=1": None,
    b"gzip;q =0": b"gzip",
    b"gzip;q=nan": None,
}


# Source: measured against the service by users of another server's test suite.
@rows(("header", "encoding"), ACCEPTED.items())
def test_accepted_encoding(header, encoding):
    assert accepted(header) == encoding


async def long_or_short(request):
    size = int(request.body)
    return Response(200, b"z" * size)


@pytest.mark.parametrize(
    ("size", "headers", "encoding"),
    [
        (4096, b"Accept-Encoding: gzip\r\n", None),
        (4097, b"Accept-Encoding: gzip\r\n", "gzip"),
        (4097, b"Accept-Encoding: deflate\r\n", "deflate"),
        (4097, b"Accept-Encoding: identity\r\nAccept-Encoding: gzip\r\n", None),
        (4097, b"", None),
    ],
)
def test_long_answers_are_compressed_for_who_accepts_it(run, size, headers, encoding):
    async def main():
        async with serving(long_or_short) as server, connected(server) as client:
            client.send(post(b"%d" % size, headers=headers))
            answer = await client.answer()
            assert answer.headers.get("content-encoding") == encoding
            body = answer.body
            if encoding:
                assert len(body) < 100
                body = decoded(body, encoding.encode(), bytes_max=size)
            assert body == b"z" * size

    run(main)


def test_answers_that_are_compressed_already_stay_as_they_are(run):
    async def packed(_request):
        return Response(
            200, b"\x1f\x8b" + bytes(5000), b"image/svg+xml", ((b"Content-Encoding", b"gzip"),)
        )

    async def main():
        async with serving(packed) as server, connected(server) as client:
            client.send(post(headers=b"Accept-Encoding: gzip\r\n"))
            assert len((await client.answer()).body) == 5002

    run(main)


# The signature is over the body as it was sent, so both are needed.
def test_handler_sees_the_body_as_sent_and_decoded(run):
    seen = []

    async def keeping(request):
        sent = request.body
        if request.decompress is not None:
            assert request.decompress(request) is None
        assert request.decompress is None
        seen.append((sent, request.body))
        return Response(200, b"")

    async def main():
        async with serving(keeping) as server, connected(server) as client:
            sent = gzip.compress(b"{") + gzip.compress(b"}")
            client.send(post(sent, headers=b"Content-Encoding: gzip\r\n") + post(b"{}"))
            await client.answer()
            await client.answer()
            assert seen == [(sent, b"{}"), (b"{}", b"{}")]

    run(main)


@pytest.mark.parametrize(
    ("body", "encoding", "status"),
    [
        (b"{}", b"gzip", 400),
        (b"", b"gzip", 400),
        (b"{}", b"deflate", 400),
        (b"{}", b"br", 415),
        (gzip.compress(bytes(1001), mtime=0), b"gzip", 413),
    ],
)
def test_bodies_that_cannot_be_decoded_are_refused_one_by_one(run, body, encoding, status):
    async def never(request):
        assert request.body == b"next", "began a request that was refused"
        await turns()
        return Response(200, b"")

    async def main():
        async with (
            serving(decompressing(never), body_bytes_max=1000) as server,
            connected(server) as client,
        ):
            client.send(post(body, headers=b"Content-Encoding: %b\r\n" % encoding) + post(b"next"))
            refusal = await client.answer()
            assert refusal.status == status
            assert b"SerializationException" in refusal.body
            assert (await client.answer()).status == 200

    run(main)
