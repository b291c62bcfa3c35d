"""ListTables. Its tests have a range of names of their own, at the end of all names."""

import uuid

import pytest

from tests.api.conftest import client_of
from tests.api.refusals import breaks, refusal, table_request, violated

PREFIX = f"zzz-{uuid.uuid4()}-"
# In the order of their bytes: this is neither the order in which they are made nor that of people.
SUFFIXES = ["--", ".a", "10", "2", "AB", "_x", "ab", "b"]
NAMES = [PREFIX + suffix for suffix in SUFFIXES]


@pytest.fixture(scope="module", autouse=True)
def tables(dynamodb):
    for name in reversed(NAMES):
        dynamodb.create_table(**table_request(TableName=name))
    for name in NAMES:
        dynamodb.get_waiter("table_exists").wait(TableName=name)
    yield
    for name in NAMES:
        dynamodb.delete_table(TableName=name)


@pytest.fixture
def listed(dynamodb):
    """One page, without what SDKs add; names begin after PREFIX."""

    def page(**request):
        answer = dynamodb.list_tables(**{"ExclusiveStartTableName": PREFIX, **request})
        del answer["ResponseMetadata"]
        return answer

    return page


# Ascending, and the start need not be the name of a table. Source: the API Reference.
def test_names_are_in_order(listed):
    assert listed() == {"TableNames": NAMES}


# The start itself is not listed.
def test_start_is_exclusive(listed):
    assert listed(ExclusiveStartTableName=NAMES[4]) == {"TableNames": NAMES[5:]}


# The last name is told only if there are more, so that a client can stop. Source: the API
# Reference.
@pytest.mark.parametrize(
    ("limit", "more"), [(1, True), (len(NAMES) - 1, True), (len(NAMES), False), (100, False)]
)
def test_last_name_is_told_if_there_are_more(listed, limit, more):
    page = listed(Limit=limit)
    assert page["TableNames"] == NAMES[:limit]
    assert page.get("LastEvaluatedTableName") == (NAMES[limit - 1] if more else None)


# Nothing is left out and nothing comes twice where one page ends and the next begins.
def test_pages_follow_each_other(dynamodb):
    pages = dynamodb.get_paginator("list_tables").paginate(
        PaginationConfig={"PageSize": 3}, ExclusiveStartTableName=PREFIX
    )
    assert [page["TableNames"] for page in pages] == [NAMES[:3], NAMES[3:6], NAMES[6:]]


# An account without tables, or the end of the list, has an empty list and not none.
def test_no_tables(listed):
    assert listed(ExclusiveStartTableName="zzz-zzzz") == {"TableNames": []}


# 100 names a page, unless less is asked for. Source: the API Reference.
def test_page_has_a_hundred_names(start_server):
    client = client_of(start_server())
    names = [f"table-{number:03}" for number in range(101)]
    for name in names:
        client.create_table(**table_request(TableName=name))
    page = client.list_tables()
    assert page["TableNames"] == names[:100]
    assert page["LastEvaluatedTableName"] == names[99]


# A table that is gone is not listed; one that is still DELETING may be.
def test_deleted_table_is_not_listed(dynamodb, listed):
    name = PREFIX + "a-short-life"
    dynamodb.create_table(**table_request(TableName=name))
    dynamodb.get_waiter("table_exists").wait(TableName=name)
    assert name in listed()["TableNames"]
    dynamodb.delete_table(TableName=name)
    dynamodb.get_waiter("table_not_exists").wait(TableName=name)
    assert listed() == {"TableNames": NAMES}


# Source: the model, in the words of its layer; every violation is told. The order was measured by
# users, October 2026.
def test_start_is_no_name(dynamodb):
    told = refusal(dynamodb.list_tables, ExclusiveStartTableName="a;", Limit=0)
    pattern = "satisfy regular expression pattern: [a-zA-Z0-9_.-]+"
    assert told == violated(
        breaks("a;", "exclusiveStartTableName", pattern),
        breaks("a;", "exclusiveStartTableName", "have length greater than or equal to 3"),
        breaks(0, "limit", "have value greater than or equal to 1"),
    )
