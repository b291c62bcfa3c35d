"""`python -m bench.tls`: the CPU time of requests over HTTPS, beside that over HTTP.

The same requests over connections that stay open, on servers in memory; the CPU time is that of the
server. Rounds of both alternate, and the least of each counts, since other work only adds.
"""

import contextlib
import http.client
import json
import re
import ssl
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import click

from bench import rows
from bench.asking import Answer, encoded, headers, target_header
from bench.client import Load, run_own
from bench.server import cpu_seconds

MEASURED: Final = (rows.GET, rows.PUT)
_LISTENS: Final = re.compile(r"listens on https?://127\.0\.0\.1:(\d+)")
_ROUNDS: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """A server that answers; `context` if over HTTPS."""

    pid: int
    port: int
    context: ssl.SSLContext | None

    def ask(self, target: str, body: Answer) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        if self.context is not None:
            connection = http.client.HTTPSConnection(
                "127.0.0.1", self.port, timeout=30, context=self.context
            )
        with contextlib.closing(connection):
            sent = {**headers(), "X-Amz-Target": target_header(target)}
            connection.request("POST", "/", encoded(body), sent)
            answer = connection.getresponse()
            text = answer.read()
            assert answer.status == http.HTTPStatus.OK, text
            return json.loads(text)


@contextlib.contextmanager
def served(folder: Path, *, over_tls: bool) -> Iterator[Served]:
    """A server in memory, with files in the folder if over HTTPS."""
    command = [sys.executable, "-m", "hashrange", "serve", "--port", "0", "--memory"]
    command += ["--log-level", "error"]
    files = (folder / "cert.pem", folder / "key.pem")
    if over_tls:
        command += ["--tls", "self-signed", f"--tls-cert={files[0]}", f"--tls-key={files[1]}"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            found = _LISTENS.search(process.stdout.readline())
            assert found is not None, "the server did not start"
            context = ssl.create_default_context(cafile=files[0]) if over_tls else None
            yield Served(pid=process.pid, port=int(found[1]), context=context)
        finally:
            process.terminate()


def _cpu_us(served: Served, row: rows.Row, seconds: float, connections: int) -> float:
    """CPU time of the server per request."""
    before = cpu_seconds(served.pid)
    load = Load(
        port=served.port,
        requests=rows.requests(row),
        seconds=seconds,
        connections=connections,
        ssl=served.context,
    )
    answered = run_own(load)
    after = cpu_seconds(served.pid)
    assert before is not None, "there is no /proc"
    assert after is not None, "there is no /proc"
    assert not answered.failed, "requests failed: the figures say nothing"
    return (after - before) * 1e6 / answered.requests


@click.command()
@click.option("--seconds", default=5.0, show_default=True, help="Load of each round.")
@click.option("--connections", default=32, show_default=True)
def main(seconds: float, connections: int) -> None:
    """Print the CPU time of requests over HTTP and HTTPS, and their ratio."""
    click.echo("row                 HTTP µs  HTTPS µs   ratio")
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        both = [
            stack.enter_context(served(Path(folder), over_tls=over_tls))
            for over_tls in (False, True)
        ]
        for each in both:
            rows.prepare(each.ask)
        for row in MEASURED:
            rounds = [
                [_cpu_us(each, row, seconds, connections) for each in both] for _ in range(_ROUNDS)
            ]
            plain, tls = (min(each) for each in zip(*rounds, strict=True))
            click.echo(f"{row.name:18}{plain:>9.1f}{tls:>10.1f}{tls / plain:>8.2f}")


if __name__ == "__main__":
    main()
