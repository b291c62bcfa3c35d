"""Patterns of the service that would take minutes for long texts have equivalents that do not."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hashrange.wire.model_constraints.dynamodb import S3_BUCKET_SOURCE
from hashrange.wire.model_constraints.scaling import PUT_SCHEDULED_ACTION_ROWS, TAG_RESOURCE_ROWS
from hashrange.wire.rules import Pattern, predicate


def pattern_of(rows, name):
    return next(row for row in rows if row.name == name and isinstance(row.rule, Pattern))


BUCKET = pattern_of(S3_BUCKET_SOURCE, "s3_bucket")
ACTION_NAME = pattern_of(PUT_SCHEDULED_ACTION_ROWS.rows, "scheduled_action_name")
TARGET_ARN = pattern_of(TAG_RESOURCE_ROWS.rows, "resource_arn")
SEPARATOR = ":application-autoscaling:"
ARN_PARTS = ["arn:", "a", ":", "7", SEPARATOR, ":7:scalable-target/", "-", "\n", "/"]


def agree(row, text):
    expected = re.fullmatch(row.rule.expression, text, re.ASCII) is not None
    assert predicate(row.rule)(text) is expected


@given(st.text("aZ0._-é! \n", max_size=8))
def test_names_of_buckets(text):
    agree(BUCKET, text)


@given(st.text("a: |/\x00\x1f\x7f\x9f\xa0é\n", max_size=6))
def test_names_of_actions(text):
    agree(ACTION_NAME, text)


@given(st.lists(st.sampled_from(ARN_PARTS), max_size=9).map("".join))
@example(f"arn:aws{SEPARATOR}eu{SEPARATOR}eu-west-1:000000000000:scalable-target/1a-b")
@example(f"arn:{SEPARATOR}{SEPARATOR}:7:scalable-target/a")
def test_arns_of_targets(text):
    agree(TARGET_ARN, text)


@pytest.mark.parametrize(
    ("row", "text"),
    [
        (BUCKET, "a" * 500_000 + "!"),
        (BUCKET, "a." * 250_000),
        (ACTION_NAME, "a" + " " * 500_000 + ":"),
        (ACTION_NAME, "a" + " a" * 250_000 + " "),
        (TARGET_ARN, f"arn:a{SEPARATOR * 20_000}:7"),
        (TARGET_ARN, f"arn:a{SEPARATOR}{':7' * 250_000}"),
    ],
)
def test_long_texts(row, text):
    assert not predicate(row.rule)(text)
