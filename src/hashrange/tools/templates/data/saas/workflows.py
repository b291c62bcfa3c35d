"""Workflows of more than one plain request: registering, creating and moving."""

from typing import Any

from dynamo import Item, show, transact
from patterns import (
    TABLE,
    activity_item,
    create_a_task,
    email_item,
    open_tasks_of_a_member,
    take_a_task_number,
    task_item,
    user_item,
)

NEW = "attribute_not_exists(pk)"


def register_a_user(db: Any, user: Item) -> bool:
    """Put a user and the claim of the address; False if either is taken."""
    email = {"email": user["email"], "accountId": user["accountId"]}
    items = [user_item(user), email_item(email)]
    puts = [{"TableName": TABLE, "Item": item, "ConditionExpression": NEW} for item in items]
    return not transact(db, [{"Put": put} for put in puts])


def new_task(db: Any, org_id: str, project_id: str, task: Item) -> Item:
    """Number a task and put it; the task with its number."""
    project = take_a_task_number(db, org_id, project_id)
    numbered = {
        "orgId": org_id,
        "projectId": project_id,
        "number": project["lastNumber"],
        "version": 1,
        **task,
    }
    create_a_task(db, numbered)
    return numbered


def move_a_task(db: Any, task: Item, status: str, rank: str, activity: Item) -> bool:
    """Move the card that a member saw; False if it has changed since, so that it is read again.

    Args:
        db: the client.
        task: the task as it was read; its version is compared.
        status: the column.
        rank: the place in the column, between those of the neighbours.
        activity: `at`, a time in ISO 8601, `activityId`, and `actor`.
    """
    key = {name: task_item(task)[name] for name in ("pk", "sk")}
    changes = ["#status = :status", "#rank = :rank", "version = version + :one"]
    names = {"#status": "status", "#rank": "rank"}
    values = {":status": status, ":rank": rank, ":one": 1, ":version": task["version"]}
    expression = f"SET {', '.join(changes)}"
    if status == "done":
        expression += " REMOVE openFor"
    elif task.get("assignee"):
        expression += ", openFor = :assignee"
        values[":assignee"] = task["assignee"]
    update = {
        "TableName": TABLE,
        "Key": key,
        "UpdateExpression": expression,
        "ConditionExpression": "version = :version",
        "ExpressionAttributeNames": names,
        "ExpressionAttributeValues": values,
    }
    text = f"moved {task['projectId']}-{task['number']} to {status}"
    done = {"orgId": task["orgId"], "month": activity["at"][:7], "text": text, **activity}
    put = {"TableName": TABLE, "Item": activity_item(done)}
    return not transact(db, [{"Update": update}, {"Put": put}])


def demo(db: Any) -> None:
    """Run each workflow once."""
    user = {"accountId": "dee", "name": "Dee", "email": "dee@example.com"}
    show("Register", register_a_user(db, user))
    other = {"accountId": "dan", "name": "Dan", "email": "dee@example.com"}
    show("Register a second user with the address", register_a_user(db, other))
    card = {"title": "Say hello", "status": "open", "rank": "m", "assignee": "dee"}
    task = new_task(db, "acme", "WEB", {**card, "openFor": "dee", "due": "2026-12-24"})
    show("Number of a new task", task["number"])
    at = "2026-11-21T08:00:00Z"
    activity = {"at": at, "activityId": "a9", "actor": "dee", "expires": 4102444800}
    show("Move", move_a_task(db, task, "done", "z", activity))
    show("Move again what has changed", move_a_task(db, task, "open", "a", activity))
    show("Open tasks of dee", open_tasks_of_a_member(db, "acme", "dee"))
