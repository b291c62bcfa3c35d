"""Messages: once, in order, and over months."""

import patterns
import workflows


def message(message_id, channel="lab"):
    return {"channelId": channel, "messageId": message_id, "author": "bob", "text": "Hi"}


def test_a_message_that_is_sent_twice_exists_once(db):
    assert workflows.send(db, message("20261121T100000Z-m4"))
    assert not workflows.send(db, message("20261121T100000Z-m4"))
    found = patterns.messages_after_another(db, "lab", "2026-11", "20261121")
    assert len(found.items) == 1


def test_the_newest_message_stays_the_newest(db):
    workflows.send(db, message("20261121T100000Z-m5"))
    workflows.send(db, message("20261121T090000Z-m4"))
    channel = patterns.channel_with_its_members(db, "lab")[0]
    assert channel["newest"] == "20261121T100000Z-m5"


def test_history_goes_back_over_months(db):
    channel = patterns.channel_with_its_members(db, "lab")[0]
    found = workflows.history(db, channel, "2026-12", 10)
    assert [each["messageId"][-2:] for each in found] == ["m3", "m2", "m2", "m1"]
    assert len(workflows.history(db, channel, "2026-11", 3)) == 3
    assert workflows.before("2026-01") == "2025-12"


def test_the_inbox_knows_what_is_unread(db):
    found = workflows.inbox(db, "ada")
    assert [(each["channelId"], each["unread"]) for each in found] == [
        ("lab", True),
        ("fun", False),
    ]
    patterns.mark_as_read(db, "lab", "ada", "20261120T090500Z-m3")
    assert not any(each["unread"] for each in workflows.inbox(db, "ada"))
