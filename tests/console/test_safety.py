"""What is stored is shown and never run; who may do what is decided by the server."""

from urllib.parse import urlsplit

import pytest

from hashrange.access.policies.decisions import Subject
from hashrange.settings.sources import load
from tests.api.conftest import client_of
from tests.api.tables import keyed
from tests.console.asking import post, session_of
from tests.console.conftest import Console, make_table
from tests.served import ServerThread
from tests.static_credentials import SECRET, StaticCredentials, long_term, user
from tests.unit.access.policies.subjects import document

pytestmark = pytest.mark.toolchain("chromium")

HOSTILE = [
    "<script>window.pwned = 1</script>",
    "<img src=x onerror='window.pwned = 1'>",
    '"><svg onload=window.pwned=1>',
    "javascript:window.pwned=1",
    "</textarea></style><script>window.pwned=1</script>",
    "{{constructor.constructor('window.pwned=1')()}}",
    "\u0000\u0007\u001b[2J\u202e\u2028\ufeff",
    "__proto__",
    "constructor",
]


@pytest.fixture
def hostile(console):
    """A table whose keys, names and values are attempts at the page."""
    name = "hostile"
    console.client.create_table(TableName=name, **keyed(pk="S"))
    for text in HOSTILE:
        nested = {"M": {text: {"L": [{"S": text}, {"SS": [text]}]}}}
        item = {"pk": {"S": text}, text: {"S": text}, "type": {"S": text}, "nested": nested}
        console.client.put_item(TableName=name, Item=item)
    yield name
    console.client.delete_table(TableName=name)


def test_hostile_items_are_shown_and_not_run(console, hostile):
    with console.opened(f"/tables/{hostile}") as page:
        page.get_by_role("row").nth(len(HOSTILE)).wait_for()
        assert HOSTILE[0] in page.get_by_role("grid").inner_text()
        assert "undefined" not in page.get_by_role("grid").inner_text()
        assert "\u202e" not in page.get_by_role("grid").inner_text()
        for tab in ("Collections", "As code", "Grid"):
            page.get_by_role("tab", name=tab).click()
        for row in range(1, 4):
            page.get_by_role("row").nth(row).get_by_role("gridcell").nth(1).dblclick()
            for tab in ("DynamoDB JSON", "Plain JSON", "Form"):
                page.get_by_role("tab", name=tab).click()
            page.get_by_role("button", name="Cancel").click()
        assert page.evaluate("window.pwned") is None
        assert page.locator("main script, main img, main svg").count() == 0


def test_hostile_addresses_are_texts(console):
    with console.opened("/tables/%3Cimg%20src=x%20onerror=alert(1)%3E?q=%7B%22x%22") as page:
        page.get_by_role("alert").wait_for()
        assert page.locator("main img").count() == 0
    with console.opened("/tables/%E0%A4%A") as page:
        page.get_by_role("alert").wait_for()


# All objects of JavaScript have an attribute `constructor`, and so seemed items without one.
def test_an_attribute_that_all_objects_have_is_removed(console, hostile):
    with console.opened(f"/tables/{hostile}") as page:
        page.get_by_role("columnheader", name="constructor", exact=True).click()
        row = page.get_by_role("row").filter(has_text="Sconstructor").first
        row.get_by_role("gridcell").nth(1).dblclick()
        page.get_by_role("tab", name="DynamoDB JSON").click()
        page.get_by_role("textbox", name="Item in DynamoDB JSON").press("Control+a")
        page.keyboard.insert_text('{"pk": {"S": "constructor"}, "type": {"S": "left"}}')
        page.get_by_role("button", name="Stage", exact=True).click()
        assert "undefined" not in page.locator("main").inner_text()
        page.get_by_role("button", name="Write 1 change").click()
        page.get_by_text("1 change written").wait_for()
    key = {"pk": {"S": "constructor"}}
    found = console.client.get_item(TableName=hostile, Key=key)["Item"]
    assert found == {**key, "type": {"S": "left"}}


def test_inline_scripts_do_not_run(console):
    with console.opened(expects="Content Security Policy") as page:
        page.get_by_role("heading", name="Tables", exact=True).wait_for()
        ran = page.evaluate(
            """() => new Promise((done) => {
                document.addEventListener("securitypolicyviolation", (event) =>
                    done([event.effectiveDirective, window.inline ?? 0]));
                const link = document.createElement("a");
                link.setAttribute("onclick", "window.inline = 1");
                document.body.append(link);
                link.click();
            })"""
        )
        assert ran == ["script-src-attr", 0]


def test_an_attribute_of_400_kb_is_shown(console):
    name = "large"
    console.client.create_table(TableName=name, **keyed(pk="S"))
    item = {"pk": {"S": "a"}, "text": {"S": "x" * (400 * 1024 - 20)}}
    console.client.put_item(TableName=name, Item=item)
    with console.opened(f"/tables/{name}") as page:
        cell = page.get_by_role("row").nth(1).get_by_role("gridcell").nth(1)
        cell.dblclick()
        dialog = page.get_by_role("dialog")
        assert len(dialog.get_by_label("text", exact=True).input_value()) == len(item["text"]["S"])
        dialog.get_by_label("text", exact=True).fill("short")
        dialog.get_by_role("button", name="Save").click()
        page.get_by_text("1 change written").wait_for()
    assert console.client.scan(TableName=name)["Items"][0]["text"] == {"S": "short"}
    console.client.delete_table(TableName=name)


@pytest.fixture(scope="module")
def guarded(browser):
    """A server where users sign in: one may do everything, one may only list and read."""
    reads = document(
        {
            "Effect": "Allow",
            "Action": [
                "dynamodb:List*",
                "dynamodb:Describe*",
                "dynamodb:Scan",
                "dynamodb:PartiQLSelect",
            ],
            "Resource": "*",
        }
    )
    reader = Subject(user("reader").principal, (reads,))
    credentials = StaticCredentials(long_term(), long_term("AKREADER", SECRET, reader))
    settings = {"port": "0", "memory": "true", "auth": "required", "drain_seconds": "1"}
    thread = ServerThread(load(settings, {}), credentials)
    keys = {"aws_access_key_id": "AKIDEXAMPLE", "aws_secret_access_key": SECRET}
    client = client_of(thread.endpoint, **keys)
    make_table(client, "albums")
    yield Console(thread.endpoint, client, browser)
    thread.close()


def sign_in(page, access_key, secret_key=SECRET):
    page.get_by_label("Access key").fill(access_key)
    page.get_by_label("Secret key").fill(secret_key)
    page.get_by_role("button", name="Sign in").click()


def test_a_user_signs_in_works_and_signs_out(guarded):
    with guarded.opened("/tables/albums") as page:
        sign_in(page, "AKIDEXAMPLE", "wrong")
        page.get_by_role("alert").wait_for()
        sign_in(page, "AKIDEXAMPLE")
        page.get_by_role("grid").get_by_role("row").nth(1).wait_for()
        page.reload()
        page.get_by_role("grid").get_by_role("row").nth(1).wait_for()
        assert page.evaluate("document.cookie") == ""
        kept = page.evaluate("JSON.stringify([localStorage, sessionStorage])")
        assert SECRET not in kept
        page.locator("summary").filter(has_text="user/alice").click()
        page.get_by_role("button", name="Sign out").click()
        page.get_by_label("Access key").wait_for()
        assert SECRET not in page.content()


# What was typed is not lost with the session, and is not shown without one.
def test_a_session_that_ends_in_the_middle(guarded):
    with guarded.opened("/tables/albums") as page:
        sign_in(page, "AKIDEXAMPLE")
        page.get_by_role("grid").get_by_text("Jóga").dblclick()
        page.get_by_label("year", exact=True).fill("1998")
        page.context.clear_cookies()
        page.get_by_role("button", name="Save").click()
        page.get_by_text("Your session has ended").wait_for()
        assert not page.get_by_label("year", exact=True).is_visible()
        sign_in(page, "AKIDEXAMPLE")
        assert page.get_by_label("year", exact=True).input_value() == "1998"
        page.get_by_role("button", name="Save").click()
        page.get_by_text("1 change written").wait_for()
        # Another user sees nothing of the last one's page.
        page.get_by_role("grid").get_by_text("Jóga").dblclick()
        page.get_by_label("year", exact=True).fill("2000")
        page.context.clear_cookies()
        page.get_by_role("button", name="Save").click()
        page.get_by_text("Your session has ended").wait_for()
        sign_in(page, "AKREADER")
        page.get_by_role("grid").get_by_text("1998").wait_for()
        assert page.get_by_label("year", exact=True).count() == 0


# What was staged is written by the next server at the address.
def test_a_server_that_dies_and_comes_back(browser, tmp_path):
    settings = {"data": str(tmp_path / "data"), "drain_seconds": "1"}
    first = ServerThread(load({**settings, "port": "0"}, {}))
    endpoint = first.endpoint
    make_table(client_of(endpoint), "albums")
    with Console(endpoint, client_of(endpoint), browser).opened("/tables/albums") as page:
        page.get_by_role("grid").get_by_text("1997", exact=True).dblclick()
        page.get_by_label("New value of year").fill("1998")
        page.keyboard.press("Enter")
        first.close()
        page.get_by_role("button", name="Write 1 change").click()
        page.get_by_role("alert").get_by_text("The server does not answer").wait_for()
        second = ServerThread(load({**settings, "port": str(urlsplit(endpoint).port)}, {}))
        page.get_by_role("button", name="Write 1 change").click()
        page.get_by_text("1 change written").wait_for()
    second.close()


# Another server of the host can plant the cookie of a session of its own, by its own port.
def test_a_planted_session_is_none(guarded):
    keys = {"accessKey": "AKREADER", "secretKey": SECRET}
    planted = session_of(post(guarded.endpoint, "sign-in", keys))["Cookie"]
    name, _, text = planted.partition("=")
    with guarded.opened("/tables/albums") as page:
        sign_in(page, "AKIDEXAMPLE")
        page.get_by_role("grid").get_by_role("row").nth(1).wait_for()
        place = {"name": name, "value": text, "domain": urlsplit(guarded.endpoint).hostname}
        page.context.add_cookies([{**place, "path": path} for path in ("/", "/_console/api/")])
        page.reload()
        page.locator("summary").filter(has_text="user/alice").wait_for()
        page.context.add_cookies([{**place, "path": "/_console/"}])
        page.reload()
        page.get_by_label("Access key").wait_for()


# The buttons are there; the server is what refuses.
def test_policies_decide_for_a_user(guarded):
    with guarded.opened("/tables/albums") as page:
        sign_in(page, "AKREADER")
        page.get_by_role("grid").get_by_role("row").nth(1).wait_for()
        page.get_by_role("grid").focus()
        page.keyboard.press("Delete")
        page.get_by_role("button", name="Write 1 change").click()
        alert = page.get_by_role("alert")
        alert.wait_for()
        assert "AccessDeniedException" in alert.inner_text()
    assert guarded.client.scan(TableName="albums")["Count"] == 2


# What a page asks on its own is marked, so that the session of an empty chair ends.
def test_requests_without_a_user_are_marked(console):
    def marks(page, milliseconds):
        with page.expect_request("**/api/jobs") as asked:
            page.clock.run_for(milliseconds)
        return asked.value.headers.get("x-console-unattended")

    with console.opened() as page:
        page.clock.install()
        page.goto("/_console/jobs")
        page.get_by_role("heading", name="Backups and jobs").wait_for()
        assert marks(page, 2500) is None
        page.clock.fast_forward(60_000)
        assert marks(page, 2500) == "1"
        page.keyboard.press("Shift")
        assert marks(page, 2500) is None
