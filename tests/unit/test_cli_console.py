"""`hashrange console`, where no browser can be opened, and the address that a server prints."""

import re

from tests.ports import free_port
from tests.unit.processes import run, serving


def test_the_url_is_printed():
    with serving("--memory") as (_, printed):
        url = re.search(r"listens on (\S+)", printed)[1]
        answer = run("console", "--endpoint", url, "--print")
    assert (answer.returncode, answer.stdout) == (0, f"{url}/_console/\n")
    assert f"The console for browsers is at {url}/_console/" in printed


def test_a_server_without_a_console_says_how_to_have_one():
    with serving("--memory", "--console", "off") as (_, printed):
        url = re.search(r"listens on (\S+)", printed)[1]
        answer = run("console", "--endpoint", url, "--print")
    assert answer.returncode == 1
    assert "has no console: it answers 404 (--console turns it on)" in answer.stderr
    assert "_console" not in printed


def test_where_no_server_is_that_is_said():
    answer = run("console", "--endpoint", f"http://127.0.0.1:{free_port()}", "--print")
    assert answer.returncode == 1
    assert "does not answer" in answer.stderr
