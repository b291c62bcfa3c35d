"""What a person does with items, in a browser."""

import json

import pytest

from tests.console.conftest import ITEMS, item_of
from tests.console.items_page import cell, grid, retype, write

pytestmark = pytest.mark.toolchain("chromium")
SINNERMAN = ITEMS["Sinnerman"]
KEY = {name: SINNERMAN[name] for name in ("artist", "title")}


def test_a_query_by_key_with_a_filter(console, table):
    with console.opened(f"/tables/{table}") as page:
        assert grid(page).get_by_role("row").count() == 3
        page.get_by_label("Read by").select_option("query")
        page.get_by_label("artist (partition key, S)").fill("Nina Simone")
        page.get_by_text("Filters, fields, page").click()
        page.get_by_role("button", name="+ Filter").click()
        page.get_by_label("Filter 1: attribute").fill("meta.sides[0]")
        page.get_by_label("Filter 1: type").select_option("N")
        page.get_by_label("Filter 1: value").fill("1")
        page.get_by_role("button", name="Run", exact=True).click()
        page.get_by_text("1 item", exact=True).wait_for()
        assert grid(page).get_by_role("row").count() == 2
        assert 'artist = "Nina Simone"' in page.inner_text(".outlook")
        page.reload()
        assert grid(page).get_by_role("row").count() == 2
        page.get_by_label("artist (partition key, S)").fill("Nobody")
        page.keyboard.press("Enter")
        page.get_by_text("No item matches").wait_for()


def test_what_is_missing_is_said(console, table):
    with console.opened(f"/tables/{table}") as page:
        grid(page)
        page.get_by_label("Read by").select_option("query")
        page.get_by_role("button", name="Run", exact=True).click()
        alert = page.get_by_role("alert")
        assert alert.inner_text() == "Enter a value of artist, the partition key"


# A filter reads pages on until one is full: pages without a match do not look like the end.
def test_a_page_is_filled(console, table):
    with console.client_batch(table, 300) as last, console.opened(f"/tables/{table}") as page:
        grid(page)
        page.get_by_text("Filters, fields, page").click()
        page.get_by_role("button", name="+ Filter").click()
        page.get_by_label("Filter 1: attribute").fill("number")
        page.get_by_label("Filter 1: type").select_option("N")
        page.get_by_label("Filter 1: value").fill(str(last))
        page.get_by_role("button", name="Run", exact=True).click()
        page.get_by_text("of 302 read").wait_for()
        assert grid(page).get_by_role("row").count() == 2


def test_a_value_is_edited_in_its_cell(console, table):
    with console.opened(f"/tables/{table}") as page:
        retype(page, "Sinnerman", "year", "1966")
        page.get_by_text("1 staged change", exact=True).wait_for()
        assert item_of(console.client, table, "Sinnerman") == SINNERMAN
        write(page)
        assert item_of(console.client, table, "Sinnerman") == {**SINNERMAN, "year": {"N": "1966"}}
        page.get_by_role("button", name="Undo").click()
        page.get_by_text("1 change taken back").wait_for()
    assert item_of(console.client, table, "Sinnerman") == SINNERMAN


def test_a_wrong_value_is_not_taken(console, table):
    with console.opened(f"/tables/{table}") as page:
        cell(page, "Sinnerman", "year").dblclick()
        field = page.get_by_label("New value of year")
        field.fill("19x")
        # It is said as one types.
        assert page.get_by_role("alert").inner_text() == "not a number"
        field.press("Enter")
        field.fill("9" * 39)
        assert "39 digits" in page.get_by_role("alert").inner_text()
        field.press("Escape")
        assert page.get_by_text("staged change").count() == 0


# DynamoDB has no change of a key: the item is deleted, and put with the new key if it is free.
def test_a_new_key_that_is_taken(console, table):
    with console.opened(f"/tables/{table}") as page:
        cell(page, "Jóga", "title").dblclick()
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("artist", exact=True).fill("Nina Simone")
        dialog.get_by_label("title", exact=True).fill("Sinnerman")
        dialog.get_by_role("button", name="Save").click()
        dialog.get_by_text("An item with the new key is there already").wait_for()
        assert item_of(console.client, table, "Sinnerman") == SINNERMAN
        dialog.get_by_label("title", exact=True).fill("Jóga")
        dialog.get_by_role("button", name="Save").click()
        page.get_by_text("1 change written").wait_for()
    moved = item_of(console.client, table, "Jóga")
    assert moved == {**ITEMS["Jóga"], "artist": {"S": "Nina Simone"}}


# A condition can compare some 150 attributes; what was deleted is compared with the others.
def test_an_item_of_many_attributes_is_deleted(console, table):
    key = {"artist": {"S": "wide"}, "title": {"S": "wide"}}
    many = {f"attribute {number}": {"S": "x"} for number in range(400)}
    console.client.put_item(TableName=table, Item={**key, **many})
    with console.opened(f"/tables/{table}") as page:
        grid(page).get_by_text("wide").first.click()
        page.keyboard.press("Delete")
        page.get_by_role("button", name="Write 1 change").wait_for()
        update = {"UpdateExpression": "SET #a = :a", "ExpressionAttributeNames": {"#a": "changed"}}
        values = {":a": {"S": "x"}}
        console.client.update_item(
            TableName=table, Key=key, **update, ExpressionAttributeValues=values
        )
        write(page)
    assert item_of(console.client, table, "wide") is None


# Objects of JavaScript know these names, which are those of attributes, too.
def test_attributes_with_names_of_javascript(console, table):
    with console.opened(f"/tables/{table}") as page:
        cell(page, "Jóga", "title").dblclick()
        page.get_by_label("New attribute", exact=True).fill("constructor")
        page.get_by_role("dialog").get_by_role("button", name="Add", exact=True).click()
        page.get_by_label("constructor", exact=True).fill("a")
        page.get_by_role("button", name="Save").click()
        page.get_by_text("1 change written").wait_for()
        grid(page).get_by_role("checkbox", name="Select all").check()
        page.get_by_role("button", name="Edit 2 items").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("Attribute").fill("__proto__")
        dialog.get_by_label("Value").fill("b")
        dialog.get_by_role("button", name="Stage 2 changes").click()
        page.get_by_role("button", name="Write 2 changes").click()
        page.get_by_text("2 changes written").wait_for()
    joga, other = (item_of(console.client, table, each) for each in ITEMS)
    assert joga["constructor"] == {"S": "a"}
    assert joga["__proto__"] == other["__proto__"] == {"S": "b"}


@pytest.mark.parametrize("form", ["DynamoDB JSON", "Plain JSON"])
def test_all_digits_and_types_survive_an_edit(console, table, form):
    label = "Item in plain JSON" if form == "Plain JSON" else "Item in DynamoDB JSON"
    with console.opened(f"/tables/{table}") as page:
        cell(page, "Sinnerman", "title").dblclick()
        page.get_by_role("tab", name=form).click()
        editor = page.get_by_role("textbox", name=label)
        editor.wait_for()
        editor.press("Control+Home")
        for _ in range(2):
            editor.press("End")
            editor.press("ArrowRight")
        editor.press("Home")
        new = '"added": 1,' if form == "Plain JSON" else '"added": {"N": "1"},'
        page.keyboard.insert_text(new)
        page.get_by_role("button", name="Save").click()
        page.get_by_text("1 change written").wait_for()
    found = item_of(console.client, table, "Sinnerman")
    assert found == {**SINNERMAN, "added": {"N": "1"}}


def test_an_editor_colours_tokens_and_underlines_a_fault(console, table):
    with console.opened(f"/tables/{table}") as page:
        cell(page, "Sinnerman", "title").dblclick()
        page.get_by_role("tab", name="DynamoDB JSON").click()
        editor = page.get_by_role("textbox", name="Item in DynamoDB JSON")
        editor.locator(".t-name", has_text='"title"').wait_for()
        editor.locator(".t-string", has_text='"Sinnerman"').wait_for()
        editor.press("Control+Home")
        page.keyboard.insert_text("x")
        editor.locator(".t-fault").wait_for()
        assert "unexpected" in editor.locator(".t-fault").get_attribute("title")
        editor.press("Backspace")
        editor.locator(".t-fault").wait_for(state="detached")


def test_a_form_edits_nested_values(console, table):
    with console.opened(f"/tables/{table}") as page:
        cell(page, "Sinnerman", "title").dblclick()
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("meta.label", exact=True).fill("Verve")
        dialog.get_by_label("tags: one element a line").fill("live\nloud")
        dialog.get_by_label("New attribute", exact=True).fill("sold")
        dialog.get_by_role("button", name="Add", exact=True).last.click()
        dialog.get_by_label("sold: type").select_option("BOOL")
        dialog.get_by_role("button", name="Save").click()
        page.get_by_text("1 change written").wait_for()
    found = item_of(console.client, table, "Sinnerman")
    meta = {"M": {**SINNERMAN["meta"]["M"], "label": {"S": "Verve"}}}
    expected = {
        **SINNERMAN,
        "meta": meta,
        "tags": {"SS": ["live", "loud"]},
        "sold": {"BOOL": False},
    }
    assert found == expected


def test_faults_are_said_as_one_types(console, table):
    with console.opened(f"/tables/{table}") as page:
        page.get_by_role("button", name="New item").click()
        dialog = page.get_by_role("dialog")
        assert "artist: a key cannot be empty" in dialog.get_by_role("alert").inner_text()
        assert dialog.get_by_role("button", name="Save").is_disabled()
        dialog.get_by_label("artist", exact=True).fill("a")
        dialog.get_by_label("title", exact=True).fill("x" * 1025)
        assert "1025 bytes" in dialog.get_by_role("alert").inner_text()
        dialog.get_by_label("title", exact=True).fill("b")
        dialog.get_by_role("button", name="Save").click()
        page.get_by_text("1 change written").wait_for()
    assert item_of(console.client, table, "b") == {"artist": {"S": "a"}, "title": {"S": "b"}}


# Someone else's change is never overwritten unseen.
def test_a_conflict_is_shown_and_decided(console, table):
    with console.opened(f"/tables/{table}") as page:
        retype(page, "Sinnerman", "year", "1966")
        console.client.update_item(
            TableName=table,
            Key=KEY,
            UpdateExpression="SET #y = :y, tempo = :y",
            ExpressionAttributeNames={"#y": "year"},
            ExpressionAttributeValues={":y": {"N": "1970"}},
        )
        page.get_by_role("button", name="Write 1 change").click()
        dialog = page.get_by_role("dialog", name="Changed by someone else")
        dialog.wait_for()
        assert "1970" in dialog.inner_text()
        assert item_of(console.client, table, "Sinnerman")["year"] == {"N": "1970"}
        dialog.get_by_role("button", name="Stage mine over theirs").click()
        write(page)
    found = item_of(console.client, table, "Sinnerman")
    assert (found["year"], found["tempo"]) == ({"N": "1966"}, {"N": "1970"})


# A change of another attribute is kept, and no conflict.
def test_changes_of_other_attributes_stay(console, table):
    with console.opened(f"/tables/{table}") as page:
        retype(page, "Sinnerman", "year", "1966")
        console.client.update_item(
            TableName=table,
            Key=KEY,
            UpdateExpression="SET tempo = :t",
            ExpressionAttributeValues={":t": {"N": "120"}},
        )
        write(page)
    found = item_of(console.client, table, "Sinnerman")
    assert (found["year"], found["tempo"]) == ({"N": "1966"}, {"N": "120"})


def test_items_are_deleted_and_brought_back(console, table):
    with console.opened(f"/tables/{table}") as page:
        grid(page).focus()
        page.keyboard.press("Control+a")
        page.keyboard.press("Delete")
        page.get_by_role("button", name="Write 2 changes").click()
        page.get_by_text("The table is empty").wait_for()
        assert console.client.scan(TableName=table)["Count"] == 0
        page.get_by_role("button", name="Undo").click()
        page.get_by_text("2 changes taken back").wait_for()
    assert item_of(console.client, table, "Sinnerman") == SINNERMAN


def test_many_items_are_edited(console, table):
    with console.opened(f"/tables/{table}") as page:
        grid(page).get_by_label("Select all").check()
        page.get_by_role("button", name="Edit 2 items").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("Attribute").fill("seen")
        dialog.get_by_label("Type").select_option("BOOL")
        dialog.get_by_label("Value").fill("true")
        dialog.get_by_role("button", name="Stage 2 changes").click()
        page.get_by_role("button", name="Write 2 changes").click()
        page.get_by_text("2 changes written").wait_for()
    found = console.client.scan(TableName=table)["Items"]
    assert [each["seen"] for each in found] == [{"BOOL": True}] * 2


def menu(page, text):
    page.locator("summary").filter(has_text="More").click()
    page.get_by_role("button", name=text).click()
    return page.get_by_role("dialog")


def test_an_item_is_duplicated(console, table):
    with console.opened(f"/tables/{table}") as page:
        cell(page, "Sinnerman", "title").click()
        grid(page).focus()
        page.keyboard.press("Space")
        dialog = menu(page, "Duplicate the item …")
        dialog.get_by_label("title", exact=True).fill("Other")
        dialog.get_by_role("button", name="Save").click()
        page.get_by_text("1 change written").wait_for()
    assert item_of(console.client, table, "Other") == {**SINNERMAN, "title": {"S": "Other"}}


@pytest.mark.parametrize("form", ["dynamo", "lines", "csv"])
def test_what_is_exported_can_be_imported(console, table, form, tmp_path):
    with console.opened(f"/tables/{table}") as page:
        grid(page)
        dialog = menu(page, "Export …")
        dialog.get_by_label("Items").select_option("all")
        dialog.get_by_label("Format").select_option(form)
        with page.expect_download() as download:
            dialog.get_by_role("button", name="Export").click()
        path = tmp_path / download.value.suggested_filename
        download.value.save_as(path)
        for item in ITEMS.values():
            key = {name: item[name] for name in ("artist", "title")}
            console.client.delete_item(TableName=table, Key=key)
        dialog = menu(page, "Import …")
        dialog.get_by_label("File").set_input_files(path)
        dialog.get_by_role("button", name="Import 2 items").click()
        page.get_by_text("2 items imported").wait_for()
    found = item_of(console.client, table, "Sinnerman")
    assert found["price"] == SINNERMAN["price"]
    assert found["meta"] == SINNERMAN["meta"]
    if form == "dynamo":
        assert found == SINNERMAN


def test_faults_of_an_import_have_their_lines(console, table):
    text = 'artist,title,year\nA,B,1\nC\nD,"","2"\n"E","F, ""G""",3\n'
    with console.opened(f"/tables/{table}") as page:
        grid(page)
        dialog = menu(page, "Import …")
        dialog.get_by_role("textbox", name="Items").fill(text)
        told = dialog.get_by_role("alert").inner_text()
        dialog.get_by_role("textbox", name="Items").fill('[\n{"artist": "A", "title": "B"}, 1]')
        dialog.get_by_text("item 2: an item is an object").wait_for()
        dialog.get_by_role("textbox", name="Items").fill(text)
        assert "line 3: 1 cells, and 3 columns" in told
        assert "line 4: title: a key cannot be empty" in told
        dialog.get_by_role("button", name="Import 2 items").click()
        page.get_by_text("2 items imported").wait_for()
    assert item_of(console.client, table, 'F, "G"')["year"] == {"N": "3"}


def test_an_import_leaves_what_is_there(console, table):
    text = json.dumps({"artist": "Nina Simone", "title": "Sinnerman", "year": 1})
    with console.opened(f"/tables/{table}") as page:
        grid(page)
        dialog = menu(page, "Import …")
        dialog.get_by_role("textbox", name="Items").fill(text)
        dialog.get_by_role("button", name="Import 1 item").click()
        page.get_by_text("1 were there already").wait_for()
    assert item_of(console.client, table, "Sinnerman") == SINNERMAN


def test_collections_and_code(console, table):
    with console.opened(f"/tables/{table}") as page:
        grid(page)
        page.get_by_role("tab", name="Collections").click()
        page.get_by_role("region", name="Nina Simone").wait_for()
        page.get_by_role("tab", name="As code").click()
        for name, text in (
            ("Python", "client.scan("),
            ("Go", "client.Scan(ctx"),
            ("PartiQL", "SELECT * FROM"),
        ):
            page.get_by_role("tab", name=name, exact=True).click()
            assert text in page.get_by_label("Code", exact=True).inner_text()


def test_history_and_saved_queries(console, table):
    with console.opened(f"/tables/{table}") as page:
        grid(page)
        page.get_by_label("Read by").select_option("query")
        page.get_by_label("artist (partition key, S)").fill("Björk")
        page.keyboard.press("Enter")
        page.get_by_text("1 item", exact=True).wait_for()
        page.locator("summary").filter(has_text="Saved").click()
        page.get_by_role("button", name="Save this query").click()
        page.get_by_role("button", name="Clear").click()
        page.locator("summary").filter(has_text="Saved").click()
        page.get_by_role("button", name='Query artist = "Björk"').click()
        page.get_by_text("1 item", exact=True).wait_for()
        page.locator("summary").filter(has_text="History").click()
        page.get_by_role("button", name="Scan", exact=True).click()
        page.get_by_text("2 items", exact=True).wait_for()


def test_read_only_has_no_buttons_and_the_server_refuses(console_read_only):
    console = console_read_only
    with console.opened("/tables/albums") as page:
        grid(page)
        assert page.get_by_role("button", name="New item").count() == 0
        refused = page.evaluate(
            """() => fetch("/_console/api/aws", {method: "POST", body: "{}", headers: {
                "X-Amz-Target": "DynamoDB_20120810.PutItem",
                "Content-Type": "application/x-amz-json-1.0"}}).then((each) => each.text())"""
        )
        assert "AccessDeniedException" in refused
