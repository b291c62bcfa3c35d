import pytest

from hashrange.dax.protocol.expressions import (
    Placeholders,
    condition_text,
    path_text,
    projection_paths,
    update_text,
)
from hashrange.errors import DynamoError

# Trees that the official client of Python has made, and the texts that they become.
CONDITIONS = {
    "83018300821262706b821100816178": "pk = x",
    "830183068300821262706b8211008304821262736b82110182617801": "pk = x AND sk > 1",
    "830183068300821262706b821100830e821262736b821100816178": "pk = x AND begins_with(sk, x)",
    "830183068300821262706b8211008409821262736b82110182110082617801": (
        "pk = x AND sk BETWEEN 1 AND x"
    ),
    "83018300821261618211008101": "a = 1",
    "83018301821261618211008101": "a <> 1",
    "83018302821261618211008101": "a < 1",
    "83018303821261618211008101": "a >= 1",
    "83018304821261618211008101": "a > 1",
    "83018305821261618211008101": "a <= 1",
    "830183078306830082126161821100830082126162821101820883008212616382110082016178": (
        "a = 1 AND b = x OR NOT c = 1"
    ),
    "8301830a821261618282110082110182016178": "a IN (1, x)",
    "830184098212616182110082110182016178": "a BETWEEN 1 AND x",
    "8301820b83126161616280": "attribute_exists(a.b)",
    "8301820c83126161d90cfc0080": "attribute_not_exists(a[0])",
    "8301830d82126161821100816178": "attribute_type(a, x)",
    "8301830f82126161821100816178": "contains(a, x)",
    "830183048210821261618211008101": "size(a) > 1",
    # Made by hand: what must be in parentheses.
    "8301830683078300821261618211008300821261618211008300821261618211008101": (
        "(a = 1 OR a = 1) AND a = 1"
    ),
    "8301820883068300821261618211008300821261618211008101": "NOT (a = 1 AND a = 1)",
}
UPDATES = {
    "8301818313821261618211008101": "SET a = 1",
    "83018183138212616183181a821261628211008101": "SET a = b - 1",
    "83018282168212616182168312616cd90cfc0180": "REMOVE a, l[1]",
    "8301818314821261618211008101": "ADD a 1",
    "83018483138212617882110082168212617983148212616e8211008315821261738211018201d90cf9816171": (
        "SET x = 1 REMOVE y ADD n 1 DELETE s q"
    ),
}
SETS = (
    "830184831382126161821100831383126162616383181983126162616382110083138212616483178212616482"
    "110083138212616c8318188212616c82110182018101"
)


def shown(text, placeholders):
    """The text with names and values in the places of their placeholders."""
    for placeholder, name in reversed(placeholders.names.items()):
        text = text.replace(placeholder, name)
    for placeholder, value in reversed(placeholders.values.items()):
        (content,) = value.values()
        text = text.replace(placeholder, content[0] if isinstance(content, list) else content)
    return text


@pytest.mark.parametrize(("encoded", "text"), CONDITIONS.items())
def test_conditions(encoded, text):
    placeholders = Placeholders()
    assert shown(condition_text(bytes.fromhex(encoded), placeholders), placeholders) == text


@pytest.mark.parametrize(("encoded", "text"), UPDATES.items())
def test_updates(encoded, text):
    placeholders = Placeholders()
    assert shown(update_text(bytes.fromhex(encoded), placeholders), placeholders) == text


def test_functions_of_updates():
    placeholders = Placeholders()
    text = update_text(bytes.fromhex(SETS), placeholders)
    assert text == (
        "SET #0 = :0, #1.#2 = #1.#2 + :0, #3 = if_not_exists(#3, :0), #4 = list_append(#4, :1)"
    )
    assert placeholders.names == {"#0": "a", "#1": "b", "#2": "c", "#3": "d", "#4": "l"}
    assert placeholders.values == {":0": {"N": "1"}, ":1": {"L": [{"N": "1"}]}}


def test_projections():
    data = "82018382126161841261626163d90cfc028212656e612e6d65"
    paths = projection_paths(bytes.fromhex(data))
    assert paths == [["a"], ["b", "c", 2], ["na.me"]]
    placeholders = Placeholders()
    texts = [path_text(path, placeholders) for path in paths]
    assert (texts, placeholders.names["#3"]) == (["#0", "#1.#2[2]", "#3"], "na.me")


# A chain of 300 operators is as long as expressions may be.
def test_long_chain():
    one = "830082126161821100"
    tree = "8306" * 300 + one * 301
    text = condition_text(bytes.fromhex("8301" + tree + "8101"), Placeholders())
    assert text.count(" AND ") == 300


@pytest.mark.parametrize(
    "encoded",
    [
        "",
        "80",
        "8201",
        "82028100",
        "83018300821261618211018101",  # there is no second value
        "830183008212616182110080",
        "8301831b821261618211008101",
        "830182008212616180",
        "8301830018018211008101",
        "83018380f4f480",
        "8301" + "8208" * 400 + "80",
        "830183008312616139018211008101",
    ],
)
def test_unreadable(encoded):
    data = bytes.fromhex(encoded)
    for read in (condition_text, update_text):
        with pytest.raises(DynamoError):
            read(data, Placeholders())


@pytest.mark.parametrize("encoded", ["8201f6", "82018100", "8201818212f6", "8201818312616120"])
def test_unreadable_projections(encoded):
    with pytest.raises(DynamoError):
        projection_paths(bytes.fromhex(encoded))
