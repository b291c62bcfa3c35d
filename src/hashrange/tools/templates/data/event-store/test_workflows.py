"""Streams: who is first, and what is loaded and replayed."""

import pytest

import patterns
import workflows
from dynamo import shard_of

TIME = "2026-11-20T10:00:00.000Z"


def event(kind):
    return {"kind": kind, "body": {}}


def test_of_two_writers_one_is_refused(db):
    assert workflows.append(db, "cart-1", 3, [event("Paid"), event("Sent")], TIME)
    assert not workflows.append(db, "cart-1", 3, [event("Added")], TIME)
    assert not workflows.append(db, "cart-1", 4, [event("Added"), event("Added")], TIME)
    kinds = [each["kind"] for each in patterns.events_of_a_stream(db, "cart-1")]
    assert kinds == ["Opened", "Added", "Added", "Paid", "Sent"]


def test_a_snapshot_shortens_loading(db):
    snapshot, events = workflows.load(db, "cart-1")
    assert snapshot["state"] == {"lines": ["tent-2"]}
    assert [each["version"] for each in events] == [3]
    assert workflows.append(db, "cart-2", 0, [event("Opened")], TIME)
    assert workflows.load(db, "cart-2")[0] is None
    with pytest.raises(ValueError, match="1 to 100"):
        workflows.append(db, "cart-2", 1, [], TIME)


def test_a_replay_has_the_wanted_kinds_in_order(db):
    kinds = ["Paid" if number % 2 else "Added" for number in range(150)]
    for begin in (0, 75):
        part = [event(kind) for kind in kinds[begin : begin + 75]]
        assert workflows.append(db, "cart-3", begin, part, TIME)
    shard = shard_of("cart-3", workflows.SHARDS)
    found = list(workflows.replay(db, "2026-11-20", shard, "2026-11-20T09:30", {"Paid"}))
    assert [each["version"] for each in found] == list(range(2, 151, 2))


def test_checkpoints_move_forward(db):
    assert workflows.advance(db, "sales", 2, "2026-11-20T09:05:00.000Z")
    assert not workflows.advance(db, "sales", 2, "2026-11-20T09:04:00.000Z")
    found = patterns.checkpoint_of_a_projection(db, "sales", 2)
    assert found["position"] == "2026-11-20T09:05:00.000Z"
