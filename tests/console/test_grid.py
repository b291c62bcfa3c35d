"""The grid of items: its order, many rows, and many changes at once."""

import pytest

from tests.console.items_page import grid
from tests.pace import seconds

pytestmark = pytest.mark.toolchain("chromium")
_COUNT_NEW = """() => {
    const lines = document.querySelector("[role=grid] .lines");
    const known = new Set(lines.children);
    window.newRows = 0;
    window.scrolledTo = () => lines.parentElement.scrollTop;
    new MutationObserver((all) => {
        for (const each of all.flatMap((one) => [...one.addedNodes])) newRows += !known.has(each);
    }).observe(lines, {childList: true});
}"""
"""Counts the rows that are made from now on."""


def test_a_view_and_an_order_survive_a_reload(console, table):
    def years():
        rows = grid(page).get_by_role("row").all()[1:]
        return [text for row in rows for text in ("1965", "1997") if text in row.inner_text()]

    with console.opened(f"/tables/{table}") as page:
        grid(page).focus()
        # By the keyboard alone: the third column, downwards.
        for key in ("ArrowRight", "ArrowRight", "o", "o"):
            page.keyboard.press(key)
        page.get_by_role("columnheader", name="year").get_by_text("↓").wait_for()
        assert years() == ["1997", "1965"]
        page.reload()
        assert years() == ["1997", "1965"]
        page.get_by_role("tab", name="Collections").click()
        page.get_by_role("region", name="Item collections").wait_for()
        page.reload()
        page.get_by_role("region", name="Item collections").wait_for()


# What is deleted many at a time is staged at once, and can be stopped.
def test_many_deletions_are_staged_and_stopped(console, table):
    def held(route):
        if "DeleteItem" in route.request.headers.get("x-amz-target", ""):
            waiting.append(route)
        else:
            route.continue_()

    waiting = []
    with console.client_batch(table, 3000), console.opened(f"/tables/{table}") as page:
        grid(page)
        page.get_by_text("Filters, fields, page").click()
        page.get_by_label("Page size").fill("5000")
        page.get_by_role("button", name="Run", exact=True).click()
        page.get_by_text("3,002 items", exact=True).wait_for()
        grid(page).focus()
        page.keyboard.press("Control+a")
        page.keyboard.press("Delete")
        page.get_by_text("3,002 staged changes").wait_for()
        page.route("**/api/aws", held)
        page.get_by_role("button", name="Write 3,002 changes").click()
        page.get_by_role("button", name="Stop").click()
        for each in waiting:
            each.continue_()
        page.get_by_text("4 changes written").wait_for()
        page.get_by_text("2,998 staged changes").wait_for()


# Only the rows in view are elements, and a jump to the end shows the last one.
@pytest.mark.parametrize("items", [10_000, pytest.param(100_000, marks=pytest.mark.long)])
def test_many_rows_are_few_elements(console, table, items):
    with console.client_batch(table, items), console.opened(f"/tables/{table}") as page:
        grid(page)
        page.get_by_text("Filters, fields, page").click()
        page.get_by_label("Page size").fill(str(2 * items))
        page.get_by_role("button", name="Run", exact=True).click()
        read = page.get_by_text(f"{items + 2:,} items", exact=True)
        read.wait_for(timeout=seconds(120) * 1000)
        assert grid(page).get_attribute("aria-rowcount") == str(items + 3)
        grid(page).focus()
        counts = []
        for key in ("PageDown", "PageDown", "Control+End", "PageUp", "Control+Home"):
            page.keyboard.press(key)
            counts.append(grid(page).get_by_role("row").count())
            # The row of the cell is made once the grid has scrolled to it.
            scrolled = page.locator("[role=grid][aria-activedescendant]")
            active = scrolled.get_attribute("aria-activedescendant")
            page.locator(f"#{active}").wait_for()
        assert max(counts) <= 60
        # However far it is scrolled, elements are used again.
        page.evaluate(_COUNT_NEW)
        grid(page).hover()
        for _ in range(5):
            page.mouse.wheel(0, 3000)
            page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
        assert page.evaluate("scrolledTo() > 0 && newRows") == 0
        page.get_by_role("columnheader", name="number").click(click_count=2, delay=50)
        page.get_by_role("columnheader", name="number", exact=False).get_by_text("↓").wait_for()
        page.get_by_label("Read by").select_option("query")
        page.get_by_label("artist (partition key, S)").fill("artist 7")
        page.keyboard.press("Enter")
        page.get_by_text(f"{items // 100:,} items", exact=True).wait_for()
