"""CSV that the pages write and read."""

import pytest

pytestmark = pytest.mark.toolchain("chromium")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a,b\n1,2\n", [["a", "b"], ["1", "2"]]),
        ('"a ""x"", y","b\r\nc"\r\n', [['a "x", y', "b\r\nc"]]),
        ('""\n', [[""]]),
        ("\n\na\n", [["a"]]),
        ('"a', "! line 1: a quote does not end"),
    ],
)
def test_csv(js, text, expected):
    expression = "m.csvRows(a0).map((row) => row.cells.map((cell) => cell.text))"
    assert js("transfer.js", expression, text) == expected


# An export is read again as it was: what CSV cannot say is which texts are no numbers.
def test_texts_of_csv_stay_texts(js):
    texts = ["1", "-1.5", "true", "", "=1+1", "@a", "a", "0123", "\t", "a,b"]
    items = [{"pk": {"S": str(at)}, "a": {"S": each}} for at, each in enumerate(texts)]
    table = {"KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}]}
    table["AttributeDefinitions"] = [{"AttributeName": "pk", "AttributeType": "S"}]
    expression = "m.rowsOf(m.textOf(a0, 'csv', ['pk']), a1).map((row) => row.item)"
    assert js("transfer.js", expression, items, table) == items


# Spreadsheets run what begins with = + - @ or a tab; numbers are none of these.
def test_csv_for_spreadsheets_has_no_formulas(js):
    item = {"pk": {"S": "=1"}, "@n": {"N": "-1"}, "b": {"B": "+A=="}, "s": {"S": "a=b"}}
    expression = "m.textOf([a0], 'csv', ['pk'], { sheets: true })"
    assert js("transfer.js", expression, item) == "pk,'@n,b,s\r\n'=1,-1,'+A==,a=b\r\n"


def test_a_file_for_a_spreadsheet_has_no_formulas(console, table, tmp_path):
    key = {"artist": {"S": "=HYPERLINK(1)"}, "title": {"S": "a"}}
    console.client.put_item(TableName=table, Item=key)
    with console.opened(f"/tables/{table}") as page:
        page.get_by_role("row").nth(1).wait_for()
        page.locator("summary").filter(has_text="More").click()
        page.get_by_role("button", name="Export …").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("Format").select_option("csv")
        dialog.get_by_text("begin as formulas do").wait_for()
        dialog.get_by_label("For a spreadsheet").check()
        dialog.get_by_text("begin as formulas do").wait_for(state="detached")
        with page.expect_download() as download:
            dialog.get_by_role("button", name="Export").click()
        path = tmp_path / "file.csv"
        download.value.save_as(path)
    assert "\n'=HYPERLINK(1),a," in path.read_text()
