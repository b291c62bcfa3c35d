"""Writes the pages of the console into docs/images/console: `make screenshots`."""

import contextlib
import itertools
import sys
import threading
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from tests.api.conftest import client_of
from tests.api.indexes import index_of, schema
from tests.console import operator_scenes
from tests.console.asking import post
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
        KeySchema=schema("pk", sort=("sk",)),
        GlobalSecondaryIndexes=[index_of("by-status", "status")],
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


def capacity(page: Page):
    """Partitions under a load, and the last hour."""
    page.goto("/_console/tables/shop/capacity")
    page.get_by_text("CUSTOMER#001").first.wait_for()
    page.get_by_role("slider").first.wait_for()


def what_if(page: Page):
    """A simulation of a hot key."""
    capacity(page)
    card = page.get_by_role("region", name="What if")
    card.get_by_label("Write units a second").fill("1500")
    card.get_by_label("Provisioned write units").fill("1600")
    card.get_by_label("Partition keys").select_option("hot")
    card.get_by_role("button", name="Simulate").click()
    card.get_by_role("region", name="Simulation").wait_for()
    card.scroll_into_view_if_needed()


def stream(page: Page):
    """Records of a stream, one of them open."""
    page.goto("/_console/tables/shop/stream?from=start")
    records = page.locator(".records > li")
    records.nth(5).wait_for()
    page.get_by_role("button", name="Pause").click()
    records.first.locator("summary").click()


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


def _model(page: Page):
    page.goto("/_console/design")
    page.get_by_label("Open a file").set_input_files(ROOT / "examples" / "models" / "shop.toml")
    page.get_by_role("list", name="Findings").wait_for()


def design(page: Page):
    """A model with its findings."""
    _model(page)
    editor = page.get_by_role("textbox", name="Model")
    editor.click()
    page.keyboard.press("Control+End")
    page.keyboard.type('[[patterns]]\nname = "All orders"\noperation = "Scan"\nentity = "Order"')
    page.get_by_text("pattern All orders").wait_for()


def facets(page: Page):
    """The item collections of a model."""
    _model(page)
    page.get_by_role("tab", name="Collections").click()


def commit(page: Page):
    """What will be made of a model."""
    _model(page)
    page.get_by_role("button", name="Commit to the server").click()
    page.get_by_label("Make the table Shop").wait_for()


@contextlib.contextmanager
def under_load(server):
    """The shop's tables with half an hour of orders, and more of them meanwhile."""
    client = client_of(server.endpoint)
    seed(client)
    for minute in range(30):
        for number in range(10 + 8 * (minute % 7)):
            order(client, number)
        server.clock.advance(seconds=60)
        # The page's route takes the counts, as the server does once a minute.
        post(server.endpoint, "capacity", {"TableName": "shop"})
    ended = threading.Event()

    def orders():
        for number in itertools.count():
            if ended.wait(0.02):
                return
            order(client, number)

    thread = threading.Thread(target=orders)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def order(client, number):
    """An order, half of them of one customer, that is read again."""
    customer = number % 8 if number % 2 else 1
    key = {"pk": {"S": f"CUSTOMER#{customer:03}"}, "sk": {"S": f"ORDER#{number % 12:04}"}}
    client.update_item(
        TableName="shop",
        Key=key,
        UpdateExpression="SET #s = :s, seen = if_not_exists(seen, :zero) + :one",
        ExpressionAttributeNames={"#s": "status"},
        ExpressionAttributeValues={
            ":s": {"S": ("open", "paid", "sent")[number % 3]},
            ":zero": {"N": "0"},
            ":one": {"N": "1"},
        },
    )
    client.get_item(TableName="shop", Key=key)


SCENES = (
    tables, create, items, item, collections, code, capacity, what_if, stream, settings, partiql,
    design, facets, commit,
)  # fmt: skip


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
            with served(throttle="on", testing=True) as server, under_load(server):
                shoot(browser, server.endpoint, chosen(SCENES), place)
        if chosen(operator_scenes.SCENES):
            with operator_scenes.operated(browser) as server:
                begin = operator_scenes.signed_in(server)
                found = chosen(operator_scenes.SCENES)
                shoot(browser, server.endpoint, found, place, begin)
        browser.close()


if __name__ == "__main__":
    write(only=tuple(sys.argv[1:]))
