"""What a person does on the page Access: users, keys, policies, questions, the audit log."""

import json

import pytest
from botocore.exceptions import ClientError

from tests.api.conftest import client_of
from tests.console.asking import post
from tests.console.conftest import READS, guarded_server

pytestmark = pytest.mark.toolchain("chromium")
TENANT = {
    "Version": "2012-10-17",
    "Statement": [
        {"Sid": "all", "Effect": "Allow", "Action": "dynamodb:PutItem", "Resource": "*"},
        {"Sid": "keep", "Effect": "Deny", "Action": "dynamodb:DeleteTable", "Resource": "*"},
    ],
}


def test_a_user_gets_a_key_that_works_until_it_is_deleted(users):
    with users.signed_in("/access") as page:
        page.get_by_role("button", name="Create user").click()
        page.get_by_label("Name", exact=True).fill("worker")
        page.get_by_role("dialog").get_by_role("button", name="Create", exact=True).click()
        page.get_by_role("heading", name="worker").wait_for()
        page.get_by_role("button", name="Create a key").click()
        shown = page.get_by_label("The new keys").inner_text()
        access_key, secret_key = (line.partition("=")[2] for line in shown.splitlines())
        page.get_by_role("button", name="I have kept it").click()
        page.get_by_role("button", name="Attach …").click()
        page.get_by_role("button", name="Attach AmazonDynamoDBReadOnlyAccess").click()
        page.get_by_text("managed", exact=True).wait_for()
        keys = {"aws_access_key_id": access_key, "aws_secret_access_key": secret_key}
        client = client_of(users.endpoint, **keys)
        assert client.list_tables()["TableNames"] == ["albums"]
        assert secret_key not in page.content()
        page.locator("summary").filter(has=page.get_by_label(f"Actions of {access_key}")).click()
        page.get_by_role("button", name="Delete …").first.click()
        page.get_by_label(f"Type {access_key} to confirm").fill(access_key)
        page.get_by_role("button", name="Delete the key").click()
        page.get_by_text("nobody can sign").wait_for()
        with pytest.raises(ClientError, match="UnrecognizedClient"):
            client.list_tables()
        page.get_by_role("button", name="Delete the user …").click()
        page.get_by_label("Type worker to confirm").fill("worker")
        page.get_by_role("button", name="Delete", exact=True).click()
        page.get_by_role("region", name="Users").wait_for()
    found = users.of("iam").list_users()["Users"]
    assert "worker" not in [each["UserName"] for each in found]


# Each refusal is shown, with its request.
def test_a_third_key_is_refused(users):
    users.of("iam").create_user(UserName="twice")
    for _ in range(2):
        users.of("iam").create_access_key(UserName="twice")
    with users.signed_in("/access?name=twice") as page:
        page.get_by_role("button", name="Create a key").click()
        alert = page.get_by_role("dialog", name="Refused").get_by_role("alert")
        alert.get_by_text("LimitExceeded").wait_for()
        alert.get_by_text("CreateAccessKey").wait_for()
        alert.get_by_role("button", name="Copy").wait_for()


def test_a_policy_is_written_and_its_faults_are_found(users):
    text = json.dumps(
        {"Statement": [{"Effect": "Allow", "Action": "dynamodb:Gett", "Resource": "*"}]}
    )
    with users.signed_in("/access?name=app") as page:
        page.get_by_role("button", name="Write a policy …").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("Name of the policy").fill("mine")
        editor = dialog.get_by_role("textbox", name="Policy", exact=True)
        editor.press("Control+A")
        page.keyboard.insert_text(text)
        dialog.get_by_text("This server has no such actions").wait_for()
        editor.press("Control+A")
        page.keyboard.insert_text("{")
        dialog.get_by_text("Refused: ").wait_for()
        assert dialog.get_by_role("button", name="Save").is_disabled()
        editor.press("Control+A")
        page.keyboard.insert_text(text.replace("Gett", "GetItem"))
        dialog.get_by_text("Nothing found").wait_for()
        dialog.get_by_role("button", name="Save").click()
        page.get_by_role("button", name="mine", exact=True).wait_for()
    kept = users.of("iam").get_user_policy(UserName="app", PolicyName="mine")["PolicyDocument"]
    assert kept["Statement"][0]["Action"] == "dynamodb:GetItem"
    users.of("iam").delete_user_policy(UserName="app", PolicyName="mine")


def test_the_statement_that_decides_is_shown(users):
    iam = users.of("iam")
    iam.put_user_policy(UserName="app", PolicyName="tenant", PolicyDocument=json.dumps(TENANT))
    arn = iam.get_user(UserName="app")["User"]["Arn"]
    with users.signed_in(f"/access?view=check&principal={arn}") as page:
        page.get_by_label("Action", exact=True).fill("dynamodb:DeleteTable")
        page.get_by_label("Resource", exact=True).fill("albums")
        page.get_by_role("button", name="May it?").click()
        page.get_by_text("A statement of policies of the user or role denies it.").wait_for()
        shown = page.get_by_role("region", name="Statement 2 of tenant")
        assert '"keep"' in shown.get_by_label("The statement").inner_text()
        page.reload()
        page.get_by_text("Denied", exact=True).wait_for()
        page.get_by_label("Action", exact=True).fill("dynamodb:GetItem")
        page.keyboard.press("Enter")
        page.get_by_role("region", name=f"Statement 1 of {READS}").wait_for()
        page.get_by_text("Allowed", exact=True).wait_for()
        page.get_by_label("Action", exact=True).fill("dynamodb:UpdateItem")
        page.keyboard.press("Enter")
        page.get_by_text("Nothing in policies of the user or role allows it.").wait_for()
    iam.delete_user_policy(UserName="app", PolicyName="tenant")


def test_events_are_searched(users):
    client = users.of("dynamodb", "app")
    with pytest.raises(ClientError, match="AccessDenied"):
        client.delete_table(TableName="albums")
    users.client.describe_table(TableName="albums")
    with users.signed_in("/access?view=audit&key=Username&value=app") as page:
        row = page.get_by_role("row").filter(has_text="DeleteTable")
        for _ in range(20):
            page.get_by_role("button", name="Search").click()
            page.wait_for_load_state("networkidle")
            if row.count():
                break
            page.wait_for_timeout(200)
        assert "AccessDenied" in row.first.inner_text()
        assert page.get_by_role("row").filter(has_text="administrator").count() == 0
        row.first.get_by_role("button", name="DeleteTable").click()
        assert '"errorCode"' in page.get_by_label("The event").inner_text()


# The page has the buttons; the server refuses.
def test_a_reader_sees_what_its_policies_allow(users):
    with users.signed_in("/access", "app") as page:
        alert = page.get_by_role("alert")
        alert.wait_for()
        assert "iam:ListUsers" in alert.inner_text()
    with users.signed_in("/access?view=check&action=dynamodb:GetItem", "app") as page:
        page.get_by_label("User or role").fill(f"arn:aws:iam::{users.account}:user/app")
        page.get_by_role("button", name="May it?").click()
        page.get_by_role("alert").wait_for()
        assert "iam:SimulatePrincipalPolicy" in page.get_by_role("alert").inner_text()


def test_without_users_the_page_says_how_to_have_some(console):
    with console.opened("/access") as page:
        page.get_by_text("hashrange serve --auth required").wait_for()
    with console.opened("/access?view=audit") as page:
        page.get_by_text("There is no audit log").wait_for()
    with console.opened("/access?view=policies") as page:
        page.get_by_text("No table that exists is").wait_for()


def test_a_console_that_only_reads_changes_no_user(browser, tmp_path):
    with guarded_server(browser, tmp_path, console="read-only") as server:
        with server.signed_in("/access?name=app") as page:
            page.get_by_role("heading", name="Access keys").wait_for()
            assert page.get_by_role("button", name="Create a key").count() == 0
            cookies = page.context.cookies()
            proof = page.evaluate("JSON.parse(localStorage.getItem('hashrange.proof'))")
        cookie = "; ".join(f"{each['name']}={each['value']}" for each in cookies)
        body = b"Action=DeleteUser&Version=2010-05-08&UserName=app"
        headers = {"Cookie": cookie, "X_Console_Proof": proof, "X_Console_Service": "iam"}
        form = {"Content_Type": "application/x-www-form-urlencoded"}
        _, _, refused = post(server.endpoint, "aws", body, **headers, **form)
        assert b"read-only" in refused
        assert server.of("iam").get_user(UserName="app")


def test_the_chosen_view_is_seen_on_a_narrow_screen(users):
    size = {"width": 320, "height": 800}
    with users.signed_in("/access?view=audit", viewport=size) as page:
        chosen = page.get_by_role("tab", name="Audit log")
        chosen.wait_for()
        place = chosen.bounding_box()
        assert place["x"] + place["width"] <= 320
