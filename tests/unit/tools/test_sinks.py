"""Positions of sinks and versions of changes, by value."""

import pytest

from hashrange.background.triggers.patterns import pattern_from
from hashrange.tools.copying.place import CopyError
from hashrange.tools.sinks.changes import EPOCH, change_of, newest, row_of, wanted
from hashrange.tools.sinks.positions import (
    ChangesGoneError,
    ListedShard,
    TablePosition,
    begun,
    due,
    with_end,
    with_listed,
)

KEYS = {"pk": {"S": "a"}}


def listed(*shards):
    """Shards by id, from their ids and parents; those in capitals are closed."""
    found = [
        ListedShard(name.lower(), parent or None, "100", name.isupper())
        for name, _, parent in (shard.partition("<") for shard in shards)
    ]
    return {shard.id: shard for shard in found}


def at(**shards):
    return TablePosition(stream="arn", shards=shards, finished=frozenset())


def test_snapshot_begins_in_the_open_shards():
    position = begun("arn", listed("A", "b<a", "c<a"), epoch=2)
    assert position.shards == {"b": "", "c": ""}
    assert position.finished == {"a"}
    assert position.epoch == 2


def test_child_is_read_after_its_parent():
    shards = listed("A", "b<a", "c")
    position = with_listed(at(a="5", c=""), shards)
    assert position.shards == {"a": "5", "b": "", "c": ""}
    assert due(position, shards) == ["a", "c"]
    assert due(with_end(position, "a"), shards) == ["b", "c"]


def test_generations_are_found_at_once():
    position = with_listed(at(a="5"), listed("A", "B<a", "c<b"))
    assert position.shards == {"a": "5", "b": "", "c": ""}


def test_finished_shard_may_expire():
    position = with_end(with_listed(at(a="5"), listed("A", "b<a")), "a")
    assert with_listed(position, listed("b<a")).finished == frozenset()
    assert with_listed(position, listed("b<a", "c<b")).shards == {"b": "", "c": ""}


@pytest.mark.parametrize(
    ("shards", "gone"),
    [(("b<a",), "a"), (("A", "d<c"), "c")],
    ids=["it was not read to its end", "its child was never seen"],
)
def test_shard_that_expired_unread_is_lost(shards, gone):
    with pytest.raises(ChangesGoneError, match=f"the shard {gone} has expired"):
        with_listed(at(a="5"), listed(*shards))


def record(number, name="MODIFY", **image):
    images = {} if name == "REMOVE" else {"NewImage": {**KEYS, **image}}
    return {"eventName": name, "dynamodb": {"Keys": KEYS, "SequenceNumber": str(number), **images}}


def test_versions_grow_with_changes_and_snapshots():
    row = row_of("t", {**KEYS, "n": {"N": "1"}}, ["pk"], stream="arn", epoch=1)
    before, after = change_of("t", "arn", 0, record(7)), change_of("t", "arn", 1, record(2))
    assert before.version < row.version < after.version
    assert (row.version, after.version) == (EPOCH, EPOCH + 2)
    assert row.key == before.key == after.key
    with pytest.raises(CopyError, match="too large"):
        change_of("t", "arn", 0, record(EPOCH))


def test_last_change_of_each_item_stays():
    changes = [
        change_of("t", "arn", 0, record(1)),
        change_of("u", "arn", 0, record(2)),
        change_of("t", "arn", 0, record(3, "REMOVE")),
    ]
    assert [(each.table, each.version, each.new) for each in newest(changes)] == [
        ("t", 3, None),
        ("u", 2, {**KEYS}),
    ]


def test_one_of_the_filters_must_match():
    changes = [change_of("t", "arn", 0, record(1, n={"N": str(number)})) for number in range(3)]
    filters = [
        pattern_from(f'{{"dynamodb": {{"NewImage": {{"n": {{"N": ["{n}"]}}}}}}}}') for n in (0, 2)
    ]
    assert wanted(changes, filters) == [changes[0], changes[2]]
    assert wanted(changes, ()) == changes
