"""The names of tables as the whole catalog has them."""

import pytest

from hashrange.model.namespaces import namespace_prefix, stored_name, stored_name_of

ARN = "arn:aws:dynamodb:eu-west-1:000000000001:table/Orders"
HERE = namespace_prefix("000000000000", "us-east-1")


@pytest.mark.parametrize(
    ("name_or_arn", "namespace", "stored"),
    [
        ("Orders", "", "Orders"),
        ("Orders", HERE, "000000000000:us-east-1:Orders"),
        (ARN, "", "Orders"),
        (ARN, HERE, "000000000001:eu-west-1:Orders"),
        (f"{ARN}/index/by-state", HERE, "000000000001:eu-west-1:Orders"),
    ],
)
def test_names_of_requests(name_or_arn, namespace, stored):
    assert stored_name(name_or_arn, namespace) == stored


@pytest.mark.parametrize(
    ("separate", "stored"), [(False, "Orders"), (True, "000000000001:eu-west-1:Orders")]
)
def test_arns(separate, stored):
    assert stored_name_of(ARN, separate=separate) == stored
