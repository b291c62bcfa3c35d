"""Writes the pages of the console into docs/images/console: `make screenshots`."""

import sys
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from tests.api.conftest import client_of
from tests.console import operator_scenes
from tests.console.conftest import CHROMIUM
from tests.house.sources import ROOT
from tests.served import served

PLACE = ROOT / "docs" / "images" / "console"
SIZES = {"wide": {"width": 1280, "height": 800}, "narrow": {"width": 400, "height": 800}}


def seed(client):
    """A shop in one table, and a table of music."""
    client.create_table(
        TableName="shop",
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[
            {"AttributeName": name, "AttributeType": "S"} for name in ("pk", "sk", "status")
        ],
        KeySchema=[
            {"AttributeName": "pk", "KeyType": "HASH"},
            {"AttributeName": "sk", "KeyType": "RANGE"},
        ],
        GlobalSecondaryIndexes=[
            {
                "IndexName": "by-status",
                "KeySchema": [{"AttributeName": "status", "KeyType": "HASH"}],
                "Projection": {"ProjectionType": "ALL"},
            }
        ],
        StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
    )
    client.create_table(
        TableName="music",
        BillingMode="PROVISIONED",
        ProvisionedThroughput={"ReadCapacityUnits": 10, "WriteCapacityUnits": 5},
        AttributeDefinitions=[{"AttributeName": "artist", "AttributeType": "S"}],
        KeySchema=[{"AttributeName": "artist", "KeyType": "HASH"}],
    )
    names = ("Ada", "Grace", "Alan", "Edsger", "Barbara", "Donald", "Tony", "Leslie")
    for number, name in enumerate(names):
        pk = {"S": f"CUSTOMER#{number:03}"}
        profile = {
            "type": {"S": "Customer"},
            "name": {"S": name},
            "since": {"N": str(1_700_000_000 + number * 86_400)},
            "tags": {"SS": ["new", "vip"]},
        }
        client.put_item(TableName="shop", Item={"pk": pk, "sk": {"S": "PROFILE"}, **profile})
        for order in range(4):
            lines = {"L": [{"M": {"sku": {"S": "A-1"}, "count": {"N": "2"}}}]}
            item = {
                "type": {"S": "Order"},
                "status": {"S": ("open", "paid", "sent")[order % 3]},
                "total": {"N": f"{19.9 * (order + 1):.2f}"},
                "lines": lines,
            }
            key = {"pk": pk, "sk": {"S": f"ORDER#{order:04}"}}
            client.put_item(TableName="shop", Item={**key, **item})


def tables(page: Page):
    """The list of tables."""
    page.get_by_role("link", name="shop").wait_for()


def create(page: Page):
    """The dialog that creates a table."""
    page.goto("/_console/tables?create=1")
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Table name").fill("orders")
    dialog.get_by_role("button", name="+ Global index").click()
    dialog.get_by_label("Index name").fill("by-day")


def items(page: Page):
    """Items, two of them edited."""
    page.goto("/_console/tables/shop")
    page.get_by_role("row").nth(2).wait_for()
    for row in (1, 2):
        page.get_by_role("row").nth(row).get_by_role("gridcell").nth(3).dblclick()
        field = page.get_by_label("New value of")
        field.fill("Return")
        field.press("Enter")


def item(page: Page):
    """One item as a form."""
    page.goto("/_console/tables/shop")
    page.get_by_role("row").nth(1).get_by_role("gridcell").nth(1).dblclick()
    page.get_by_role("tab", name="Form").wait_for()


def collections(page: Page):
    """Item collections, of a query with a filter."""
    query = '{"filters":[{"path":"total","op":"<","type":"N","a":"60","b":""}]}'
    page.goto(f"/_console/tables/shop?q={query}")
    page.get_by_role("row").nth(1).wait_for()
    page.get_by_role("tab", name="Collections").click()
    page.get_by_role("region", name="CUSTOMER#001").wait_for()


def code(page: Page):
    """A query as code."""
    query = '{"mode":"query","pk":["CUSTOMER#001"],"sk":[{"op":"begins_with","a":"ORDER#"}]}'
    page.goto(f"/_console/tables/shop?q={query.replace('#', '%23')}")
    page.get_by_role("row").nth(1).wait_for()
    page.get_by_role("tab", name="As code").click()
    page.get_by_label("Code", exact=True).wait_for()


def settings(page: Page):
    """The settings of a table."""
    page.goto("/_console/tables/shop/settings")
    page.get_by_role("region", name="Capacity").wait_for()


def partiql(page: Page):
    """Statements with their plans and results."""
    text = (
        "SELECT sk, total FROM shop WHERE pk = 'CUSTOMER%23001';%0A"
        "SELECT * FROM shop WHERE total > 50"
    )
    page.goto(f"/_console/partiql?q={text}")
    page.get_by_text("all items are read").wait_for()
    page.get_by_role("button", name="Run").click()
    page.get_by_role("button", name="Run anyway").click()
    page.get_by_role("grid").nth(1).wait_for()


SCENES = (tables, create, items, item, collections, code, settings, partiql)


def shoot(browser, endpoint, scenes, place, begin=lambda _page: None):
    """Write pages of a server, light and dark, wide and narrow; `begin` signs in."""
    for scheme in ("light", "dark"):
        for size, viewport in SIZES.items():
            for scene in scenes:
                context = browser.new_context(
                    base_url=endpoint, color_scheme=scheme, viewport=viewport
                )
                page = context.new_page()
                page.goto("/_console/")
                begin(page)
                page.wait_for_load_state("networkidle")
                scene(page)
                page.wait_for_load_state("networkidle")
                page.screenshot(path=place / f"{scene.__name__}-{scheme}-{size}.png")
                context.close()


def write(place: Path = PLACE, only: tuple[str, ...] = ()):
    """Write all pages, or those of some scenes."""

    def chosen(scenes):
        return [each for each in scenes if not only or each.__name__ in only]

    place.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=f"/usr/bin/{CHROMIUM}", args=["--no-sandbox"]
        )
        if chosen(SCENES):
            with served() as server:
                seed(client_of(server.endpoint))
                shoot(browser, server.endpoint, chosen(SCENES), place)
        if chosen(operator_scenes.SCENES):
            with operator_scenes.operated(browser) as server:
                begin = operator_scenes.signed_in(server)
                found = chosen(operator_scenes.SCENES)
                shoot(browser, server.endpoint, found, place, begin)
        browser.close()


if __name__ == "__main__":
    write(only=tuple(sys.argv[1:]))
