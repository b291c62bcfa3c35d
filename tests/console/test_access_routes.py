"""The routes of the page Access: who may ask, and what is answered."""

import json

import pytest

from tests.console.asking import ask, post, session_of
from tests.console.conftest import READS, guarded_server

pytestmark = pytest.mark.timeout(120)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with guarded_server(None, tmp_path_factory.mktemp("routes")) as server:
        yield server


def session(server, user="administrator"):
    keys = server.keys[user]
    body = {"accessKey": keys["aws_access_key_id"], "secretKey": keys["aws_secret_access_key"]}
    return session_of(post(server.endpoint, "sign-in", body))


def asked(server, route, body, user="administrator"):
    status, _, found = post(server.endpoint, route, body, **session(server, user))
    return status, json.loads(found)


def question(server, **more):
    principal = f"arn:aws:iam::{server.account}:user/app"
    return {"principal": principal, "action": "dynamodb:getitem", **more}


def test_the_answer_names_the_statement(server):
    arn = server.client.describe_table(TableName="albums")["Table"]["TableArn"]
    status, found = asked(server, "access", question(server, resource=arn))
    (reason,) = [each for each in found["reasons"] if each["statement"]["decides"]]
    assert (status, found["allowed"], reason["policy"]) == (200, True, READS)
    assert reason["statement"]["effect"] == "Allow"


def test_policies_of_tables_decide_too(server):
    arn = server.client.describe_table(TableName="albums")["Table"]["TableArn"]
    denies = {
        "Version": "2012-10-17",
        "Statement": {"Effect": "Deny", "Principal": {"AWS": question(server)["principal"]},
                      "Action": "dynamodb:GetItem", "Resource": arn},
    }  # fmt: skip
    server.client.put_resource_policy(ResourceArn=arn, Policy=json.dumps(denies))
    _, found = asked(server, "access", question(server, resource=arn))
    assert (found["allowed"], found["explicit"], found["kind"]) == (False, True, "resource")
    assert found["reasons"][0]["policy"] == arn
    _, found = asked(server, "access", question(server, resource=f"{arn}/index/by-year"))
    assert found["allowed"]
    server.client.delete_resource_policy(ResourceArn=arn)


@pytest.mark.parametrize(
    ("more", "text"),
    [
        ({"principal": "arn:aws:iam::210987654321:user/nobody"}, "There is no user or role"),
        ({"principal": "app"}, "There is no user or role"),
        ({"action": "dynamodb:No"}, "no action dynamodb:No"),
        ({"action": 1}, "The request cannot be read"),
        ({"more": 1}, "The request cannot be read"),
        ({"context": {"a": "b"}}, "The request cannot be read"),
        ({"resource": "x" * 70_000}, "The request cannot be read"),
    ],
)
def test_questions_that_are_refused(server, more, text):
    status, found = asked(server, "access", question(server, **more))
    assert status == 400
    assert text in found["message"]


@pytest.mark.parametrize("resource", ["*", "", "arn:", "arn:aws:dynamodb:::table/x", "🙂" * 100])
def test_any_resource_has_an_answer(server, resource):
    assert asked(server, "access", question(server, resource=resource))[0] == 200


def test_only_who_may_simulate_may_ask(server):
    status, found = asked(server, "access", question(server), "app")
    assert (status, found["__type"].rpartition("#")[2]) == (400, "AccessDeniedException")
    assert "iam:SimulatePrincipalPolicy" in found["Message"]
    for route in ("access", "lint"):
        assert post(server.endpoint, route, question(server))[0] == 401
    assert ask(server.endpoint, "GET", "/_console/api/actions")[0] == 401


def linted(server, document, use="inline"):
    return asked(server, "lint", {"document": document, "use": use})


def test_findings_of_a_policy(server):
    document = {
        "Version": "2012-10-17",
        "Statement": [{"Effect": "Allow", "Action": ["dynamodb:Gett"], "Resource": "*"}],
    }
    _, found = linted(server, json.dumps(document))
    (finding,) = found["findings"]
    assert (finding["place"], finding["actions"]) == (1, ["dynamodb:Gett"])
    _, found = linted(server, "[" * 10_000)
    assert found == {"malformed": "Syntax errors in policy.", "findings": []}
    assert linted(server, "{}", "other")[0] == 400


def test_all_actions_have_their_condition_keys(server):
    _, _, body = ask(server.endpoint, "GET", "/_console/api/actions", session(server))
    actions = json.loads(body)["actions"]
    assert "dynamodb:leadingkeys" in actions["dynamodb:GetItem"]
    assert actions["iam:ListUsers"] == []
    assert {"dax:GetItem", "sts:AssumeRole", "cloudtrail:LookupEvents"} <= actions.keys()
