"""Whole copies between places in memory, and what goes wrong on the way."""

import asyncio

import msgspec
import pytest

from hashrange.tools.copying.items import PAGE_ITEMS_MAX
from hashrange.tools.copying.place import CopyError, RefusedError, ask
from hashrange.tools.copying.progress import Progress
from tests.unit.tools.copying.places import (
    CALLER,
    NAME,
    Careless,
    Failing,
    Slow,
    Told,
    Wrapped,
    memories,
)

ITEMS = 60


def test_all_is_copied(copied, path):
    async def run():
        with memories("from", "to") as (source, target):
            await source.fill(ITEMS)
            assert await copied(source, target) == []
            assert await target.contents() == await source.contents()

    asyncio.run(run())
    assert not path.exists()


# An engine records the encryption that was asked for; a key of AWS is none of another server's.
@pytest.mark.parametrize("is_engine", [False, True])
def test_encryption_is_kept_between_engines_alone(copied, is_engine):
    async def described(place):
        return (await ask(place, CALLER, "DescribeTable", {"TableName": NAME}))["Table"]

    async def run():
        with memories("from", "to", is_canonical=is_engine) as (source, target):
            await source.fill(1)
            update = {"TableName": NAME, "SSESpecification": {"Enabled": True}}
            await ask(source, CALLER, "UpdateTable", update)
            told = Told()
            assert await copied(source, target, watcher=told) == []
            kept = (await described(target)).get("SSEDescription")
            wanted = (await described(source))["SSEDescription"]
            assert kept == (wanted if is_engine else None)
            notes = [] if is_engine else [f"{NAME}: its encryption cannot be copied"]
            assert told.notes == notes

    asyncio.run(run())


# Whatever call fails, before or after it was done: the next start brings all of it to its end.
@pytest.mark.parametrize("late", [pytest.param(False, marks=pytest.mark.long), True])
@pytest.mark.parametrize(
    "end", ["source", "target", pytest.param("filled target", marks=pytest.mark.long)]
)
def test_whatever_call_fails_the_next_start_goes_on(copied, path, end, late):
    async def run(at):
        with memories("from", "to") as (source, target):
            await source.fill(ITEMS)
            replaces = end == "filled target"
            if replaces:
                await target.fill(3)
                await target.unprotect()
            failing = Failing(source if end == "source" else target, at, late=late)
            ends = (failing, target) if end == "source" else (source, failing)
            try:
                await copied(*ends, overwrite=replaces)
            except CopyError:
                assert failing.calls > at, "it fails where it was told to"
            else:
                return False
            # What the first start has made is not in the way of the second.
            assert await copied(source, target, overwrite=replaces) == []
            assert await target.contents() == await source.contents()
            assert not path.exists()
            return True

    calls = 0
    while asyncio.run(run(calls)):
        calls += 1
    # Described by three and read by two; made, written, read again, and finished by many.
    assert calls == 5 if end == "source" else calls > 15


# What was copied is not copied again.
def test_second_start_reads_what_is_left(copied, path):
    async def run():
        with memories("from", "to", is_live=True) as (source, target):
            await source.fill(4 * PAGE_ITEMS_MAX)
            # It is listed, described and defined by four calls, and read by two.
            stopping = Failing(source, 6, late=False)
            with pytest.raises(CopyError, match="it fails"):
                await copied(stopping, target, parallel=1)
            before = Progress.of(path, "from", "to").tables[NAME].tally.items
            assert PAGE_ITEMS_MAX <= before < 4 * PAGE_ITEMS_MAX
            told = Told()
            assert await copied(source, target, parallel=1, watcher=told) == []
            # The rest of FROM, and then all of TO.
            assert told.moved_total == 2 * 4 * PAGE_ITEMS_MAX - before
            assert told.notes == [f"continues the copy recorded in {path}"]

    asyncio.run(run())


# A server ran on the directory between two starts: what was read is not what is there.
@pytest.mark.parametrize("change", ["put", "delete"])
def test_source_that_changed_between_two_starts_is_told(copied, change):
    async def run():
        with memories("from", "to") as (source, target):
            await source.fill(ITEMS)
            with pytest.raises(CopyError, match="it fails"):
                await copied(source, Failing(target, 12, late=True))
            for number in range(ITEMS):
                await getattr(source, change)(f"key {number}")
            return await copied(source, target)

    (text,) = asyncio.run(run())
    assert text.startswith(NAME)


def altered(puts):
    for put in puts:
        item = put["PutRequest"]["Item"]
        if item["pk"]["S"] == "key 7":
            item["text"] = {"S": "y" * 300}
    return puts


def without(puts):
    return [put for put in puts if put["PutRequest"]["Item"]["pk"]["S"] != "key 7"]


def doubled(puts):
    more = [{"PutRequest": {"Item": {"pk": {"S": "key 7 again"}}}}]
    return puts + more if len(puts) < 25 and without(puts) != puts else puts


@pytest.mark.parametrize(
    ("change", "count", "text"),
    [
        (altered, ITEMS, '{"pk":{"S":"key 7"}} is another item'),
        (without, ITEMS - 1, '{"pk":{"S":"key 7"}} is missing'),
        (doubled, ITEMS + 1, '{"pk":{"S":"key 7 again"}} is too much'),
    ],
)
@pytest.mark.parametrize("is_canonical", [False, True])
def test_items_that_differ_are_named(copied, path, change, count, text, is_canonical):
    async def run():
        with memories("from", "to", is_canonical=is_canonical) as (source, target):
            await source.fill(ITEMS)
            told = Told()
            # More segments than one: so that no batch is full.
            found = await copied(source, Careless(target, change), parallel=4, watcher=told)
            assert told.differences == found
            return found

    counts = f"{NAME}: {ITEMS} items were read, {count} are in to"
    assert asyncio.run(run()) == [counts, f"{NAME}: {text}"]
    assert not path.exists(), "there is nothing to go on with"


def reordered(puts):
    for put in puts:
        put["PutRequest"]["Item"] = dict(reversed(put["PutRequest"]["Item"].items()))
    return puts


# The texts are what is summed first; they are not what an item is.
@pytest.mark.parametrize("is_canonical", [False, True])
def test_other_text_is_no_difference(copied, is_canonical):
    async def run():
        with memories("from", "to", is_canonical=is_canonical) as (source, target):
            await source.fill(ITEMS)
            assert await copied(source, Careless(target, reordered)) == []
            assert await target.contents() == await source.contents()

    asyncio.run(run())


def test_only_some_of_many_differences_are_named(copied):
    async def run():
        with memories("from", "to") as (source, target):
            await source.fill(ITEMS)
            return await copied(source, Careless(target, lambda puts: puts[:1]))

    found = asyncio.run(run())
    assert len(found) == 11
    assert all(text.endswith("is missing") for text in found[1:])


class WithoutTags(Wrapped):
    """As DynamoDB Local of some versions."""

    async def call(self, caller, operation, body):
        if operation == "ListTagsOfResource":
            raise RefusedError("to", operation, "UnknownOperationException", "there are none")
        return await super().call(caller, operation, body)


# Nothing is said to be copied that is not there.
def test_setting_that_is_not_there_afterwards_is_named(copied):
    async def run(source_kind, target_kind):
        with memories("from", "to") as (source, target):
            await source.fill(1)
            return await copied(source_kind(source), target_kind(target))

    (text,) = asyncio.run(run(Wrapped, WithoutTags))
    assert text == f'{NAME}: Tags is [] and not [{{"Key": "of", "Value": "somebody"}}]'
    assert asyncio.run(run(WithoutTags, WithoutTags)) == []


def test_unprocessed_items_are_put_again(copied):
    async def run():
        with memories("from", "to") as (source, target):
            await source.fill(ITEMS)
            assert await copied(source, Slow(target)) == []
            assert await target.contents() == await source.contents()

    asyncio.run(run())


class Lenient(Wrapped):
    """Has an item that DynamoDB would not take."""

    async def call(self, caller, operation, body):
        answer = await super().call(caller, operation, body)
        return answer.replace(b'{"pk":{"S":"key 7"}', b'{"pk":{"S":"key 7"},"bad":{"NS":[]}')


# Whoever moves here from a lenient server has to find it.
def test_item_that_is_refused_is_named(copied):
    async def run():
        with memories("from", "to") as (source, target):
            await source.fill(ITEMS)
            await copied(Lenient(source), target)

    with pytest.raises(CopyError) as refused:
        asyncio.run(run())
    text = 'a-table {"pk":{"S":"key 7"}}: to refuses BatchWriteItem: '
    assert str(refused.value).startswith(text)


class Gradual(Wrapped):
    """Takes three looks for all that changes a table, as AWS does."""

    def __init__(self, place):
        super().__init__(place)
        self.hidden, self.refused = 0, 0

    async def call(self, caller, operation, body):
        if operation == "DescribeTable":
            if self.hidden:
                self.hidden -= 1
                shown = {"TableStatus": "UPDATING", "CreationDateTime": 1.0, "TableArn": "arn:"}
                return msgspec.json.encode({"Table": shown})
            return await super().call(caller, operation, body)
        if self.hidden:
            self.refused += 1
        if operation in {"CreateTable", "DeleteTable", "UpdateTable"}:
            self.hidden = 3
        return await super().call(caller, operation, body)


def test_tables_are_waited_for(copied):
    async def run():
        with memories("from", "to") as (source, target):
            await source.fill(3)
            await target.fill(5)
            await target.unprotect()
            gradual = Gradual(target)
            assert await copied(source, gradual, overwrite=True) == []
            assert await target.contents() == await source.contents()
            assert (gradual.hidden, gradual.refused) == (0, 0), "nothing was asked too early"

    asyncio.run(run())


class Stuck(Wrapped):
    """Processes nothing."""

    async def call(self, caller, operation, body):
        if operation == "BatchWriteItem":
            return body.replace(b"RequestItems", b"UnprocessedItems")
        return await super().call(caller, operation, body)


def test_batch_that_is_never_processed_ends_the_copy(copied):
    async def run():
        with memories("from", "to") as (source, target):
            await source.fill(1)
            await copied(source, Stuck(target))

    with pytest.raises(CopyError, match="to leaves items of a-table unprocessed"):
        asyncio.run(run())
