"""PynamoDB: a table with both kinds of index as classes, and what its models do with items."""

from datetime import UTC, datetime

import pytest
from pynamodb.attributes import (
    BinaryAttribute,
    BooleanAttribute,
    JSONAttribute,
    ListAttribute,
    MapAttribute,
    NumberAttribute,
    NumberSetAttribute,
    TTLAttribute,
    UnicodeAttribute,
    UnicodeSetAttribute,
    UTCDateTimeAttribute,
    VersionAttribute,
)
from pynamodb.exceptions import (
    DeleteError,
    DoesNotExist,
    GetError,
    PutError,
    QueryError,
    TableDoesNotExist,
    UpdateError,
)
from pynamodb.expressions.condition import size
from pynamodb.indexes import AllProjection, GlobalSecondaryIndex, KeysOnlyProjection
from pynamodb.indexes import LocalSecondaryIndex as LocalIndex
from pynamodb.models import Model

from tests.api.conftest import client_of

WHEN = datetime(2026, 3, 1, 12, 30, tzinfo=UTC)
LATER = WHEN.replace(year=2126)


class ByForum(GlobalSecondaryIndex):
    class Meta:
        index_name = "by-forum"
        projection = AllProjection()

    forum = UnicodeAttribute(hash_key=True)
    views = NumberAttribute(range_key=True)


class ByViews(LocalIndex):
    class Meta:
        index_name = "by-views"
        projection = KeysOnlyProjection()

    author = UnicodeAttribute(hash_key=True)
    views = NumberAttribute(range_key=True)


class Place(MapAttribute):
    city = UnicodeAttribute()
    house = NumberAttribute(null=True)


class Thread(Model):
    class Meta:
        table_name = "pynamodb-threads"
        billing_mode = "PAY_PER_REQUEST"
        region = "us-east-1"
        aws_access_key_id = "local"
        aws_secret_access_key = "local"
        tags = {"owner": "me"}  # noqa: RUF012 - as PynamoDB documents it

    author = UnicodeAttribute(hash_key=True)
    subject = UnicodeAttribute(range_key=True)
    forum = UnicodeAttribute(null=True)
    views = NumberAttribute(default=0)
    closed = BooleanAttribute(null=True)
    tags = UnicodeSetAttribute(null=True)
    scores = NumberSetAttribute(null=True)
    raw = BinaryAttribute(null=True, legacy_encoding=False)
    notes = ListAttribute(null=True)
    place = Place(null=True)
    settings = JSONAttribute(null=True)
    written = UTCDateTimeAttribute(null=True)
    by_forum = ByForum()
    by_views = ByViews()


class Account(Model):
    class Meta(Thread.Meta):
        table_name = "pynamodb-accounts"

    name = UnicodeAttribute(hash_key=True)
    balance = NumberAttribute(default=0)
    expires = TTLAttribute(null=True)
    version = VersionAttribute()


class Missing(Model):
    class Meta(Thread.Meta):
        table_name = "pynamodb-missing"

    name = UnicodeAttribute(hash_key=True)


@pytest.fixture(scope="module")
def threads(endpoint):
    """The table of threads, with 30 of `ada`."""
    Thread.Meta.host = Missing.Meta.host = endpoint
    Thread.create_table(wait=True)
    with Thread.batch_write() as batch:
        for number in range(30):
            forum = "even" if number % 2 == 0 else "odd"
            batch.save(Thread("ada", f"{number:02}", forum=forum, views=number * 10))
    return Thread


@pytest.fixture(scope="module")
def accounts(endpoint):
    Account.Meta.host = endpoint
    Account.create_table(wait=True)
    return Account


@pytest.fixture
def name(request):
    """A partition key of this test's own."""
    return request.node.name


def test_table(threads):
    assert threads.exists()
    assert not Missing.exists()
    described = threads.describe_table()
    assert described["TableStatus"] == "ACTIVE"
    assert described["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    assert [index["IndexName"] for index in described["GlobalSecondaryIndexes"]] == ["by-forum"]
    assert described["LocalSecondaryIndexes"][0]["Projection"] == {"ProjectionType": "KEYS_ONLY"}


# A second create_table finds the table and waits for it.
def test_creating_what_exists(threads):
    assert threads.create_table(wait=True) is None
    assert threads.count("ada") == 30


def test_attributes_there_and_back(threads, name):
    thread = threads(
        name,
        "all",
        closed=True,
        tags={"a", "b"},
        scores={1, 2.5},
        raw=b"\x00\xff",
        notes=["one", 2, None, {"three": [3]}],
        place=Place(city="Zürich", house=7),
        settings={"a": [1, None, "😀"]},
        written=WHEN,
    )
    thread.save()
    found = threads.get(name, "all", consistent_read=True)
    assert found.attribute_values.keys() == thread.attribute_values.keys()
    assert (found.closed, found.tags, found.scores) == (True, {"a", "b"}, {1, 2.5})
    assert (found.raw, found.settings) == (b"\x00\xff", {"a": [1, None, "😀"]})
    assert (found.notes[:3], found.notes[3]["three"]) == (["one", 2, None], [3])
    assert (found.place.city, found.place.house) == ("Zürich", 7)
    assert (found.written, found.views, found.forum) == (WHEN, 0, None)


def test_what_is_not_there(threads, name):
    with pytest.raises(DoesNotExist) as refused:
        threads.get(name, "none")
    assert str(refused.value) == "Item does not exist"
    with pytest.raises(DoesNotExist):
        threads(name, "none").refresh()


# PynamoDB adds the keys to the projection by itself.
def test_get_of_some_attributes(threads):
    found = threads.get("ada", "03", attributes_to_get=["views"])
    assert found.attribute_values == {"views": 30}


@pytest.mark.parametrize(
    ("condition", "numbers"),
    [
        (Thread.subject == "07", [7]),
        (Thread.subject < "02", [0, 1]),
        (Thread.subject <= "02", [0, 1, 2]),
        (Thread.subject > "27", [28, 29]),
        (Thread.subject >= "27", [27, 28, 29]),
        (Thread.subject.between("10", "12"), [10, 11, 12]),
        (Thread.subject.startswith("2"), range(20, 30)),
    ],
)
def test_query(threads, condition, numbers):
    found = [thread.subject for thread in threads.query("ada", condition)]
    assert found == [f"{number:02}" for number in numbers]
    assert threads.count("ada", condition) == len(found)


# One iterator over many pages: what it has counted and where it stopped are public.
def test_query_in_pages(threads):
    pages = threads.query("ada", page_size=4, limit=10, scan_index_forward=False)
    first = [thread.subject for thread in pages]
    assert first == [f"{number:02}" for number in range(29, 19, -1)]
    assert pages.last_evaluated_key == {"author": {"S": "ada"}, "subject": {"S": "20"}}
    rest = threads.query(
        "ada", scan_index_forward=False, last_evaluated_key=pages.last_evaluated_key
    )
    assert [thread.subject for thread in rest] == [f"{number:02}" for number in range(19, -1, -1)]
    assert rest.total_count == 20


def test_filters(threads):
    odd = threads.query(
        "ada",
        filter_condition=(Thread.forum == "odd")
        & ~(Thread.views < 250)
        & Thread.tags.does_not_exist(),
    )
    assert [thread.views for thread in odd] == [250, 270, 290]


def test_query_of_a_global_index(threads):
    found = threads.by_forum.query(
        "even", ByForum.views.between(40, 80), scan_index_forward=False, page_size=2
    )
    assert [(thread.subject, thread.views) for thread in found] == [
        ("08", 80),
        ("06", 60),
        ("04", 40),
    ]
    assert threads.by_forum.count("odd", Thread.views > 200) == 5


# Of keys alone a whole model is made, its other attributes empty.
def test_query_of_a_local_index(threads):
    found = list(threads.by_views.query("ada", Thread.views >= 280, consistent_read=True))
    assert [thread.attribute_values for thread in found] == [
        {"author": "ada", "subject": "28", "views": 280},
        {"author": "ada", "subject": "29", "views": 290},
    ]


# The limiter spends what ConsumedCapacity says: without it in the answers it raises.
def test_rate_limited_scan(threads):
    found = threads.scan(Thread.author == "ada", rate_limit=10_000, page_size=7)
    assert sorted(thread.subject for thread in found) == [f"{number:02}" for number in range(30)]
    assert found.total_count == 30


def test_scan_in_segments(threads):
    found = [
        thread.subject
        for segment in range(4)
        for thread in threads.scan(Thread.author == "ada", segment=segment, total_segments=4)
    ]
    assert sorted(found) == [f"{number:02}" for number in range(30)]


def test_scan_of_an_index(threads):
    found = threads.by_forum.scan(Thread.views.is_in(10, 20, 30))
    assert sorted(thread.subject for thread in found) == ["01", "02", "03"]


def test_batch_get(threads):
    wanted = [("ada", f"{number:02}") for number in range(30)] + [("ada", "none")]
    found = list(threads.batch_get(wanted, attributes_to_get=["subject"]))
    assert sorted(thread.subject for thread in found) == [f"{number:02}" for number in range(30)]


def test_batch_write(threads, name):
    with threads.batch_write() as batch:
        for number in range(60):
            batch.save(threads(name, f"{number:02}"))
    assert threads.count(name) == 60
    with threads.batch_write() as batch:
        for number in range(59):
            batch.delete(threads(name, f"{number:02}"))
    assert [thread.subject for thread in threads.query(name)] == ["59"]


# Every action of an update, in one; the model takes the new values over.
def test_atomic_update(threads, name):
    thread = threads(name, "u", views=5, tags={"a", "b"}, scores={1}, forum="f", notes=["x"])
    thread.save()
    thread.update(
        actions=[
            Thread.views.add(3),
            Thread.tags.delete({"a"}),
            Thread.scores.add({2}),
            Thread.forum.remove(),
            Thread.notes.set(Thread.notes.append(["y"])),
            Thread.closed.set(Thread.closed | True),
            Thread.place.set({"city": "Bern"}),
        ],
        condition=(Thread.views == 5) & Thread.tags.contains("a") & (size(Thread.notes) == 1),
    )
    stored = threads.get(name, "u")
    assert stored.serialize() == thread.serialize()
    assert (stored.views, stored.tags, stored.scores) == (8, {"b"}, {1, 2})
    assert (stored.forum, stored.notes, stored.closed) == (None, ["x", "y"], True)
    assert stored.place.city == "Bern"
    stored.update(actions=[Thread.place.city.set("Basel"), Thread.notes[0].set("z")])
    stored.refresh()
    assert (stored.place.city, stored.notes) == ("Basel", ["z", "y"])


def test_conditions_that_fail(threads, name):
    thread = threads(name, "c", views=1)
    thread.save(Thread.author.does_not_exist())
    calls = {
        PutError: lambda: thread.save(Thread.author.does_not_exist()),
        UpdateError: lambda: thread.update([Thread.views.set(2)], Thread.views > 1),
        DeleteError: lambda: thread.delete(Thread.views.exists() & (Thread.views != 1)),
    }
    for kind, call in calls.items():
        with pytest.raises(kind) as refused:
            call()
        assert refused.value.cause_response_code == "ConditionalCheckFailedException"
        assert refused.value.cause_response_message == "The conditional request failed"
    assert threads.get(name, "c").views == 1
    thread.delete(Thread.views == 1)
    assert threads.count(name) == 0


# Two writers read version 1; the second of them must not win.
def test_optimistic_locking(accounts, name):
    accounts(name, balance=10).save()
    first, second = accounts.get(name), accounts.get(name)
    assert first.version == 1
    first.balance = 20
    first.save()
    second.balance = 30
    with pytest.raises(PutError) as refused:
        second.save()
    assert refused.value.cause_response_code == "ConditionalCheckFailedException"
    with pytest.raises(UpdateError):
        second.update(actions=[Account.balance.add(1)])
    with pytest.raises(DeleteError):
        second.delete()
    second.refresh()
    assert (second.balance, second.version) == (20, 2)
    second.update(actions=[Account.balance.add(1)])
    assert (second.balance, second.version) == (21, 3)
    second.delete()
    with pytest.raises(DoesNotExist):
        accounts.get(name)


# A number of seconds on the wire, a time in Python; create_table has turned expiry on.
def test_expiry(accounts, name, endpoint):
    account = accounts(name, expires=LATER)
    account.save()
    assert accounts.get(name).expires == LATER
    assert account.serialize()["expires"] == {"N": str(int(LATER.timestamp()))}
    assert [found.name for found in accounts.scan(Account.expires == LATER)] == [name]
    described = client_of(endpoint).describe_time_to_live(TableName=Account.Meta.table_name)
    assert described["TimeToLiveDescription"] == {
        "TimeToLiveStatus": "ENABLED",
        "AttributeName": "expires",
    }


def test_other_refusals(threads, endpoint):
    with pytest.raises(GetError) as missing:
        Missing.get("a")
    assert missing.value.cause_response_code == "ResourceNotFoundException"
    assert missing.value.cause_response_message == "Requested resource not found"
    with pytest.raises(TableDoesNotExist):
        Missing.describe_table()
    with pytest.raises(QueryError) as invalid:
        list(threads.query("ada", filter_condition=Thread.subject == "01"))
    assert invalid.value.cause_response_message == (
        "Filter Expression can only contain non-primary key attributes: "
        "Primary key attribute: subject"
    )


def test_delete_table(endpoint):
    class Short(Model):
        class Meta(Thread.Meta):
            table_name = "pynamodb-short"
            host = endpoint
            billing_mode = "PROVISIONED"
            read_capacity_units = 1
            write_capacity_units = 2

        name = UnicodeAttribute(hash_key=True)

    Short.create_table(wait=True)
    assert Short.describe_table()["ProvisionedThroughput"]["WriteCapacityUnits"] == 2
    Short.delete_table(wait=True)
    assert not Short.exists()
