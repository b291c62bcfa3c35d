"""`hashrange design` and `hashrange describe`, through the real command."""

import json
import os
import subprocess
import sys

import pytest
from click.testing import CliRunner

from hashrange.cli.commands import commands
from hashrange.cli.design_writing import OUTPUTS
from hashrange.tools.design.designs import OUTPUTS as FORMATS
from tests.pace import seconds
from tests.rows import rows
from tests.unit.processes import ENVIRONMENT, run
from tests.unit.tools.design.stacks import template_in

KEYED = ("--table-name", "shop", "--partition-key", "pk:S", "--sort-key", "sk:S")
NAME = ("--table-name", "shop")


def designed(*arguments, **variables):
    return run("design", "--non-interactive", *arguments, **variables)


def test_names_of_outputs_are_those_that_there_are():
    assert list(FORMATS) == list(OUTPUTS)


@pytest.mark.parametrize("output", OUTPUTS)
def test_output(output):
    made = designed(*KEYED, "--gsi", "by-sku:sku:S:KEYS_ONLY", "--output", output)
    assert (made.returncode, made.stderr) == (0, "")
    assert "by-sku" in made.stdout


def test_default_output_is_a_template():
    made = designed(*KEYED)
    template = template_in(made.stdout)
    assert template["Resources"]["Table"]["Properties"]["TableName"] == "shop"


# Scripts have no terminal: flags that say enough ask for no answer.
def test_complete_flags_ask_nothing_without_a_terminal():
    made = piped(*KEYED, text="")
    assert (made.returncode, made.stderr) == (0, "")


def piped(*arguments, text):
    """The result with a text on standard input."""
    return subprocess.run(
        [sys.executable, "-m", "hashrange", "design", *arguments],
        input=text,
        capture_output=True,
        text=True,
        check=False,
        timeout=seconds(30),
        env=ENVIRONMENT,
    )


# All flags of a designer that scripts rely on.
def test_every_flag():
    made = designed(
        *KEYED,
        *("--billing-mode", "PROVISIONED", "--read-units", "5", "--write-units", "6"),
        *("--gsi", "one:a:S:b:N:INCLUDE:x,y", "--gsi", "two:c:B:KEYS_ONLY", "--lsi", "own:d:S"),
        *("--ttl", "expires", "--stream", "NEW_IMAGE", "--pitr", "7"),
        *("--table-class", "STANDARD_INFREQUENT_ACCESS", "--deletion-protection", "--alarms"),
        *("--auto-scaling", "5:50:80", "--tags", "team=a b", "--insights", "--json"),
    )
    assert made.returncode == 0
    found = json.loads(made.stdout)
    request = found.pop("request")
    assert found == {
        "time_to_live": "expires",
        "recovery_days": 7,
        "insights": True,
        "alarms": True,
        "scaling": {"units_min": 5, "units_max": 50, "target_percent": 80},
    }
    units = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 6}
    assert request["ProvisionedThroughput"] == units
    assert request["GlobalSecondaryIndexes"][0]["ProvisionedThroughput"] == units
    assert request["StreamSpecification"]["StreamViewType"] == "NEW_IMAGE"
    assert request["Tags"] == [{"Key": "team", "Value": "a b"}]


def test_options_without_values_have_defaults():
    found = json.loads(designed(*KEYED, "--pitr", "--stream", "--json").stdout)
    assert found["recovery_days"] == 35
    assert found["request"]["StreamSpecification"]["StreamViewType"] == "NEW_AND_OLD_IMAGES"


REFUSED = [
    # The words of DynamoDB.
    (
        ["--table-name", "s", "--partition-key", "pk:S"],
        "1 validation error detected: Value 's' at 'tableName' failed to satisfy constraint: Memb",
    ),
    (
        [*NAME, "--partition-key", "pk:X"],
        "1 validation error detected: Value 'X' at 'attributeDefinitions.1.member.attributeType'",
    ),
    (
        [*KEYED, "--billing-mode", "PROVISIONED"],
        "One or more parameter values were invalid: ReadCapacityUnits and WriteCapacityUnits must",
    ),
    (
        [*NAME, "--partition-key", "pk:S", "--lsi", "own:at:N"],
        "One or more parameter values were invalid: Table KeySchema does not have a range key",
    ),
    ([*KEYED, "--gsi", "own:pk:N"], "Attribute Name is duplicated: pk"),
    ([*KEYED, "--pitr", "36"], "1 validation error detected: Value '36' at 'pointInTimeRecovery"),
    ([*KEYED, "--ttl", ""], "1 validation error detected: Value '' at 'timeToLiveSpecification"),
    ([*KEYED, "--auto-scaling", "9:5"], "Maximum capacity cannot be less than minimum capacity"),
    ([*KEYED, "--production", "--auto-scaling", "1:5:95"], "For predefined metric type Dynamo"),
    ([*NAME, "--production", "--billing-mode", "PAY_PER_REQUEST", "--auto-scaling", "9:5"], "Max"),
    ([*KEYED, "--read-units", str(10**30), "--write-units", "1"], ""),
    ([*KEYED, *(f"--gsi=g{number:03}:a:S" for number in range(21))], "One or more parameter"),
    # Our own.
    ([], "--table-name is missing"),
    ([*NAME], "--partition-key is missing"),
    ([*KEYED, "--gsi", "x"], "--gsi: 'x' is not NAME:KEY:TYPE"),
    ([*KEYED, "--read-units", "x"], "Invalid value for '--read-units': 'x' is not a valid int"),
    ([*KEYED, "--pitr", "x"], "Invalid value for '--pitr'"),
    ([*KEYED, "--output", "pulumi"], "Invalid value for '--output'"),
    ([*KEYED, "--cardinality", "pk"], "--cardinality: 'pk' is not ATTRIBUTE=N"),
    ([*KEYED, "--item-size", "-1"], "Invalid value for '--item-size'"),
    ([*KEYED, "--item-size", "nan"], "--item-size: nan is not a number of KB"),
    ([*KEYED, "--entity", "-"], "--entity: '-' is not a name"),
    ([*KEYED, "--endpoint", "ftp://x"], "--endpoint: 'ftp://x' is not a URL"),
    (["--table-name", "shop", "--partition-key", "\udcff:S"], "'\\udcff' is not text in UTF-8"),
    ([*KEYED, "--tags", "a=b\udcff"], "'b\\udcff' is not text in UTF-8"),
    ([*KEYED, "--json", "--output", "boto3"], "--json cannot be combined with another --output"),
    (["none.toml"], "none.toml: "),
    (["none.toml", "--gsi", "g:a:S"], "--gsi cannot be combined with FILE"),
    (["none.toml", "--entity", "a"], "--entity cannot be combined with FILE"),
]


@rows("arguments, text", REFUSED)
def test_refused_with_one_line(arguments, text):
    made = designed(*arguments)
    assert (made.returncode, made.stdout) == (2, "")
    assert made.stderr.startswith(f"hashrange: {text}")
    assert made.stderr.count("\n") == 1


def test_warnings_are_on_standard_error():
    made = designed(*NAME, "--partition-key", "status:S", "--item-size", "100")
    assert made.returncode == 0
    rules = [line.rpartition("[")[2].partition(",")[0] for line in made.stderr.splitlines()]
    assert rules == ["low-cardinality-key", "large-item"]
    assert (
        designed(*NAME, "--partition-key", "status:S", "--cardinality", "status=1000").stderr == ""
    )


def asked(*arguments, answers):
    """The result with answers on standard input, by the command in this process."""
    return CliRunner().invoke(commands, ["design", *arguments], input="\n".join(answers) + "\n")


def test_newcomer_accepts_everything_with_enter():
    made = asked("--json", answers=["shop", *[""] * 15])
    assert made.exit_code == 0, made.stderr
    request = json.loads(made.stdout)["request"]
    assert request["KeySchema"] == [{"AttributeName": "pk", "KeyType": "HASH"}]
    assert request["BillingMode"] == "PAY_PER_REQUEST"


def test_entities_suggest_overloaded_keys():
    made = asked("--json", answers=["shop", "User, Order", *[""] * 15])
    assert made.exit_code == 0, made.stderr
    names = [each["AttributeName"] for each in json.loads(made.stdout)["request"]["KeySchema"]]
    assert names == ["PK", "SK"]


ANSWERS = [
    ("s", "Member must have length greater than or equal to 3"),
    ("shop", None),
    ("none", None),
    ("id", "--partition-key: 'id' is not NAME:TYPE, such as pk:S"),
    ("id:Q", "Member must satisfy enum value set: [B, N, S]"),
    ("id:S", None),
    ("id:S", "Invalid KeySchema: Some index key attribute have no definition"),
    ("at:N", None),
    ("cheap", "Member must satisfy enum value set: [PROVISIONED, PAY_PER_REQUEST]"),
    ("PROVISIONED", None),
    ("9:5", "Maximum capacity cannot be less than minimum capacity"),
    ("none", None),
    ("0", "Member must have value greater than or equal to 1"),
    ("many", "'many' is not a whole number"),
    ("6", None),
    ("7", None),
    ("x", None),
    ("q:S", None),
    ("none", None),
    ("ALL", "Member must have length greater than or equal to 3"),
    ("by-q", None),
    ("q:S", None),
    ("none", None),
    ("KEYS_ONLY", None),
    ("none", None),
    ("own", None),
    ("r:S", None),
    ("ALL", None),
    ("none", None),
    ("expires", None),
    ("NEW", "Member must satisfy enum value set: [OLD_IMAGE, KEYS_ONLY, NEW_AND_OLD_IMAGES"),
    ("NEW_IMAGE", None),
    ("40", "Member must have value less than or equal to 35"),
    ("7", None),
    ("", None),
    ("team", "--tags: 'team' is not KEY=VALUE"),
    ("team=a,env=b", None),
    ("y", None),
    ("n", None),
    ("y", None),
]


# Each answer is checked where it is given, and the reason is DynamoDB's.
def test_bad_answers_are_asked_again():
    made = asked("--json", answers=[answer for answer, _ in ANSWERS])
    assert made.exit_code == 0, made.stderr
    reasons = made.stderr.split("Error: ")[1:]
    expected = [reason for _, reason in ANSWERS if reason is not None]
    assert len(reasons) == len(expected)
    for reason, text in zip(reasons, expected, strict=True):
        assert text in reason
    found = json.loads(made.stdout)
    request = found["request"]
    units = {"ReadCapacityUnits": 6, "WriteCapacityUnits": 7}
    assert request["ProvisionedThroughput"] == units
    assert [index["IndexName"] for index in request["GlobalSecondaryIndexes"]] == ["by-q"]
    assert [index["IndexName"] for index in request["LocalSecondaryIndexes"]] == ["own"]
    assert (found["time_to_live"], found["recovery_days"], found["alarms"]) == ("expires", 7, True)
    assert [tag["Key"] for tag in request["Tags"]] == ["team", "env"]


def test_end_of_answers_is_one_line():
    made = piped(text="shop\n")
    assert (made.returncode, made.stdout) == (2, "")
    assert made.stderr.splitlines()[-1].startswith("hashrange: standard input ended before")


MODEL = """
name = "two"
[[tables]]
name = "orders"
partition_key = "pk:S"
[[tables]]
name = "carts"
partition_key = "status:S"
"""


def test_model_of_several_tables(tmp_path):
    file = tmp_path / "two.toml"
    file.write_text(MODEL)
    refused = run("design", str(file))
    assert refused.returncode == 2
    assert "the model has 2 tables, --table-name chooses: orders, carts" in refused.stderr
    none = run("design", str(file), "--table-name", "none")
    assert "the model has no table none: its tables are orders, carts" in none.stderr
    made = run("design", str(file), "--table-name", "carts", "--json")
    assert made.returncode == 0
    assert "low-cardinality-key" in made.stderr
    assert json.loads(made.stdout)["request"]["TableName"] == "carts"


def test_model_gets_the_settings_of_production(tmp_path):
    file = tmp_path / "two.toml"
    file.write_text(MODEL)
    made = run("design", str(file), "--table-name", "orders", "--production", "--json")
    found = json.loads(made.stdout)
    assert (found["time_to_live"], found["recovery_days"], found["alarms"]) == ("ttl", 35, True)
    assert "GlobalSecondaryIndexes" not in found["request"]


@pytest.mark.skipif(os.name == "nt", reason="pipes are closed in another way")
def test_reader_that_has_seen_enough_is_no_error():
    command = f"{sys.executable} -m hashrange design --table-name shop --production | head -1"
    made = subprocess.run(
        ["sh", "-c", command],
        capture_output=True,
        text=True,
        check=True,
        timeout=seconds(30),
        stdin=subprocess.DEVNULL,
        env=ENVIRONMENT,
    )
    assert (made.stdout, made.stderr) == ('AWSTemplateFormatVersion: "2010-09-09"\n', "")
