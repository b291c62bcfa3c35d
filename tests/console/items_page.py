"""What tests do on the page of items."""


def grid(page):
    found = page.get_by_role("grid")
    found.get_by_role("row").nth(1).wait_for()
    return found


def cell(page, row, column):
    """The cell of a column in the row that has a text."""
    headers = grid(page).get_by_role("columnheader").all_inner_texts()
    at = next(index for index, text in enumerate(headers) if text.split("\n")[0] == column)
    return grid(page).get_by_role("row").filter(has_text=row).get_by_role("gridcell").nth(at)


def retype(page, row, column, text):
    cell(page, row, column).dblclick()
    field = page.get_by_label(f"New value of {column}")
    field.fill(text)
    field.press("Enter")


def write(page):
    page.get_by_role("button", name="Write 1 change").click()
    page.get_by_text("1 change written").wait_for()
