"""`python -m bench.console`: what the console costs the browser, and the server.

Tasks of pages are those of Chromium's trace, CPU time and memory those of the server's process.
"""

import gzip
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import click
from playwright.sync_api import Browser, Page, sync_playwright

import hashrange
from bench import server
from bench.asking import ask

ARGUMENTS: Final = ("-m", "hashrange", "serve", "--memory", "--port", "0", "--log-level", "error")
_STATIC: Final = Path(hashrange.__file__).parent / "console" / "static"
_TABLE: Final = "items"
_FEW: Final = 1000
_BATCH: Final = 25
_LONG_MS: Final = 50
_SCREENS: Final = (
    "/tables", f"/tables/{_TABLE}", f"/tables/{_TABLE}/capacity", f"/tables/{_TABLE}/stream",
    f"/tables/{_TABLE}/settings", "/jobs", "/regions", "/caches", "/access", "/server",
)  # fmt: skip
_NAMED: Final = {"TableName": _TABLE}
_APIS: Final = (
    ("ListTables", {}), ("DescribeTable", _NAMED), ("Scan", {**_NAMED, "Limit": 1}),
    ("DescribeTimeToLive", _NAMED), ("DescribeContinuousBackups", _NAMED),
    ("GraniteServiceVersion20100801.DescribeAlarms", {}), ("AmazonDAXV3.DescribeClusters", {}),
    ("AnyScaleFrontendService.DescribeScalableTargets", {"ServiceNamespace": "dynamodb"}),
)  # fmt: skip
"""Operations of pages that SDKs use, too: a server imports what performs them when it must."""
_CATEGORIES: Final = ("toplevel", "devtools.timeline", "blink.user_timing", "loading", "v8")
_KEYS: Final = ("PageDown", "PageDown", "End", "Home", "Control+End", "PageUp", "Control+Home")
_ROWS: Final = "document.querySelectorAll('[role=row]').length"
"""Cheaper than a locator by role, whose work in the page would be measured."""
_WAIT_MS: Final = 600_000
_SETTLE_MS: Final = 1000
"""For what a page reads first."""


@click.command()
@click.option("--items", default=100_000, show_default=True, help="Of the table.")
@click.option("--seconds", default=60, show_default=True, help="For which ten pages are open.")
def main(items: int, seconds: int) -> None:
    """Print the figures of the console."""
    loaded = [each for each in _STATIC.rglob("*.*") if each.is_file() and each.suffix != ".txt"]
    sizes = [gzip.compress(each.read_bytes(), 9) for each in loaded]
    click.echo(f"{sum(map(len, sizes)) / 1024:.0f} KB of files, compressed")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium"), args=["--no-sandbox"]
        )
        with server.started(ARGUMENTS) as started:
            _fill(started.port, _FEW)
            _screens(browser, _base(started), started, seconds)
        with server.started(ARGUMENTS) as started:
            _fill(started.port, items)
            _first_paint(browser, _base(started))
            _table_of(browser, _base(started), items)
        browser.close()


def _base(started: server.Server) -> str:
    return f"http://127.0.0.1:{started.port}/_console"


def _fill(port: int, items: int) -> None:
    stream = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
    definition = {
        "TableName": _TABLE,
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
    }
    ask(port, "CreateTable", definition)
    for first in range(0, items, _BATCH):
        puts = [
            {"PutRequest": {"Item": _item(number)}}
            for number in range(first, min(first + _BATCH, items))
        ]
        ask(port, "BatchWriteItem", {"RequestItems": {_TABLE: puts}})
    ask(port, "UpdateTable", {"TableName": _TABLE, "StreamSpecification": stream})


def _item(number: int) -> dict[str, Any]:
    return {
        "pk": {"S": f"item {number}"},
        "number": {"N": str(number)},
        "kind": {"S": ("order", "customer", "payment")[number % 3]},
        "tags": {"SS": ["a", str(number % 7)]},
        "address": {"M": {"street": {"S": f"Street {number % 100}"}}},
    }


def _first_paint(browser: Browser, base: str) -> None:
    """CPU time of all tasks of the page until something is seen: that of scripts is a part."""
    page = browser.new_page()
    page.goto(f"{base}/tables")  # the files are in the cache of neither
    page.close()
    page = browser.new_context().new_page()
    events = list(_traced(browser, page, lambda: _painted(page, f"{base}/tables")))
    paint = min(each["ts"] for each in events if each["name"] == "firstContentfulPaint")
    spent = [each.get("tdur", 0) for each in _tasks(events) if each["ts"] < paint]
    click.echo(f"{sum(spent) / 1000:.0f} ms of CPU in tasks before the first paint")
    page.context.close()


def _painted(page: Page, url: str) -> None:
    page.goto(url)
    page.get_by_role("link", name=_TABLE, exact=True).wait_for()


def _table_of(browser: Browser, base: str, items: int) -> None:
    """All items in the grid: read, scrolled, sorted, filtered."""
    page = browser.new_context(viewport={"width": 1600, "height": 1000}).new_page()
    page.set_default_timeout(_WAIT_MS)
    page.goto(f"{base}/tables/{_TABLE}")
    grid = page.get_by_role("grid")
    grid.wait_for()

    def run(size: int) -> None:
        page.get_by_label("Page size").fill(str(size))
        page.get_by_role("button", name="Run", exact=True).click()
        page.get_by_text(f"{items:,} items", exact=True).first.wait_for()

    page.get_by_text("Filters, fields, page").click()
    _told("read", _traced(browser, page, lambda: run(items)))
    rows = []

    def keys() -> None:
        grid.focus()
        for key in _KEYS:
            page.keyboard.press(key)
            rows.append(page.evaluate(_ROWS))

    def wheel() -> None:
        grid.hover()
        for _ in range(60):
            page.mouse.wheel(0, 3000)
            page.wait_for_timeout(16)
            rows.append(page.evaluate(_ROWS))

    _told("scrolled by keys", _traced(browser, page, keys))
    _told("scrolled by the wheel", _traced(browser, page, wheel))
    click.echo(f"{max(rows)} row elements at most")
    sort = page.get_by_role("columnheader", name="number")
    _told("sorted", _traced(browser, page, lambda: (sort.click(), page.wait_for_timeout(300))))
    page.context.close()


def _traced(browser: Browser, page: Page, act: Any) -> Iterator[dict[str, Any]]:
    """The events of the page's main thread while something is done."""
    browser.start_tracing(page=page, categories=list(_CATEGORIES))
    act()
    events = json.loads(browser.stop_tracing())["traceEvents"]
    mains = {
        (each["pid"], each["tid"])
        for each in events
        if each["name"] == "thread_name" and each["args"]["name"] == "CrRendererMain"
    }
    return (each for each in events if (each["pid"], each["tid"]) in mains)


def _tasks(events: Any) -> list[dict[str, Any]]:
    return [each for each in events if each["name"].endswith("RunTask") and "tdur" in each]


def _told(name: str, events: Any) -> None:
    tasks = _tasks(events)
    cpu, wall = ([each[kind] / 1000 for each in tasks] for kind in ("tdur", "dur"))
    over = sum(each > _LONG_MS for each in cpu)
    click.echo(
        f"{name}: at most {max(cpu):.0f} ms of CPU in a task ({max(wall):.0f} ms of time), "
        f"{over} of {len(tasks)} over {_LONG_MS} ms"
    )


def _screens(browser: Browser, base: str, started: server.Server, seconds: int) -> None:
    """The memory of the server for ten pages, and its CPU time while each of them is seen."""
    context = browser.new_context()
    idle_mb = server.memory_mb(started.pid)
    for target, request in _APIS:
        ask(started.port, target, request)
    used_mb = server.memory_mb(started.pid)
    for path in _SCREENS:
        page = context.new_page()
        page.goto(base + path)
        page.wait_for_timeout(_SETTLE_MS)
    before = server.cpu_seconds(started.pid)
    page.wait_for_timeout(seconds * 1000)
    after = server.cpu_seconds(started.pid)
    grown_mb = server.memory_mb(started.pid)
    if before is None or after is None or idle_mb is None or used_mb is None or grown_mb is None:
        return  # there is no /proc
    click.echo(f"{(after - before) / seconds:.2%} of a core for ten pages that are seen")
    click.echo(
        f"{grown_mb - used_mb:.1f} MB of memory more in the server for the pages, "
        f"{used_mb - idle_mb:.1f} MB for the APIs"
    )
    context.close()


if __name__ == "__main__":
    main()
