"""IAM and STS on the port of the database, and keys that work in all of its processes."""

# With `--auth required` a revoked key must be dead in every process of every server that shares the
# data, within two seconds, and the clients that people have must be able to see to it.

import json
import os
import re
import subprocess
import sys
import uuid
from pathlib import Path

import pytest
from botocore.exceptions import ClientError
from click.testing import CliRunner

from hashrange.cli.commands import commands
from hashrange.process import started
from hashrange.settings.kinds import Auth
from hashrange.storage.sqlite.engine import SqliteEngine
from tests.api.conftest import client_of
from tests.engines.postgres_server import url_of
from tests.pace import seconds, until

ACCOUNT = "210987654321"
READER = "arn:aws:iam::aws:policy/AmazonDynamoDBReadOnlyAccess"


def made_administrator(place):
    """The keys of an administrator in data that no server uses yet."""
    if not place.startswith("postgres"):
        SqliteEngine.open(Path(place)).close()
    line = ["users", "create", "root", "--policy", "AdministratorAccess"]
    answer = CliRunner().invoke(commands, [*line, "--directory", place, "--account", ACCOUNT])
    assert answer.exit_code == 0, answer.output
    told = [each.partition("=")[2] for each in answer.output.splitlines() if "export" in each]
    return dict(zip(("aws_access_key_id", "aws_secret_access_key"), told, strict=True))


@pytest.fixture(scope="module")
def place(request, tmp_path_factory):
    if request.config.getoption("--engine") == "postgres":
        return url_of(str(uuid.uuid4()))
    return str(tmp_path_factory.mktemp("identities") / "data")


@pytest.fixture(scope="module")
def administrator(place):
    return made_administrator(place)


@pytest.fixture(scope="module")
def server(start_server, place, administrator):
    database = place.startswith("postgres")
    settings = {"engine": place} if database else {"data": Path(place), "memory": False}
    return start_server(auth=Auth.REQUIRED, **settings)


@pytest.fixture(scope="module")
def iam(server, administrator):
    return client_of(server, "iam", **administrator)


def keys_of(answer):
    found = {
        "aws_access_key_id": answer["AccessKeyId"],
        "aws_secret_access_key": answer["SecretAccessKey"],
    }
    token = answer.get("SessionToken")
    return found if token is None else {**found, "aws_session_token": token}


def code_of(call, **parameters):
    try:
        call(**parameters)
    except ClientError as error:
        return error.response["Error"]["Code"]
    return None


@pytest.fixture
def alice(iam, server):
    """A user of its own, with a key that all processes know."""
    name = f"u-{uuid.uuid4()}"
    iam.create_user(UserName=name)
    keys = keys_of(iam.create_access_key(UserName=name)["AccessKey"])
    clients = [client_of(server, "sts", **keys) for _ in range(6)]
    until(lambda: {code_of(client.get_caller_identity) for client in clients} == {None})
    return name, keys


def test_who_calls(server, administrator, alice):
    _, keys = alice
    found = client_of(server, "sts", **administrator).get_caller_identity()
    assert found["Arn"] == f"arn:aws:iam::{ACCOUNT}:user/root"
    found = client_of(server, "sts", **keys).get_caller_identity()
    assert found["Account"] == ACCOUNT


def test_a_wrong_secret(server, administrator):
    wrong = {**administrator, "aws_secret_access_key": "wrong"}
    assert code_of(client_of(server, "sts", **wrong).get_caller_identity) == "SignatureDoesNotMatch"
    assert code_of(client_of(server, **wrong).list_tables) == "InvalidSignatureException"
    nobody = {**administrator, "aws_access_key_id": "AKIANOBODY"}
    assert code_of(client_of(server, "iam", **nobody).list_users) == "InvalidClientTokenId"
    assert code_of(client_of(server, **nobody).list_tables) == "UnrecognizedClientException"


def test_keys_of_users_and_sessions_sign_requests_to_tables(server, iam, alice):
    name, keys = alice
    iam.attach_user_policy(UserName=name, PolicyArn=READER)
    until(lambda: code_of(client_of(server, **keys).list_tables) is None)
    answer = client_of(server, "sts", **keys).get_session_token()
    session = keys_of(answer["Credentials"])
    assert client_of(server, **session).list_tables()["TableNames"] == []
    other = {**session, "aws_session_token": session["aws_session_token"][:-8] + "AAAAAAA="}
    assert code_of(client_of(server, **other).list_tables) == "UnrecognizedClientException"


def test_assumed_roles(server, iam, alice):
    name, keys = alice
    statement = {
        "Effect": "Allow",
        "Principal": {"AWS": f"arn:aws:iam::{ACCOUNT}:user/{name}"},
        "Action": "sts:AssumeRole",
    }
    trust = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
    arn = iam.create_role(RoleName=name, AssumeRolePolicyDocument=trust)["Role"]["Arn"]
    iam.attach_role_policy(RoleName=name, PolicyArn=READER)
    sts = client_of(server, "sts", **keys)
    answer = sts.assume_role(RoleArn=arn, RoleSessionName="me")
    session = keys_of(answer["Credentials"])
    until(lambda: code_of(client_of(server, **session).list_tables) is None)
    iam.detach_role_policy(RoleName=name, PolicyArn=READER)
    iam.delete_role(RoleName=name)
    refused = "UnrecognizedClientException"
    until(lambda: code_of(client_of(server, **session).list_tables) == refused)


# Clients of their own: with workers, each has a connection to one of the processes.
def test_a_revoked_key_is_dead_in_all_processes(server, iam, alice):
    name, keys = alice
    iam.attach_user_policy(UserName=name, PolicyArn=READER)
    clients = [client_of(server, **keys) for _ in range(6)]

    def codes():
        return {code_of(client.list_tables) for client in clients}

    until(lambda: codes() == {None})
    iam.delete_access_key(UserName=name, AccessKeyId=keys["aws_access_key_id"])
    until(lambda: codes() == {"UnrecognizedClientException"})


def test_a_revoked_key_is_dead_at_another_server(start_server, alice, place, server, iam):
    if not place.startswith("postgres"):
        pytest.skip("a data directory has one server")
    name, keys = alice
    iam.attach_user_policy(UserName=name, PolicyArn=READER)
    other = client_of(start_server(auth=Auth.REQUIRED, engine=place), **keys)
    until(lambda: code_of(other.list_tables) is None)
    iam.update_access_key(UserName=name, AccessKeyId=keys["aws_access_key_id"], Status="Inactive")
    until(lambda: code_of(other.list_tables) == "UnrecognizedClientException")


@pytest.mark.long
def test_commands_ask_a_running_server(server, administrator):
    variables = {
        **os.environ,
        "AWS_ACCESS_KEY_ID": administrator["aws_access_key_id"],
        "AWS_SECRET_ACCESS_KEY": administrator["aws_secret_access_key"],
    }
    name = f"c-{uuid.uuid4()}"

    def run(*line):
        command = [sys.executable, "-m", "hashrange", *line, "--endpoint", server]
        return subprocess.run(
            command, env=variables, capture_output=True, text=True, timeout=seconds(60), check=False
        )

    made = run("users", "create", name, "--policy", "AmazonDynamoDBReadOnlyAccess")
    assert made.stdout.startswith(f"arn:aws:iam::{ACCOUNT}:user/{name}\n"), made.stderr
    assert run("policies", "simulate", f"user/{name}", "dynamodb:Query").stdout == "allowed\n"
    assert name in run("users", "list").stdout
    assert run("users", "delete", name).returncode == 0
    refused = run("users", "delete", name)
    assert refused.returncode == 1
    assert "NoSuchEntity: The user with name" in refused.stderr


@pytest.mark.long
def test_the_aws_cli(server, administrator):
    variables = {
        **os.environ,
        "AWS_ACCESS_KEY_ID": administrator["aws_access_key_id"],
        "AWS_SECRET_ACCESS_KEY": administrator["aws_secret_access_key"],
        "AWS_DEFAULT_REGION": "us-east-1",
    }
    command = [
        str(Path(sys.executable).parent / "aws"),
        *("--endpoint-url", server, "sts", "get-caller-identity"),
    ]
    answer = subprocess.run(
        command, env=variables, capture_output=True, text=True, timeout=seconds(60), check=False
    )
    assert json.loads(answer.stdout)["Arn"] == f"arn:aws:iam::{ACCOUNT}:user/root", answer.stderr


def test_without_verification(endpoint):
    sts = client_of(endpoint, "sts", aws_access_key_id="123456789012")
    found = sts.get_caller_identity()
    assert (found["Account"], found["Arn"]) == ("123456789012", "arn:aws:iam::123456789012:root")
    assert code_of(client_of(endpoint, "iam").list_users) == "AccessDenied"


def test_pages_over_sockets(iam):
    prefix = f"/{uuid.uuid4()}/"
    for number in range(5):
        iam.create_user(UserName=f"p-{uuid.uuid4()}-{number}", Path=prefix)
    pages = iam.get_paginator("list_users").paginate(
        PathPrefix=prefix, PaginationConfig={"PageSize": 2}
    )
    names = [[user["UserName"] for user in page["Users"]] for page in pages]
    assert [len(page) for page in names] == [2, 2, 1]
    assert len({name for page in names for name in page}) == 5


# The keys of the first user are nowhere else: they must be printed, and once.
def test_the_first_start_prints_the_keys_of_an_administrator(tmp_path):
    settings = {"port": 0, "data": tmp_path / "data", "auth": "required", "account": ACCOUNT}
    told = []
    for _ in range(2):
        server = started(settings)
        try:
            log = server.log()
            told += re.findall(r"export AWS_(?:ACCESS_KEY_ID|SECRET_ACCESS_KEY)=(\S+)", log)
            keys = dict(zip(("aws_access_key_id", "aws_secret_access_key"), told, strict=True))
            found = client_of(server.endpoint, "sts", **keys).get_caller_identity()
            assert found["Arn"] == f"arn:aws:iam::{ACCOUNT}:user/administrator"
        finally:
            server.stop()
    assert len(told) == 2
