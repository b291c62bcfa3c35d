"""`hashrange.start`, as other people's tests and programs use it."""

import contextlib
import os
import signal
import socket
import subprocess
import sys

import boto3
import pytest

import hashrange
from hashrange.process import StartError
from tests.api.tables import keyed
from tests.pace import seconds
from tests.ports import free_port
from tests.unit.processes import ENVIRONMENT


def client_of(server):
    return boto3.client(
        "dynamodb",
        endpoint_url=server.endpoint,
        region_name="us-east-1",
        aws_access_key_id="local",
        aws_secret_access_key="local",
    )


def is_reachable(port):
    try:
        socket.create_connection(("127.0.0.1", port), timeout=seconds(60)).close()
    except ConnectionError:
        return False
    return True


def test_server_lasts_as_long_as_the_with():
    with hashrange.start() as server:
        assert server.endpoint == f"http://127.0.0.1:{server.port}"
        assert client_of(server).list_tables()["TableNames"] == []
    assert not is_reachable(server.port)
    server.stop()


# A function of a trigger runs in the server: what goes wrong there must be found, and what it
# prints must not block it.
def test_log_of_a_server_can_be_read(tmp_path):
    (tmp_path / "broken_handler.py").write_text(
        "def handle(event, context):\n"
        "    print('seen', 'x' * 200_000)\n"
        "    raise ValueError('no such customer')\n"
    )
    triggers = tmp_path / "triggers.toml"
    triggers.write_text(
        '[[trigger]]\nname = "t"\ntable = "orders"\nstarting_position = "LATEST"\n'
        'destination = "broken_handler:handle"\n'
    )
    with hashrange.start(triggers=triggers) as server:
        dynamodb = client_of(server)
        dynamodb.create_table(
            TableName="orders",
            **keyed(id="S"),
            StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"},
        )
        dynamodb.put_item(TableName="orders", Item={"id": {"S": "1"}})
        while server.log().count("trigger t: a batch failed") < 2:
            dynamodb.list_tables()
        assert is_reachable(server.port)
    place = f"{tmp_path / 'broken_handler.py'}:3 in handle"
    assert f"ValueError: no such customer ({place})" in server.log()
    assert "seen xxx" in server.log()
    server.stop()
    assert "no such customer" in server.log()


def test_server_lasts_until_it_is_stopped():
    servers = [hashrange.start() for _ in range(2)]
    assert len({server.port for server in servers}) == 2
    for server in servers:
        server.stop()
        assert not is_reachable(server.port)


def test_settings_are_those_of_the_arguments(tmp_path, process_environment):
    # What the developer has set for a server of their own must not decide a test.
    process_environment(HASHRANGE_NAMESPACES="separate", HASHRANGE_NO_SUCH="1", PYTHONOPTIMIZE="1")
    port = free_port()
    with hashrange.start(port=port, memory=False, data=tmp_path / "data") as server:
        assert server.port == port
        assert (tmp_path / "data" / "hashrange.db").exists()


# A file of the directory that tests run in is not what the server is made of.
@pytest.mark.usefixtures("in_tmp_path")
def test_files_of_the_directory_are_not_imported(tmp_path):
    for name in ("logging", "hashrange"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('not this one')")
    with hashrange.start() as server:
        assert is_reachable(server.port)


def test_setting_that_there_is_not():
    with pytest.raises(TypeError, match="there is no setting prot"):
        hashrange.start(prot=1)


@pytest.mark.parametrize("settings", [{"port": "x"}, {"host": "203.0.113.1"}])
def test_server_that_does_not_start_says_why(settings):
    with pytest.raises(StartError, match=rf"^hashrange: --{next(iter(settings))}"):
        hashrange.start(**settings)


# Ctrl-C reaches the whole group of processes; the teardown of the tests still needs the server.
@pytest.mark.skipif(not hasattr(os, "killpg"), reason="groups of processes are POSIX")
def test_interrupt_of_the_program_leaves_the_server():
    code = (
        "import hashrange, os, signal\n"
        "signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "with hashrange.start() as server:\n"
        "    os.killpg(0, signal.SIGINT)\n"
        "    import urllib.request\n"
        "    print(urllib.request.urlopen(server.endpoint + '/health').status)\n"
    )
    answer = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        timeout=seconds(60),
        env=ENVIRONMENT,
        start_new_session=True,
    )
    assert (answer.stdout, answer.returncode) == ("200\n", 0)


# A killed test run must not leave servers behind.
def test_server_ends_with_a_program_that_is_killed():
    code = "import hashrange, signal\nprint(hashrange.start().port, flush=True)\nsignal.pause()"
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT) as program:
        port = int(program.stdout.readline())
        with socket.create_connection(("127.0.0.1", port), timeout=seconds(60)) as client:
            program.send_signal(signal.SIGKILL)
            program.wait(timeout=seconds(60))
            # The server closes an idle connection once it stops. Resetting it would do as well.
            with contextlib.suppress(ConnectionError):
                assert client.recv(1) == b""


# Everybody who has it installed imports it with their tests, whether they start a server or not.
def test_importing_costs_next_to_nothing():
    code = (
        "import sys\n"
        "before = set(sys.modules)\n"
        "import hashrange\n"
        "print(*(set(sys.modules) - before))"
    )
    answer = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        timeout=seconds(60),
    )
    assert answer.stdout.split() == ["hashrange"]
