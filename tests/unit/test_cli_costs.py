"""`hashrange capacity` and `hashrange units`: what they print, and how they refuse."""

import io
import json
import threading

import pytest

from hashrange.cli.commands import main
from tests.api.conftest import client_of
from tests.api.indexes import index_of, projected
from tests.served import served
from tests.unit.capacity.simulation.test_simulator import SMALL

ITEM = {"id": {"S": "o1"}, "total": {"N": "12.5"}, "note": {"S": "x" * 1500}}


@pytest.fixture
def run(capsys):
    """Runs the command line; gives the exit code, and what it printed."""

    def running(*arguments):
        with pytest.raises(SystemExit) as ended:
            main([*map(str, arguments)])
        printed = capsys.readouterr()
        return ended.value.code or 0, printed.out, printed.err

    return running


@pytest.fixture
def data(run):
    """Runs a command with --json; gives what it printed."""

    def running(*arguments):
        code, printed, errors = run(*arguments, "--json")
        assert (code, errors) == (0, "")
        return json.loads(printed)

    return running


# 500 eventually consistent reads of 6 KB are 500 units; 100 writes of 6 KB are 600, and 100 more of
# 1 KB in each of two indexes.
def test_capacity(data):
    found = data(
        *("capacity", "--item-size", 6, "--reads", 500, "--writes", 100),
        *("--gsi-count", 2, "--gsi-item-size", 1, "--storage", 100),
    )
    assert (found["read_units"], found["write_units"], found["consistency"]) == (
        500,
        800,
        "eventual",
    )
    assert (found["table_write_units"], found["index_write_units"]) == (600, 200)
    assert found["monthly"]["on_demand"] == pytest.approx(2.628 * (500 * 0.125 + 800 * 0.625) + 25)
    assert found["monthly"]["provisioned"] == pytest.approx(
        730 * (500 * 0.00013 + 800 * 0.00065) + 25
    )
    assert found["monthly"]["reserved_1_year"] == pytest.approx(
        (5 * 30 + 8 * 150) / 12 + 730 * (5 * 0.0025 + 8 * 0.0128) + 25
    )
    assert found["cheapest"] == "reserved_3_years"
    assert found["prices"]["date"] == "2026-10-08"
    assert found["prices"]["prices"]["storage_gb_month"] == {"usd": 0.25, "source": "list"}
    # Scripts look for both beside the totals, and at the top.
    assert found["monthly"]["cheapest"] == found["cheapest"]
    assert found["monthly"]["prices"] == found["prices"]


def test_units_that_are_no_whole_number_are_rounded_up(data):
    found = data("capacity", "--reads", 25, "--writes", 0.5)
    assert (found["read_units"], found["write_units"]) == (13, 1)
    assert found["monthly"]["on_demand"] == pytest.approx(
        2.628 * (12.5 * 0.125 + 0.5 * 0.625), abs=1e-3
    )


def test_all_features(data):
    found = data(
        *("capacity", "--reads", 10, "--consistency", "transactional", "--hours-a-day", 12),
        *("--peak", 2, "--storage", 10, "--pitr", "--streams", "--replicas", 1, "--backup", 10),
        *("--restore", 10, "--export", 10, "--incremental-export", 10, "--import", 10),
        *("--egress", 110, "--dax-nodes", 3, "--dax-node-type", "dax.r5.large"),
        *("--vector-writes", 1, "--vector-searches", 1, "--free-tier", "--non-interactive"),
    )
    extras = {each["name"]: each["usd"] for each in found["extras"]}
    assert extras == {
        "point-in-time recovery": 4.0,
        "backups": 1.0,
        "restores": 1.5,
        "exports": 1.0,
        "incremental exports": 1.0,
        "imports": 1.5,
        "reads of the stream": pytest.approx((2.628 - 2.5) * 0.2),
        "transfer to the internet": pytest.approx(0.9),
        "nodes dax.r5.large": pytest.approx(558.45),
        "writes of vector indexes": None,
        "searches of vectors": None,
    }
    assert found["not_priced"] == ["writes of vector indexes", "searches of vectors"]


def test_the_text(run):
    code, printed, _errors = run("capacity", "--reads", 100, "--writes", 10, "--replicas", 1)
    assert code == 0
    assert "reads: 1 KB / 4 KB, rounded up = 1; 100 a second x 1 x 0.5 (eventual) = 50" in printed
    assert "prices of us-east-1 of 2026-10-08" in printed
    assert "Cheapest without a commitment: provisioned for the peak" in printed
    assert "28.9%  14.44 read and 2.89 write units a second" in printed
    assert "the price is not known: transfer to other regions, Standard-IA, provisioned." in printed


def test_prices_of_another_region(run, data, tmp_path):
    path = tmp_path / "prices.toml"
    path.write_text(
        'region = "eu-central-1"\ndate = 2026-11-01\n[prices]\n'
        'on_demand_read_million = { usd = 0.1525, source = "https://aws.amazon.com" }\n'
    )
    found = data("capacity", "--reads", 2, "--prices", path)
    assert found["cheapest"] == "on_demand"
    assert found["monthly"]["on_demand"] == pytest.approx(2.628 * 0.1525, abs=1e-4)
    assert found["monthly"]["provisioned"] is None
    assert found["prices"]["region"] == "eu-central-1"
    path.write_text("region = 1")
    code, _printed, errors = run("capacity", "--reads", 2, "--prices", path)
    assert (code, errors.count("\n")) == (2, 1)
    assert errors.startswith(f"hashrange: {path}: ")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((), "give --reads or --writes"),
        (("--reads", "nan"), "not a number"),
        (("--reads", "-1"), "not in the range"),
        (("--reads", "inf"), "not a number up to 1e+15"),
        (("--item-size", "401", "--reads", "1"), "not in the range"),
        (("--item-size", "0", "--reads", "1"), "not in the range"),
        (("--reads", "1", "--consistency", "weak"), "'weak' is not one of"),
        (("--reads", "1", "--hours-a-day", "25"), "not in the range"),
        (("--reads", "1", "--peak", "0.5"), "not in the range"),
        (("--reads", "1", "--prices", "none.toml"), "none.toml: No such file or directory"),
        (("--reads", "1", "--from", "orders"), "--reads: --from has the load"),
        (("--from", "orders", "--interval", "nan"), "not a number"),
        (("--from", "none.toml"), "none.toml: No such file or directory"),
        (("--from", "orders", "--endpoint", "here"), "'here'"),
    ],
)
def test_what_capacity_refuses(run, arguments, told):
    code, printed, errors = run("capacity", *arguments)
    assert (code, printed, errors.count("\n")) == (2, "", 1)
    assert told in errors


def test_the_load_of_a_simulation(data, tmp_path):
    path = tmp_path / "small.toml"
    path.write_text(SMALL.replace("600", "60"))
    found = data("capacity", "--from", path)
    assert found["write_units"] == pytest.approx(100, rel=0.05)
    assert found["arithmetic"][0].startswith("simulation of Small, 60 s: ")


MODEL = """
name = "Shop"
[[tables]]
name = "Shop"
partition_key = "pk:S"
[[tables.indexes]]
name = "ByState"
partition_key = "state"
projection = "ALL"
[[entities]]
name = "Order"
templates = { pk = "ORDER#{id}", state = "{state}" }
attributes = { id = "S", state = "S" }
item_bytes = 1500
items = 1000000
[[patterns]]
name = "order"
operation = "GetItem"
entity = "Order"
rate = 100
[[patterns]]
name = "new order"
operation = "PutItem"
entity = "Order"
rate = 10
[[patterns]]
name = "later"
entity = "Order"
"""


# A read of 1,500 bytes is half a unit, a write two units in the table and two in the index.
def test_the_load_of_a_model(data, run, tmp_path):
    path = tmp_path / "shop.toml"
    path.write_text(MODEL)
    found = data("capacity", "--from", path)
    assert (found["read_units"], found["table_write_units"]) == (50, 20)
    assert found["index_write_units"] == 20
    storage = found["capacity"]["on_demand"][-1]
    assert (storage["name"], storage["quantity"]) == (
        "storage",
        pytest.approx(1.6e9 / 1024**3, abs=1e-4),
    )
    assert found["arithmetic"][-1] == "not counted: later (without a rate)"
    path.write_text("name = ")
    assert run("capacity", "--from", path)[0] == 2


@pytest.fixture(scope="module")
def orders():
    """A server with a table that is written all the time, as its URL."""
    with served(memory=True) as server:
        client = client_of(server.endpoint)
        client.create_table(
            TableName="orders",
            BillingMode="PAY_PER_REQUEST",
            AttributeDefinitions=[{"AttributeName": n, "AttributeType": "S"} for n in ("id", "g")],
            KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
            GlobalSecondaryIndexes=[index_of("by-g", "g", **projected("KEYS_ONLY"))],
            StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"},
        )
        ended = threading.Event()

        def write():
            while not ended.is_set():
                client.put_item(TableName="orders", Item={**ITEM, "g": {"S": "x"}})

        writer = threading.Thread(target=write)
        writer.start()
        yield server.endpoint
        ended.set()
        writer.join()


WATCH = ("--interval", "0.3", "--endpoint")


@pytest.mark.parametrize("source", ["orders", "metrics"])
def test_the_load_of_a_live_server(data, orders, source):
    found = data("capacity", "--from", source, *WATCH, orders)
    assert found["table_write_units"] > 0
    assert [each["name"] for each in found["extras"]] == ["reads of the stream"]


def test_a_workload_of_a_live_server(run, data, orders, tmp_path):
    code, printed, _errors = run("simulate", "--from", "orders", *WATCH, orders)
    assert code == 0
    path = tmp_path / "live.toml"
    path.write_text(printed.replace("seconds = 3600", "seconds = 60"))
    found = data("simulate", path)
    assert set(found["places"]) == {"table", "by-g"}
    assert found["traffic"]["writes"][0]["requests"] > 0


def test_a_live_server_that_is_none(run, orders):
    code, _printed, errors = run("capacity", "--from", "carts", *WATCH, orders)
    assert code == 2
    assert errors == f"hashrange: {orders} has no table carts\n"
    code, _printed, errors = run("capacity", "--from", "carts", *WATCH, "http://127.0.0.1:9")
    assert (code, errors.count("\n")) == (1, 1)


# name 2 + value 2, name 5 + number 3, name 4 + value 1500.
@pytest.mark.parametrize("form", ["typed", "export", "plain"])
def test_units(data, tmp_path, form):
    plain = {"id": "o1", "total": 12.5, "note": "x" * 1500}
    item = {"typed": ITEM, "export": {"Item": ITEM}, "plain": plain}[form]
    path = tmp_path / "item.json"
    path.write_text(json.dumps(item, indent=1))
    found = data(
        *("units", path, "--key", "id", "--gsi", "a:total:N", "--gsi", "b:gone:S"),
        *("--gsi", "c:total:N:id:S:KEYS_ONLY", "--gsi", "d:total:N:INCLUDE:note,more"),
    )
    assert (found["bytes"], found["read_units"], found["write_units"]) == (1516, 0.5, 2)
    assert found["attributes"] == {"note": 1504, "total": 8, "id": 4}
    assert found["indexes"] == {
        "a": {"bytes": 1516, "write_units": 2},
        "b": None,
        "c": {"bytes": 12, "write_units": 1},
        "d": {"bytes": 1516, "write_units": 2},
    }
    assert found["operations"] == {
        "GetItem, eventually consistent": 0.5,
        "GetItem, strongly consistent": 1,
        "TransactGetItems": 2,
        "PutItem, new or of the same size": 7,
        "DeleteItem": 7,
        "TransactWriteItems": 9,
    }


def test_units_with_the_indexes_of_a_table(data, run, orders, tmp_path):
    path = tmp_path / "item.json"
    path.write_text(json.dumps({**ITEM, "g": {"S": "x"}}))
    found = data("units", path, "--table", "orders", "--endpoint", orders)
    assert found["indexes"] == {"by-g": {"bytes": 6, "write_units": 1}}
    assert run("units", path, "--table", "carts", "--endpoint", orders)[0] == 2


def test_units_of_standard_input(run, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b'{"id": "1"}')))
    code, printed, _errors = run("units", "-")
    assert code == 0
    assert printed.startswith("3 bytes\n")


def test_an_item_that_is_too_large_is_said(run, tmp_path):
    path = tmp_path / "item.json"
    path.write_text(json.dumps({"id": "x" * 409_600}))
    assert "DynamoDB refuses it" in run("units", path)[1]


@pytest.mark.parametrize(
    ("text", "arguments", "told"),
    [
        ("[1]", (), "not a JSON object"),
        ("{}", (), "no attributes"),
        ("{", (), "not JSON"),
        ('{"a": {"N": "x"}}', (), "cannot be converted to a numeric value"),
        ('{"a": 1e999}', (), "Number overflow"),
        ('{"a": {"S": "x"}, "b": {"N": 5}}', (), "the value of b is not one of type N"),
        ('{"a": {"L": [{"S": 1}]}}', (), "the value of a is not one of type L"),
        ('{"a": 1}', ("--key", "a,id"), "the item lacks the key attribute id of the table"),
        ('{"a": 1}', ("--gsi", "x"), "--gsi: 'x' is not like"),
        ('{"a": 1}', ("--gsi", "x:a:KEYS_ONLY"), "as --key id"),
        ('{"a": 1}', ("--gsi", "x:a", "--table", "t"), "leave out --gsi"),
    ],
)
def test_what_units_refuses(run, tmp_path, text, arguments, told):
    path = tmp_path / "item.json"
    path.write_text(text)
    code, printed, errors = run("units", path, *arguments)
    assert (code, printed, errors.count("\n")) == (2, "", 1)
    assert told in errors


def test_a_file_that_is_missing(run, tmp_path):
    path = tmp_path / "none.json"
    assert run("units", path)[2] == f"hashrange: {path}: No such file or directory\n"
