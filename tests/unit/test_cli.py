import contextlib
import dataclasses
import os
import re
import socket
import subprocess
import sys

import apsw
import click
import pytest

from bench.start import imported
from hashrange import __version__
from hashrange.cli.commands import commands
from hashrange.testing import DynamoDBServer
from tests.api.tables import keyed
from tests.pace import seconds
from tests.served import served
from tests.unit.processes import run, serving

IMPORTED_MAX = 396
"""Modules of hashrange that a server with tables in memory imports until it has answered."""
UNUSED = {"configparser", "difflib", "statistics", "tempfile", "zoneinfo"} | {
    f"hashrange.{name}"
    for name in (
        "access.identities.opening",
        "access.identities.stored_credentials",
        "access.policies.decisions",
        "api.audit.recorder",
        "api.authorization.guard",
        "api.aws_services.dax_clusters.tags",
        "api.dynamodb.items.put_item",
        "api.dynamodb.partiql.execute_statement",
        "api.iam.registry",
        "api.aws_services.kinesis.backend",
        "api.aws_services.scaling.backend",
        "background.bulk_jobs",
        "background.export_jobs",
        "background.import_jobs",
        "background.peer_replicator",
        "background.triggers.definitions",
        "backups.objects.s3",
        "expressions.conditions",
        "model.structures.scaling",
        "regions.consensus.raft",
        "regions.strong.groups",
        "server.dax.listener",
        "storage.postgres.engine",
        "storage.workers.engine",
        "tables.verifying.verify",
    )
}


def port_of(printed):
    return int(re.search(r"listens on http://127\.0\.0\.1:(\d+)", printed)[1])


def test_version_is_that_of_the_package():
    answer = run("--version")
    assert (answer.returncode, answer.stdout) == (0, f"hashrange {__version__}\n")


# Imports are most of the CPU time of a start: what few servers use is imported when it is used.
def test_a_server_imports_what_it_uses():
    found = imported()
    own = [each for each in found if each.partition(".")[0] == "hashrange"]
    assert len(own) <= IMPORTED_MAX, own
    assert not UNUSED & set(found)


# The server must answer within 0.3 s of its start; --help at once.
def test_command_line_imports_nothing_heavy():
    heavy = "{'asyncio', 'uvloop', 'apsw', 'msgspec', 'httptools', 'boto3', 'hashrange.cli.serve'}"
    code = f"import sys, hashrange.cli.commands; print({heavy} & set(sys.modules))"
    answer = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        timeout=seconds(30),
    )
    assert answer.stdout == "set()\n"


# Asserts stop the server before it stores what cannot be; -O would take them out.
@pytest.mark.parametrize("how", ["flag", "variable"])
def test_python_without_asserts_is_refused(how):
    answer = (
        run("--version", python=["-O"]) if how == "flag" else run("--version", PYTHONOPTIMIZE="1")
    )
    assert answer.returncode == 2
    assert "without -O" in answer.stderr


@pytest.mark.parametrize(
    ("arguments", "variables", "text"),
    [
        (["--port", "70000"], {}, "--port: '70000' is not a whole number from 0 to 65535"),
        ([], {"HASHRANGE_PROT": "1"}, "HASHRANGE_PROT is not a setting; the nearest is HASHRANGE_"),
        (["--memory", "--data", "d"], {}, "--data cannot be combined"),
        (["--engine", "mysql://a/b"], {}, "--engine: 'mysql://a/b' is not sqlite or a URL that"),
        (["--engine", "postgres://a/b", "--memory"], {}, "--engine with a URL cannot be"),
        (["--data", "d"], {"HASHRANGE_ENGINE": "postgres://a/b"}, "--engine with a URL cannot be"),
        (["--config", "none.toml"], {}, "--config none.toml: No such file or directory"),
        ([], {"HASHRANGE_CONFIG": "none.toml"}, "--config none.toml: No such file or directory"),
        (["--prot", "1"], {}, "No such option"),
        (["--port"], {}, "Option '--port' requires an argument"),
        (["extra"], {}, "Got unexpected extra argument (extra). See hashrange serve --help"),
    ],
)
def test_bad_setting_ends_in_one_line(arguments, variables, text):
    answer = run("serve", *arguments, **variables)
    assert answer.returncode == 2
    assert answer.stderr.startswith(f"hashrange: {text}")
    assert answer.stderr.count("\n") == 1


# Nobody should wonder where errors come from.
@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--throttle", "on"], "beyond the capacity of tables and partitions are throttled."),
        (["--fault", "*:*:0:InternalServerError"], "For tests of clients (--fault, --latency, "),
    ],
)
def test_the_start_says_what_is_throttled_and_disturbed(arguments, text):
    with serving("--memory", *arguments) as (_, printed):
        assert text in printed


# No server listens on port 1. The password is in no line.
def test_a_database_that_does_not_answer_ends_in_one_line():
    answer = run("serve", "--port", "0", "--engine", "postgresql://me:secret@127.0.0.1:1/db")
    assert answer.returncode == 1
    assert answer.stderr == (
        "hashrange: cannot open postgresql://127.0.0.1:1/db: connection refused\n"
    )


# Importing the driver takes some 60 ms, a quarter of the start of a server that does not use it.
def test_the_driver_of_postgresql_is_imported_only_when_it_is_used():
    code = "import sys, hashrange.assembly.assemble; print('asyncpg' in sys.modules)"
    answer = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        timeout=seconds(30),
    )
    assert answer.stdout == "False\n"


def test_unknown_command_ends_in_one_line():
    answer = run("sevre")
    assert answer.returncode == 2
    assert answer.stderr == (
        "hashrange: No such command 'sevre'. Did you mean serve? See hashrange --help\n"
    )
    assert run("qqqq").stderr == "hashrange: No such command 'qqqq'. See hashrange --help\n"


@pytest.mark.parametrize("arguments", [[], ["--help"], ["serve", "--help"], ["verify", "-h"]])
def test_help_has_examples(arguments):
    answer = run(*arguments)
    assert answer.returncode == 0
    assert answer.stdout.startswith("Usage: hashrange ")
    if "verify" not in arguments:
        assert re.search(r"^ +hashrange serve --memory", answer.stdout, re.MULTILINE)


@pytest.mark.parametrize("form", ["text", "json"])
def test_log_has_the_form_that_was_asked_for(form):
    arguments = ["--memory", "--log-format", form, "--log-level", "debug"]
    with serving(*arguments, stderr=subprocess.PIPE) as (process, _):
        pass
    lines = process.log.splitlines()
    assert lines
    assert all(line.startswith("{") == (form == "json") for line in lines)


# What the shells are given must be what they understand.
@pytest.mark.parametrize(
    ("shell", "form"),
    [
        ("bash", "complete -o nosort -F"),
        ("zsh", "#compdef hashrange"),
        ("fish", "complete --no-files --command hashrange"),
    ],
)
def test_completion_is_a_script_of_the_shell(shell, form):
    answer = run("completion", shell)
    assert (answer.returncode, answer.stderr) == (0, "")
    assert form in answer.stdout


def test_completion_knows_commands_and_options():
    asked = {"_HASHRANGE_COMPLETE": "bash_complete", "COMP_CWORD": "2"}
    answer = run(COMP_WORDS="hashrange serve --names", **asked)
    assert answer.stdout == "plain,--namespaces\n"


# click cuts a summary that is longer than its line.
def test_list_of_commands_says_what_each_does_in_whole_sentences():
    listed = run("--help").stdout.partition("Commands:\n")[2].partition("\n\n")[0]
    context = click.Context(commands)
    found = [commands.get_command(context, name) for name in commands.list_commands(context)]
    shown = [command for command in found if command is not None and not command.hidden]
    assert len(listed.splitlines()) == len(shown)
    assert all(line.endswith(".") and "..." not in line for line in listed.splitlines())


def test_port_in_use_ends_in_one_line():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        answer = run("serve", "--memory", "--port", str(port))
    assert answer.returncode == 1
    assert answer.stderr == (
        f"hashrange: 127.0.0.1 port {port} is in use; "
        "choose another port with --port, 0 for a free one\n"
    )


# A mistyped port must not leave a directory that looks like data.
def test_port_in_use_leaves_no_data_directory(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        answer = run("serve", "--data", str(tmp_path / "data"), "--port", str(port))
    assert answer.returncode == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("host", ["no-such-host.invalid", "203.0.113.1", "a..b", "a" * 64])
def test_host_that_is_not_ours_ends_in_one_line(host):
    answer = run("serve", "--memory", "--port", "0", "--host", host)
    assert answer.returncode == 1
    assert answer.stderr.startswith(f"hashrange: --host {host}")
    assert answer.stderr.count("\n") == 1


def test_data_in_a_place_that_cannot_be_ends_in_one_line(tmp_path):
    (tmp_path / "file").write_text("")
    answer = run("serve", "--port", "0", "--data", str(tmp_path / "file" / "data"))
    assert answer.returncode == 1
    assert str(tmp_path) in answer.stderr
    assert answer.stderr.count("\n") == 1


def test_serve_prints_endpoint_place_and_what_to_paste(tmp_path):
    with serving("--data", str(tmp_path / "data")) as (process, printed):
        endpoint = f"http://127.0.0.1:{port_of(printed)}"
        assert f"in {tmp_path / 'data'}, durability full" in printed
        assert f"export AWS_ENDPOINT_URL_DYNAMODB={endpoint}\n" in printed
        assert "metered, not enforced" in printed
        assert "Signatures are not verified" not in printed
    assert process.returncode == 0


# A client of streams that is given no endpoint of its own asks the real AWS.
def test_the_variables_to_paste_take_every_client_to_the_server():
    code = (
        "import boto3\n"
        "for service in ('dynamodb', 'dynamodbstreams'):\n"
        "    print(boto3.client(service).meta.endpoint_url)\n"
        "print(boto3.client('dynamodbstreams').list_streams()['Streams'])\n"
    )
    with serving("--memory") as (_, printed):
        endpoint = f"http://127.0.0.1:{port_of(printed)}"
        lines = re.findall(r"^  export (.+)$", printed, re.MULTILINE)
        pasted = dict(word.split("=", 1) for line in lines for word in line.split())
        alone = {"AWS_CONFIG_FILE": os.devnull, "AWS_EC2_METADATA_DISABLED": "true"}
        answer = subprocess.run(
            [sys.executable, "-c", code],
            env={**pasted, **alone, "PATH": os.environ["PATH"]},
            capture_output=True,
            text=True,
            check=True,
            timeout=seconds(60),
        )
    assert answer.stdout == f"{endpoint}\n{endpoint}\n[]\n"


# With keys that are made up, each request of a server that verifies signatures is refused.
def test_a_server_that_verifies_signatures_tells_whose_keys_to_take():
    with serving("--memory", "--auth", "required") as (_, printed):
        assert "ACCESS_KEY_ID=local" not in printed
        assert "the keys of a user of this server" in printed


def test_memory_says_that_the_data_end_with_the_server(tmp_path):
    with serving("--memory") as (_, printed):
        assert "in memory only" in printed


# Who reads SSEDescription ENABLED must have been told what it means here.
def test_a_server_that_accepts_requests_for_encryption_says_that_it_does_not_encrypt():
    with serving("--memory", "--accept-encryption-requests") as (_, printed):
        assert "the server does not encrypt data" in printed
    with serving("--memory") as (_, printed):
        assert "encrypt" not in printed


def test_what_no_signatures_mean_on_this_machine():
    with serving("--memory") as (_, printed):
        assert (
            "--auth off every user and program of this machine can read and change all tables"
            in printed
        )


def test_other_addresses_than_loopback_are_warned_about():
    with serving("--memory", "--host", "0.0.0.0") as (_, printed):
        assert "Signatures are not verified" in printed
        assert re.search(r"AWS_ENDPOINT_URL_DYNAMODB=http://127\.0\.0\.1:\d+\n", printed)


def test_clock_that_can_be_moved_is_said():
    with serving("--memory") as (_, printed):
        assert "/testing/clock" not in printed
    with serving("--memory", "--testing") as (_, printed):
        assert "whoever reaches this address can move the clock" in printed


def test_directory_in_use_ends_in_one_line(tmp_path):
    with serving("--data", str(tmp_path)):
        second = run("serve", "--port", "0", "--data", str(tmp_path))
    assert (second.returncode, second.stderr.count("\n")) == (1, 1)


# Started the other way, nobody would find the tables, and programs would make them anew.
def test_tables_stay_in_their_namespaces(tmp_path):
    table = {"TableName": "a-table", **keyed(pk="S")}
    settings = {"memory": False, "data": tmp_path, "namespaces": "separate"}
    with served(**settings) as process:
        account = DynamoDBServer(process.endpoint).account()
        account.client().create_table(**table)
    answer = run("serve", "--port", "0", "--data", str(tmp_path))
    assert (answer.returncode, answer.stdout) == (1, "")
    assert "were created with --namespaces separate" in answer.stderr
    assert answer.stderr.count("\n") == 1
    assert run("verify", str(tmp_path)).returncode == 0
    with served(**settings) as process:
        again = dataclasses.replace(account, endpoint=process.endpoint).client()
        assert again.list_tables()["TableNames"] == ["a-table"]


def test_verify_finds_new_data_sound(tmp_path):
    with serving("--data", str(tmp_path)):
        pass
    answer = run("verify", str(tmp_path))
    assert (answer.returncode, answer.stdout) == (0, f"{tmp_path}: sound\n")


def test_verify_prints_each_finding_and_fails(tmp_path):
    with serving("--data", str(tmp_path)):
        pass
    with contextlib.closing(apsw.Connection(str(tmp_path / "hashrange.db"))) as database:
        database.execute("INSERT INTO kv (k, v) VALUES (?, ?)", (b"t" * 40, b"of no table"))
    answer = run("verify", str(tmp_path))
    assert answer.returncode == 1
    assert len(answer.stdout.splitlines()) == 1
    assert "sound" not in answer.stdout


# To call a mistyped directory sound would be the worst answer of all.
def test_verify_does_not_call_an_empty_directory_sound(tmp_path):
    answer = run("verify", str(tmp_path))
    assert answer.returncode == 2
    assert answer.stderr == f"hashrange: {tmp_path} holds no data of hashrange\n"
    assert list(tmp_path.iterdir()) == []


# The URL of a server is what its users have at hand.
@pytest.mark.parametrize("url", ["http://127.0.0.1:8000", "https://host", "mysql://host/db"])
def test_verify_refuses_what_is_no_place_of_data(url):
    answer = run("verify", url)
    assert answer.returncode == 2
    assert answer.stderr == (
        f"hashrange: {url} is neither a data directory nor postgresql://…; to check the data of a "
        "server: --endpoint URL\n"
    )


def test_data_in_a_file_ends_in_one_line(tmp_path):
    (tmp_path / "file").write_text("")
    answer = run("serve", "--port", "0", "--data", str(tmp_path / "file"))
    assert answer.returncode == 1
    assert answer.stderr == (
        f"hashrange: cannot open data directory {tmp_path / 'file'}: it is a file\n"
    )


def test_verify_refuses_what_is_no_directory(tmp_path):
    assert run("verify", str(tmp_path / "none")).returncode == 2
