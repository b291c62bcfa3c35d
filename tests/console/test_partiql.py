"""What a person does with statements of PartiQL, in a browser."""

import pytest

from tests.console.conftest import item_of

pytestmark = pytest.mark.toolchain("chromium")


def write(page, text):
    editor = page.get_by_role("textbox", name="PartiQL statements")
    editor.click()
    editor.press("Control+a")
    editor.press("Delete")
    page.keyboard.insert_text(text)


def plans(page):
    return page.get_by_role("list", name="Plans")


def test_a_statement_is_run(console, table):
    with console.opened("/partiql") as page:
        write(page, "SELECT title FROM albums WHERE artist = 'Björk'")
        plans(page).get_by_text("Query").wait_for()
        page.get_by_role("button", name="Run").click()
        page.get_by_text("1 item", exact=True).wait_for()
        assert "Jóga" in page.get_by_role("grid").inner_text()
        assert "0.5 read units" in page.get_by_role("region", name="Result").inner_text()
        page.get_by_role("tab", name="JSON").click()
        assert '"S": "Jóga"' in page.get_by_label("JSON", exact=True).inner_text()
        page.reload()
        page.get_by_role("textbox").get_by_text("WHERE artist").wait_for()


def test_a_scan_is_warned_of(console, table):
    with console.opened("/partiql") as page:
        write(page, "SELECT * FROM albums WHERE year > 1")
        plans(page).get_by_text("no partition key is compared").wait_for()
        page.get_by_role("button", name="Run").click()
        dialog = page.get_by_role("dialog", name="This reads whole tables")
        dialog.get_by_role("button", name="Cancel").click()
        assert page.get_by_role("grid").count() == 0
        page.get_by_role("button", name="Run").click()
        dialog.get_by_role("button", name="Run anyway").click()
        page.get_by_text("2 items", exact=True).wait_for()


def test_a_write_without_its_key_is_said_before_it_runs(console, table):
    with console.opened("/partiql") as page:
        write(page, "DELETE FROM albums WHERE artist = 'Björk'")
        plans(page).get_by_text("cannot be written").wait_for()


def test_several_statements_with_parameters(console, table):
    text = (
        "UPDATE albums SET year = ? WHERE artist = ? AND title = 'Jóga'; -- a comment; of it\n"
        "SELECT * FROM albums WHERE artist = 'Björk' AND title = 'a;b'"
    )
    with console.opened("/partiql") as page:
        write(page, text)
        page.get_by_label("Parameter 1: type").select_option("N")
        page.get_by_label("Parameter 1: value").fill("1998")
        page.get_by_label("Parameter 2: value").fill("Björk")
        page.get_by_role("button", name="Run").click()
        page.get_by_role("region", name="Result of statement 2").get_by_text("0 items").wait_for()
    assert item_of(console.client, table, "Jóga")["year"] == {"N": "1998"}


# A value of another type is said as the answer is, and statement and parameters are in the address.
def test_a_wrong_parameter_is_said_and_survives_a_reload(console, table):
    with console.opened("/partiql") as page:
        write(page, "SELECT * FROM albums WHERE artist = ?")
        page.get_by_label("Parameter 1: type").select_option("N")
        page.get_by_label("Parameter 1: value").fill("abc")
        page.get_by_role("button", name="Run").click()
        page.get_by_role("alert").get_by_text("parameter 1: not a number").wait_for()
        page.reload()
        assert page.get_by_label("Parameter 1: value").input_value() == "abc"
        page.get_by_label("Parameter 1: type").select_option("S")
        page.get_by_label("Parameter 1: value").fill("Björk")
        page.get_by_role("button", name="Run").click()
        page.get_by_role("grid").get_by_text("Jóga").wait_for()


def test_names_are_completed(console, table):
    with console.opened("/partiql") as page:
        editor = page.get_by_role("textbox", name="PartiQL statements")
        editor.click()
        page.keyboard.type("SELECT * FROM alb")
        page.get_by_role("option", name="albums").first.wait_for()
        page.keyboard.press("Escape")
        write(page, "SELECT * FROM albums WHERE ")
        plans(page).wait_for()
        page.keyboard.type("tit")
        page.get_by_role("option", name="title").first.wait_for()


def test_an_error_shows_its_type_and_request(console, table):
    with console.opened("/partiql") as page:
        write(page, "SELECT * FROM albums WHERE artist ~ 1")
        page.get_by_role("button", name="Run").click()
        alert = page.get_by_role("alert")
        alert.wait_for()
        assert "ValidationException" in alert.inner_text()
        alert.get_by_role("button", name="Copy").wait_for()


def test_examples_are_of_the_first_table(console, table):
    with console.opened("/partiql") as page:
        example = page.get_by_role("button", name="One item")
        assert f'FROM "{table}" WHERE "artist" = ' in example.inner_text()
        example.click()
        page.get_by_role("button", name="Run").click()
        page.get_by_text("1 item", exact=True).wait_for()


def test_the_first_look_has_examples(console):
    with console.opened("/partiql") as page:
        page.get_by_role("button", name="Insert").click()
        page.get_by_role("textbox", name="PartiQL statements").get_by_text("INSERT INTO").wait_for()
