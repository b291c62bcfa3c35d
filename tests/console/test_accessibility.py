"""axe-core finds nothing on any page, light and dark; pages fit narrow screens."""

import shutil

import pytest

from tests.api.conftest import client_of
from tests.clients.conftest import environment  # noqa: F401 - a fixture
from tests.clients.programs import run_program
from tests.console.conftest import Console, make_table
from tests.house.sources import ROOT
from tests.served import served

pytestmark = [pytest.mark.toolchain("chromium", "npm"), pytest.mark.timeout(240)]
PAGES = [
    "/tables",
    "/tables/albums",
    "/tables/albums/capacity",
    "/tables/albums/stream",
    "/tables/albums/settings",
    "/partiql",
    "/design",
    "/design?model=nothing",
    "/access",
    "/server",
    "/jobs",
    "/jobs?view=backups",
    "/jobs?view=recovery",
    "/regions",
    "/caches",
    "/caches?view=parameters&name=default.dax1.0",
    "/nothing",
]
OF_USERS = [
    "/access",
    "/access?name=app",
    "/access?view=policies",
    "/access?view=check",
    "/access?view=audit",
]
"""Pages of a server whose users sign in."""


@pytest.fixture(scope="module")
def axe(environment, tmp_path_factory):  # noqa: F811 - the fixture
    """The text of axe-core, of the pinned packages."""
    place = tmp_path_factory.mktemp("axe")
    for name in ("package.json", "package-lock.json"):
        shutil.copy(ROOT / "vendor" / name, place)
    command = ["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"]
    installed = run_program(command, environment, place)
    assert installed.returncode == 0, installed.stderr
    return (place / "node_modules" / "axe-core" / "axe.min.js").read_text("utf-8")


def faults(page, axe):
    page.wait_for_load_state("networkidle")
    page.evaluate(axe)
    found = page.evaluate("axe.run({resultTypes: ['violations']})")["violations"]
    return [
        f"{each['id']}: {node['target']} {node['failureSummary']}"
        for each in found
        for node in each["nodes"]
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(console, table, axe, scheme):
    for path in PAGES:
        with console.opened(path, color_scheme=scheme) as page:
            page.get_by_role("heading").first.wait_for()
            assert faults(page, axe) == [], path


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_pages_of_users(users, axe, scheme):
    with users.signed_in("/access", color_scheme=scheme) as page:
        for path in OF_USERS:
            page.get_by_role("heading").first.wait_for()
            page.goto(f"/_console{path}")
            page.get_by_role("heading").first.wait_for()
            assert faults(page, axe) == [], path
            page.set_viewport_size({"width": 320, "height": 800})
            assert page.evaluate("document.documentElement.scrollWidth") <= 320, path
            page.set_viewport_size({"width": 1280, "height": 800})


# Partitions, hot keys and records are there only with --throttle on, and with a stream.
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_partitions_and_records(browser, axe, scheme):
    images = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
    with served(throttle="on", testing=True) as server:
        client = client_of(server.endpoint)
        make_table(client, "albums", StreamSpecification=images)
        console = Console(server.endpoint, client, browser)
        with console.opened("/tables/albums/capacity", color_scheme=scheme) as page:
            server.clock.advance(seconds=61)
            page.get_by_role("slider").first.wait_for()
            page.get_by_text("4 partitions as a list").click()
            assert faults(page, axe) == []
        with console.opened("/tables/albums/stream?from=start", color_scheme=scheme) as page:
            page.locator(".records summary").first.click()
            assert faults(page, axe) == []


DIALOGS = {"/tables?create=1": None, "/tables/albums": "New item"}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", DIALOGS)
def test_axe_finds_nothing_in_dialogs(console, table, axe, path, scheme):
    with console.opened(path, color_scheme=scheme) as page:
        if DIALOGS[path] is not None:
            page.get_by_role("button", name=DIALOGS[path]).click()
        page.get_by_role("dialog").wait_for()
        assert faults(page, axe) == []


@pytest.mark.parametrize("width", [320, 768, 3840])
def test_no_page_is_wider_than_its_screen(console, table, width):
    for path in PAGES:
        with console.opened(path, viewport={"width": width, "height": 900}) as page:
            page.get_by_role("heading").first.wait_for()
            page.wait_for_load_state("networkidle")
            assert page.evaluate("document.documentElement.scrollWidth") <= width, path


# With accounts and regions to choose, the last page had a row of its own.
def test_the_pages_are_one_row(browser):
    with served(namespaces="separate") as server:
        client = client_of(server.endpoint, aws_access_key_id="210987654321")
        make_table(client, "albums")
        with Console(server.endpoint, client, browser).opened("/tables") as page:
            page.get_by_label("Account and region").wait_for()
            items = page.get_by_role("navigation").first.get_by_role("listitem")
            items.last.wait_for()
            rows = {each.bounding_box()["y"] for each in items.all()}
            assert len(rows) == 1


def test_the_first_paint_needs_few_requests(console, table):
    """What the frame needs is painted while the module of the page itself is not answered."""
    begun = []
    with console.opened() as page:
        page.get_by_role("link", name=table).wait_for()
        page.route("**/rooms/*", lambda _: None)
        page.on("request", lambda request: begun.append(request.url))
        page.reload(wait_until="commit")
        page.get_by_role("navigation").first.wait_for()
        page.wait_for_function(
            "performance.getEntriesByName('first-contentful-paint').length === 1"
        )
        assert len(begun) <= 12, begun
