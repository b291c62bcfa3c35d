"""Which keys `hashrange dax` signs with, and that those of a file are renewed while it runs.

Keys of roles and sessions expire within hours, and an endpoint runs for weeks.
"""

import time

import pytest

from hashrange.access.credentials_file import CredentialsFile
from hashrange.dax.upstream.credentials import FileCredentials
from hashrange.settings.kinds import Auth
from tests.api.conftest import client_of
from tests.api.dax_session import DaxSession
from tests.api.tables import keyed
from tests.api.test_identities import keys_of, made_administrator
from tests.api.upstream import Endpoint
from tests.served import served
from tests.unit.processes import run

TABLE = "renewed"
NO_KEYS = {"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": "", "AWS_PROFILE": ""}


def profile(keys, name="default"):
    return f"[{name}]\n" + "".join(f"{key} = {text}\n" for key, text in keys.items())


def test_keys_of_a_file_are_renewed_while_the_endpoint_runs(tmp_path):
    path, data = tmp_path / "credentials", tmp_path / "data"
    administrator = made_administrator(str(data))
    with served(memory=False, data=data, auth=Auth.REQUIRED) as server:
        iam = client_of(server.endpoint, "iam", **administrator)
        table = client_of(server.endpoint, **administrator)
        table.create_table(TableName=TABLE, **keyed(pk="S"))
        old = keys_of(iam.create_access_key(UserName="root")["AccessKey"])
        path.write_text(profile(old))
        file = FileCredentials(CredentialsFile(path, "default"), "us-east-1", time.monotonic_ns)
        with (
            Endpoint(server.endpoint, credentials=file) as endpoint,
            DaxSession("127.0.0.1", endpoint.port) as dax,
        ):
            assert dax.put(TABLE, "a") == {}
            new = client_of(server.endpoint, "sts", **administrator).get_session_token()
            path.write_text(profile(keys_of(new["Credentials"])))
            # The key was read before, and is no longer accepted.
            iam.delete_access_key(UserName="root", AccessKeyId=old["aws_access_key_id"])
            assert dax.get(TABLE, "b") == {}
            assert dax.put(TABLE, "b") == {}
        assert file.current.access_key == new["Credentials"]["AccessKeyId"]
        assert len(table.scan(TableName=TABLE)["Items"]) == 2


def banner(**variables):
    options = ("--upstream", "http://127.0.0.1:1", "--port", "0", "--stop-with-input")
    return run("dax", *options, **{**NO_KEYS, **variables})


@pytest.fixture
def home(tmp_path):
    """A home directory with the file that AWS's tools use unless they are told another one."""
    (tmp_path / ".aws").mkdir()
    text = profile({"aws_access_key_id": "MINE", "aws_secret_access_key": "s"})
    text += profile({"aws_access_key_id": "WORKS", "aws_secret_access_key": "s"}, "work")
    (tmp_path / ".aws" / "credentials").write_text(text)
    return tmp_path


# Keys of a person are used if they are asked for, and never because they lie there.
@pytest.mark.parametrize(
    ("variables", "access_key"),
    [
        ({}, "local"),
        ({"AWS_PROFILE": "work"}, "WORKS"),
        ({"AWS_SHARED_CREDENTIALS_FILE": "~/.aws/credentials"}, "MINE"),
        ({"AWS_PROFILE": "work", "AWS_ACCESS_KEY_ID": "A", "AWS_SECRET_ACCESS_KEY": "B"}, "A"),
    ],
)
def test_the_environment_says_whose_keys_are_used(home, variables, access_key):
    told = banner(HOME=str(home), **variables)
    assert told.returncode == 0, told.stderr
    assert f"signed with the access key {access_key} " in told.stdout


def test_keys_that_are_not_there_are_refused_at_the_start(home):
    told = banner(HOME=str(home), AWS_PROFILE="other")
    assert (told.returncode, told.stdout) == (1, "")
    path = home / ".aws" / "credentials"
    assert f"no credentials of the profile other in {path}: it has no such profile" in told.stderr
    told = banner(AWS_SHARED_CREDENTIALS_FILE=str(home / "none"))
    assert (told.returncode, "No such file" in told.stderr) == (1, True)
    assert "set AWS_ACCESS_KEY_ID" in told.stderr
