"""`hashrange check` and `hashrange model`: what they print, how they end, what they leave."""

import json
import tomllib

import boto3
import pytest

from hashrange.cli.commands import main
from hashrange.tools.design.model_formats import FORMATS
from hashrange.tools.models.json_schema import json_schema
from hashrange.tools.models.reading import read_model
from tests.served import served
from tests.unit.tools.models.shop import TEXT


@pytest.fixture
def run(capsys):
    """Runs the command line; gives the exit code, and what it printed."""

    def running(*arguments):
        with pytest.raises(SystemExit) as ended:
            main([*map(str, arguments)])
        printed = capsys.readouterr()
        return ended.value.code or 0, printed.out, printed.err

    return running


@pytest.fixture(scope="module")
def endpoint():
    with served() as server:
        yield server.endpoint


@pytest.fixture
def client(endpoint):
    opened = boto3.client(
        "dynamodb",
        endpoint_url=endpoint,
        region_name="us-east-1",
        aws_access_key_id="local",
        aws_secret_access_key="local",
    )
    yield opened
    opened.close()


@pytest.fixture
def shop(tmp_path):
    path = tmp_path / "shop.toml"
    path.write_text(TEXT)
    return path


def checked(run, path, endpoint, *options):
    code, printed, _errors = run("check", path, "--endpoint", endpoint, "--json", *options)
    report = json.loads(printed)
    assert code == (0 if report["ok"] else 1)
    return report


def kinds(report):
    return [(each["kind"], each["place"]) for each in report["findings"]]


def test_without_an_endpoint_the_patterns_run_in_memory(run, shop):
    code, printed, _errors = run("check", shop)
    assert code == 0
    assert printed.startswith("Shop: tables Shop, 6 samples, http://127.0.0.1:")
    lines = {line.split("  ")[0]: line.split() for line in printed.splitlines()}
    assert lines["Open orders"][2:8] == ["Query", "Shop/ByStatus", "1", "1", "0.5", "read"]
    assert printed.endswith("no errors, 1 warning\n")


def test_the_report_of_each_pattern(run, shop, endpoint):
    report = checked(run, shop, endpoint)
    rows = {
        each["name"]: (
            each["requests"],
            each["items"],
            each["read_units"],
            each["write_units"],
            each["monthly"],
        )
        for each in report["patterns"]
    }
    # 730 hours at the rate: 500 strong reads; 100 pages of 20 items of 600 bytes, 1.5 units each;
    # 50 writes of a unit, with one in each index.
    million = 730 * 3600 / 1_000_000
    assert rows == {
        "Customer by id": (1, 1, 1, 0, pytest.approx(500 * 0.125 * million)),
        "Orders of a customer": (1, 3, 0.5, 0, pytest.approx(100 * 1.5 * 0.125 * million)),
        "Open orders": (1, 1, 0.5, 0, None),
        "Large orders of a customer": (1, 3, 0.5, 0, None),
        "Place an order": (1, 1, 0, 3, pytest.approx(50 * 3 * 0.625 * million)),
        "Ship an order": (1, 1, 0, 3, pytest.approx(50 * 3 * 0.625 * million)),
    }
    assert report["monthly"] == pytest.approx(sum(row[4] or 0 for row in rows.values()))


def test_the_tables_are_removed(run, shop, endpoint, client):
    checked(run, shop, endpoint)
    assert client.list_tables()["TableNames"] == []


# A text and what replaces it; the finding, and the status of the pattern that has it.
@pytest.mark.parametrize(
    ("old", "new", "kind", "place"),
    [
        ('":sent" = "sent"', '":s" = "sent"', "pattern-refused", "pattern Ship an order"),
        ('"attribute_not_exists(pk)"', '"size("', "pattern-refused", "pattern Place an order"),
        (
            'condition = "attribute_not_exists(pk)"',
            'condition = "attribute_exists(pk)"',
            "condition-failed",
            "pattern Place an order",
        ),
        (
            "items = 20\n",
            'filter = "total > :t"\nvalues = { ":t" = 25 }\n',
            "filter-drops-most",
            "pattern Orders of a customer",
        ),
        (
            'begins_with = "ORDER#"',
            'begins_with = "INVOICE#"',
            "nothing-found",
            "pattern Orders of a customer",
        ),
        ('name = "ByTotal"', 'name = "B"', "table-refused", "table Shop"),
    ],
)
def test_what_a_run_finds(run, shop, endpoint, client, old, new, kind, place):
    assert old in TEXT
    shop.write_text(TEXT.replace(old, new))
    assert (kind, place) in kinds(checked(run, shop, endpoint))
    assert client.list_tables()["TableNames"] == []


def test_reserved_words_are_handled(run, shop, endpoint):
    text = TEXT.replace(
        "items = 20\n", 'filter = "status <> :s"\nvalues = { ":s" = "x" }\nreturns = ["name"]\n'
    )
    shop.write_text(text)
    assert checked(run, shop, endpoint)["ok"]


@pytest.mark.parametrize(
    ("operation", "items", "units"),
    [
        ("BatchGetItem", 2, (1, 0)),
        ("TransactGetItems", 2, (4, 0)),
        # Items that stay as they are change no index.
        ("BatchWriteItem", 3, (0, 3)),
        ("TransactWriteItems", 2, (0, 4)),
        ("DeleteItem", 1, (0, 3)),
        ("Scan", 6, (0.5, 0)),
    ],
)
def test_other_operations(run, shop, endpoint, operation, items, units):
    pattern = f'[[patterns]]\nname = "New"\noperation = "{operation}"\nentity = "Order"\n'
    shop.write_text(f"{TEXT.partition('[[patterns]]')[0]}{pattern}items = {items}\n")
    (found,) = checked(run, shop, endpoint)["patterns"]
    assert (found["status"], found["items"]) == ("ok", items)
    assert (found["read_units"], found["write_units"]) == units


def test_requests_as_dynamodb_takes_them(run, tmp_path, endpoint):
    model = {
        "tables": [
            {
                "TableName": "Users",
                "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
                "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
            }
        ],
        "items": {"Users": [{"PutRequest": {"Item": {"id": {"S": "1"}}}}]},
        "access_patterns": [
            {
                "pattern": "1",
                "table": "Users",
                "dynamodb_operation": "BatchGetItem",
                "implementation": "aws dynamodb batch-get-item --request-items "
                '\'{"Users": {"Keys": [{"id": {"S": "1"}}]}}\'',
            },
            {"pattern": "2", "reason": "of another service"},
        ],
    }
    path = tmp_path / "dynamodb_data_model.json"
    path.write_text(json.dumps(model))
    report = checked(run, path, endpoint)
    assert [(each["status"], each["items"]) for each in report["patterns"]] == [
        ("ok", 1),
        ("not run", 0),
    ]


def test_drift_of_a_live_table(run, shop, endpoint, client):
    (missing,) = [each for each in kinds(checked(run, shop, endpoint, "--live")) if "drift" in each]
    assert missing == ("drift", "table Shop")
    (table,) = read_model(shop).tables
    client.create_table(**table.request)
    try:
        report = checked(run, shop, endpoint, "--live")
        assert [each["text"] for each in report["findings"] if each["kind"] == "drift"] == [
            'TimeToLive is not there and not "expiresAt"'
        ]
        expiry = {"Enabled": True, "AttributeName": "expiresAt"}
        client.update_time_to_live(TableName="Shop", TimeToLiveSpecification=expiry)
        assert checked(run, shop, endpoint, "--live")["ok"]
    finally:
        client.delete_table(TableName="Shop")


@pytest.mark.parametrize("command", [["check"], ["model", "convert"]])
@pytest.mark.parametrize(
    "text", ["name =", TEXT.replace("pk:S", ":S"), TEXT.replace("[[patterns]]", "[[pattern]]")]
)
def test_a_file_that_is_no_model(run, shop, command, text):
    shop.write_text(text)
    code, printed, errors = run(*command, shop)
    assert (code, printed) == (2, "")
    assert errors.startswith(f"hashrange: {shop}: ")
    assert len(errors.splitlines()) == 1


def test_a_server_that_is_not_there(run, shop):
    code, printed, errors = run("check", shop, "--endpoint", "http://127.0.0.1:1")
    assert (code, printed) == (1, "")
    assert errors.startswith("hashrange: http://127.0.0.1:1 does not answer")


@pytest.mark.parametrize("form", [*FORMATS])
def test_a_model_is_converted(run, shop, form):
    code, printed, _errors = run("model", "convert", shop, "--to", form)
    assert code == 0
    assert printed == FORMATS[form](read_model(shop))


def test_the_ending_of_the_output_is_its_form(run, shop, tmp_path):
    for ending, begin in ((".json", "{"), (".md", "# Shop"), (".svg", "<?xml"), (".toml", "name")):
        path = tmp_path / f"out{ending}"
        assert run("model", "convert", shop, "--output", path)[0] == 0
        assert path.read_text().startswith(begin)
    assert run("model", "convert", shop, "--output", tmp_path / "out.png")[0] == 0
    assert (tmp_path / "out.png").read_bytes().startswith(b"\x89PNG")
    code, _printed, errors = run("model", "convert", shop, "--output", tmp_path / "out.md")
    assert code == 2
    assert "--overwrite" in errors


def test_markdown_has_charts_of_entities_and_item_collections(run, shop):
    _code, printed, _errors = run("model", "convert", shop, "--to", "markdown")
    assert "    Customer ||--o{ Order : has" in printed
    assert 'subgraph c0["Shop: CUSTOMER#35;{customerId}"]' in printed
    assert "| Open orders |  | Query | ByStatus |" in printed


def test_onetable_has_one_table(run, shop):
    shop.write_text(TEXT + '[[tables]]\nname = "Other"\npartition_key = "id"\n')
    code, _printed, errors = run("model", "convert", shop, "--to", "onetable")
    assert code == 2
    assert "has one table, and the model 2" in errors


def test_the_json_schema(run):
    _code, printed, _errors = run("model", "schema")
    schema = json.loads(printed)
    assert schema == json.loads(json.dumps(json_schema()))
    entity = schema["$defs"]["Entity"]["properties"]
    document = tomllib.loads(TEXT)
    assert {name for each in document["entities"] for name in each} <= entity.keys()
    assert all(each["description"] for each in entity.values())
