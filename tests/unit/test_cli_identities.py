"""Commands on identities, in a directory that no server uses."""

import json

import pytest
from click.testing import CliRunner

from hashrange.cli.commands import commands
from hashrange.cli.identity_target import IdentityTarget
from hashrange.storage.sqlite.engine import SqliteEngine
from tests.unit.api.iam.test_policies import TRUST


@pytest.fixture
def directory(tmp_path):
    SqliteEngine.open(tmp_path / "data").close()
    return tmp_path / "data"


@pytest.fixture
def hashrange(directory):
    def run(line, *more, at=directory, text=None):
        target = ["--directory", str(at)]
        answer = CliRunner().invoke(commands, [*line.split(), *more, *target], input=text)
        output = answer.output
        return answer.exit_code, output.removeprefix(
            "Error: "
        ).rstrip() if answer.exit_code else output

    return run


def key_of(printed):
    return printed.partition("AWS_ACCESS_KEY_ID=")[2].partition("\n")[0]


def test_users_and_keys(hashrange, directory):
    code, printed = hashrange("users create app --policy AmazonDynamoDBReadOnlyAccess")
    assert code == 0
    assert printed.startswith("arn:aws:iam::000000000000:user/app\nThe access key of app;")
    first = key_of(printed)
    code, printed = hashrange("keys rotate app")
    second = key_of(printed)
    assert first != second
    code, text = hashrange("keys create app")
    assert (code, text) == (1, "LimitExceeded: Cannot exceed quota for AccessKeysPerUser: 2")
    assert hashrange(f"keys revoke app {first} --keep") == (0, "")
    listed = hashrange("keys list app")[1]
    assert [line.split()[:2] for line in listed.splitlines()] == [
        [first, "Inactive"],
        [second, "Active"],
    ]
    third = key_of(hashrange("keys rotate app")[1])
    assert hashrange(f"keys revoke app {second}") == (0, "")
    assert hashrange("keys list app")[1].split()[0] == third
    checked = CliRunner().invoke(commands, ["verify", str(directory)])
    assert (checked.exit_code, checked.output) == (0, f"{directory}: sound\n")
    assert hashrange("users delete app") == (0, "")
    assert hashrange("users list") == (0, "")


def test_roles_and_policies(hashrange, tmp_path):
    file = tmp_path / "trust.json"
    file.write_text(TRUST)
    arn = "arn:aws:iam::000000000000:role/reader"
    assert hashrange("roles create reader --trust", str(file)) == (0, f"{arn}\n")
    reads = "policies attach role/reader AmazonDynamoDBReadOnlyAccess"
    assert hashrange(reads) == (0, "")
    assert hashrange("policies simulate role/reader dynamodb:GetItem") == (0, "allowed\n")
    assert hashrange("policies simulate role/reader dynamodb:PutItem") == (1, "implicitDeny")
    assert hashrange("roles list")[1].startswith(arn)
    assert hashrange(reads.replace("attach", "detach")) == (0, "")
    assert hashrange("policies simulate role/reader dynamodb:GetItem") == (1, "implicitDeny")
    assert hashrange("roles delete reader") == (0, "")


@pytest.mark.parametrize(
    ("options", "decided"),
    [
        ("--table orders --read-only", {"GetItem": True, "PutItem": False}),
        ("--table orders --table carts", {"GetItem": True, "PutItem": True}),
    ],
)
def test_a_user_of_tables(hashrange, options, decided):
    assert hashrange(f"users create app {options}")[0] == 0
    table = "arn:aws:dynamodb:us-east-1:000000000000:table/orders"
    for action, allowed in decided.items():
        answer = (0, "allowed\n") if allowed else (1, "implicitDeny")
        assert hashrange(f"policies simulate user/app dynamodb:{action} {table}") == answer
    read = "policies simulate user/app dynamodb:Query"
    assert hashrange(f"{read} {table}/index/by-day") == (0, "allowed\n")
    for other in (f"{table}2", table.replace("000000000000", "111111111111")):
        assert hashrange(f"{read} {other}") == (1, "implicitDeny")
    refused = f"policies simulate user/app dynamodb:DeleteTable {table}"
    assert hashrange(refused) == (1, "implicitDeny")
    assert hashrange("users delete app") == (0, "")


def test_simulation_with_condition_keys(hashrange, directory):
    hashrange("users create app --no-key")
    keys = {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["a", "b"]}}
    statement = {"Effect": "Allow", "Action": "*", "Resource": "*", "Condition": keys}
    text = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
    target = IdentityTarget(endpoint="", data=str(directory), account="000000000000", key_file=None)
    target.perform("PutUserPolicy", UserName="app", PolicyName="p", PolicyDocument=text)
    simulate = "policies simulate user/app dynamodb:GetItem"
    both = ["--context", "dynamodb:LeadingKeys=a", "--context", "dynamodb:LeadingKeys=b"]
    assert hashrange(simulate, *both) == (0, "allowed\n")
    code, printed = hashrange(simulate, *both, "--context", "dynamodb:LeadingKeys=c")
    assert (code, printed) == (1, "implicitDeny")
    assert "without values for dynamodb:leadingkeys" in hashrange(simulate)[1]


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("users delete nobody", "NoSuchEntity: The user with name nobody cannot be found."),
        ("policies attach app X", "'app' is neither user/NAME nor role/NAME"),
        ("policies simulate user/app x --context y", "--context 'y' is not KEY=VALUE"),
        ("users create b --read-only", "--read-only needs --table"),
        ("users create b --table a/b", "--table 'a/b' is no name of a table"),
        ("users list --endpoint http://x", "--endpoint cannot be combined with --directory"),
    ],
)
def test_refusals(hashrange, line, text):
    hashrange("users create app --no-key")
    code, printed = hashrange(line)
    assert code > 0
    assert text in printed


def test_what_is_no_directory_is_not_made(hashrange, tmp_path):
    code, text = hashrange("users list", at=tmp_path / "none")
    assert (code, text) == (2, f"{tmp_path / 'none'} is no data directory")
    assert not (tmp_path / "none").exists()


def test_the_key_of_the_operator(hashrange, tmp_path):
    file = tmp_path / "key"
    file.write_bytes(b"operator")
    with_key = ["--identity-key-file", str(file)]
    assert hashrange("users create app", *with_key)[0] == 0
    assert hashrange("users list", *with_key)[0] == 0
    code, text = hashrange("users list")
    assert (code, text) == (1, "the key of the identities is another: --identity-key-file")


# The corrected command must not be stopped by what the mistyped one has left.
def test_a_user_or_role_whose_policy_does_not_exist_is_not_made(hashrange):
    code, printed = hashrange("users create app --policy AmazonDynamoDBReadOnly")
    assert (code, printed.partition(":")[0]) == (1, "NoSuchEntity")
    assert hashrange("users list") == (0, "")
    assert hashrange("users create app --policy AmazonDynamoDBReadOnlyAccess")[0] == 0
    failed = hashrange("roles create job --trust - --policy Typo", text=TRUST)
    assert (failed[0], failed[1].partition(":")[0]) == (1, "NoSuchEntity")
    assert hashrange("roles list") == (0, "")
