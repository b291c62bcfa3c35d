"""`hashrange healthcheck`, as a container's health check runs it."""

import contextlib
import http.server
import re
import socket
import threading

import pytest

from tests.ports import free_port
from tests.unit.processes import run, serving


def test_server_that_answers_is_ready():
    with serving("--memory") as (_, printed):
        url = re.search(r"listens on (\S+)", printed)[1]
        answers = [
            run("healthcheck", "--endpoint", url),
            run("healthcheck", "--endpoint", url + "/"),
            # As in a container: what the server was told, it is told too.
            run("healthcheck", HASHRANGE_PORT=url.rpartition(":")[2], HASHRANGE_HOST="0.0.0.0"),
            # No proxy of the environment stands between the two.
            run("healthcheck", "--endpoint", url, http_proxy="http://203.0.113.1:1"),
        ]
    for answer in answers:
        assert answer.returncode == 0, answer.stderr
        assert answer.stdout.endswith(" is ready\n")


def test_settings_file_names_the_server(tmp_path):
    with serving("--memory") as (_, printed):
        port = re.search(r"listens on http://127\.0\.0\.1:(\d+)", printed)[1]
        (tmp_path / "settings.toml").write_text(f"port = {port}")
        answer = run("healthcheck", "--config", str(tmp_path / "settings.toml"))
    assert answer.returncode == 0, answer.stderr


@contextlib.contextmanager
def answering(status):
    """Another server, which answers every GET with a status."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(status)
            self.end_headers()

        def log_message(self, *_):
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


def test_server_that_is_not_ready_fails():
    with answering(503) as url:
        answer = run("healthcheck", "--endpoint", url)
    assert (answer.returncode, answer.stdout) == (1, "")
    assert answer.stderr == f"hashrange: {url} is not ready: it answers 503\n"


def test_nobody_answers():
    url = f"http://127.0.0.1:{free_port()}"
    answer = run("healthcheck", "--endpoint", url)
    assert answer.returncode == 1
    assert answer.stderr == f"hashrange: {url} does not answer: Connection refused\n"


# A process that hangs still accepts connections.
def test_server_that_hangs_fails():
    with socket.create_server(("127.0.0.1", 0)) as hanging:
        url = f"http://127.0.0.1:{hanging.getsockname()[1]}"
        answer = run("healthcheck", "--endpoint", url, "--timeout-seconds", "0.1")
    assert answer.returncode == 1
    assert answer.stderr.startswith(f"hashrange: {url} does not answer: ")
    assert answer.stderr.count("\n") == 1


@pytest.mark.parametrize("url", ["127.0.0.1:8000", "ftp://localhost", "http://", "http://h:port"])
def test_url_that_is_none_ends_in_one_line(url):
    answer = run("healthcheck", "--endpoint", url)
    assert answer.returncode in {1, 2}
    assert answer.stderr.count("\n") == 1
    assert url in answer.stderr


# One address for all commands: without settings of a server it is that of the SDKs.
def test_the_endpoint_of_the_sdks_is_the_default():
    with serving("--memory") as (_, printed):
        url = re.search(r"listens on (\S+)", printed)[1]
        answer = run("healthcheck", AWS_ENDPOINT_URL_DYNAMODB=url)
        # The settings of a server, as in its container, name it before the SDKs' variable does.
        own = run("healthcheck", HASHRANGE_PORT="1", AWS_ENDPOINT_URL_DYNAMODB=url)
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout == f"{url} is ready\n"
    assert own.stderr.startswith("hashrange: http://127.0.0.1:1 does not answer")
