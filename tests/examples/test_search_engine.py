"""examples/search_engine.py: order, repetitions, batches that fail, snapshots."""

import pytest

from search_engine import SearchIndex

EPOCH = 10**30


def record(version, article, text=None):
    image = {"NewImage": {"title": {"S": article}, "text": {"S": text}}} if text else {}
    return {
        "eventName": "MODIFY" if text else "REMOVE",
        "version": str(version),
        "dynamodb": {"Keys": {"id": {"S": article}}, **image},
    }


@pytest.fixture
def index(tmp_path):
    return SearchIndex(tmp_path / "index")


def test_change_that_is_not_newer_is_ignored(index):
    index.apply([record(2, "a", "moon"), record(1, "a", "sun")])
    assert (index.search("moon"), index.search("sun")) == (["a"], [])
    index.apply([record(2, "a", "sun")])
    assert (index.search("moon"), index.search("sun")) == (["a"], [])
    index.apply([record(10, "a", "sun")])
    assert (index.search("moon"), index.search("sun")) == ([], ["a"])


# As after a kill of the command between the answer and the write of its position.
def test_repeated_batches_end_in_the_same_state(index):
    batch = [record(1, "a", "moon"), record(2, "b", "moon"), record(3, "a")]
    for _ in range(2):
        index.apply(batch)
        assert index.search("moon") == ["b"]


def test_batch_that_fails_changes_nothing(index):
    index.apply([record(1, "a", "moon")])
    with pytest.raises(KeyError):
        index.apply([record(2, "a", "sun"), {"version": "3", "eventName": "MODIFY"}])
    assert (index.search("moon"), index.search("sun")) == (["a"], [])
    index.apply([record(2, "a", "sun")])
    assert index.search("sun") == ["a"]


def test_end_of_a_snapshot_removes_what_it_did_not_have(index):
    end = {"eventName": "SNAPSHOT_END", "tableName": "articles", "version": str(EPOCH)}
    index.apply([record(1, "a", "moon"), record(2, "b", "moon")])
    index.apply([record(EPOCH, "a", "moon"), record(EPOCH + 1, "c", "moon"), end])
    assert sorted(index.search("moon")) == ["a", "c"]


def test_committed_batches_are_on_disk(index, tmp_path):
    index.apply([record(1, "a", "moon")])
    del index.writer
    assert SearchIndex(tmp_path / "index").search("moon") == ["a"]
