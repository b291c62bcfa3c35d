"""The state machine alone: every way to cut the bytes, every limit, every odd request."""

import tracemalloc

import pytest
from httptools import HttpParserCallbackError
from hypothesis import given
from hypothesis import strategies as st

from hashrange.server import responses
from hashrange.server.http_limits import HttpLimits
from hashrange.server.reader import RequestReader
from hashrange.wire.exchange import Request
from tests.unit.server.harness import cut, post, read

SMALL = HttpLimits(request_line_bytes_max=100, headers_bytes_max=120, body_bytes_max=50)

CHUNKED = (
    b"POST /c HTTP/1.1\r\nTransfer-Encoding: chunked\r\nX: y\r\n\r\n"
    b"3;extension=1\r\nabc\r\n2\r\nde\r\n0\r\nX: trailer\r\nContent-Encoding: gzip\r\n\r\n"
)
UPGRADE = (
    b"POST /u HTTP/1.1\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
    b"HTTP2-Settings: AAMAAABkAAQAAP__\r\nContent-Length: 4\r\n\r\nbody"
)
SCRIPT = b"".join(
    [
        b"GET /first?a=b HTTP/1.1\r\nHost: h\r\nAccept: a\r\nACCEPT: b\r\n\r\n",
        b"\r\n\r\n",
        post(b'{"TableName":"T"}', headers=b"X-Amz-Target: DynamoDB_20120810.GetItem\r\n"),
        CHUNKED,
        UPGRADE,
        b"OPTIONS * HTTP/1.1\r\n\r\n",
        b"GET http://host:8000/absolute?q HTTP/1.1\r\nEmpty:\r\n\r\n",
        b"POST / HTTP/1.1\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx",
        b"what follows is not looked at",
    ]
)


def test_requests_are_read_as_they_were_meant():
    requests, reader = read([SCRIPT])
    assert requests == [
        Request(b"GET", b"/first", b"a=b", {b"host": b"h", b"accept": b"a,b"}, b""),
        Request(
            b"POST",
            b"/",
            b"",
            {
                b"host": b"h",
                b"x-amz-target": b"DynamoDB_20120810.GetItem",
                b"content-length": b"17",
            },
            b'{"TableName":"T"}',
        ),
        Request(b"POST", b"/c", b"", {b"transfer-encoding": b"chunked", b"x": b"y"}, b"abcde"),
        Request(
            b"POST",
            b"/u",
            b"",
            {b"http2-settings": b"AAMAAABkAAQAAP__", b"content-length": b"4"},
            b"body",
        ),
        Request(b"OPTIONS", b"*", b"", {}, b""),
        Request(b"GET", b"/absolute", b"q", {b"empty": b""}, b""),
        Request(b"POST", b"/", b"", {b"connection": b"close", b"content-length": b"1"}, b"x"),
    ]
    assert not reader.is_open
    assert reader.refusal is None


# Each request comes when its last byte has come, and not before.
@pytest.mark.parametrize("step", [1, 2, 3, 7])
def test_any_pieces_make_the_same_requests(step):
    pieces = [SCRIPT[at : at + step] for at in range(0, len(SCRIPT), step)]
    assert read(pieces)[0] == read([SCRIPT])[0]


@given(st.lists(st.integers(0, len(SCRIPT)), max_size=12))
def test_any_cuts_make_the_same_requests(positions):
    assert read(cut(SCRIPT, positions))[0] == read([SCRIPT])[0]


def test_request_is_whole_with_its_last_byte_only():
    for whole in (post(b"body"), CHUNKED, UPGRADE, b"GET / HTTP/1.1\r\n\r\n"):
        requests, reader = read([whole[:-1]])
        assert requests == []
        assert reader.receiving
        assert len(read([whole])[0]) == 1
        assert not read([whole])[1].receiving


REFUSED = {
    "no HTTP": (b"garbage\r\n\r\n", responses.MALFORMED),
    "TLS on a plain port": (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", responses.MALFORMED),
    "HTTP/2 without asking": (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", responses.MALFORMED),
    "two lengths": (
        b"POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        responses.MALFORMED,
    ),
    "length and chunks": (
        b"POST / HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        responses.MALFORMED,
    ),
    "chunks not last": (
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked, gzip\r\n\r\n",
        responses.MALFORMED,
    ),
    "another encoding of the transfer": (
        b"POST / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        responses.UNKNOWN_TRANSFER_ENCODING,
    ),
    "no chunk size": (
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
        responses.MALFORMED,
    ),
    "space in a name": (b"GET / HTTP/1.1\r\na : b\r\n\r\n", responses.MALFORMED),
    "a folded header": (b"GET / HTTP/1.1\r\na: b\r\n c\r\n\r\n", responses.MALFORMED),
    "a bare line feed": (b"GET / HTTP/1.1\na: b\n\n", responses.MALFORMED),
    "a tunnel": (b"CONNECT host:443 HTTP/1.1\r\n\r\n", responses.UNKNOWN_OPERATION),
    "a long target": (
        b"GET /" + b"x" * 100 + b" HTTP/1.1\r\n\r\n",
        responses.request_line_too_long(SMALL),
    ),
    "a long target without end": (b"GET /" + b"x" * 5000, responses.request_line_too_long(SMALL)),
    "a long header": (
        b"GET / HTTP/1.1\r\na: " + b"x" * 116 + b"\r\n\r\n",
        responses.headers_too_large(SMALL),
    ),
    "many headers": (
        b"GET / HTTP/1.1\r\n" + b"".join(b"h%d: x\r\n" % n for n in range(20)) + b"\r\n",
        responses.headers_too_large(SMALL),
    ),
    "a header without end": (
        b"GET / HTTP/1.1\r\na: " + b"x" * 5000,
        responses.headers_too_large(SMALL),
    ),
    "a length beyond": (b"POST / HTTP/1.1\r\nContent-Length: 51\r\n\r\n", responses.BODY_TOO_LARGE),
    "chunks beyond": (
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" + b"a\r\n0123456789\r\n" * 6,
        responses.BODY_TOO_LARGE,
    ),
    "a trailer without end": (
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\na: " + b"x" * 5000,
        responses.headers_too_large(SMALL),
    ),
    "a chunk extension without end": (
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1;" + b"x" * 5000,
        responses.headers_too_large(SMALL),
    ),
}


@pytest.mark.parametrize("step", [1, 11, 10_000])
@pytest.mark.parametrize(("data", "refusal"), REFUSED.values(), ids=REFUSED)
def test_refusals_do_not_depend_on_the_pieces(data, refusal, step):
    data = post(b"before") + data
    requests, reader = read([data[at : at + step] for at in range(0, len(data), step)], SMALL)
    assert [request.body for request in requests] == [b"before"]
    assert not reader.is_open
    assert reader.refusal == refusal


ALLOWED = {
    "line": b"GET /%b HTTP/1.1\r\n\r\n" % (b"x" * (100 - len(b"GET / HTTP/1.1\r\n"))),
    "headers": b"GET / HTTP/1.1\r\na: %b\r\n\r\n" % (b"x" * 115),
    "body": b"POST / HTTP/1.1\r\nContent-Length: 50\r\n\r\n" + b"x" * 50,
    "chunks": b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
    + b"19\r\n%b\r\n" % (b"x" * 25) * 2
    + b"0\r\n\r\n",
}


# Limits are inclusive.
@pytest.mark.parametrize("step", [1, 11, 10_000])
@pytest.mark.parametrize("data", ALLOWED.values(), ids=ALLOWED)
def test_limits_are_inclusive(data, step):
    data *= 3
    requests, reader = read([data[at : at + step] for at in range(0, len(data), step)], SMALL)
    assert len(requests) == 3
    assert reader.is_open


# Chunks are added up at the end of a piece, or of the request if that comes first.
@pytest.mark.parametrize("end", [b"0\r\n\r\n", b"0\r\n\r\n" + post(b"next"), b""])
def test_chunks_beyond_the_limit_in_one_piece(end):
    head = b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
    limits = HttpLimits(body_bytes_max=50)
    requests, reader = read([head + b"19\r\n%b\r\n" % (b"x" * 25) * 3 + end], limits)
    assert requests == []
    assert reader.refusal == responses.BODY_TOO_LARGE


def test_chunk_framing_is_not_counted_as_a_trailer():
    tiny = b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" + b"1\r\nx\r\n" * 20_000
    requests, _ = read([tiny + b"0\r\n\r\n"])
    assert requests[0].body == b"x" * 20_000


# The parser takes any number of zeros, which Python's numbers do not.
@pytest.mark.parametrize("zeros", [1, 10, 5_000, 15_000])
def test_zeros_before_a_length(zeros):
    start = b"POST / HTTP/1.1\r\nContent-Length: " + b"0" * zeros
    for length, body in ((b"4", b"body"), (b"", b"")):
        requests, reader = read([start + length + b"\r\n\r\n" + body])
        assert [request.body for request in requests] == [body]
        assert reader.is_open
    assert read([start + b"16777217\r\n\r\n"])[1].refusal == responses.BODY_TOO_LARGE


# A sender of endless headers or trailers costs its read buffers, not what it has sent.
@pytest.mark.parametrize(
    "start",
    [
        b"GET /",
        b"GET / HTTP/1.1\r\na: ",
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\na: ",
        b"POST / HTTP/1.1\r\nContent-Length: 16777217\r\n\r\n",
    ],
)
def test_endless_senders_cost_no_memory(start):
    reader = RequestReader(HttpLimits())
    piece = b"x" * 250_000
    tracemalloc.start()
    try:
        reader.feed(start)
        for _ in range(80):
            reader.feed(piece)
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert not reader.is_open
    assert peak_bytes < 1_000_000


# 18 bytes of request become 500 of objects: a full read buffer must not become all of them at once.
def test_pipelined_requests_stay_bytes_until_they_are_due():
    reader = RequestReader(HttpLimits())
    reader.feed(b"GET / HTTP/1.1\r\n\r\n" * 14_000)
    assert 0 < len(reader.requests) < 1_000
    assert reader.unread
    taken = 0
    while reader.requests:
        taken += len(reader.requests)
        reader.requests.clear()
        reader.feed(b"")
    assert taken == 14_000
    assert not reader.unread


def test_only_the_first_accept_encoding_counts():
    data = b"GET / HTTP/1.1\r\nAccept-Encoding: identity\r\naccept-encoding: gzip\r\n\r\n"
    assert read([data])[0][0].headers == {b"accept-encoding": b"identity"}


@pytest.mark.parametrize(
    ("target", "path", "query"),
    [
        (b"/a%20b/?x=%2F&y", b"/a%20b/", b"x=%2F&y"),
        (b"/?", b"/", b""),
        (b"/a?b?c", b"/a", b"b?c"),
        (b"http://h", b"/", b""),
        (b"http://h?x=/", b"/", b"x=/"),
        (b"HTTPS://h:1/", b"/", b""),
        (b"/http://h/", b"/http://h/", b""),
    ],
)
def test_targets_in_all_forms(target, path, query):
    [request] = read([b"GET " + target + b" HTTP/1.1\r\n\r\n"])[0]
    assert (request.path, request.query) == (path, query)


@pytest.mark.parametrize("protocol", [b"h2c", b"websocket", b"TLS/1.0"])
def test_upgrade_that_nobody_offered_is_ignored(protocol):
    data = (
        b"POST / HTTP/1.1\r\nConnection: keep-alive, Upgrade, close\r\nUpgrade: %b\r\n"
        b"Transfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n" % protocol
    )
    requests, reader = read([data])
    assert [request.body for request in requests] == [b"body"]
    assert not reader.is_open, "it asked to close, too"
    assert reader.refusal is None


# The body of an upgrade that is refused would otherwise be taken for the next request.
def test_upgrades_one_after_the_other_leave_nothing_behind():
    smuggling = UPGRADE.replace(
        b"Length: 4\r\n\r\nbody", b"Length: 18\r\n\r\nGET / HTTP/1.1\r\n\r\n"
    )
    requests, reader = read([smuggling * 200 + post(b"last")])
    assert len(requests) == 201
    assert requests[-1].body == b"last"
    assert reader.is_open


def test_continue_is_owed_while_the_body_is():
    expecting = post(b"body", headers=b"Expect: 100-Continue\r\n")
    reader = RequestReader(HttpLimits())
    reader.feed(expecting[:-4])
    assert reader.continue_owed
    reader.feed(b"body")
    assert not reader.continue_owed
    old = RequestReader(HttpLimits())
    old.feed(expecting.replace(b"1.1", b"1.0")[:-4])
    assert not old.continue_owed


# It must be seen in the log, and not be told to the client as its own fault.
def test_defect_in_a_callback_is_no_refusal():
    reader = RequestReader(HttpLimits())
    reader.requests = None
    with pytest.raises(HttpParserCallbackError):
        reader.feed(post())
    assert reader.refusal is None


def test_finishing_lets_the_begun_request_come():
    reader = RequestReader(HttpLimits())
    reader.feed(post(b"body")[:-1])
    reader.finish(with_next=False)
    assert reader.is_open
    reader.feed(b"y" + post(b"next"))
    assert [request.body for request in reader.requests] == [b"body"[:-1] + b"y"]
    assert not reader.is_open
    idle = RequestReader(HttpLimits())
    idle.finish(with_next=False)
    assert not idle.is_open
    used = RequestReader(HttpLimits())
    used.finish(with_next=True)
    used.feed(post(b"last") + post(b"next"))
    assert [request.body for request in used.requests] == [b"last"]
    assert not used.is_open
