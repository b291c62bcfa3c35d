"""`hashrange policies lint`: what it prints, and its exit codes."""

import json

import pytest
from click.testing import CliRunner

from hashrange.cli.commands import commands

KEYS = {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": "${aws:username}"}}
LOOSE = {
    "Sid": "Own",
    "Effect": "Allow",
    "Action": ["dynamodb:GetItem", "dynamodb:Scan"],
    "Resource": "*",
    "Condition": KEYS,
}
FINE = {**LOOSE, "Sid": "Fine", "Action": "dynamodb:GetItem"}


@pytest.fixture
def lint(tmp_path):
    def run(*statements, text=None):
        file = tmp_path / "policy.json"
        made = json.dumps({"Version": "2012-10-17", "Statement": statements})
        file.write_text(made if text is None else text, "utf-8")
        answer = CliRunner().invoke(commands, ["policies", "lint", str(file)])
        return answer.exit_code, answer.output.replace(str(tmp_path), "")

    return run


def test_findings_are_printed(lint):
    code, printed = lint(FINE, LOOSE)
    assert code == 1
    assert printed.count("\n") == 1
    assert printed.startswith("/policy.json: statement 2 (Own): dynamodb:LeadingKeys does not")
    assert printed.endswith("(dynamodb:Scan)\n")


def test_nothing_is_printed_of_policies_that_confine(lint):
    assert lint(FINE) == (0, "")


def test_policies_of_resources(lint):
    code, printed = lint({**LOOSE, "Principal": {"AWS": "123456789012"}})
    assert (code, printed.count("\n")) == (1, 1)
    code, printed = lint({**FINE, "Principal": "*", "Action": "GetItem"})
    assert (code, "must be prefaced by a vendor" in printed) == (2, True)


@pytest.mark.parametrize("text", ["", "{", "{}", '{"Statement": []}', "[" * 10_000])
def test_what_is_no_policy_is_refused(lint, text):
    code, printed = lint(text=text)
    assert code == 2
    assert "Syntax errors in policy." in printed


def test_the_standard_input():
    document = json.dumps({"Version": "2012-10-17", "Statement": LOOSE})
    answer = CliRunner().invoke(commands, ["policies", "lint", "-"], input=document)
    assert answer.exit_code == 1
    assert "dynamodb:Scan" in answer.output


def test_files_that_cannot_be_read(tmp_path):
    missing = CliRunner().invoke(commands, ["policies", "lint", str(tmp_path / "none.json")])
    assert missing.exit_code == 2
    file = tmp_path / "bytes.json"
    file.write_bytes(b"\xff\xfe")
    answer = CliRunner().invoke(commands, ["policies", "lint", str(file)])
    assert answer.exit_code == 2
