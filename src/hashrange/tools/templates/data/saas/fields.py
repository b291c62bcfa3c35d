"""Attributes of generated items: organizations with all that belongs to them, without an end."""

from collections.abc import Iterator
from itertools import count
from random import Random

STATUSES = ("open", "doing", "review", "done")
WORDS = ("draw", "build", "test", "review", "order", "paint", "plan", "check", "move")


def items(random: Random) -> Iterator[tuple[str, dict]]:
    """Pairs of an entity and attributes; no two have the same key."""
    for number in count(1):
        org = f"org{number:05}"
        name = f"Organization {number}"
        people = [f"user{number:05}-{each}" for each in range(random.randint(2, 12))]
        yield "Organization", {"orgId": org, "orgName": name, "plan": random.choice("ABC")}
        for person in people:
            email = f"{person}@example.com"
            yield "User", {"accountId": person, "name": person.title(), "email": email}
            yield "Email", {"email": email, "accountId": person}
            role = random.choice(("admin", "editor", "viewer"))
            yield "Member", {"orgId": org, "userId": person, "role": role, "orgName": name}
        for code in ("WEB", "APP", "OPS")[: random.randint(1, 3)]:
            yield from _project(random, org, code, people)


def _project(random: Random, org: str, code: str, people: list[str]) -> Iterator[tuple[str, dict]]:
    tasks = random.randint(3, 40)
    yield "Project", {"orgId": org, "code": code, "title": code.title(), "lastNumber": tasks}
    for number in range(1, tasks + 1):
        status, person = random.choice(STATUSES), random.choice(people)
        task = {
            "orgId": org,
            "projectId": code,
            "number": number,
            "title": f"{random.choice(WORDS)} {random.choice(WORDS)}",
            "status": status,
            "rank": f"{random.randrange(26**3):05}",
            "assignee": person,
            "due": f"2026-12-{random.randint(1, 28):02}",
            "version": 1,
        }
        yield "Task", task if status == "done" else {**task, "openFor": person}
        for each in range(random.randint(0, 3)):
            at = f"2026-11-{random.randint(1, 28):02}T{random.randrange(24):02}:00:00Z"
            comment = {"orgId": org, "board": code, "number": number, "at": at, "author": person}
            yield "Comment", {**comment, "commentId": f"c{each}", "text": random.choice(WORDS)}
            activity = {
                "orgId": org,
                "month": at[:7],
                "at": at,
                "activityId": f"{code}{number}{each}",
            }
            text = f"commented on {code}-{number}"
            yield "Activity", {**activity, "actor": person, "text": text, "expires": 4102444800}
