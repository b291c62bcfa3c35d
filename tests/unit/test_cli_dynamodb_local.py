"""DynamoDB Local's command line, as its users have it in scripts and compose files."""

import re

import pytest

from hashrange.cli.dynamodb_local import FLAGS, translated
from hashrange.cli.refusals import Misuse
from hashrange.settings.rows import ROWS
from tests.unit.processes import run, serving

JAVA = ["java", "-Djava.library.path=./DynamoDBLocal_lib", "-Xmx512m", "-jar", "DynamoDBLocal.jar"]


@pytest.mark.parametrize(
    ("arguments", "ours"),
    [
        (["-port", "9000", "-inMemory"], ["--port=9000", "--memory"]),
        (["-port=9000"], ["--port=9000"]),
        (["serve", "-inMemory", "--port", "0"], ["--memory", "--port", "0"]),
        (["-sharedDb", "-dbPath", "./data"], ["--namespaces=shared", "--data=./data"]),
        (["-delayTransientStatuses"], ["--delay-transient-statuses"]),
        (["-cors", "*", "-inMemory"], ["--cors=*", "--memory"]),
        (["-cors", "https://a.example"], ["--cors=https://a.example"]),
        (["-disableTelemetry", "-optimizeDbBeforeStartup"], []),
        (["-help"], ["--help"]),
        ([*JAVA, "-inMemory"], ["--memory"]),
        ([*JAVA[1:], "-inMemory"], ["--memory"]),
        (["-jar", "DynamoDBLocal.jar", "-port", "1"], ["--port=1"]),
        (JAVA, []),
        (["-jar", "DynamoDBLocal.jar", "--port", "1"], ["--port", "1"]),
    ],
)
def test_options_become_ours(arguments, ours):
    line = translated(arguments)
    assert list(line.arguments) == ["serve", *ours]
    assert line.is_dynamodb_local


def test_version_is_asked_for_in_its_way():
    assert translated(["-version"]).arguments == ["--version"]


# What is not DynamoDB Local's is not looked into: a value may look like one of its options.
@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--version"],
        ["-h"],
        ["-V"],
        ["verify", "-port"],
        ["serve", "--port", "1"],
        ["serve"],
        ["healthcheck", "--endpoint", "x"],
        ["serve", "-h"],
    ],
)
def test_our_own_command_lines_stay_as_they_are(arguments):
    line = translated(arguments)
    assert list(line.arguments) == arguments
    assert not line.is_dynamodb_local


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["-port"], "-port needs a value: -port PORT"),
        (["-dbPath="], "-dbPath needs a value: -dbPath DIRECTORY"),
        (["-inmemory"], "-inmemory is not an option of DynamoDB Local; the nearest is -inMemory"),
        (["-port", "1", "-sharedDB"], "-sharedDB is not an option of DynamoDB Local"),
    ],
)
def test_what_cannot_be_done_is_refused(arguments, text):
    with pytest.raises(Misuse, match=re.escape(text)):
        translated(arguments)


# The reference says "the same as": then there must be such an option.
def test_options_that_they_stand_for_exist():
    ours = {row.flag for row in ROWS if not row.kind.secret} | {"--help", "--version"}
    named = {flag.option.partition("=")[0] for flag in FLAGS if flag.option}
    assert named <= ours
    assert all(("{}" in flag.option) == (flag.value is not None) for flag in FLAGS if flag.option)


# Scripts wait for these lines, and read the port out of them.
def test_server_prints_what_dynamodb_local_prints():
    with serving("-inMemory", "-sharedDb", command=["-port", "0"]) as (process, printed):
        port = re.search(r"listens on http://127\.0\.0\.1:(\d+)", printed)[1]
        block = [process.stdout.readline() for _ in range(7)]
    assert block == [
        "Initializing DynamoDB Local with the following configuration:\n",
        f"Port:\t{port}\n",
        "InMemory:\ttrue\n",
        "DbPath:\tnull\n",
        "SharedDb:\ttrue\n",
        "shouldDelayTransientStatuses:\tfalse\n",
        "CorsParams:\tlocal\n",
    ]
    assert process.returncode == 0


# Somebody who only changes the program finds none of the tables: that must not be silent.
@pytest.mark.parametrize("name", ["shared-local-instance.db", "local_us-east-1.db"])
def test_files_of_dynamodb_local_are_told_of(tmp_path, name):
    (tmp_path / name).write_bytes(b"")
    with serving("-dbPath", str(tmp_path), command=["-port", "0"]) as (_, printed):
        assert f"{tmp_path / name} is a database of DynamoDB Local" in printed
        endpoint = re.search(r"listens on (\S+)", printed)[1]
        # Not the name of a page, which somebody who has only installed it does not have.
        assert f"-dbPath {tmp_path} -port 8001" in printed
        assert f"\n  hashrange copy http://127.0.0.1:8001 {endpoint}\n" in printed
        assert "docs/" not in printed
    with serving("--data", str(tmp_path / "other")) as (_, printed):
        assert "DynamoDB Local" not in printed


def test_directory_and_memory_together_end_in_one_line():
    answer = run("-inMemory", "-dbPath", "d")
    assert (answer.returncode, answer.stdout) == (2, "")
    assert answer.stderr.startswith("hashrange: --data cannot be combined")
    assert answer.stderr.count("\n") == 1
