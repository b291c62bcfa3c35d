"""Workflows with conditions: who is first, and who is refused."""

import patterns
import workflows
from dynamo import keys_of

ACTIVITY = {"at": "2026-11-30T23:59:00Z", "activityId": "x", "actor": "ada", "expires": 4102444800}


def test_an_address_belongs_to_one_user(db):
    user = {"accountId": "eve", "name": "Eve", "email": "bob@example.com"}
    assert not workflows.register_a_user(db, user)
    assert patterns.profile_of_a_user(db, "eve") is None
    assert workflows.register_a_user(db, {**user, "email": "eve@example.com"})
    assert patterns.sign_in_by_email(db, "eve@example.com")["accountId"] == "eve"


def test_numbers_of_tasks_rise(db):
    card = {"title": "New", "status": "open", "rank": "a"}
    numbers = [workflows.new_task(db, "acme", "APP", card)["number"] for _ in range(3)]
    assert numbers == [1, 2, 3]


def test_the_second_of_two_movers_is_refused(db):
    seen = patterns.task_with_its_comments(db, "acme", "WEB", 1)[0]
    assert workflows.move_a_task(db, seen, "review", "a", ACTIVITY)
    assert not workflows.move_a_task(db, seen, "done", "a", {**ACTIVITY, "activityId": "y"})
    assert keys_of(patterns.column_of_a_board(db, "acme", "WEB", "review")) == keys_of(seen)
    assert len(patterns.activities_of_a_month(db, "acme", "2026-11").items) == 3


def test_done_tasks_leave_the_index_of_open_ones(db):
    seen = patterns.task_with_its_comments(db, "acme", "WEB", 2)[0]
    assert workflows.move_a_task(db, seen, "done", "a", ACTIVITY)
    open_tasks = patterns.open_tasks_of_a_member(db, "acme", "ada")
    assert [each["number"] for each in open_tasks] == [1]
