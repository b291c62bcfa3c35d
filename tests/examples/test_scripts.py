"""Each example is run as its reader runs it; what it prints is looked at."""

import re
import runpy
import sys
from pathlib import Path

import pytest

from playground import connect, endpoint

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted(
    path.stem for path in (ROOT / "examples").glob("*.py") if path.stem != "playground"
)

# What must be among the lines; concurrency makes other lines differ from run to run.
LINES = {
    "adjacency_list": [
        "Ada enrols once more: False",
        "  Introduction to Programming   A",
        "Programming I is taken by: Ada Byron, Grace Murray",
    ],
    "atomic_counters": [
        "41 views and two more, read and written back: 42",
        "Eight threads, 25 views each: 200",
        "160 buyers for 100 tickets: 100 sold, 0 left",
        "Invoice numbers taken by 4 threads: 1 to 40, each once",
    ],
    "ecommerce": [
        "An order of what is sold out is placed: False",
        "order with its lines                         1    0.5      3",
        "Order 1002, open: 21.30 EUR",
    ],
    "hierarchical_keys": [
        "US / NY / NEW YORK: 3 stores",
        "Without the last separator, New York also has: Mill Street Bikes",
    ],
    "large_values": [
        "256,000 bytes are in an object, and 8 attributes in the item",
        "Collected after an hour: 2",
        "The value is b'short'",
    ],
    "optimistic_locking": ["16 parties of three booked by 8 threads, each seat sold once"],
    "running_totals": [
        "ada: 2 orders, 22.40 EUR",
        "After a rebate and a return: ada: 1 orders, 10.00 EUR",
        "All delivered once more: 0 counted, ada: 1 orders, 10.00 EUR",
    ],
    "search_engine": [
        "moon: ['Calendars', 'Tides']",
        "After a change and a delete, sea: []",
        "moonshine: ['Bread']",
        "Reindexed from a snapshot: ['Bread', 'Calendars']",
    ],
    "search_index": [
        "moon NOT sea: ['Calendars']",
        "moon*, after a change and a delete: ['Bread', 'Calendars']",
    ],
    "semantic_search": [
        "  Descale the boiler every two months to remove limestone.",
        "  For a stronger espresso choose a finer grind and more beans.",
        "  A blinking red light means that the machine is overheated: let it cool down.",
        "  The warranty covers repairs for two years from the day of purchase.",
        "To read: 3 passages",
    ],
    "single_table": [
        "  workspace  INFO           Acme Ltd",
        "grace@example.com is Grace Murray",
        "  2026-03-02  Sketch the landing page",
    ],
    "sparse_index": [
        "Read units: 0.5 by Query on the index, 4.0 by Scan with a filter",
        "After T-1006 is settled: ['T-1204']",
    ],
    "time_buckets": [
        "  G1-NORTH#2026-02  2026-02-01T00:00:00Z  14 °C",
        "The latest, asked for in May: 2026-03-09T18:00:00Z",
        "Left in the table: 148",
    ],
    "unique_constraints": [
        "Ada@Example.com, once more: this email is taken",
        "ada@example.com is countess",
        "8 threads want the name grace: 1 has it, 7 were told so",
    ],
    "versions": [
        "The newest: Returns within 30 hours.",
        "Restored as version 4",
        "Six authors publish what they made from version 4: one did, as version 5",
    ],
    "write_sharding": ["200 orders written by 8 threads, 200 read back, in order of time"],
}


def test_each_example_has_its_lines():
    assert sorted(LINES) == EXAMPLES


@pytest.fixture
def called(monkeypatch):
    """Sets the arguments of the program."""
    return lambda *arguments: monkeypatch.setattr(sys, "argv", ["example.py", *arguments])


# It says what it promises, and leaves no table behind.
@pytest.mark.parametrize("name", EXAMPLES)
def test_example_runs_as_a_script(name, endpoint, called, capsys):
    path = ROOT / "examples" / f"{name}.py"
    called(endpoint)
    runpy.run_path(str(path), run_name="__main__")
    printed = capsys.readouterr().out.splitlines()
    assert [line for line in LINES[name] if line not in printed] == []
    assert [table.name for table in connect(endpoint).tables.all()] == []


# A table that outlives a failure would be in the way of nobody, but stay for ever.
def test_table_is_deleted_after_a_failure_too(endpoint, called, monkeypatch):
    path = ROOT / "examples" / "single_table.py"
    called(endpoint)
    monkeypatch.setattr("builtins.print", _fail)
    with pytest.raises(OSError, match="no paper"):
        runpy.run_path(str(path), run_name="__main__")
    assert list(connect(endpoint).tables.all()) == []


def _fail(*_):
    raise OSError("no paper")


@pytest.mark.parametrize(
    ("arguments", "variables", "expected"),
    [
        ([], {}, "http://127.0.0.1:8000"),
        ([], {"AWS_ENDPOINT_URL": "http://a"}, "http://a"),
        ([], {"AWS_ENDPOINT_URL": "http://a", "AWS_ENDPOINT_URL_DYNAMODB": "http://b"}, "http://b"),
        (["http://c"], {"AWS_ENDPOINT_URL": "http://a"}, "http://c"),
    ],
)
def test_where_the_server_is(arguments, variables, expected, called, process_environment):
    called(*arguments)
    unset = {"AWS_ENDPOINT_URL": None, "AWS_ENDPOINT_URL_DYNAMODB": None}
    process_environment(**unset | variables)
    assert endpoint() == expected


# The page is how an example is found.
def test_each_example_stands_on_the_page_of_patterns():
    page = (ROOT / "docs" / "patterns.md").read_text("utf-8")
    assert sorted(re.findall(r"\(\.\./examples/(\w+)\.py\)", page)) == EXAMPLES
