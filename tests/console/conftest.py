"""Servers with tables, and pages of a browser that show them."""

import contextlib
import json
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import pytest
from playwright.sync_api import sync_playwright

from tests.api.conftest import client_of
from tests.api.indexes import schema
from tests.api.test_identities import ACCOUNT, made_administrator
from tests.pace import seconds
from tests.served import served

CHROMIUM = "chromium"
READS = "arn:aws:iam::aws:policy/AmazonDynamoDBReadOnlyAccess"


@pytest.fixture(scope="module")
def browser():
    """A browser of the tests of one file.

    Playwright's synchronous API keeps an event loop running in this thread until it ends. Tests of
    other files in the same process start loops of their own, so it ends with the file.
    """
    # Playwright runs a driver of its own, which must know nothing of proxies of this machine.
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=os.environ.get("CHROMIUM", f"/usr/bin/{CHROMIUM}"),
            args=["--no-sandbox"],
        )
        yield browser
        browser.close()


@dataclass
class Console:
    """A server, a client of it, and a way to open its pages."""

    endpoint: str
    client: Any
    browser: Any

    @contextlib.contextmanager
    def opened(self, path="/tables", *, expects=None, **options):
        """A page of a browser that knows nothing yet. No script of it may fail.

        `expects`: of the errors that it logs, those with this text are expected.
        """
        context = self.browser.new_context(base_url=self.endpoint, **options)
        context.set_default_timeout(seconds(15) * 1000)
        page = context.new_page()
        faults = []
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda told: _note(told, faults))
        page.goto(f"/_console{path}")
        try:
            yield page
        finally:
            context.close()
        assert [each for each in faults if expects is None or expects not in each] == []

    @contextlib.contextmanager
    def client_batch(self, table, count):
        """So many items more in a table; yields the number of the last."""
        for first in range(0, count, 25):
            puts = [
                {"PutRequest": {"Item": _numbered(number)}}
                for number in range(first, min(first + 25, count))
            ]
            self.client.batch_write_item(RequestItems={table: puts})
        yield count - 1


def _numbered(number):
    key = {"artist": {"S": f"artist {number % 100}"}, "title": {"S": f"title {number}"}}
    return {**key, "number": {"N": str(number)}}


def _note(told, faults):
    # A refusal of the API is an answer with another status, which Chromium logs as an error.
    if told.type == "error" and "Failed to load resource" not in told.text:
        faults.append(told.text)


@pytest.fixture(scope="module")
def console(browser):
    """A server whose signatures are not verified."""
    with served() as server:
        yield Console(server.endpoint, client_of(server.endpoint), browser)


@pytest.fixture(scope="module")
def js(console):
    """Evaluates an expression with the functions of a module; an error is its text."""
    with console.opened("/nothing") as page:
        page.get_by_role("heading").first.wait_for()
        place = page.evaluate("document.querySelector('script').src").rpartition("/")[0]

        def run(module, expression, *arguments):
            names = [f"const a{at} = {json.dumps(each)};" for at, each in enumerate(arguments)]
            return page.evaluate(
                f"""async () => {{
                    const m = await import("{place}/{module}");
                    {"".join(names)}
                    try {{ return {expression}; }} catch (error) {{ return "! " + error.message; }}
                }}"""
            )

        yield run


@pytest.fixture(scope="module")
def console_read_only(browser):
    """A server whose console only reads, with a table."""
    with served(console="read-only") as server:
        make_table(client_of(server.endpoint), "albums")
        yield Console(server.endpoint, client_of(server.endpoint), browser)


@dataclass
class Guarded(Console):
    """A server whose users sign in, with an audit log: an administrator, and app, who only reads.

    Attributes:
        keys: by the name of the user, as arguments of boto3.
    """

    keys: dict[str, dict[str, str]]
    account: str = ACCOUNT

    def of(self, service, user="administrator"):
        """A client of a user."""
        return client_of(self.endpoint, service, **self.keys[user])

    @contextlib.contextmanager
    def signed_in(self, path, user="administrator", **options):
        """A page that a user sees."""
        with self.opened(path, **options) as page:
            sign_in(page, self.keys[user])
            yield page


def sign_in(page, keys):
    """Sign in with an access key."""
    page.get_by_label("Access key").fill(keys["aws_access_key_id"])
    page.get_by_label("Secret key").fill(keys["aws_secret_access_key"])
    page.get_by_role("button", name="Sign in").click()
    # Fields of the form are there until its answer: a page's own would be taken for them.
    page.get_by_role("navigation", name="Pages", exact=True).wait_for()


@contextlib.contextmanager
def guarded_server(browser, place, *, engine=None, **settings):
    """A `Guarded` server with its data in a directory, or in a database."""
    data = {"data": place / "data"} if engine is None else {"engine": engine}
    # In a thread: Playwright's event loop runs in this one.
    with ThreadPoolExecutor() as threads:
        admin = threads.submit(made_administrator, str(engine or data["data"])).result()
    options = {**data, "audit": place / "audit", "auth": "required", **settings}
    with served(memory=False, **options) as server:
        keys = {"administrator": admin}
        iam = client_of(server.endpoint, "iam", **admin)
        iam.create_user(UserName="app")
        iam.attach_user_policy(UserName="app", PolicyArn=READS)
        made = iam.create_access_key(UserName="app")["AccessKey"]
        secret = made["SecretAccessKey"]
        keys["app"] = {"aws_access_key_id": made["AccessKeyId"], "aws_secret_access_key": secret}
        client = client_of(server.endpoint, **admin)
        make_table(client, "albums")
        yield Guarded(server.endpoint, client, browser, keys)


@pytest.fixture(scope="module")
def users(browser, tmp_path_factory):
    """A server whose users sign in."""
    with guarded_server(browser, tmp_path_factory.mktemp("users")) as server:
        yield server


@pytest.fixture
def table(console):
    """A table with a sort key and two items, which exists for one test."""
    name = "albums"
    make_table(console.client, name)
    yield name
    with contextlib.suppress(console.client.exceptions.ResourceNotFoundException):
        console.client.delete_table(TableName=name)


ITEMS = {
    "Jóga": {"artist": {"S": "Björk"}, "title": {"S": "Jóga"}, "year": {"N": "1997"}},
    "Sinnerman": {
        "artist": {"S": "Nina Simone"},
        "title": {"S": "Sinnerman"},
        "year": {"N": "1965"},
        "price": {"N": "12345678901234567890123456789012345678"},
        "tags": {"SS": ["live", "long"]},
        "cover": {"B": b"\x00\xff"},
        "meta": {"M": {"label": {"S": "Philips"}, "sides": {"L": [{"N": "1"}, {"NULL": True}]}}},
    },
}


def make_table(client, name, **options):
    """A table of albums, with two of them."""
    client.create_table(
        TableName=name,
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[
            {"AttributeName": each, "AttributeType": "S"} for each in ("artist", "title")
        ],
        KeySchema=schema("artist", sort=("title",)),
        **options,
    )
    for item in ITEMS.values():
        client.put_item(TableName=name, Item=item)


def item_of(client, table, title):
    """The item of a title; None if there is none."""
    found = client.scan(TableName=table, ConsistentRead=True)["Items"]
    return next((each for each in found if each["title"]["S"] == title), None)
