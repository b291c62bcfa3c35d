"""The two examples with triggers: what a change that comes twice, or in part, makes of them."""

import pytest

import running_totals
import search_index
from playground import connect


def change(number, old=None, new=None):
    images = {"OldImage": old, "NewImage": new}
    return {
        "dynamodb": {
            "Keys": {"customer": {"S": "ada"}},
            "SequenceNumber": str(10**24 + number),
            **{name: {"cents": {"N": str(cents)}} for name, cents in images.items() if cents},
        }
    }


# A batch that failed in its middle comes again as a whole.
def test_change_is_counted_once(endpoint):
    server = connect(endpoint)
    running_totals.create_table(server, "totals", "customer")
    totals = server.Table("totals")
    try:
        changes = [change(1, new=500), change(2, new=250), change(3, old=500, new=400)]
        assert running_totals.apply(totals, {"Records": changes[:2]}) == 2
        assert running_totals.apply(totals, {"Records": changes}) == 1
        assert running_totals.apply(totals, {"Records": [change(4, old=250)]}) == 1
        assert running_totals.total(totals, "ada") == "ada: 1 orders, 4.00 EUR"
    finally:
        totals.delete()


def article(number, text):
    image = {"NewImage": {"title": {"S": number}, "text": {"S": text}}} if text else {}
    return {"dynamodb": {"Keys": {"id": {"S": number}}, **image}}


# The second time nothing is found twice; what failed as a whole is not found in part.
def test_index_is_what_the_table_is(tmp_path, process_environment):
    path = tmp_path / "search.db"
    process_environment(SEARCH_DB=str(path))
    event = {"Records": [article("1", "moon"), article("2", "moon"), article("1", "sun")]}
    for _ in range(2):
        search_index.handler(event, None)
        assert search_index.search(path, "moon") == [("2", "2")]
    with pytest.raises(KeyError):
        search_index.handler({"Records": [article("2", ""), {"dynamodb": {}}]}, None)
    assert search_index.search(path, "moon") == [("2", "2")]
