"""One connection over a real socket: order, keep-alive, half-closed and lost clients."""

import asyncio
import logging

import pytest

from hashrange.wire.exchange import Response
from tests.pace import loop_until, turns
from tests.unit.server.harness import connected, echo, post, serving


def test_connection_stays_open_between_requests(run):
    async def main():
        async with serving() as server, connected(server) as client:
            for body in (b"one", b"two"):
                client.send(post(body))
                answer = await client.answer()
                assert (answer.status, answer.body) == (200, b"POST /? " + body)
                assert answer.headers["connection"] == "keep-alive"

    run(main)


def test_answer_carries_what_the_service_sends(run):
    async def main():
        async with serving() as server, connected(server) as client:
            client.send(post())
            headers = (await client.answer()).headers
            assert headers["server"] == "Server"
            assert headers["date"] == "Thu, 01 Jan 1970 00:16:40 GMT"
            assert headers["content-type"] == "application/x-amz-json-1.0"
            await server.after(1)
            client.send(post())
            later = (await client.answer()).headers
            assert later["date"] == "Thu, 01 Jan 1970 00:16:41 GMT"
            assert later["x-amzn-requestid"] != headers["x-amzn-requestid"]

    run(main)


# Answers out of order would be given to the wrong requests: HTTP/1.1 knows no numbers.
def test_pipelined_requests_are_begun_and_answered_in_order(run):
    begun, gates = [], {}

    async def gated(request):
        begun.append(request.body)
        if request.body.startswith(b"slow"):
            gates[request.body] = asyncio.get_running_loop().create_future()
            await gates[request.body]
        return await echo(request)

    async def main():
        async with serving(gated) as server, connected(server) as client:
            client.send(b"".join(map(post, [b"fast", b"slow 1", b"fast 2", b"slow 2", b"fast 3"])))
            assert (await client.answer()).body == b"POST /? fast"
            await turns(5)
            assert begun == [b"fast", b"slow 1"]
            gates[b"slow 1"].set_result(None)
            assert (await client.answer()).body == b"POST /? slow 1"
            assert (await client.answer()).body == b"POST /? fast 2"
            await turns(5)
            assert begun[2:] == [b"fast 2", b"slow 2"]
            gates[b"slow 2"].set_result(None)
            assert [(await client.answer()).body for _ in range(2)] == [
                b"POST /? slow 2",
                b"POST /? fast 3",
            ]

    run(main)


# A client that pipelines without end must not fill the memory while a handler waits.
def test_reading_stops_while_a_handler_waits(run):
    gate = None

    async def gated(request):
        nonlocal gate
        if gate is None:
            gate = asyncio.get_running_loop().create_future()
            await gate
        return Response(200, b"")

    async def main():
        async with serving(gated) as server, connected(server) as client:
            client.send(post())
            await loop_until(lambda: gate is not None)
            requests = 2_000
            flood = post(b"x" * 16_000)
            for _ in range(requests):
                client.send(flood)
            await turns(200)
            before = server.traffic.bytes_received
            await turns(200)
            assert server.traffic.bytes_received == before < 2_000_000
            gate.set_result(None)
            for _ in range(requests + 1):
                assert (await client.answer()).status == 200

    run(main)


# Tiny requests in one read: all are answered, other connections are not kept waiting for them.
def test_flood_of_tiny_requests_lets_others_in(run):
    async def main():
        async with serving() as server, connected(server) as flooding, connected(server) as other:
            flooding.send(b"GET / HTTP/1.1\r\n\r\n" * 10_000)
            other.send(post())
            assert (await other.answer()).status == 200
            for _ in range(10_000):
                assert (await flooding.answer()).body == b"GET /? "

    run(main)


def test_exception_in_a_handler_is_a_500_and_the_connection_survives(run, caplog):
    async def failing(request):
        if request.body == b"at once":
            raise KeyError("text that must not reach the client")
        await turns()
        raise asyncio.CancelledError

    async def main():
        async with serving(failing) as server, connected(server) as client:
            for body in (b"at once", b"later"):
                client.send(post(body))
                answer = await client.answer()
                assert answer.status == 500
                assert answer.body == (
                    b'{"__type":"com.amazonaws.dynamodb.v20120810#InternalServerError",'
                    b'"message":"The request processing has failed because of an unknown error, '
                    b'exception or failure."}'
                )

    run(main)
    assert [record.levelno for record in caplog.records] == [logging.ERROR] * 2


def test_handler_may_await_many_times(run):
    async def patient(request):
        loop = asyncio.get_running_loop()
        for _ in range(3):
            await turns()
            soon = loop.create_future()
            loop.call_soon(soon.set_result, None)
            await soon
        failing = loop.create_future()
        loop.call_soon(failing.set_exception, ValueError())
        try:
            await failing
        except ValueError:
            return Response(200, b"caught")

    async def main():
        async with serving(patient) as server, connected(server) as client:
            client.send(post())
            assert (await client.answer()).body == b"caught"

    run(main)


# nc and shell scripts end their sending as soon as the request is out.
# More than one piece: the end of the bytes must not overtake them.
@pytest.mark.parametrize("count", [2, 2_000])
@pytest.mark.parametrize("suspends", [False, True])
def test_half_closed_client_gets_its_answers(run, suspends, count):
    async def handler(request):
        if suspends:
            await turns()
        return await echo(request)

    async def main():
        async with serving(handler) as server, connected(server) as client:
            bodies = [b"%d" % number for number in range(count)]
            client.send(b"".join(map(post, bodies)))
            client.end()
            answers = await client.answers()
            assert [answer.body for answer in answers] == [b"POST /? " + body for body in bodies]
            await loop_until(lambda: server.traffic.connections_closed == 1)

    run(main)


def test_half_closed_client_with_half_a_request_is_closed(run):
    async def main():
        async with serving() as server, connected(server) as client:
            client.send(post(b"1") + post(b"22")[:-1])
            client.end()
            assert [answer.body for answer in await client.answers()] == [b"POST /? 1"]

    run(main)


# What a handler writes must not be undone because its client went away.
def test_handler_runs_to_its_end_when_the_client_is_lost(run):
    gate = ended = None

    async def writing(_request):
        nonlocal gate, ended
        gate = asyncio.get_running_loop().create_future()
        await gate
        ended = True
        return Response(200, b"")

    async def main():
        async with serving(writing) as server:
            async with connected(server) as client:
                client.send(post() + post())
                await loop_until(lambda: gate is not None)
                client.reset()
                await loop_until(lambda: server.traffic.connections_closed == 1)
            first = gate
            first.set_result(None)
            await turns(5)
            assert ended
            assert gate is first, "the second request was begun for nobody"
            async with connected(server) as client:
                client.send(b"GET / HTTP/1.1\r\n\r\n")
                await loop_until(lambda: gate is not first)
                gate.set_result(None)
                assert (await client.answer()).status == 200

    run(main)


@pytest.mark.parametrize(
    ("request_bytes", "connection"),
    [
        (b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n", "close"),
        (b"GET / HTTP/1.0\r\n\r\n", "close"),
        (b"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", "keep-alive"),
        (b"GET / HTTP/1.1\r\n\r\n", "keep-alive"),
    ],
)
def test_connection_header_says_what_happens(run, request_bytes, connection):
    async def main():
        async with serving() as server, connected(server) as client:
            client.send(request_bytes)
            assert (await client.answer()).headers["connection"] == connection
            if connection == "close":
                assert await client.answer() is None
            else:
                client.send(request_bytes)
                assert (await client.answer()).status == 200

    run(main)


def test_only_the_last_answer_says_close(run):
    async def main():
        async with serving() as server, connected(server) as client:
            closing = b"GET /2 HTTP/1.1\r\nConnection: close\r\n\r\n"
            client.send(post() + closing + b"GET /3 is never looked at")
            answers = await client.answers()
            assert [answer.headers["connection"] for answer in answers] == ["keep-alive", "close"]
            assert answers[-1].body == b"GET /2? "

    run(main)


def test_head_has_the_headers_of_a_body_and_none(run):
    async def main():
        async with serving() as server, connected(server) as client:
            client.send(b"HEAD /a HTTP/1.1\r\n\r\n" + post(b"next"))
            answer = await client.answer(method=b"HEAD")
            assert answer.headers["content-length"] == str(len(b"HEAD /a? "))
            assert (await client.answer()).body == b"POST /? next"

    run(main)


def test_continue_is_sent_to_who_waits_for_it(run):
    async def main():
        async with serving() as server, connected(server) as client:
            expecting = post(b"body", headers=b"Expect: 100-continue\r\n")
            client.send(expecting[:-4])
            assert (await client.answer()).status == 100
            client.send(b"body")
            assert (await client.answer()).body == b"POST /? body"

    run(main)


# The 100 would be taken for the answer to the request before.
def test_continue_waits_for_the_answers_before_it(run):
    gate = None

    async def gated(request):
        nonlocal gate
        if gate is None:
            gate = asyncio.get_running_loop().create_future()
            await gate
        return await echo(request)

    async def main():
        async with serving(gated) as server, connected(server) as client:
            client.send(post(b"1") + post(b"22", headers=b"Expect: 100-continue\r\n")[:-2])
            await loop_until(lambda: gate is not None)
            gate.set_result(None)
            assert (await client.answer()).body == b"POST /? 1"
            assert (await client.answer()).status == 100
            client.send(b"22")
            assert (await client.answer()).body == b"POST /? 22"

    run(main)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        (b"Expect: 100-continue\r\nContent-Length: 16777217\r\n", 413),
        (b"Expect: the-unexpected\r\nContent-Length: 1\r\n", 417),
    ],
)
def test_unacceptable_expectation_is_refused_instead_of_continued(run, headers, status):
    async def main():
        async with serving() as server, connected(server) as client:
            client.send(b"POST / HTTP/1.1\r\n" + headers + b"\r\n")
            assert [answer.status for answer in await client.answers()] == [status]

    run(main)


def test_origin_of_a_browser_may_read_the_answer(run):
    async def main():
        async with serving() as server, connected(server) as client:
            client.send(post(headers=b"Origin: http://localhost\r\n") + post())
            headers = (await client.answer()).headers
            assert headers["access-control-allow-origin"] == "*"
            assert "x-amzn-RequestId" in headers["access-control-expose-headers"]
            assert "access-control-allow-origin" not in (await client.answer()).headers

    run(main)


def test_traffic_is_counted(run):
    async def main():
        async with serving() as server:
            async with connected(server) as client:
                client.send(post(b"123"))
                answer = await client.answer()
                assert server.traffic.bytes_received == len(post(b"123"))
                assert server.traffic.bytes_sent > len(answer.body)
            async with connected(server) as client:
                client.send(b"garbage\r\n\r\n")
                await client.answers()
            traffic = server.traffic
            await loop_until(lambda: traffic.connections_closed == 2)
            assert (traffic.connections_opened, traffic.connections_closed) == (2, 2)
            assert (traffic.requests_refused, traffic.connections_refused) == (1, 0)

    run(main)


# No body makes a request right whose head is refused: it is answered before its body has come.
def test_a_body_of_no_use_is_not_received(run):
    seen = []

    async def refuse(request):
        seen.append(request.body)
        await turns()
        return Response(403, b"refused")

    def is_refused_early(request):
        return b"x-good" not in request.headers

    async def main():
        async with (
            serving(refuse, is_refused_early=is_refused_early) as server,
            connected(server) as bad,
            connected(server) as waiting,
            connected(server) as good,
        ):
            head, body = post(b"x" * 1000)[:-1000], b"x" * 1000
            bad.send(head + body[:10])
            waiting.send(head.replace(b"\r\n\r\n", b"\r\nExpect: 100-continue\r\n\r\n"))
            for client in (bad, waiting):
                [answer] = await client.answers()
                assert (answer.status, answer.headers["connection"]) == (403, "close")
            good.send(head.replace(b"\r\n\r\n", b"\r\nX-Good: 1\r\n\r\n") + body[:10])
            await turns(5)
            good.send(body[10:])
            assert (await good.answer()).headers["connection"] == "keep-alive"
            assert seen == [b"", b"", body]

    run(main)
