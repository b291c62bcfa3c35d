"""The page of designs: what a person does with a model there."""

import pytest

from tests.console.conftest import sign_in
from tests.console.test_accessibility import axe, environment, faults  # noqa: F401 - fixtures
from tests.house.sources import ROOT

pytestmark = [pytest.mark.toolchain("chromium"), pytest.mark.timeout(240)]
SHOP = ROOT / "examples" / "models" / "shop.toml"
COMMIT = "Commit to the server"


def open_shop(page, file=SHOP):
    page.get_by_label("Open a file").set_input_files(file)
    page.get_by_role("list", name="Findings").wait_for()


def write(page, text):
    """Replace the text of the model."""
    page.get_by_role("textbox", name="Model").click()
    page.keyboard.press("Control+A")
    page.keyboard.press("Delete")
    page.keyboard.insert_text(text)


def commit(page, *, samples=False):
    page.get_by_role("button", name=COMMIT).click()
    dialog = page.get_by_role("dialog")
    if samples:
        dialog.get_by_label("Put the sample items").check()
    dialog.get_by_role("button", name="Make 1 table").click()
    return dialog


@pytest.fixture
def no_shop(console):
    """No table has the name of the model's, before and after a test."""
    yield
    if "Shop" in console.client.list_tables()["TableNames"]:
        console.client.delete_table(TableName="Shop")


def test_a_file_is_opened_and_drawn(console):
    with console.opened("/design") as page:
        page.get_by_role("heading", name="No models yet").wait_for()
        open_shop(page)
        assert page.url.endswith("/design?model=shop")
        page.get_by_text("local indexes (ByTotal)").wait_for()
        page.get_by_role("tab", name="Tables").click()
        page.get_by_role("cell", name="gsi1pk:S + gsi1sk:N").wait_for()
        page.get_by_role("cell", name="ORDER#{number:08}").wait_for()
        page.get_by_role("tab", name="Collections").click()
        grid = page.get_by_role("region", name="Item collections: Table Shop")
        assert grid.get_by_role("row").all_inner_texts()[1:] == [
            "CUSTOMER#{customerId}\tPROFILE\tCustomer\tcustomerId, name, email",
            "ORDER#{number:08}\tOrder\tcustomerId, number, status, total, expiresAt",
        ]
        # An index has what is projected into it.
        for index in ("ByStatus", "ByTotal"):
            rows = page.get_by_role("region", name=f"Item collections: Index {index} of Shop")
            assert rows.get_by_role("row").nth(1).inner_text().endswith("\tOrder\ttotal")
        page.get_by_role("tab", name="Access patterns").click()
        row = page.get_by_role("row").filter(has_text="Customer by id")
        assert "$164.25" in row.inner_text()
        page.get_by_role("tab", name="Items").click()
        page.get_by_label("Items of").select_option(label="Index ByStatus of Shop")
        page.get_by_role("region", name="STATUS#sent").get_by_role("button").first.click()
        page.get_by_role("dialog").get_by_text('"ORDER#00000002"').wait_for()
        page.keyboard.press("Escape")
        page.get_by_role("tab", name="Cost").click()
        page.get_by_text("Not counted: Open orders (without a rate)").wait_for()


def test_a_model_stays_in_the_browser(console):
    with console.opened("/design") as page:
        open_shop(page)
        page.get_by_role("tab", name="Cost").click()
        page.reload()
        page.get_by_text("A month of all access patterns").wait_for()
        write(page, SHOP.read_text("utf-8").replace('name = "Open orders"', 'name = "Opened"'))
        page.get_by_text("Opened (without a rate)").wait_for()
        page.get_by_role("link", name="Design").last.click()
        page.get_by_role("link", name="shop").click()
        page.get_by_role("tab", name="Access patterns").click()
        page.get_by_role("rowheader", name="Opened").wait_for()
    with console.opened("/design?model=shop") as page:
        page.get_by_role("heading", name="This browser keeps no model shop").wait_for()


def test_findings_come_as_one_types_and_lead_to_their_lines(console):
    with console.opened("/design") as page:
        page.get_by_role("button", name="Begin with an example").click()
        page.get_by_text("Nothing found").wait_for()
        editor = page.get_by_role("textbox", name="Model")
        editor.click()
        page.keyboard.press("Control+End")
        page.keyboard.insert_text('[[patterns]]\nname = "All"\noperation = "Scan"\n')
        finding = page.get_by_role("listitem").filter(has_text="pattern All")
        finding.get_by_text("Use Query with a key or an index").wait_for()
        finding.get_by_role("button", name="line").click()
        page.locator(".editor:focus-within").wait_for()
        page.keyboard.press("End")
        page.keyboard.press("Enter")
        page.keyboard.insert_text("rate = what")
        alert = page.get_by_role("alert")
        alert.get_by_text("Invalid value").wait_for()
        alert.get_by_role("button", name="line").click()
        page.locator(".editor:focus-within").wait_for()
        page.keyboard.press("Shift+End")
        page.keyboard.press("Delete")
        page.keyboard.insert_text("rate = 4")
        page.get_by_role("tab", name="Access patterns").click()
        row = page.get_by_role("row").filter(has_text="All")
        row.get_by_role("cell", name="4", exact=True).wait_for()
        assert page.get_by_role("alert").count() == 0


@pytest.mark.parametrize(
    ("text", "dialect"),
    [
        ('{"name": "x", "tables": [{"name": "xyz", "partition_key": "pk"}]}', "hashrange"),
        (
            (
                "Resources:\n  T:\n    Type: AWS::DynamoDB::Table\n    Properties:\n"
                "      TableName: xyz\n      BillingMode: PAY_PER_REQUEST\n"
                "      KeySchema: [{AttributeName: pk, KeyType: HASH}]\n"
                "      AttributeDefinitions: [{AttributeName: pk, AttributeType: S}]\n"
            ),
            "CloudFormation",
        ),
    ],
)
def test_a_model_is_pasted(console, text, dialect):
    with console.opened("/design") as page:
        page.get_by_role("button", name="Paste a model").click()
        write(page, text)
        page.get_by_text(dialect, exact=True).first.wait_for()
        page.get_by_role("tab", name="Tables").click()
        page.get_by_role("heading", name="Table xyz").wait_for()


def test_a_model_is_exported(console, tmp_path):
    with console.opened("/design") as page:
        open_shop(page)
        page.get_by_role("button", name="Export").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("Form").select_option(label="NoSQL Workbench")
        dialog.get_by_text('"ModelName": "Shop"').wait_for()
        with page.expect_download() as saved:
            dialog.get_by_role("button", name="Download shop.workbench.json").click()
        saved.value.save_as(tmp_path / "shop.json")
        dialog.get_by_label("What").select_option(label="Table Shop")
        dialog.get_by_label("Form").select_option(label="Terraform")
        dialog.get_by_text("aws_dynamodb_table").wait_for()
        page.keyboard.press("Escape")
        page.get_by_role("link", name="Design").last.click()
        open_shop(page, tmp_path / "shop.json")
        assert page.url.endswith("model=shop%202") or page.url.endswith("model=shop+2")
        page.get_by_text("NoSQL Workbench", exact=True).wait_for()


def test_a_model_is_renamed_and_deleted(console):
    with console.opened("/design") as page:
        open_shop(page)
        page.get_by_text("More", exact=True).click()
        page.get_by_role("button", name="Rename").click()
        page.get_by_role("textbox", name="Name").fill("store")
        page.get_by_role("button", name="Rename", exact=True).click()
        page.get_by_role("heading", name="store").wait_for()
        page.goto("/_console/design")
        page.get_by_role("button", name="Delete store").click()
        page.get_by_role("dialog").get_by_role("button", name="Delete").click()
        page.get_by_role("heading", name="No models yet").wait_for()


def test_a_model_is_committed_with_its_samples(console, no_shop):
    with console.opened("/design") as page:
        open_shop(page)
        page.get_by_role("button", name=COMMIT).click()
        page.get_by_text("local index ByTotal: pk:S + total:N, KEYS_ONLY").wait_for()
        page.keyboard.press("Escape")
        dialog = commit(page, samples=True)
        dialog.get_by_role("link", name="Shop").wait_for()
        table = console.client.describe_table(TableName="Shop")["Table"]
        assert [each["IndexName"] for each in table["GlobalSecondaryIndexes"]] == ["ByStatus"]
        assert console.client.scan(TableName="Shop", ConsistentRead=True)["Count"] == 6
        expiry = console.client.describe_time_to_live(TableName="Shop")["TimeToLiveDescription"]
        assert expiry["AttributeName"] == "expiresAt"
        dialog.get_by_role("button", name="Close").last.click()
        page.get_by_role("button", name=COMMIT).click()
        page.get_by_text("stays as it is").wait_for()
        assert page.get_by_role("button", name="Make 0 tables").is_disabled()


def test_alarms_and_other_settings(console, no_shop):
    changed = SHOP.read_text("utf-8").replace(
        'time_to_live = "expiresAt"', "recovery_days = 3\nalarms = true"
    )
    with console.opened("/design") as page:
        open_shop(page)
        write(page, changed)
        page.get_by_text("time-to-live").first.wait_for(state="hidden")
        page.get_by_role("button", name=COMMIT).click()
        page.get_by_text("alarms: not made here").wait_for()
        page.get_by_role("button", name="Make 1 table").click()
        page.get_by_text("without alarms: this server has none").wait_for()
    found = console.client.describe_continuous_backups(TableName="Shop")
    recovery = found["ContinuousBackupsDescription"]["PointInTimeRecoveryDescription"]
    assert recovery["RecoveryPeriodInDays"] == 3


def test_a_console_that_only_reads_checks_and_does_not_commit(console_read_only):
    with console_read_only.opened("/design") as page:
        open_shop(page)
        dialog = commit(page)
        dialog.get_by_text("read-only (--console read-only)").wait_for()
    assert console_read_only.client.list_tables()["TableNames"] == ["albums"]


def test_policies_hold_for_a_commit(users):
    with users.opened("/design") as page:
        sign_in(page, users.keys["app"])
        open_shop(page)
        dialog = commit(page)
        dialog.get_by_text("not authorized to perform: dynamodb:CreateTable").wait_for()
    assert users.client.list_tables()["TableNames"] == ["albums"]


# What stands in a model is shown, and never run.
def test_a_model_of_scripts(console):
    text = SHOP.read_text("utf-8").replace('"Customer by id"', "'<img src=x onerror=alert(1)>'")
    with console.opened("/design") as page:
        open_shop(page)
        write(page, text)
        page.get_by_role("tab", name="Access patterns").click()
        page.get_by_role("rowheader", name="<img src=x onerror=alert(1)>").wait_for()
        assert page.locator("img").count() == 0


def test_a_file_that_is_too_long(console, tmp_path):
    file = tmp_path / "long.toml"
    file.write_text("#" * (1024 * 1024 + 1))
    with console.opened("/design") as page:
        page.get_by_label("Open a file").set_input_files(file)
        page.get_by_role("alert").get_by_text("long.toml is larger than 1 MB").wait_for()


VIEWS = ["Findings", "Tables", "Collections", "Access patterns", "Items", "Cost"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(console, axe, scheme):  # noqa: F811 - the fixture
    with console.opened("/design", color_scheme=scheme) as page:
        assert faults(page, axe) == []
        open_shop(page)
        for view in VIEWS:
            page.get_by_role("tab", name=view).click()
            page.set_viewport_size({"width": 1280, "height": 800})
            assert faults(page, axe) == [], view
            page.set_viewport_size({"width": 320, "height": 800})
            assert page.evaluate("document.documentElement.scrollWidth") <= 320, view
        for action in ("Export", COMMIT):
            page.get_by_role("button", name=action).click()
            page.get_by_role("dialog").locator("pre, fieldset").first.wait_for()
            assert faults(page, axe) == [], action
            page.keyboard.press("Escape")
