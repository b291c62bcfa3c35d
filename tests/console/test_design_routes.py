"""The route of models of tables: what it shows, what it writes, and what it refuses."""

import json
import subprocess
import sys

import pytest

from hashrange.console.designs import output_of
from tests.console.asking import post
from tests.house.sources import ROOT
from tests.served import served

SHOP = (ROOT / "examples" / "models" / "shop.toml").read_text("utf-8")


@pytest.fixture(scope="module")
def endpoint():
    with served() as server:
        yield server.endpoint


def asked(endpoint, body, **headers):
    status, _, answer = post(endpoint, "design", body, **headers)
    return status, json.loads(answer)


def inspected(endpoint, text, file="shop.toml"):
    status, found = asked(endpoint, {"text": text, "file": file})
    assert status == 200
    return found


def exported(endpoint, form, of="model", text=SHOP, file="shop.toml", **more):
    export = {"form": form, "of": of, **more}
    status, found = asked(endpoint, {"text": text, "file": file, "export": export})
    assert status == 200
    return found


def test_a_model_is_described(endpoint):
    found = inspected(endpoint, SHOP)
    (table,) = found["tables"]
    assert (found["name"], found["dialect"]) == ("Shop", "hashrange")
    assert [each["operation"] for each in table["steps"]] == ["CreateTable", "UpdateTimeToLive"]
    assert table["request"]["KeySchema"][0] == {"AttributeName": "pk", "KeyType": "HASH"}
    assert [each["name"] for each in found["entities"]] == ["Customer", "Order"]
    assert table["generated"] == ["Customer"]
    assert {"S": "ORDER#00000002"} in [each["sk"] for each in table["samples"]]
    members = {(each["index"], each["partition"]): each["members"] for each in found["collections"]}
    assert members[None, "CUSTOMER#{customerId}"] == [
        ["Customer", "PROFILE"],
        ["Order", "ORDER#{number:08}"],
    ]


# 500 reads a second of 1 unit, 0.125 dollars a million, for 730 hours.
def test_patterns_have_units_and_prices(endpoint):
    found = inspected(endpoint, SHOP)
    first = found["patterns"][0]
    assert (first["name"], first["readUnits"], first["rate"]) == ("Customer by id", 1.0, 500.0)
    assert first["monthly"] == pytest.approx(164.25)
    assert found["costs"]["monthly"]["on_demand"] > 164.25
    assert "Open orders (without a rate)" in found["costs"]["leftOut"]


def test_findings_have_lines_and_remedies(endpoint):
    changed = SHOP.replace('"GetItem"', '"Get"').replace('customerId = "S", name', "name")
    found = inspected(endpoint, changed)["findings"]
    kinds = {each["kind"]: each for each in found}
    assert kinds["unknown-operation"]["line"] == 47
    assert kinds["unknown-operation"]["remedy"].startswith("Use an operation")
    assert kinds["unknown-attribute"]["place"] == "entity Customer"
    assert kinds["unknown-attribute"]["line"] == 25
    rule = kinds["local-index"]
    assert rule["remedy"] not in rule["text"]
    assert found[-1]["severity"] == "warning"
    assert found[0]["severity"] == "error"


@pytest.mark.parametrize(
    ("text", "file", "line", "words"),
    [
        ("name = \n", "shop.toml", 1, "Invalid value"),
        ('{"a":\n,}', "shop.json", 2, "Expecting value"),
        (SHOP.replace("rate = 500", "rate = 'x'"), "shop.toml", 50, "Expected `float`"),
        ("a: &x 1\nb: *x", "t.yaml", None, "alias"),
        ("!!python/object/apply:os.system ['true']", "t.yaml", 1, "constructor"),
        ("[" * 100_000, "t.json", None, "nested too deep"),
        (
            '{"name": "\\ud800", "tables": [{"name": "abc", "partition_key": "a"}]}',
            "",
            None,
            "UTF-8",
        ),
        ("x = 1", "/etc/passwd", None, "it is not a model"),
    ],
)
def test_a_model_that_cannot_be_read(endpoint, text, file, line, words):
    fault = inspected(endpoint, text, file)["fault"]
    assert fault["line"] == line
    assert words in fault["text"]


@pytest.mark.parametrize("form", ["json", "workbench", "onetable", "cloudformation"])
def test_a_model_in_another_form_is_read_again(endpoint, form):
    text = exported(endpoint, form)["text"]
    found = inspected(endpoint, text, "shop.yaml" if form == "cloudformation" else "shop.json")
    assert [each["name"] for each in found["tables"]] == ["Shop"]
    assert "fault" not in found


@pytest.mark.parametrize(
    "form", ["cloudformation", "cdk-typescript", "cdk-python", "terraform", "aws-cli", "boto3"]
)
def test_a_design_in_another_form(endpoint, form):
    assert "Shop" in exported(endpoint, form, "design", table="Shop")["text"]


def test_forms_and_tables_that_are_not_there(endpoint):
    assert "no form pdf" in exported(endpoint, "pdf")["fault"]["text"]
    fault = exported(endpoint, "boto3", "design", table="Other")["fault"]
    assert "no table Other" in fault["text"]


@pytest.mark.parametrize(
    "body",
    [b"", b"[]", b"{}", b'{"text": 1}', b'{"text": "\\ud800"}', b'{"text": "\xff"}', b"x" * 100],
)
def test_requests_of_another_form(endpoint, body):
    status, found = asked(endpoint, body)
    assert status == 400
    assert found["__type"].endswith("#ValidationException")


@pytest.mark.parametrize("length", [1024 * 1024 + 1, 4 * 1024 * 1024])
def test_a_model_that_is_too_long(endpoint, length):
    status, found = asked(endpoint, {"text": "#" * length})
    assert status == 400
    assert "long" in found["message"]


# Each row of the sample is made of a template that is a thousand times as long.
def test_a_short_model_of_a_long_answer(endpoint):
    table = {"name": "xyz", "partition_key": "pk"}
    entity = {"name": "e", "templates": {"pk": "{n:999}" * 10_000}, "attributes": {"n": "N"}}
    entity["samples"] = [{"n": number} for number in range(100)]
    text = json.dumps({"name": "x", "tables": [table], "entities": [entity]})
    status, found = asked(endpoint, {"text": text, "file": "x.json"})
    assert status == 400
    assert "cannot be inspected here" in found["message"]
    assert inspected(endpoint, SHOP)["name"] == "Shop"


def test_a_process_that_takes_long_is_killed():
    command = [sys.executable, "-c", "while True: pass"]
    with pytest.raises(subprocess.TimeoutExpired):
        output_of(command, b"", 0.05)


def test_a_process_that_fails_has_no_output():
    assert output_of([sys.executable, "-c", "print(1); raise SystemExit(3)"], b"", 60) is None


def test_signed_in_users_only(users):
    assert asked(users.endpoint, {"text": SHOP})[0] == 401


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("KeyType: HASH", "Kind: HASH", 2, "missing required field `KeyType`"),
        ("KeyType: HASH", "KeyType: RANGE", 2, "no partition key"),
        ("AttributeName: pk, AttributeType", "AttributeType", 2, "without AttributeName"),
    ],
)
def test_a_template_whose_table_has_another_form(endpoint, old, new, line, words):
    text = (
        "Resources:\n  xyz:\n    Type: AWS::DynamoDB::Table\n    Properties:\n"
        "      KeySchema: [{AttributeName: pk, KeyType: HASH}]\n"
        "      AttributeDefinitions: [{AttributeName: pk, AttributeType: S}]\n"
    )
    assert "fault" not in inspected(endpoint, text, "t.yaml")
    fault = inspected(endpoint, text.replace(old, new), "t.yaml")["fault"]
    assert (fault["line"], words in fault["text"]) == (line, True), fault
