"""The form in which DynamoDB keeps and shows policies, as users measured it."""

import json

from hashrange.access.policies.canonical import canonical, shown
from tests.rows import rows
from tests.unit.access.policies.subjects import ACCOUNT, ROOT_ARN

STATEMENT = {
    "Sid": "Read",
    "Effect": "Allow",
    "Principal": {"AWS": ROOT_ARN},
    "Action": "dynamodb:GetItem",
    "Resource": "*",
}
FORM = {"Version": "2012-10-17", "Statement": [STATEMENT]}
TEXT = json.dumps(FORM, separators=(",", ":"))


def text_of(statement, **options):
    return json.dumps({"Version": "2012-10-17", "Statement": statement}, **options)


@rows(
    "text",
    [
        TEXT,
        text_of([STATEMENT], indent=4),
        json.dumps({"Statement": [dict(reversed(STATEMENT.items()))], "Version": "2012-10-17"}),
        text_of(STATEMENT),
        text_of([{**STATEMENT, "Action": ["dynamodb:GetItem"], "Resource": ["*"]}]),
        text_of([{**STATEMENT, "Principal": {"AWS": ACCOUNT}}]),
        text_of([{**STATEMENT, "Principal": {"AWS": [ACCOUNT, ROOT_ARN]}}]),
        text_of([{**STATEMENT, "Effect": "allow"}]),
        TEXT.replace("Read", "\\u0052ead"),
    ],
)
def test_one_form_of_many_texts(text):
    assert canonical(text) == TEXT
    assert shown(canonical(text)) == TEXT


def test_what_stays_as_it_is():
    lists = {**STATEMENT, "Action": ["dynamodb:Scan", "DYNAMODB:getitem", "dynamodb:Scan"]}
    assert json.loads(canonical(text_of([lists])))["Statement"] == [lists]
    # The version is part of the text, and the old one is only shown.
    without = json.dumps({"Statement": [STATEMENT]}, separators=(",", ":"))
    assert canonical(without) == without
    assert json.loads(shown(without))["Version"] == "2008-10-17"
