"""TLS: files that cannot be used, handshakes that do not come to their end, other certificates."""

import asyncio
import contextlib
import ssl
import stat
from pathlib import Path

import pytest
from cryptography import x509

from hashrange.clock import SystemClock
from hashrange.server.certificates import ensure
from hashrange.server.tls import TlsError, context_of
from tests.pace import loop_until, turns
from tests.unit.server.harness import connected, post, serving

CLIENT = Path(__file__).with_name("localhost.pem")
NOW_MS = SystemClock().now_ms()


def made(directory, *names):
    files = (directory / "made" / "cert.pem", directory / "made" / "key.pem")
    ensure(*files, names, NOW_MS)
    return files


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return made(tmp_path_factory.mktemp("tls"))


def client_context(certificate):
    return ssl.create_default_context(cafile=certificate)


def test_certificate_is_for_this_machine_and_its_names(tmp_path):
    certificate, key = made(tmp_path, "db.example", "*.internal", "10.1.2.3", "localhost")
    found = x509.load_pem_x509_certificate(certificate.read_bytes())
    names = found.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    dns = names.get_values_for_type(x509.DNSName)
    assert {"localhost", "db.example", "*.internal"} < set(dns)
    assert len(dns) == len(set(dns))
    addresses = [str(each) for each in names.get_values_for_type(x509.IPAddress)]
    assert addresses == ["127.0.0.1", "::1", "10.1.2.3"]
    assert found.not_valid_before_utc.timestamp() * 1000 < NOW_MS
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    before = certificate.read_bytes()
    ensure(certificate, key, (), NOW_MS)
    assert certificate.read_bytes() == before


def test_one_file_alone_is_not_replaced(tmp_path):
    certificate, key = made(tmp_path)
    certificate.unlink()
    with pytest.raises(TlsError, match=r"key\.pem exists without the other file"):
        ensure(certificate, key, (), NOW_MS)


# The command must work as it stands: the server itself is not on the package index.
def test_missing_package_is_named(tmp_path, without):
    without("cryptography")
    with pytest.raises(TlsError, match=r"python -m pip install cryptography$"):
        made(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_files_that_cannot_be_used(files, tmp_path):
    certificate, key = files
    empty = tmp_path / "empty.pem"
    empty.write_bytes(b"")
    (tmp_path / "other").mkdir()
    _, other_key = made(tmp_path / "other")
    for arguments, text in [
        ((tmp_path / "none", key), "none: No such file"),
        ((certificate, tmp_path), "Is a directory"),
        ((certificate, empty), "are not a certificate and its key"),
        ((certificate, other_key), "are not a certificate and its key"),
        ((certificate, key, empty), "has no certificates"),
        ((certificate, key, tmp_path / "none"), "none: No such file"),
    ]:
        with pytest.raises(TlsError, match=text):
            context_of(*arguments)


def test_old_versions_are_refused(files):
    assert context_of(*files).minimum_version is ssl.TLSVersion.TLSv1_2


def test_plain_http_is_answered_and_ended(run, files):
    async def main():
        async with serving(ssl=context_of(*files)) as server:
            reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
            writer.write(post(b"x" * 100_000))
            answer = await reader.read()
            assert answer.startswith(b"HTTP/1.1 400 Bad Request\r\n")
            assert b"https://" in answer
            writer.close()
            for data in (b"\0", b"\x16\x03\x01garbage" * 100):
                reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
                writer.write(data)
                with contextlib.suppress(ConnectionError):
                    await reader.read()
                writer.close()
            reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
            writer.write_eof()
            assert await reader.read() == b""
            writer.close()
            await answered(server, files)

    run(main)


# Records come in pieces, and several at once; all of them are read.
@pytest.mark.parametrize("piece_bytes", [7, 40_000])
def test_records_in_pieces(run, files, piece_bytes):
    body = bytes(range(256)) * (8 if piece_bytes < 100 else 400)
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    context = client_context(files[0])
    client = context.wrap_bio(incoming, outgoing, server_hostname="localhost")

    async def main():
        async with serving(ssl=context_of(*files)) as server:
            reader, writer = await asyncio.open_connection("127.0.0.1", server.port)

            async def exchange(step):
                while True:
                    try:
                        return step()
                    except ssl.SSLWantReadError:
                        writer.write(outgoing.read())
                        incoming.write(await reader.read(10_000))

            await exchange(client.do_handshake)
            client.write(post(body) + post(b"the last"))
            sent = outgoing.read()
            for first in range(0, len(sent), piece_bytes):
                writer.write(sent[first : first + piece_bytes])
                await turns()
            answers = b""
            while not answers.endswith(b"the last"):
                answers += await exchange(lambda: client.read(100_000))
            assert body in answers
            writer.close()

    run(main)


async def answered(server, files):
    async with connected(server, ssl=client_context(files[0])) as client:
        client.send(post(b"data"))
        assert (await client.answer()).body.endswith(b"data")


# It is counted nowhere else, and the system has but so many descriptors.
def test_silent_client_is_closed(run, files):
    async def main():
        async with serving(ssl=context_of(*files), handshake_seconds_max=0.05) as server:
            for first in (b"", b"\x16", b"\x16\x03\x01"):
                reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
                writer.write(first)
                assert await reader.read() == b""
                writer.close()

    run(main)


def test_oldest_handshake_gives_way(run, files):
    async def main():
        async with serving(ssl=context_of(*files), handshakes_max=2) as server:
            silent = [await asyncio.open_connection("127.0.0.1", server.port) for _ in range(3)]
            for _, writer in silent:
                writer.write(b"\x16")
            assert await silent[0][0].read() == b""
            await answered(server, files)
            assert not silent[2][0].at_eof()
            for _, writer in silent:
                writer.close()

    run(main)


def test_new_connections_get_the_new_certificate(run, files, tmp_path):
    others = made(tmp_path)

    async def main():
        async with (
            serving(ssl=context_of(*files)) as server,
            connected(server, ssl=client_context(files[0])) as client,
        ):
            client.send(post(b"1"))
            await client.answer()
            server.listener.renew(context_of(*others))
            await answered(server, others)
            with pytest.raises(ssl.SSLCertVerificationError):
                await answered(server, files)
            client.send(post(b"2"))
            assert (await client.answer()).body.endswith(b"2")

    run(main)


def test_client_certificates(run, files):
    async def main():
        async with serving(ssl=context_of(*files, CLIENT)) as server:
            context = client_context(files[0])
            async with connected(server, ssl=context) as client:
                client.send(post(b"1"))
                # With TLS 1.3 a client learns of its refusal only when it reads.
                with contextlib.suppress(ssl.SSLError, ConnectionError):
                    assert await client.reader.read(1) == b""
            context.load_cert_chain(CLIENT)
            async with connected(server, ssl=context) as client:
                client.send(post(b"2"))
                assert (await client.answer()).status == 200

    run(main)


# An idle client does not answer the end of a TLS connection: the server does not wait for it.
def test_idle_client_does_not_hold_up_the_end(run, files):
    async def main():
        async with serving(ssl=context_of(*files)) as server:
            reader, writer = await asyncio.open_connection(
                "127.0.0.1", server.port, ssl=client_context(files[0])
            )
            writer.write(post(b"1"))
            await reader.readuntil(b"\r\n\r\n")
            writer.transport.pause_reading()
            stopping = asyncio.ensure_future(server.listener.stop(drain_seconds=0.1))
            await turns()
            await server.after(2)
            await loop_until(stopping.done)
            writer.transport.abort()

    run(main)
